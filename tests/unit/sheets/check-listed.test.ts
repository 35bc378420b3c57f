/** Which of very many issues are listed, and what may be entered in a cell. */
import { describe, expect, it } from 'vitest'
import type { ColumnRole } from '../../../server/contract/shared/schemas.ts'
import type { Issue } from '../../../server/contract/sheets/sheet.ts'
import { orderIssuesByKind } from '../../../server/modules/sheets/rules/check/issue-order.ts'
import { validateTypedText } from '../../../server/rules/amounts.ts'

const problem = (row: number, kind: Issue['kind'], level: Issue['level'] = 'error'): Issue => ({
  id: `${row}:${kind}:`,
  row,
  name: '',
  column: null,
  level,
  kind,
  message: '',
  fix: [],
  candidates: [],
})
const many = (count: number, kind: Issue['kind'], from = 1, level: Issue['level'] = 'error') =>
  Array.from({ length: count }, (_, at) => problem(from + at, kind, level))
const counted = (problems: readonly Issue[]) =>
  Object.fromEntries(
    [...Map.groupBy(problems, ({ kind, level }) => `${kind} ${level}`)].map(([kind, { length }]) => [kind, length]),
  )

describe('very many issues', () => {
  it('keeps very many issues in the order of the sheet within one page', () => {
    const few = [...many(9, 'no_name'), problem(10, 'missing_net')]
    expect(orderIssuesByKind(few, 10, 2)).toBe(few)
  })
  it('shows the first issue of every kind on the first page, even of a kind that begins beyond it, and loses none', () => {
    const all = [...many(900, 'unknown_person'), ...many(40, 'missing_net', 901), ...many(300, 'net_outlier', 941, 'warning')]
    const notified = orderIssuesByKind(all, 500, 50)
    expect(counted(notified.slice(0, 500))).toEqual({
      'unknown_person error': 410,
      'missing_net error': 40,
      'net_outlier warning': 50,
    })
    expect(notified.toSorted((a, b) => a.row - b.row)).toEqual(all)
    const rows = notified.filter(({ kind }) => kind === 'unknown_person').map(({ row }) => row)
    expect(rows).toEqual(rows.toSorted((a, b) => a - b))
  })
  it('shows the first issue of each level for a kind with both levels', () =>
    expect(
      counted(orderIssuesByKind([...many(30, 'sum_mismatch'), ...many(30, 'sum_mismatch', 31, 'warning')], 20, 5).slice(0, 10)),
    ).toEqual({ 'sum_mismatch error': 5, 'sum_mismatch warning': 5 }))
})

describe('values that may be entered in a cell', () => {
  it.each<[ColumnRole, string, RegExp | null]>([
    ['mobile', '13900139000', null],
    ['mobile', '+86 139-0013-9000', null],
    ['mobile', '', null],
    ['mobile', '1390013', /11 位/],
    ['mobile', '23900139000', /以 1 开头/],
    ['mobile', '见备注', /11 位/],
    ['net', '8,000.50', null],
    ['net', '-20', null],
    ['net', '—', null],
    ['net', '', null],
    ['net', '八千', /要填金额/],
    ['deduction', '半天', /「扣款项」这一列要填金额/],
    ['net', '900000000000', /要填金额/],
    ['name', '欧阳·娜', null],
    ['info', '半天', null],
    ['id_card', 'E12345678', null],
  ])('accepts or refuses in a cell: %s %j', (role, text, expected) =>
    expected === null
      ? expect(validateTypedText(text, role)).toBeNull()
      : expect(validateTypedText(text, role)).toMatch(expected),
  )
})
