/**
 * Reads the tax data of a row: income, withheld tax, the employee's insurance and housing fund, and the cumulative
 * amounts of the year if the wage sheet has them.
 */
import { isDeduction, isGross, isTax } from '../../../contract/sheets/column-roles.ts'
import type { WageSheetInfo } from '../../../contract/sheets/sheet.ts'
import { parseCellAmount, type RowCells } from '../../../rules/amounts.ts'
import { normalizeHeader } from '../../../spreadsheets/rules.ts'
import { getFen, type PayItemColumn } from './check/member-amounts.ts'
import { createTaxAmountsReader, hasOnlyTaxableWages, type SheetTaxAmounts } from './months/tax-amounts.ts'

export type TaxColumns = {
  readonly columns: readonly PayItemColumn[]
  readonly formula: { readonly plus: readonly string[]; readonly minus: readonly string[] } | null
  readonly subtotals: WageSheetInfo['subtotals']
}
export type RowTaxAmounts = {
  /** The value is null where the row has none. */
  readonly gross: number | null
  readonly tax: number
  readonly special: number
  /** An annual bonus was taxed separately, so gross and tax do not correspond. */
  readonly hasSeparateBonus: boolean
  readonly cumulative: { readonly taxable: number; readonly withheld: number; readonly relief: number } | null
  /** The taxable wages of the month; null where the row has no income. */
  readonly wages: TaxableWages | null
}
export type TaxableWages = {
  readonly income: number
  readonly exempt: number
  /** The employee's insurance and housing fund; null if the wage sheet has no such column. */
  readonly special: number | null
  readonly other: number
  readonly donation: number
  readonly reduction: number
  /** Tax is computed from gross and insurance alone. */
  readonly is_plain: boolean
}

const insurancePattern = /养老|医疗|失业|社保|社会保险|[三五]险|公积金/
const notEmployeePattern = /单位|公司|企业|基数|比例|商业|意外|补充/
const bonusTaxPattern = /年终|奖金|一次性|十三薪/
const cumulativeTaxablePattern = /累计.*(?:应纳税所得额|应税所得|计税所得)/
const cumulativeWithheldPattern = /累计.*已.*(?:缴|扣)|^已(?:预?缴|预?扣缴?|预扣预缴)(?:税额|税款|个税)/

/** Returns the columns that a formula subtracts, with subtotals resolved. */
export function getLeafDeductions({ formula, subtotals }: TaxColumns): ReadonlySet<string> {
  const termsBySubtotal = new Map(subtotals.map(({ key, plus, minus }) => [key, [...plus, ...minus]]))
  const leaves = new Set<string>()
  const expand = (key: string, depth: number) => {
    const under = depth < 4 ? termsBySubtotal.get(key) : undefined
    if (under) for (const one of under) expand(one, depth + 1)
    else leaves.add(key)
  }
  for (const key of formula?.minus ?? []) expand(key, 0)
  return leaves
}

/** Returns the columns that net pay adds to gross; empty where the components of gross are unknown. */
export function getAdditionsToGross({ columns, formula, subtotals }: TaxColumns): ReadonlySet<string> {
  const gross = columns.find(({ role }) => isGross(role))?.key
  const inside = subtotals.find(({ key }) => key === gross)
  if (!formula || (!inside && !formula.plus.includes(gross ?? ''))) return new Set()
  return new Set(formula.plus.filter((key) => key !== gross && !inside?.plus.includes(key)))
}

function toTaxableWages(of: SheetTaxAmounts, is_plain: boolean): TaxableWages {
  const employeeShares = [of.pension_fen, of.medical_fen, of.unemployment_fen, of.housing_fund_fen]
  const special = employeeShares.reduce<number>((all, one) => all + (one ?? 0), of.social_fen)
  return {
    income: of.income_fen,
    exempt: of.exempt_fen,
    special: special === 0 && employeeShares.every((one) => one === null) ? null : special,
    other: of.annuity_fen + of.health_fen + of.other_fen,
    donation: of.donation_fen,
    reduction: of.reduction_fen,
    is_plain,
  }
}

/** Returns null where the wage sheet has no tax column or no income. */
export function createTaxReader(sheet: TaxColumns): ((cells: RowCells) => RowTaxAmounts) | null {
  const { columns } = sheet
  const gross = columns.find(({ role }) => isGross(role))?.key
  const taxes = columns.filter(({ role }) => isTax(role))
  if (gross === undefined || taxes.length === 0) return null
  const labeled = columns.map(({ key, label, role }) => ({ key, role, text: normalizeHeader(label.replaceAll(' / ', '')) }))
  const bonusTaxColumns = labeled.filter(({ role, text }) => isTax(role) && bonusTaxPattern.test(text)).map(({ key }) => key)
  const insuranceColumns = labeled
    .filter(({ role, text }) => isDeduction(role) && insurancePattern.test(text) && !notEmployeePattern.test(text))
    .map(({ key }) => key)
  const leaves = getLeafDeductions(sheet)
  const subtracted = insuranceColumns.filter((key) => leaves.has(key))
  const at = (pattern: RegExp) => labeled.find(({ role, text }) => !isTax(role) && pattern.test(text))?.key
  const readTaxAmounts = createTaxAmountsReader(columns, leaves, getAdditionsToGross(sheet))
  const is_plain = hasOnlyTaxableWages(columns)
  const [taxable, withheld, relief] = [at(cumulativeTaxablePattern), at(cumulativeWithheldPattern), at(/减免税/)]
  return (cells) => {
    const amounts = (keys: readonly string[]) => keys.map((key) => Math.abs(getFen(cells, key)))
    // If it is unknown which columns are subtracted from net pay, one may be the sum of others: only the largest is
    // certainly subtracted.
    const special = subtracted.length
      ? amounts(subtracted).reduce((a, b) => a + b, 0)
      : leaves.size
        ? 0
        : Math.max(0, ...amounts(insuranceColumns))
    const cumulative =
      taxable && withheld
        ? { taxable: parseCellAmount(cells[taxable]).fen, withheld: parseCellAmount(cells[withheld]).fen }
        : null
    return {
      gross: parseCellAmount(cells[gross]).fen,
      tax: taxes.reduce((all, { key }) => all + getFen(cells, key), 0),
      special,
      hasSeparateBonus: bonusTaxColumns.some((key) => getFen(cells, key) !== 0),
      cumulative:
        cumulative && cumulative.taxable !== null && cumulative.withheld !== null
          ? { taxable: cumulative.taxable, withheld: cumulative.withheld, relief: relief ? getFen(cells, relief) : 0 }
          : null,
      wages: readTaxAmounts && toTaxableWages(readTaxAmounts(cells), is_plain),
    }
  }
}
