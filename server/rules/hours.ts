/** When people may be disturbed. */

const day_ms = 86_400_000
const shanghai_ms = 8 * 3_600_000

/** From eight until nine in the evening: a job that makes up for a time when no server ran may run at night, and then nobody is sent a message. */
export function mayDisturb(now: Date): boolean {
  const hour = Math.floor(((now.getTime() + shanghai_ms) % day_ms) / 3_600_000)
  return hour >= 8 && hour < 21
}
