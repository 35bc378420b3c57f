/** Whether a send plan may be sent where the company requires approval by a second administrator, and who decides. */
import { describe, expect, test } from 'vitest'
import { canSetApprovalStatus } from '../../../server/modules/approvals/rules/decision.ts'
import { getApprovalError, needsApproval } from '../../../server/modules/payslips/rules/payslip-rules.ts'

test.each([
  [0, 1_000, false],
  [1, 1, true],
  [10, 9, false],
  [10, 10, true],
])('approval required from %i recipients on, with %i recipients: %s', (from, people, needed) =>
  expect(needsApproval(from, people)).toBe(needed),
)

describe('a plan is sent', () => {
  const provided = { status: 1, isUnchanged: true, isDecidedByApplicant: false } as const
  test.each([
    ['as it was approved', provided, null],
    ['not where nobody was asked', null, '请提交审批'],
    ['not while it waits', { ...provided, status: 0 }, '还在等审批'],
    ['not once it was returned', { ...provided, status: 2 }, '被驳回'],
    ['not once it was taken back', { ...provided, status: 3 }, '请提交审批'],
    ['not when it says something else than was approved', { ...provided, isUnchanged: false }, '又有改变'],
    ['not when he approved it himself', { ...provided, isDecidedByApplicant: true }, '不能由申请人自己审批'],
  ] as const)('%s', (_, approval, why) => {
    const error = getApprovalError(approval)
    if (why === null) expect(error).toBe(null)
    else expect(error).toContain(why)
  })
})

describe('a send plan is decided by', () => {
  const requested = { kind: 'send', applicant_id: 'a', status: 0 } as const
  test.each([
    ['whoever may do everything', ['4'], false, true],
    ['not another payroll administrator, where somebody above him can', ['2'], false, 'not_found'],
    ['nor the enterprise administrator', ['1'], false, 'not_found'],
    ['a payroll administrator, where whoever may do everything asks', ['2'], true, true],
    ['or the enterprise administrator', ['1'], true, true],
    ['never who keeps the roster only', ['3'], true, 'not_found'],
  ] as const)('%s', (_, power, of_head, expected) => {
    const result = canSetApprovalStatus({ admin_id: 'b', power: [...power] }, { ...requested, of_head }, 1)
    expect(result === true ? true : result.code).toBe(expected)
  })
  test('never by its applicant', () => {
    const result = canSetApprovalStatus({ admin_id: 'a', power: ['4'] }, { ...requested, of_head: true }, 1)
    expect(result).toMatchObject({ code: 'not_permitted' })
  })
})
