import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { getNight } from '../../src/features/sheets/send/send-time.tsx'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

test.each([
  ['2026-11-29T05:13:00+08:00', { now: '05:13', morning: '2026-11-29T09:00', isToday: true }],
  ['2026-11-29T23:40:00+08:00', { now: '23:40', morning: '2026-11-30T09:00', isToday: false }],
  ['2026-11-29T12:00:00+08:00', null],
])('offers the next morning at night only: %s', (at, expected) => {
  vi.setSystemTime(new Date(at))
  expect(getNight()).toEqual(expected)
})
