/** After a user changes the role of a column, the net formula follows as far as the rows agree. */
import { expect, it } from 'vitest'
import type { ColumnRole } from '../../../server/contract/shared/schemas.ts'
import type { WageSheetInfo } from '../../../server/contract/sheets/sheet.ts'
import { createFormulaCounter, getFormulaCandidates, selectFormula } from '../../../server/modules/sheets/rules/formula-fit.ts'
import type { RowCells } from '../../../server/rules/amounts.ts'

type Roles = Record<string, ColumnRole>
const columns = (roles: Roles) => Object.entries(roles).map(([key, role]) => ({ key, role }))
/** `基本工资+奖金-社保`, and its origin. */
const getSum = (text: string, net = '实发') => {
  const terms = text.match(/[+-]?[^+-]+/g) ?? []
  const on = (sign: string) =>
    terms.filter((term) => term.startsWith('-') === (sign === '-')).map((term) => term.replace(/^[+-]/, ''))
  return { plus: on('+'), minus: on('-'), net }
}
const written = (formula: WageSheetInfo['formula']) =>
  formula &&
  `${[...formula.plus.toSorted().map((key) => `+${key}`), ...formula.minus.toSorted().map((key) => `-${key}`)].join('')} ${formula.holds}/${formula.of} ${formula.by}`

/** The complete process: the candidate formulas, counted over the rows. */
function format(existing: string | null, by: 'found' | 'remembered' | 'person', before: Roles, change: Roles, table: number[][]) {
  const keys = Object.keys(before)
  const rows: RowCells[] = table.map((amounts) =>
    Object.fromEntries(amounts.map((yuan, at) => [keys[at] ?? '', { value: String(yuan), kind: 'number' as const }])),
  )
  const count = (sum: ReturnType<typeof getSum>) => {
    const counts = createFormulaCounter(sum)
    for (const row of rows) counts.add(row)
    return { ...sum, ...counts.result() }
  }
  const formula = existing === null ? null : { ...count(getSum(existing)), by }
  const sums = getFormulaCandidates(formula, columns(before), columns({ ...before, ...change }))
  return written(
    selectFormula(
      formula,
      sums.map((sum) => count({ net: sum.net, plus: [...sum.plus], minus: [...sum.minus] })),
    ),
  )
}

const typical: Roles = { 基本工资: 'earning', 其他: 'info', 社保: 'deduction', 实发: 'net' }
// 其他 is deducted in all of them.
const accepted = [
  [8000, 100, 500, 7400],
  [9000, 200, 600, 8200],
  [7000, 0, 400, 6600],
]
const earned = accepted.map(([base = 0, other = 0, off = 0]) => [base, other, off, base + other - off])

it.each<[what: string, ...Parameters<typeof format>, string | null]>([
  [
    'an unknown column becomes a deduction',
    null,
    'found',
    typical,
    { 其他: 'deduction' },
    accepted,
    '+基本工资-其他-社保 3/3 found',
  ],
  ['an unknown column becomes an earning', null, 'found', typical, { 其他: 'earning' }, earned, '+其他+基本工资-社保 3/3 found'],
  [
    'an earning becomes a deduction',
    '基本工资+其他-社保',
    'found',
    { ...typical, 其他: 'earning' },
    { 其他: 'deduction' },
    accepted,
    '+基本工资-其他-社保 3/3 found',
  ],
  [
    'contradicting rows take precedence',
    '基本工资-其他-社保',
    'found',
    { ...typical, 其他: 'deduction' },
    { 其他: 'earning' },
    accepted,
    '+基本工资-其他-社保 3/3 found',
  ],
  [
    'a deduction with a minus sign is added',
    '基本工资+其他-社保',
    'found',
    { ...typical, 其他: 'earning' },
    { 其他: 'deduction' },
    accepted.map(([base = 0, other = 0, off = 0, net = 0]) => [base, -other, off, net]),
    '+其他+基本工资-社保 3/3 found',
  ],
  [
    'a column that no row proves follows the user',
    '基本工资+其他-社保',
    'found',
    { ...typical, 其他: 'earning' },
    { 其他: 'deduction' },
    accepted.map(([base = 0, , off = 0]) => [base, 0, off, base - off]),
    '+基本工资-其他-社保 3/3 found',
  ],
  [
    'a column is no pay item any more, and the rows add up without it',
    '基本工资+其他-社保',
    'found',
    { ...typical, 其他: 'earning' },
    { 其他: 'info' },
    accepted.map(([base = 0, , off = 0]) => [base, 0, off, base - off]),
    '+基本工资-社保 3/3 found',
  ],
  [
    'a hidden column remains part of the sum',
    '基本工资+其他-社保',
    'found',
    { ...typical, 其他: 'earning' },
    { 其他: 'ignore' },
    earned,
    '+其他+基本工资-社保 3/3 found',
  ],
  [
    'another column becomes the net pay',
    null,
    'found',
    { ...typical, 实发: 'info', 其他: 'deduction' },
    { 实发: 'net' },
    accepted,
    '+基本工资-其他-社保 3/3 found',
  ],
  [
    'a gross pay less deductions',
    null,
    'found',
    { 应发: 'info', 基本工资: 'earning', 社保: 'deduction', 实发: 'net' },
    { 应发: 'gross' },
    [
      [9000, 8000, 500, 8500],
      [9500, 8000, 600, 8900],
    ],
    '+应发-社保 2/2 found',
  ],
  [
    'a column that adds up nowhere stays unknown',
    null,
    'found',
    typical,
    { 其他: 'deduction' },
    accepted.map((row) => [...row.slice(0, 3), 1]),
    null,
  ],
  [
    'a formula that the sheet does not follow stays unchanged',
    '基本工资-社保',
    'found',
    typical,
    { 其他: 'deduction' },
    accepted.map((row, at) => [...row.slice(0, 3), at]),
    '+基本工资-社保 0/3 found',
  ],
  [
    'a column without amounts changes nothing',
    '基本工资-社保',
    'found',
    typical,
    { 其他: 'ignore' },
    accepted,
    '+基本工资-社保 1/3 found',
  ],
  [
    'a sum defined by a user keeps its columns',
    '基本工资-社保',
    'person',
    typical,
    { 其他: 'deduction' },
    accepted,
    '+基本工资-社保 1/3 person',
  ],
  [
    'the last user decision about a sum counts, also where no row adds up',
    '基本工资+其他',
    'remembered',
    { ...typical, 其他: 'earning' },
    { 其他: 'deduction' },
    accepted.map((row, at) => [...row.slice(0, 3), at]),
    '+基本工资-其他 0/3 remembered',
  ],
])('%s', (_, existing, by, before, change, table, expected) => expect(format(existing, by, before, change, table)).toBe(expected))

it('searches no formula without a net column or without a change', () => {
  expect(getFormulaCandidates(null, columns(typical), columns({ ...typical, 实发: 'info', 其他: 'deduction' }))).toEqual([])
  expect(
    getFormulaCandidates({ ...getSum('基本工资-社保'), holds: 3, of: 3, by: 'found' }, columns(typical), columns(typical)),
  ).toEqual([])
})
