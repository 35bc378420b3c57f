/**
 * Reads the tax data of a wage sheet row for a month of withholding: income, the employee's insurance by type, a
 * separately taxed bonus, and the tax itself.
 */
import type { ColumnRole } from '../../../../contract/shared/schemas.ts'
import { isDeduction, isEarning, isEmployerCost, isGross, isInfo, isTax } from '../../../../contract/sheets/column-roles.ts'
import { parseCellAmount, type RowCells } from '../../../../rules/amounts.ts'
import type { TaxAmounts } from '../../../../rules/law/wages/amounts.ts'
import { normalizeHeader } from '../../../../spreadsheets/rules.ts'

/** Null means that the wage sheet has no such column. */
export type SheetTaxAmounts = TaxAmounts & { readonly tax_fen: number | null }

const notEmployeePattern = /单位|公司|企业(?!年金)|基数|比例|费率|累计|往期|上月/
const deductionPatterns = {
  pension: /养老/,
  medical: /医疗|医保|大病|大额/,
  unemployment: /失业/,
  housing_fund: /公积金/,
  social: /社保|社会保险|[三五]险/,
  annuity: /年金/,
  health: /商业健康|税优健康|健康险/,
} as const
const commercialPattern = /商业|税延|意外|补充医疗|个人养老金|税优|健康险/
/** Reimbursed expenses and refunded tax are no wages. */
const reimbursementPattern = /报销|退税|返税|税(?:款|额)?(?:的)?(?:返还|退还|退回|[返退]$)|(?:返还|退还|退回)(?:的)?个?税/
const exemptPattern = /免税/
const donationPattern = /捐赠/
const reductionPattern = /减免税/
const annualBonusPattern = /全年一次性|年终奖|年终奖金/
const bonusTaxPattern = /(?:年终|奖金|一次性).*(?:税|个税)/
/** Reductions of earnings: wages that were not paid. */
const unpaidLeavePattern = /事假|病假|请假|缺勤|考勤|迟到|早退|旷工|缺卡|罚款|绩效扣|税前扣/

type Column = { readonly key: string; readonly label: string; readonly role: ColumnRole }
type LabeledColumn = { readonly key: string; readonly role: ColumnRole; readonly text: string }
const getFen = (cells: RowCells, key: string): number => parseCellAmount(cells[key]).fen ?? 0

/**
 * Creates a reader of tax data. `leaves`: columns subtracted from net pay; empty if unknown. `additionsToGross`:
 * columns that are added to gross and are not part of it. Returns null if the wage sheet has no income.
 */
