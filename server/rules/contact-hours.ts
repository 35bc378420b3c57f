/** Hours during which recipients may be contacted. */

const dayMs = 86_400_000
const shanghaiOffsetMs = 8 * 3_600_000

/** Returns whether it is between 8:00 and 21:00 in China: a job that catches up may run at night, but sends nothing then. */
export function isContactHour(now: Date): boolean {
  const hour = Math.floor(((now.getTime() + shanghaiOffsetMs) % dayMs) / 3_600_000)
  return hour >= 8 && hour < 21
}
