import dayjs, { type Dayjs } from 'dayjs'

export const wallClockFormat = 'YYYY-MM-DDTHH:mm'

/**
 * Returns the wall-clock time in Shanghai, independent of the computer's time zone: `2026-11-20 09:00`. Shanghai has
 * had no daylight saving time since 1991.
 */
export const getShanghaiNow = (): Dayjs => dayjs(new Date(Date.now() + (480 + new Date().getTimezoneOffset()) * 60_000))
/** Converts `2026-11-20T09:00` in Shanghai to an instant. */
export const toInstant = (text: string): string => `${text}:00+08:00`
