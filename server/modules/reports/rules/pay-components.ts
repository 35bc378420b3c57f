/** Reads the pay components of a payslip from its cells, by the column roles of its wage sheet. Amounts in integer fen. */

import type { PayComponent } from '../../../contract/reports/charts.ts'
import type { ColumnRole } from '../../../contract/shared/schemas.ts'
import { isDeduction, isEarning, isEmployerCost, isGross, isTax } from '../../../contract/sheets/column-roles.ts'
import { parseCellAmount, type RowCells } from '../../../rules/amounts.ts'

/** Null means that the payslip has no such value. Every other component is 0 where it is absent. */
export type PayslipComponents = Readonly<Record<Exclude<PayComponent, 'tax'>, number>> &
  Readonly<Record<'gross' | 'net' | 'tax', number | null>>

type SumFormula = { readonly plus: readonly string[]; readonly minus: readonly string[] }
export type PayColumns = {
  readonly columns: readonly { readonly key: string; readonly label: string; readonly role: ColumnRole }[]
  readonly formula: SumFormula | null
  readonly subtotals: readonly (SumFormula & { readonly key: string })[]
}
type PayslipAmounts = { readonly net_fen: number | null; readonly gross_fen: number | null; readonly cells: RowCells }

const socialInsurancePattern = /养老|医疗|医保|失业|工伤|生育|大病|社保|社会保险|[三五]险|年金/
const housingFundPattern = /公积金/
const commercialInsurancePattern = /商业|意外|补充医疗|税优|个人养老金/
const earningPatterns: readonly (readonly [PayComponent, RegExp])[] = [
  ['overtime', /加班|值班|夜班/],
  ['bonus', /绩效|奖|提成|佣金|分红|业绩|计件|十三薪|年终/],
  ['allowance', /津贴|补贴|补助|餐补|车补|话补|房补|高温|交通|通讯|住房|误餐|福利/],
  ['base', /基本|底薪|岗位|固定|标准|职务|级别|薪级|工龄|技能|学历|职称|月薪|工资|薪资|薪酬/],
]
const maxSumDepth = 6

/** Expands a sum into the columns it adds up, with nested subtotals resolved: 1 added, −1 subtracted. */
export function expandSum(sum: SumFormula | null | undefined, subtotals: PayColumns['subtotals']): Map<string, 1 | -1> {
  const subtotalByKey = new Map(subtotals.map((one) => [one.key, one]))
  const leaves = new Map<string, 1 | -1>()
  const expand = (one: SumFormula, sign: 1 | -1, depth: number): void => {
    for (const [keys, keySign] of [
      [one.plus, sign],
      [one.minus, sign === 1 ? -1 : 1],
    ] as const)
      for (const key of keys) {
        const nestedSum = depth < maxSumDepth ? subtotalByKey.get(key) : undefined
        if (nestedSum && nestedSum.plus.length + nestedSum.minus.length > 0) expand(nestedSum, keySign, depth + 1)
        else leaves.set(key, keySign)
      }
  }
  if (sum) expand(sum, 1, 0)
  return leaves
}

type CountedColumn = { readonly key: string; readonly sign: 1 | -1 | 'abs' }
type Column = PayColumns['columns'][number]

/**
 * Selects the columns that count: those that the sum contains, with their sign; or all of them, without sign, where the
 * sum contains no column of this side. A column that a sum omits although it contains others is a note and is not
 * counted.
 */
function selectCountedColumns(
  columns: readonly Column[],
  side: readonly Column[],
  leaves: ReadonlyMap<string, 1 | -1>,
): CountedColumn[] {
  const hasSummedColumn = side.some(({ key }) => leaves.has(key))
  if (!hasSummedColumn) return columns.map(({ key }) => ({ key, sign: 'abs' }))
  return columns.flatMap(({ key }) => {
    const sign = leaves.get(key)
    return sign === undefined ? [] : [{ key, sign: sign === 1 ? (-1 as const) : (1 as const) }]
  })
}

const normalizeLabel = (label: string): string => label.replace(/[\s/（）()]/g, '')
const isSocialInsurance = (text: string): boolean => socialInsurancePattern.test(text) && !commercialInsurancePattern.test(text)

