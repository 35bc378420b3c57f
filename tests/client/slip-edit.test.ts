/**
 * The correction dialog: amounts are formatted and signed as in all other places, and the same amount in another format
 * is no change.
 */
import { expect, it } from 'vitest'
import type { AmountSign } from '../../server/contract/shared/money.ts'
import type { ColumnRole } from '../../server/contract/shared/schemas.ts'
import {
  computePropagation,
  type EditColumn,
  formatCellInput,
  formatPayslipValue,
  hasMinus,
  isInvalidAmount,
  isSameCellValue,
} from '../../src/features/payslips/edit/cells.ts'

const column = (role: ColumnRole, sign: AmountSign = 'own', key = 'c1'): EditColumn => ({
  key,
  label: key,
  role,
  kind: 'money',
  sign,
})
const labels = { pay: column('earning'), tax: column('tax', 'minus'), off: column('deduction', 'turned'), note: column('info') }
type Word = keyof typeof labels

it.each<[what: string, of: Word, text: string, inField: string, onSlip: string, minus: boolean]>([
  ['a whole amount as written in the sheet', 'pay', '3950', '3,950.00', '3,950.00', false],
  ['an amount as written by the totals', 'pay', '4150.00', '4,150.00', '4,150.00', false],
  ['a negative payment', 'pay', '-98', '−98.00', '−98.00', false],
  ['a deduction', 'tax', '1850.5', '1,850.50', '−1,850.50', true],
  ['a deduction with a minus sign in the sheet', 'tax', '-15', '−15.00', '−15.00', false],
  ['a refunded deduction that the formula subtracts', 'off', '-15', '−15.00', '15.00', true],
  ['nothing', 'tax', '0', '0.00', '0.00', true],
  ['an empty cell', 'tax', '', '', '', true],
  ['text instead of an amount', 'pay', '见附件', '见附件', '见附件', false],
  ['a number that is no amount of money', 'note', '3950', '3950', '3950', false],
])('%s', (_, of, text, inField, visible, minus) =>
  expect([formatCellInput(labels[of], text), formatPayslipValue(labels[of], text), hasMinus(labels[of], text)]).toEqual([
    inField,
    visible,
    minus,
  ]),
)

it.each<[of: Word, one: string, other: string, same: boolean]>([
  ['pay', '3950', '3,950.00', true],
  ['pay', '−98.00', '-98', true],
  ['pay', '3950', '3951', false],
  ['pay', '', '0', false],
  ['note', '3950', '3,950.00', false],
])('compares values of %s: %j with %j', (of, one, other, same) => expect(isSameCellValue(labels[of], one, other)).toBe(same))

it('updates a total for an amount typed with separators, but not for a mere change of format', () => {
  const columns = [column('earning', 'own', 'c1'), column('tax', 'turned', 'c2'), column('net', 'own', 'c3')]
  const line = {
    cells: Object.fromEntries(['3950', '50', '3900'].map((value, at) => [`c${at + 1}`, { value, kind: 'money' as const }])),
  }
  const sums = [{ key: 'c3', plus: ['c1'], minus: ['c2'] }]
  expect([...computePropagation(line, { columns, sums }, { c1: '4,150.00', c2: '50.00' }).followed]).toEqual([['c3', '4100.00']])
  expect(computePropagation(line, { columns, sums }, { c3: '3,900.00' })).toEqual({ followed: new Map(), uneven: [] })
})

it.each<[word: Word, text: string, invalid: boolean]>([
  ['pay', 'abc', true],
  ['pay', '12.3.4', true],
  ['pay', '', false],
  ['pay', '¥ 3,950', false],
  ['tax', '−15', false],
  ['note', 'abc', false],
])('refuses text where %s needs an amount: %s', (word, text, invalid) =>
  expect(isInvalidAmount(labels[word], text)).toBe(invalid),
)
