/**
 * Waiting times for calls that WeCom refuses as too frequent (45009, 45033). The answer does not say whether the limit
 * of a minute, an hour or a day was exceeded, so the first wait is a minute, and each refusal right after a wait
 * doubles it, up to an hour.
 */
const firstWaitSeconds = 60
const maxWaitSeconds = 3_600

type Wait = { readonly seconds: number; readonly until: number }

/** Returns the seconds to wait after a refusal at `now` (milliseconds); `last`: the previous wait of the same call. */
export function getNextWait(last: Wait | undefined, now: number): Wait {
  // Further calls were under way when the first of them was refused.
  if (last && now < last.until) return last
  const isRepeated = last !== undefined && now - last.until < last.seconds * 1000
  const seconds = isRepeated ? Math.min(maxWaitSeconds, last.seconds * 2) : firstWaitSeconds
  return { seconds, until: now + seconds * 1000 }
}

/** Remembers the waits of each call of an application (`key`). */
export function createBackoff(now: () => number): { getWaitSeconds(key: string): number } {
  const waits = new Map<string, Wait>()
  return {
    getWaitSeconds(key) {
      const at = now()
      for (const [other, { until, seconds }] of waits) if (at - until > seconds * 1000) waits.delete(other)
      const wait = getNextWait(waits.get(key), at)
      waits.set(key, wait)
      return Math.max(1, Math.ceil((wait.until - at) / 1000))
    },
  }
}
