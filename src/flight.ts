/**
 * Single flight (spec §4), for every call that is made by pressing something: while one is under way, the same press again sends nothing and
 * hears the first one's answer. Other input of the same call waits its turn (`scope` in `useCall`): two switches turned one after the other
 * are both meant, in their order.
 */
import type { Call } from '../server/contract/call.ts'

const underWay = new Map<string, { input: unknown; answer: Promise<unknown> }[]>()

/** What is sent alike. A file is itself and no other, whatever it holds. */
function isSame(one: unknown, other: unknown): boolean {
  if (Object.is(one, other)) return true
  if (typeof one !== 'object' || typeof other !== 'object' || !one || !other) return false
  if (one instanceof Blob || other instanceof Blob || Array.isArray(one) !== Array.isArray(other)) return false
  const [mine, theirs] = [one as Record<string, unknown>, other as Record<string, unknown>]
  const names = new Set([...Object.keys(mine), ...Object.keys(theirs)])
  return [...names].every((name) => isSame(mine[name], theirs[name]))
}

/** The answer that is on its way to the very same question; undefined when there is none. */
export const underWayOf = <T>(call: Call, input: unknown): Promise<T> | undefined =>
  underWay.get(call.at)?.find((flight) => isSame(flight.input, input))?.answer as Promise<T> | undefined

/** Starts it unless it is under way. */
export function once<T>(call: Call, input: unknown, start: () => Promise<T>): Promise<T> {
  const before = underWayOf<T>(call, input)
  if (before) return before
  const flight = { input, answer: start() }
  underWay.set(call.at, [...(underWay.get(call.at) ?? []), flight])
  const land = () => {
    const rest = underWay.get(call.at)?.filter((one) => one !== flight) ?? []
    if (rest.length > 0) underWay.set(call.at, rest)
    else underWay.delete(call.at)
  }
  flight.answer.then(land, land)
  return flight.answer
}
