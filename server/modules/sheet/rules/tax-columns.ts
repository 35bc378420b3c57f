/** What a row says about tax: income, what was withheld, own insurance and fund; and the sums of the year, where the sheet carries them. */
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
  /** Null where the row has none. */
  readonly gross: number | null
  readonly tax: number
  readonly special: number
  /** An annual bonus was taxed apart: gross and tax do not belong together. */
  readonly hasSeparateBonus: boolean
  readonly cumulative: { readonly taxable: number; readonly withheld: number; readonly relief: number } | null
  /** What a month of withholding would take from the row; null where it tells no income. */
  readonly wages: TaxableWages | null
}
export type TaxableWages = {
  readonly income: number
  readonly exempt: number
  /** Own insurance and fund; null: the sheet has no such column. */
  readonly special: number | null
  readonly other: number
  readonly donation: number
  readonly reduction: number
  /** Gross pay and insurance are all that the tax is computed from. */
  readonly is_plain: boolean
}

const insurancePattern = /养老|医疗|失业|社保|社会保险|[三五]险|公积金/
const notEmployeePattern = /单位|公司|企业|基数|比例|商业|意外|补充/
const bonusTaxPattern = /年终|奖金|一次性|十三薪/
const cumulativeTaxablePattern = /累计.*(?:应纳税所得额|应税所得|计税所得)/
const cumulativeWithheldPattern = /累计.*已.*(?:缴|扣)|^已(?:预?缴|预?扣缴?|预扣预缴)(?:税额|税款|个税)/

/** Columns that a formula adds, subtotals taken apart. */
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

/** What the net pay adds beside the gross pay; nothing where it is not known what that is made of. */
export function getAdditionsToGross({ columns, formula, subtotals }: TaxColumns): ReadonlySet<string> {
  const gross = columns.find(({ role }) => role === 'gross')?.key
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

/** Null where the sheet has no tax or no income to compute it from. */
export function createTaxReader(sheet: TaxColumns): ((cells: RowCells) => RowTaxAmounts) | null {
  const { columns } = sheet
  const gross = columns.find(({ role }) => role === 'gross')?.key
  const taxes = columns.filter(({ role }) => role === 'tax')
  if (gross === undefined || taxes.length === 0) return null
  const labeled = columns.map(({ key, label, role }) => ({ key, role, text: normalizeHeader(label.replaceAll(' / ', '')) }))
  const bonusTaxColumns = labeled.filter(({ role, text }) => role === 'tax' && bonusTaxPattern.test(text)).map(({ key }) => key)
  const insuranceColumns = labeled
    .filter(({ role, text }) => role === 'deduction' && insurancePattern.test(text) && !notEmployeePattern.test(text))
    .map(({ key }) => key)
  const leaves = getLeafDeductions(sheet)
  const subtracted = insuranceColumns.filter((key) => leaves.has(key))
  const at = (pattern: RegExp) => labeled.find(({ role, text }) => role !== 'tax' && pattern.test(text))?.key
  const readTaxAmounts = createTaxAmountsReader(columns, leaves, getAdditionsToGross(sheet))
  const is_plain = hasOnlyTaxableWages(columns)
  const [taxable, withheld, relief] = [at(cumulativeTaxablePattern), at(cumulativeWithheldPattern), at(/减免税/)]
  return (cells) => {
    const amounts = (keys: readonly string[]) => keys.map((key) => Math.abs(getFen(cells, key)))
    // Where it is not known which columns the net pay is less by, one of them may be the sum of others: the largest is surely taken off.
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