/** Assigns columns to components, once per wage sheet. */
function classifyColumns({ columns, formula, subtotals }: PayColumns) {
  const sums = new Set(subtotals.map(({ key }) => key))
  const items = columns.filter(({ key }) => !sums.has(key)).map((column) => ({ ...column, text: normalizeLabel(column.label) }))
  const gross = columns.find(({ role }) => isGross(role))?.key
  const inGross = expandSum(
    subtotals.find(({ key }) => key === gross),
    subtotals,
  )
  const inNet = expandSum(formula, subtotals)
  const selectByRole = (matches: (role: ColumnRole) => boolean) => items.filter(({ role }) => matches(role))
  const absenceDeductions = selectByRole(isDeduction).filter(({ key }) => inGross.has(key))
  const netDeductions = selectByRole(isDeduction).filter(({ key }) => !inGross.has(key))
  const deductionColumns = [...netDeductions, ...selectByRole(isTax)]
  const selectDeductions = (matches: (column: (typeof netDeductions)[number]) => boolean): CountedColumn[] =>
    selectCountedColumns(netDeductions.filter(matches), deductionColumns, inNet)
  const taxes = selectByRole(isTax)
  const earned = selectByRole(isEarning)
  const hasSummedEarning = earned.some(({ key }) => inGross.has(key) || inNet.has(key))
  const getComponent = (text: string): PayComponent => earningPatterns.find(([, pattern]) => pattern.test(text))?.[0] ?? 'rest'
  const selectEarnings = (part: PayComponent): CountedColumn[] =>
    earned.flatMap(({ key, text }) => {
      const sign = inGross.get(key) ?? inNet.get(key)
      return getComponent(text) !== part || (hasSummedEarning && sign === undefined) ? [] : [{ key, sign: sign ?? 1 }]
    })
  // Amounts that net pay adds to gross, such as 报销 after it, are earnings too, so that the components of gross add up
  // to it.
  const isGrossExisting = gross !== undefined && (inGross.size > 0 || formula?.plus.includes(gross) === true)
  const comparison = earned.flatMap(({ key }): CountedColumn[] =>
    isGrossExisting && inNet.get(key) === 1 && !inGross.has(key) ? [{ key, sign: 1 }] : [],
  )
  const selectEmployerColumns = (matches: (text: string) => boolean): CountedColumn[] =>
    selectByRole(isEmployerCost).flatMap(({ key, text }) => (matches(text) ? [{ key, sign: 1 as const }] : []))
  const isHousingFund = (text: string) => housingFundPattern.test(text) && !socialInsurancePattern.test(text)
  return {
    base: selectEarnings('base'),
    bonus: selectEarnings('bonus'),
    allowance: selectEarnings('allowance'),
    overtime: selectEarnings('overtime'),
    rest: selectEarnings('rest'),
    absence: absenceDeductions.map(({ key }): CountedColumn => ({ key, sign: inGross.get(key) === 1 ? -1 : 1 })),
    social: selectDeductions(({ text }) => isSocialInsurance(text)),
    fund: selectDeductions(({ text }) => isHousingFund(text)),
    other: selectDeductions(({ text }) => !isSocialInsurance(text) && !isHousingFund(text)),
    // A withheld tax counts as tax, whatever the sums contain.
    tax: taxes.some(({ key }) => inNet.has(key))
      ? selectCountedColumns(taxes, taxes, inNet)
      : taxes.map(({ key }): CountedColumn => ({ key, sign: 'abs' })),
    comparison,
    hasTax: taxes.length > 0,
    hasEarnings: earned.length > 0,
    employer_social: selectEmployerColumns(isSocialInsurance),
    employer_fund: selectEmployerColumns(isHousingFund),
    employer_other: selectEmployerColumns((text) => !isSocialInsurance(text) && !isHousingFund(text)),
  }
}

/**
 * Creates a function that reads the components of a payslip. Gross beyond the named earnings is put in `rest`, so that
 * the components add up to gross. Without a gross column, gross is the sum of the earnings, if there are any.
 */
export function createComponentReader(sheet: PayColumns): (amounts: PayslipAmounts) => PayslipComponents {
  const { hasTax, hasEarnings, ...columnsByComponent } = classifyColumns(sheet)
  return ({ cells, net_fen, gross_fen }) => {
    const sumColumns = (columns: readonly CountedColumn[]): number =>
      columns.reduce((all, { key, sign }) => {
        const fen = parseCellAmount(cells[key]).fen ?? 0
        return all + (sign === 'abs' ? Math.abs(fen) : sign * fen)
      }, 0)
    const [base, bonus, allowance, overtime] = [
      sumColumns(columnsByComponent.base),
      sumColumns(columnsByComponent.bonus),
      sumColumns(columnsByComponent.allowance),
      sumColumns(columnsByComponent.overtime),
    ]
    const absence = sumColumns(columnsByComponent.absence)
    const namedEarnings = base + bonus + allowance + overtime - absence
    const gross =
      gross_fen !== null
        ? gross_fen + sumColumns(columnsByComponent.comparison)
        : hasEarnings
          ? namedEarnings + sumColumns(columnsByComponent.rest)
          : null
    return {
      gross,
      net: net_fen,
      tax: hasTax ? sumColumns(columnsByComponent.tax) : null,
      base,
      bonus,
      allowance,
      overtime,
      rest: gross === null ? sumColumns(columnsByComponent.rest) : gross - namedEarnings,
      absence,
      social: sumColumns(columnsByComponent.social),
      fund: sumColumns(columnsByComponent.fund),
      other: sumColumns(columnsByComponent.other),
      employer_social: sumColumns(columnsByComponent.employer_social),
      employer_fund: sumColumns(columnsByComponent.employer_fund),
      employer_other: sumColumns(columnsByComponent.employer_other),
    }
  }
}
