/** What a row of a wage sheet says for a month of withholding: income, own insurance by its parts, a bonus that is taxed apart, the tax itself. */
import type { ColumnRole } from '../../../../contract/words/words.ts'
import { amountOf, type RowCells } from '../../../../rules/amounts.ts'
import type { TaxAmounts } from '../../../../rules/law/wages/amounts.ts'
import { normaliseHeader } from '../../../../tables/rules.ts'

/** Null: the sheet has no such column. */
export type SheetTaxAmounts = TaxAmounts & { readonly tax_fen: number | null }

const notOwn = /单位|公司|企业(?!年金)|基数|比例|费率|累计|往期|上月/
const parts = {
  pension: /养老/,
  medical: /医疗|医保|大病|大额/,
  unemployment: /失业/,
  housing_fund: /公积金/,
  social: /社保|社会保险|[三五]险/,
  annuity: /年金/,
  health: /商业健康|税优健康|健康险/,
} as const
const notPublic = /商业|税延|意外|补充医疗|个人养老金|税优|健康险/
/** Repaid expenses, and tax that is given back: no wage. */
const repaid = /报销|退税|返税|税(?:款|额)?(?:的)?(?:返还|退还|退回|[返退]$)|(?:返还|退还|退回)(?:的)?个?税/
const exempt = /免税/
const donation = /捐赠/
const reduction = /减免税/
const apartBonus = /全年一次性|年终奖|年终奖金/
const apartTax = /(?:年终|奖金|一次性).*(?:税|个税)/
/** Reductions of earnings: they are no wage that was paid. */
const unpaid = /事假|病假|请假|缺勤|考勤|迟到|早退|旷工|缺卡|罚款|绩效扣|税前扣/

type Column = { readonly key: string; readonly label: string; readonly role: ColumnRole }
type Said = { readonly key: string; readonly role: ColumnRole; readonly text: string }
const fenOf = (cells: RowCells, key: string): number => amountOf(cells[key]).fen ?? 0

/**
 * `leaves`: columns that the net pay is less by; none where that is not known. `beside`: columns that are added to the gross pay and are no part of it.
 * Null where the sheet does not tell an income.
 */
export function taxAmountsReader(
  sheet: readonly Column[],
  leaves: ReadonlySet<string>,
  beside: ReadonlySet<string> = new Set(),
): ((cells: RowCells) => SheetTaxAmounts) | null {
  const columns: Said[] = sheet.map(({ key, label, role }) => ({
    key,
    role,
    text: normaliseHeader(label.replaceAll(' / ', '')),
  }))
  const income = incomeReader(columns, leaves, beside)
  if (!income) return null
  const own = columns.filter(({ role, text }) => (role === 'deduction' || role === 'info') && !notOwn.test(text))
  /** Of several columns those that the net pay is less by; where that is not known, all that are deductions. */
  const keysOf = (words: RegExp, but?: RegExp): string[] => {
    const all = own.filter(({ role, text }) => role === 'deduction' && words.test(text) && !but?.test(text)).map(({ key }) => key)
    const subtracted = all.filter((key) => leaves.has(key))
    return subtracted.length > 0 ? subtracted : leaves.size > 0 ? [] : all
  }
  const said = (words: RegExp, roles: readonly string[] = ['info', 'deduction']): string[] =>
    columns.filter(({ role, text }) => roles.includes(role) && words.test(text) && !/累计/.test(text)).map(({ key }) => key)
  const pension = keysOf(parts.pension, notPublic)
  const medical = keysOf(parts.medical, notPublic)
  const unemployment = keysOf(parts.unemployment)
  const fund = keysOf(parts.housing_fund, /社保|五险|三险/)
  const hasParts = pension.length + medical.length + unemployment.length > 0
  const social = hasParts ? [] : keysOf(parts.social)
  const taxes = columns.filter(({ role }) => role === 'tax')
  const bonusTaxes = taxes.filter(({ text }) => apartTax.test(text)).map(({ key }) => key)
  const wageTaxes = taxes.map(({ key }) => key).filter((key) => !bonusTaxes.includes(key))
  const bonus = columns.filter(({ role, text }) => role === 'earning' && apartBonus.test(text)).map(({ key }) => key)
  const [annuity, health] = [keysOf(parts.annuity), keysOf(parts.health)]
  const [donated, reduced, untaxed] = [said(donation), said(reduction), said(exempt, ['info', 'earning'])]
  return (cells) => {
    const amounts = (keys: readonly string[]): number => keys.reduce((all, key) => all + Math.abs(fenOf(cells, key)), 0)
    const orNull = (keys: readonly string[]): number | null => (keys.length > 0 ? amounts(keys) : null)
    // A bonus that has a tax of its own was taxed apart; any other is wage of the month.
    const bonus_fen = amounts(bonusTaxes) !== 0 ? amounts(bonus) : 0
    return {
      income_fen: income(cells) - bonus_fen,
      exempt_fen: amounts(untaxed),
      pension_fen: orNull(pension),
      medical_fen: orNull(medical),
      unemployment_fen: orNull(unemployment),
      housing_fund_fen: orNull(fund),
      social_fen: amounts(social),
      annuity_fen: amounts(annuity),
      health_fen: amounts(health),
      other_fen: 0,
      donation_fen: amounts(donated),
      reduction_fen: amounts(reduced),
      bonus_fen,
      tax_fen: wageTaxes.length > 0 ? wageTaxes.reduce((all, key) => all + Math.abs(fenOf(cells, key)), 0) : null,
    }
  }
}

/** Whether all that the sheet pays is taxed and only insurance lowers it: then its gross pay and insurance tell the taxable wage. */
export function paysOnlyWages(sheet: readonly Column[]): boolean {
  const other = [repaid, exempt, donation, reduction, parts.annuity, parts.health, unpaid]
  return sheet.every(({ label, role }) => {
    const text = normaliseHeader(label.replaceAll(' / ', ''))
    return role === 'employer' || role === 'tax' || /累计/.test(text) || !other.some((words) => words.test(text))
  })
}

/**
 * What is taxed: gross without what is only repaid, less what leave and fines took where the net pay is less by it too; of a sheet without gross its
 * earnings, less those.
 */
function incomeReader(
  columns: readonly Said[],
  leaves: ReadonlySet<string>,
  beside: ReadonlySet<string>,
): ((cells: RowCells) => number) | null {
  const gross = columns.find(({ role }) => role === 'gross')?.key
  const earnings = columns.filter(({ role }) => role === 'earning')
  const back = earnings.filter(({ text }) => repaid.test(text)).map(({ key }) => key)
  const taken = columns.filter(({ role, text }) => role === 'deduction' && unpaid.test(text)).map(({ key }) => key)
  const added = gross === undefined ? earnings.map(({ key }) => key).filter((key) => !back.includes(key)) : [gross]
  if (added.length === 0) return null
  const off = gross === undefined ? taken : taken.filter((key) => leaves.has(key))
  const repays = gross === undefined ? [] : back.filter((key) => !beside.has(key))
  return (cells) =>
    added.reduce((all, key) => all + fenOf(cells, key), 0) -
    repays.reduce((all, key) => all + fenOf(cells, key), 0) -
    off.reduce((all, key) => all + Math.abs(fenOf(cells, key)), 0)
}