export function createTaxAmountsReader(
  sheet: readonly Column[],
  leaves: ReadonlySet<string>,
  additionsToGross: ReadonlySet<string> = new Set(),
): ((cells: RowCells) => SheetTaxAmounts) | null {
  const columns: LabeledColumn[] = sheet.map(({ key, label, role }) => ({
    key,
    role,
    text: normalizeHeader(label.replaceAll(' / ', '')),
  }))
  const income = createIncomeReader(columns, leaves, additionsToGross)
  if (!income) return null
  const deductionColumns = columns.filter(
    ({ role, text }) => (isDeduction(role) || isInfo(role)) && !notEmployeePattern.test(text),
  )
  /** Returns the matching columns that are subtracted from net pay; if these are unknown, all matching deductions. */
  const findDeductionKeys = (pattern: RegExp, but?: RegExp): string[] => {
    const all = deductionColumns
      .filter(({ role, text }) => isDeduction(role) && pattern.test(text) && !but?.test(text))
      .map(({ key }) => key)
    const subtracted = all.filter((key) => leaves.has(key))
    return subtracted.length > 0 ? subtracted : leaves.size > 0 ? [] : all
  }
  const findKeys = (pattern: RegExp, isSide: (role: ColumnRole) => boolean): string[] =>
    columns
      .filter(({ role, text }) => (isInfo(role) || isSide(role)) && pattern.test(text) && !/累计/.test(text))
      .map(({ key }) => key)
  const pension = findDeductionKeys(deductionPatterns.pension, commercialPattern)
  const medical = findDeductionKeys(deductionPatterns.medical, commercialPattern)
  const unemployment = findDeductionKeys(deductionPatterns.unemployment)
  const fund = findDeductionKeys(deductionPatterns.housing_fund, /社保|五险|三险/)
  const hasInsuranceItems = pension.length + medical.length + unemployment.length > 0
  const social = hasInsuranceItems ? [] : findDeductionKeys(deductionPatterns.social)
  const taxes = columns.filter(({ role }) => isTax(role))
  const bonusTaxes = taxes.filter(({ text }) => bonusTaxPattern.test(text)).map(({ key }) => key)
  const wageTaxes = taxes.map(({ key }) => key).filter((key) => !bonusTaxes.includes(key))
  const bonus = columns.filter(({ role, text }) => isEarning(role) && annualBonusPattern.test(text)).map(({ key }) => key)
  const [annuity, health] = [findDeductionKeys(deductionPatterns.annuity), findDeductionKeys(deductionPatterns.health)]
  const [donated, reduced, untaxed] = [
    findKeys(donationPattern, isDeduction),
    findKeys(reductionPattern, isDeduction),
    findKeys(exemptPattern, isEarning),
  ]
  return (cells) => {
    const amounts = (keys: readonly string[]): number => keys.reduce((all, key) => all + Math.abs(getFen(cells, key)), 0)
    const orNull = (keys: readonly string[]): number | null => (keys.length > 0 ? amounts(keys) : null)
    // A bonus with its own tax was taxed separately; any other bonus is part of the month's wages.
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
      tax_fen: wageTaxes.length > 0 ? wageTaxes.reduce((all, key) => all + Math.abs(getFen(cells, key)), 0) : null,
    }
  }
}

/**
 * Whether everything paid is taxable and only insurance reduces it: then gross and insurance determine the taxable
 * wages.
 */
export function hasOnlyTaxableWages(sheet: readonly Column[]): boolean {
  const other = [
    reimbursementPattern,
    exemptPattern,
    donationPattern,
    reductionPattern,
    deductionPatterns.annuity,
    deductionPatterns.health,
    unpaidLeavePattern,
  ]
  return sheet.every(({ label, role }) => {
    const text = normalizeHeader(label.replaceAll(' / ', ''))
    return isEmployerCost(role) || isTax(role) || /累计/.test(text) || !other.some((pattern) => pattern.test(text))
  })
}

/**
 * Creates a reader of taxable income: gross without reimbursements, minus unpaid leave and fines if net pay is reduced
 * by them as well; without a gross column, the earnings minus these.
 */
function createIncomeReader(
  columns: readonly LabeledColumn[],
  leaves: ReadonlySet<string>,
  additionsToGross: ReadonlySet<string>,
): ((cells: RowCells) => number) | null {
  const gross = columns.find(({ role }) => isGross(role))?.key
  const earnings = columns.filter(({ role }) => isEarning(role))
  const reimbursements = earnings.filter(({ text }) => reimbursementPattern.test(text)).map(({ key }) => key)
  const unpaidDeductions = columns
    .filter(({ role, text }) => isDeduction(role) && unpaidLeavePattern.test(text))
    .map(({ key }) => key)
  const added = gross === undefined ? earnings.map(({ key }) => key).filter((key) => !reimbursements.includes(key)) : [gross]
  if (added.length === 0) return null
  const subtracted = gross === undefined ? unpaidDeductions : unpaidDeductions.filter((key) => leaves.has(key))
  const repays = gross === undefined ? [] : reimbursements.filter((key) => !additionsToGross.has(key))
  return (cells) =>
    added.reduce((all, key) => all + getFen(cells, key), 0) -
    repays.reduce((all, key) => all + getFen(cells, key), 0) -
    subtracted.reduce((all, key) => all + Math.abs(getFen(cells, key)), 0)
}
