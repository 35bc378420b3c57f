/** Whether a send plan may be sent where the company requires approval by a second administrator, and who decides. */
import { describe, expect, test } from 'vitest'
import { canSetApprovalStatus } from '../../../server/modules/approvals/rules/decision.ts'
import { getApprovalError, needsApproval } from '../../../server/modules/payslips/rules/payslip-rules.ts'

test.each([
  [0, 1_000, false],
  [1, 1, true],
  [10, 9, false],
  [10, 10, true],
])('requires approval from %i recipients on, with %i recipients: %s', (from, people, needed) =>
  expect(needsApproval(from, people)).toBe(needed),
)

describe('sending an approved plan', () => {
  const provided = { status: 1, isUnchanged: true, isDecidedByApplicant: false } as const
  test.each([
    ['allows the plan as it was approved', provided, null],
    ['refuses a plan that was not submitted', null, '请提交审批'],
    ['refuses a plan that is waiting for approval', { ...provided, status: 0 }, '还在等审批'],
    ['refuses a plan that was returned', { ...provided, status: 2 }, '被驳回'],
    ['refuses a plan that was withdrawn', { ...provided, status: 3 }, '请提交审批'],
    ['refuses a plan that differs from the approved one', { ...provided, isUnchanged: false }, '又有改变'],
    ['refuses a plan that the sender approved', { ...provided, isDecidedByApplicant: true }, '不能由申请人自己审批'],
  ] as const)('%s', (_, approval, why) => {
    const error = getApprovalError(approval)
    if (why === null) expect(error).toBe(null)
    else expect(error).toContain(why)
  })
})

describe('approver of a send plan', () => {
  const requested = { kind: 'send', applicant_id: 'a', status: 0 } as const
  test.each([
    ['may be the system manager', ['4'], false, true],
    ['may not be another payroll administrator where a superior can', ['2'], false, 'not_found'],
    ['may not be the enterprise administrator', ['1'], false, 'not_found'],
    ['may be a payroll administrator where the system manager asks', ['2'], true, true],
    ['may be the enterprise administrator where the system manager asks', ['1'], true, true],
    ['may never be a member administrator', ['3'], true, 'not_found'],
  ] as const)('%s', (_, power, of_head, expected) => {
    const result = canSetApprovalStatus({ admin_id: 'b', power: [...power] }, { ...requested, of_head }, 1)
    expect(result === true ? true : result.code).toBe(expected)
  })
  test('is never the applicant', () => {
    const result = canSetApprovalStatus({ admin_id: 'a', power: ['4'] }, { ...requested, of_head: true }, 1)
    expect(result).toMatchObject({ code: 'not_permitted' })
  })
})
