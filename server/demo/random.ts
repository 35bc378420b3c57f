/** Seeded random numbers: the demo's names, amounts and ids do not change from one start to the next. */

export type SeededRandom = {
  /** 0 ≤ x < 1. */
  next(): number
  /** Returns an integer, both ends included. */
  integer(from: number, to: number): number
  pick<T>(list: readonly T[]): T
  /** Returns true with probability `share`. */
  chance(share: number): boolean
  /** Returns a UUIDv7 of that time. */
  id(at: Date): string
}

/**
 * Mulberry32: 32 bits of state suffice for a demo. Never for secrets. The numbers of another `set` are the same, except
 * for the ids, which are offset by the set.
 */
export function createSeededRandom(seed: number, set = 0): SeededRandom {
  let state = seed >>> 0
  let counter = 0
  const next = (): number => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }
  const integer = (from: number, to: number): number => from + Math.floor(next() * (to - from + 1))
  const hex = (digits: number): string => Array.from({ length: digits }, () => integer(0, 15).toString(16)).join('')
  const applySet = (last: string): string =>
    ((Number.parseInt(last.slice(0, 2), 16) + set) % 256).toString(16).padStart(2, '0') + last.slice(2)
  return {
    next,
    integer,
    chance: (share) => next() < share,
    pick<T>(list: readonly T[]): T {
      const one = list[integer(0, list.length - 1)]
      if (one === undefined) throw new RangeError('nothing to pick from')
      return one
    },
    id(at) {
      // The counter keeps the creation order within one millisecond, as newId() does.
      counter = (counter + 1) % 0x1000
      const time = at.getTime().toString(16).padStart(12, '0')
      return `${time.slice(0, 8)}-${time.slice(8)}-7${counter.toString(16).padStart(3, '0')}-${integer(8, 11).toString(16)}${hex(3)}-${applySet(hex(12))}`
    },
  }
}
