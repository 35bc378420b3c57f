/** Stands for vitest where the trials of a file are wanted as functions, in a process of its own (`child.ts`). */
export type Collected = { readonly title: string; readonly run: () => unknown }
export const collected: Collected[] = []

const collect = (title: string, ...rest: unknown[]): void => {
  const run = rest.findLast((one) => typeof one === 'function')
  if (run) collected.push({ title, run: run as () => unknown })
}
/** Tables of examples are no trials. */
const each = () => () => undefined
const registered = Object.assign(collect, { each, skipIf: (is: boolean) => (is ? () => undefined : collect) })
export const it = registered
export const test = registered
export const describe = Object.assign((_title: string, body: () => void): void => body(), { each })
/** No trial of layouts expects anything: it throws. */
export const expect = (): never => {
  throw new Error('a trial of layouts says what is wrong by throwing')
}
