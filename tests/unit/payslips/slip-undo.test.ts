/** Undo after pressing 发送: when the sending begins, and how long it can be undone. */
import { describe, expect, test } from 'vitest'
import { getSendStart, getUndoSecondsRemaining } from '../../../server/modules/payslips/rules/payslip-rules.ts'

const now = new Date('2026-11-20T10:00:00+08:00')
const after = (seconds: number) => new Date(now.getTime() + seconds * 1000)

describe('start of a confirmed batch', () => {
  test.each([
    ['after the time for undoing', null, 60, after(60), after(60)],
    ['at once where the company wants no such time', null, 0, now, null],
    ['when somebody has said, whatever the company has set', after(86_400), 60, after(86_400), null],
    ['when somebody has said, also sooner than it could be undone', after(5), 60, after(5), null],
    ['as if now, where the time that was said has passed since', after(-5), 60, after(60), after(60)],
  ])('%s', (_, scheduled_at, seconds, at, undo_until) => {
    expect(getSendStart(scheduled_at, now, seconds)).toEqual({ at, undo_until })
  })
})

describe('seconds left to undo', () => {
  test.each([
    ['all of them', 'scheduled', after(60), 60],
    ['a part of one counts as one', 'scheduled', after(0.2), 1],
    ['none where it is about to begin', 'scheduled', after(-3), 0],
    ['not of a time that was chosen', 'scheduled', null, null],
    ['not of what has begun', 'sending', after(30), null],
    ['not of what was taken back', 'checked', after(30), null],
  ])('%s', (_, status, undo_until, left) => {
    expect(getUndoSecondsRemaining({ status, undo_until }, now)).toBe(left)
  })
})
