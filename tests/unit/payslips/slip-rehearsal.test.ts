/** Who can receive a test send of a batch, and the sample amounts in it. */

import { describe, expect, test } from 'vitest'
import type { ColumnRole } from '../../../server/contract/shared/schemas.ts'
import { columnRoles } from '../../../server/contract/sheets/column-roles.ts'
import { createSampleCells, getTestBlockReason } from '../../../server/modules/payslips/rules/test-send.ts'

describe('test recipient', () => {
  const own = { name: '李四', status: 'active', mobile: '1', account_id: 'a', account_mobile: '1', unconfirmed: false }
  test.each([
    ['signed in with the phone of the roster', {}, null],
    ['is terminated', { status: 'left' }, '已离职'],
    ['never signed in', { account_id: null, account_mobile: null }, '还没有登录过'],
    ['has another phone in the roster', { account_mobile: '2' }, '还没有确认是本人的'],
    ['has a phone that others entered', { unconfirmed: true }, '还没有确认是本人的'],
  ] as const)('%s', (_, change, why) => {
    const message = getTestBlockReason({ ...own, ...change })
    if (why === null) expect(message).toBe(null)
    else expect(message).toContain(why)
  })
})

describe('sample amounts', () => {
  const sheet = (...roles: ColumnRole[]) => roles.map((role, at) => ({ key: `c${at}`, role }))
  const figures = (columns: ReturnType<typeof sheet>, formula: Parameters<typeof createSampleCells>[1] = null) =>
    Object.values(createSampleCells(columns, formula)).map(({ value }) => value)
  test.each([
    [
      'subtracts deductions from earnings',
      sheet('name', 'earning', 'earning', 'tax', 'net'),
      null,
      [columnRoles.name.sample, '1100.00', '1200.00', '130.00', '2170.00'],
    ],
    [
      'uses earnings as the gross pay',
      sheet('earning', 'gross', 'deduction', 'net'),
      null,
      ['1000.00', '1000.00', '120.00', '880.00'],
    ],
    ['has a gross pay without its items', sheet('gross', 'tax', 'net'), null, ['1000.00', '110.00', '890.00']],
    [
      'uses the formula of the sheet',
      sheet('earning', 'employer', 'net'),
      { plus: ['c0'], minus: [] },
      ['1000.00', '1100.00', '1000.00'],
    ],
    ['has only a net pay', sheet('name', 'net'), null, [columnRoles.name.sample, '3000.00']],
    [
      'contains no identifying values of a member',
      sheet('mobile', 'id_card', 'employee_no', 'info'),
      null,
      ['138****0000', '110***********0000', '示例', '示例'],
    ],
  ] as const)('%s', (_, columns, formula, matches) => {
    expect(figures([...columns], formula)).toEqual(matches)
  })
})
