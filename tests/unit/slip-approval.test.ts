/** Whether a plan may leave where the company wants a second administrator to approve it, and who decides. */
import { describe, expect, test } from 'vitest'
import { canSetApprovalStatus } from '../../server/modules/approval/rules/decision.ts'
import { getApprovalError, needsApproval } from '../../server/modules/slip/rules/payslip-rules.ts'

test.each([
  [0, 1_000, false],
  [1, 1, true],
  [10, 9, false],
  [10, 10, true],
])('from %i people on, %i people: %s', (from, people, needed) => expect(needsApproval(from, people)).toBe(needed))

describe('a plan leaves', () => {
  const given = { status: 1, isUnchanged: true, isDecidedByApplicant: false } as const
  test.each([
    ['as it was approved', given, null],
    ['not where nobody was asked', null, '请提交审批'],
    ['not while it waits', { ...given, status: 0 }, '还在等审批'],
    ['not once it was returned', { ...given, status: 2 }, '被驳回'],
    ['not once it was taken back', { ...given, status: 3 }, '请提交审批'],
    ['not when it says something else than was approved', { ...given, isUnchanged: false }, '又有改变'],
    ['not when he approved it himself', { ...given, isDecidedByApplicant: true }, '不能由申请人自己审批'],
  ] as const)('%s', (_, approval, why) => {
    const fault = getApprovalError(approval)
    if (why === null) expect(fault).toBe(null)
    else expect(fault).toContain(why)
  })
})

describe('a sending is decided by', () => {
  const asked = { kind: 'send', applicant_id: 'a', status: 0 } as const
  test.each([
    ['whoever may do everything', ['4'], false, true],
    ['not another payroll administrator, where somebody above him can', ['2'], false, 'not_found'],
    ['nor the enterprise administrator', ['1'], false, 'not_found'],
    ['a payroll administrator, where whoever may do everything asks', ['2'], true, true],
    ['or the enterprise administrator', ['1'], true, true],
    ['never who keeps the roster only', ['3'], true, 'not_found'],
  ] as const)('%s', (_, power, of_head, expected) => {
    const verdict = canSetApprovalStatus({ admin_id: 'b', power: [...power] }, { ...asked, of_head }, 1)
    expect(verdict === true ? true : verdict.code).toBe(expected)
  })
  test('never by whoever asks', () => {
    const verdict = canSetApprovalStatus({ admin_id: 'a', power: ['4'] }, { ...asked, of_head: true }, 1)
    expect(verdict).toMatchObject({ code: 'not_permitted' })
  })
})
