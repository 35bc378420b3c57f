/** Undo after pressing 发送: when the sending begins, and how long it can be undone. */
import { describe, expect, test } from 'vitest'
import { getSendStart, getUndoSecondsRemaining } from '../../../server/modules/payslips/rules/payslip-rules.ts'

const now = new Date('2026-11-20T10:00:00+08:00')
const after = (seconds: number) => new Date(now.getTime() + seconds * 1000)

describe('start of a confirmed batch', () => {
  test.each([
    ['after the undo period', null, 60, after(60), after(60)],
    ['at once where the company has no undo period', null, 0, now, null],
    ["at the scheduled time, whatever the company's setting", after(86_400), 60, after(86_400), null],
    ['at a scheduled time earlier than the undo period', after(5), 60, after(5), null],
    ['at once where the scheduled time has passed since', after(-5), 60, after(60), after(60)],
  ])('%s', (_, scheduled_at, seconds, at, undo_until) => {
    expect(getSendStart(scheduled_at, now, seconds)).toEqual({ at, undo_until })
  })
})

describe('remaining seconds to undo', () => {
  test.each([
    ['all seconds at the beginning', 'scheduled', after(60), 60],
    ['a started second counts as one', 'scheduled', after(0.2), 1],
    ['no seconds when sending is about to begin', 'scheduled', after(-3), 0],
    ['no seconds for a scheduled time', 'scheduled', null, null],
    ['no seconds after sending has begun', 'sending', after(30), null],
    ['no seconds after the batch was undone', 'checked', after(30), null],
  ])('%s', (_, status, undo_until, left) => {
    expect(getUndoSecondsRemaining({ status, undo_until }, now)).toBe(left)
  })
})
