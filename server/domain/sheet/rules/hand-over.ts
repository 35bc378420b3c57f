/** What becomes of a title whose new owner has one of the same name and month already. Pure. */
import type { TitleKind } from '../../../contract/words/words.ts'

export type Share = { readonly admin_id: string; readonly rights: string }
export type Title = { readonly name: string; readonly kind: TitleKind; readonly shares: readonly Share[] }

/**
 * Two titles become one only where that shows nobody more than he saw: of the same kind, and shared with the same people. Employees
 * read the name, so it stays where it can.
 */
export const mayMerge = (one: Title, other: Title): boolean =>
  one.kind === other.kind && audience(one.shares) === audience(other.shares)

const audience = (shares: readonly Share[]): string =>
  shares
    .map(({ admin_id, rights }) => `${admin_id}:${rights}`)
    .sort()
    .join()

/** 「10月工资（移交自张三）」, with a number where that is taken as well. */
export function freeName(name: string, from: string, taken: ReadonlySet<string>): string {
  for (let count = 1; ; count += 1) {
    const tried = `${name}（移交自${from}${count > 1 ? ` ${count}` : ''}）`
    if (!taken.has(tried)) return tried
  }
}
