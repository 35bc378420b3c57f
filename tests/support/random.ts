/** Reproducible randomness: a seed determines the tested values, and a failed seed can be repeated. */

export type Random = {
  /** 0 ≤ x < 1. */
  next(): number
  /** Returns an integer, 0 ≤ x < end. */
  below(end: number): number
  pick<T>(list: readonly T[]): T
  chance(share: number): boolean
  shuffled<T>(list: readonly T[]): T[]
}

/** Returns a Mulberry32 generator: 32 bits of state are enough for tests. */
export function seeded(seed: number): Random {
  let state = seed >>> 0
  const next = () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }
  const below = (end: number) => Math.floor(next() * end)
  return {
    next,
    below,
    pick: <T>(list: readonly T[]): T => list[below(list.length)] as T,
    chance: (share) => next() < share,
    shuffled<T>(list: readonly T[]): T[] {
      const all = [...list]
      for (let at = all.length - 1; at > 0; at -= 1) {
        const other = below(at + 1)
        ;[all[at], all[other]] = [all[other] as T, all[at] as T]
      }
      return all
    },
  }
}

let phones = 0
/**
 * Returns a phone that is unused in this worker. Databases belong to a worker or file, so a counter cannot collide,
 * unlike random numbers. Phones written in tests begin differently.
 */
export function freshPhone(): string {
  phones += 1
  return `171${String(phones).padStart(8, '0')}`
}
