/** When people may be disturbed. */

const dayMs = 86_400_000
const shanghaiOffsetMs = 8 * 3_600_000

/** From eight until nine in the evening: a job that makes up for a time when no server ran may run at night, and then nobody is sent a message. */
export function isContactHour(now: Date): boolean {
  const hour = Math.floor(((now.getTime() + shanghaiOffsetMs) % dayMs) / 3_600_000)
  return hour >= 8 && hour < 21
}
