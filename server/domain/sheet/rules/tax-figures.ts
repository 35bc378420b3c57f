/** What a row says about tax: income, what was withheld, own insurance and fund; and the sums of the year, where the sheet carries them. */
import type { SheetInfo } from '../../../contract/sheet/sheet.ts'
import { amountOf, type RowCells } from '../../../rules/amounts.ts'
import { normaliseHeader } from '../../../tables/rules.ts'
import { fenOf, type ItemColumn } from './check/history.ts'
import { paysOnlyWages, type SheetTaxAmounts, taxAmountsReader } from './months/tax-amounts.ts'

export type TaxColumns = {
  readonly columns: readonly ItemColumn[]
  readonly formula: { readonly plus: readonly string[]; readonly minus: readonly string[] } | null
  readonly subtotals: SheetInfo['subtotals']
}
export type TaxFigures = {
  /** Null where the row has none. */
  readonly gross: number | null
  readonly tax: number
  readonly special: number
  /** An annual bonus was taxed apart: gross and tax do not belong together. */
  readonly apart: boolean
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

const insurance = /养老|医疗|失业|社保|社会保险|[三五]险|公积金/
const notOwn = /单位|公司|企业|基数|比例|商业|意外|补充/
const apartTax = /年终|奖金|一次性|十三薪/
const taxableWords = /累计.*(?:应纳税所得额|应税所得|计税所得)/
const withheldWords = /累计.*已.*(?:缴|扣)|^已(?:预?缴|预?扣缴?|预扣预缴)(?:税额|税款|个税)/

/** Columns that a formula adds, subtotals taken apart. */
export function leavesOf({ formula, subtotals }: TaxColumns): ReadonlySet<string> {
  const parts = new Map(subtotals.map(({ key, plus, minus }) => [key, [...plus, ...minus]]))
  const leaves = new Set<string>()
  const take = (key: string, depth: number) => {
    const under = depth < 4 ? parts.get(key) : undefined
    if (under) for (const one of under) take(one, depth + 1)
    else leaves.add(key)
  }
  for (const key of formula?.minus ?? []) take(key, 0)
  return leaves
}

/** What the net pay adds beside the gross pay; nothing where it is not known what that is made of. */
export function besideGross({ columns, formula, subtotals }: TaxColumns): ReadonlySet<string> {
  const gross = columns.find(({ role }) => role === 'gross')?.key
  const inside = subtotals.find(({ key }) => key === gross)
  if (!formula || (!inside && !formula.plus.includes(gross ?? ''))) return new Set()
  return new Set(formula.plus.filter((key) => key !== gross && !inside?.plus.includes(key)))
}

function wagesOf(of: SheetTaxAmounts, is_plain: boolean): TaxableWages {
  const own = [of.pension_fen, of.medical_fen, of.unemployment_fen, of.housing_fund_fen]
  const special = own.reduce<number>((all, one) => all + (one ?? 0), of.social_fen)
  return {
    income: of.income_fen,
    exempt: of.exempt_fen,
    special: special === 0 && own.every((one) => one === null) ? null : special,
    other: of.annuity_fen + of.health_fen + of.other_fen,
    donation: of.donation_fen,
    reduction: of.reduction_fen,
    is_plain,
  }
}

/** Null where the sheet has no tax or no income to compute it from. */
export function taxReader(sheet: TaxColumns): ((cells: RowCells) => TaxFigures) | null {
  const { columns } = sheet
  const gross = columns.find(({ role }) => role === 'gross')?.key
  const taxes = columns.filter(({ role }) => role === 'tax')
  if (gross === undefined || taxes.length === 0) return null
  const said = columns.map(({ key, label, role }) => ({ key, role, text: normaliseHeader(label.replaceAll(' / ', '')) }))
  const apart = said.filter(({ role, text }) => role === 'tax' && apartTax.test(text)).map(({ key }) => key)
  const own = said
    .filter(({ role, text }) => role === 'deduction' && insurance.test(text) && !notOwn.test(text))
    .map(({ key }) => key)
  const leaves = leavesOf(sheet)
  const subtracted = own.filter((key) => leaves.has(key))
  const at = (words: RegExp) => said.find(({ role, text }) => role !== 'tax' && words.test(text))?.key
  const amountsOf = taxAmountsReader(columns, leaves, besideGross(sheet))
  const is_plain = paysOnlyWages(columns)
  const [taxable, withheld, relief] = [at(taxableWords), at(withheldWords), at(/减免税/)]
  return (cells) => {
    const amounts = (keys: readonly string[]) => keys.map((key) => Math.abs(fenOf(cells, key)))
    // Where it is not known which columns the net pay is less by, one of them may be the sum of others: the largest is surely taken off.
    const special = subtracted.length
      ? amounts(subtracted).reduce((a, b) => a + b, 0)
      : leaves.size
        ? 0
        : Math.max(0, ...amounts(own))
    const cum = taxable && withheld ? { taxable: amountOf(cells[taxable]).fen, withheld: amountOf(cells[withheld]).fen } : null
    return {
      gross: amountOf(cells[gross]).fen,
      tax: taxes.reduce((all, { key }) => all + fenOf(cells, key), 0),
      special,
      apart: apart.some((key) => fenOf(cells, key) !== 0),
      cumulative:
        cum && cum.taxable !== null && cum.withheld !== null
          ? { taxable: cum.taxable, withheld: cum.withheld, relief: relief ? fenOf(cells, relief) : 0 }
          : null,
      wages: amountsOf && wagesOf(amountsOf(cells), is_plain),
    }
  }
}
