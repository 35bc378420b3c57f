/**
 * Checks a month before it is locked: against the previous month, the payslips, the tax withheld by the sheets, and the
 * requirements of a declaration. Pure.
 */

import { formatFen } from '../../../contract/shared/money.ts'
import type { TaxIssueKind } from '../../../contract/tax/statuses.ts'
import { formatPercent } from '../../../rules/law/steps.ts'
import type { TaxAmounts } from '../../../rules/law/wages/amounts.ts'
import { type ImportedIncome, type MemberTaxResult, mergeAmounts } from './amounts.ts'
import type { DeductionTotals, InsuranceTotals } from './member-tax.ts'

export type TaxIssue = {
  readonly kind: TaxIssueKind
  readonly level: 'error' | 'warning'
  readonly member_id: string
  readonly name: string
  readonly message: string
  readonly computed_fen: number | null
  readonly declared_fen: number | null
}
export type CheckedMember = {
  readonly member_id: string
  readonly name: string
  readonly has_card: boolean
  /** Months as `2026-07`. */
  readonly hire_month: string | null
  readonly leave_month: string | null
  readonly imported: readonly ImportedIncome[]
  readonly is_manual: boolean
  readonly amounts: TaxAmounts
  readonly sheet_tax_fen: number | null
  readonly result: MemberTaxResult | null
  /** The current income of the same batches; null: not loaded, because nothing was imported. */
  readonly current_income: ReadonlyMap<string, ImportedIncome> | null
  /** The covered months of the year: locked ones and those of an opening balance. */
  readonly covered_month_count: number
  readonly first_income_of_year: boolean
  readonly prior_year_under_60000: boolean
  readonly deductions: DeductionTotals | null
  readonly insurance: InsuranceTotals | null
  /** Income of the previous month; null if it did not include the member. */
  readonly last_income_fen: number | null
}
/** `has_previous`: the previous month has a period. */
export type CheckContext = { readonly month: string; readonly has_previous: boolean }

/** Amounts are compared to the fen, because both sides round at the same point. */
const toleranceFen = 1
type TaxIssueDetails = Omit<TaxIssue, 'member_id' | 'name'>
const createWarning = (
  kind: TaxIssueKind,
  message: string,
  ours_fen: number | null = null,
  theirs_fen: number | null = null,
): TaxIssueDetails => ({
  kind,
  level: 'warning',
  message,
  computed_fen: ours_fen,
  declared_fen: theirs_fen,
})
const createError = (...args: Parameters<typeof createWarning>): TaxIssueDetails => ({
  ...createWarning(...args),
  level: 'error',
})

export function findTaxIssues(member: CheckedMember, context: CheckContext): TaxIssue[] {
  const issues = [
    ...findResultIssues(member),
    ...findTaxDifferences(member),
    ...findMemberIssues(member, context),
    ...findPayslipIssues(member),
    ...findPreviousMonthIssues(member, context),
    ...findInsuranceIssues(member),
  ]
  const { member_id, name } = member
  return issues.map((one) => ({ ...one, member_id, name }))
}

function findResultIssues({ result }: CheckedMember): TaxIssueDetails[] {
  if (!result) return [createWarning('not_computed', '还没有计算，或计算之后改过；请点「计算」')]
  return result.refused === null ? [] : [createError('refused', result.refused)]
}

function findTaxDifferences({ result, sheet_tax_fen }: CheckedMember): TaxIssueDetails[] {
  if (!result?.figures || sheet_tax_fen === null) return []
  const difference = sheet_tax_fen - result.tax_fen
  if (Math.abs(difference) < toleranceFen) return []
  const { figures } = result
  const quick = figures.quick_fen ? ` − 速算扣除数 ${formatFen(figures.quick_fen)}` : ''
  const formula = `累计应纳税所得额 ${formatFen(figures.cum_taxable)} × ${formatPercent(figures.rate_ppm)}${quick} − 已预扣 ${formatFen(figures.cum_withheld)}`
  const direction = difference > 0 ? '多扣' : '少扣'
  const message = `工资表扣了 ${formatFen(sheet_tax_fen)}，按累计预扣法应扣 ${formatFen(result.tax_fen)}（${formula}），${direction} ${formatFen(Math.abs(difference))}；请核对以前月份、专项附加扣除和入职月份`
  return [createWarning('tax_differs', message, result.tax_fen, sheet_tax_fen)]
}

const getMonthNumber = (year_month: string): number => Number(year_month.slice(5))
/** Counts the calendar months of employment in the year before this month. */
function countExpectedMonths({ hire_month, leave_month, first_income_of_year }: CheckedMember, month: string): number {
  const year = month.slice(0, 4)
  const first = hire_month === null || hire_month.slice(0, 4) < year || first_income_of_year ? 1 : getMonthNumber(hire_month)
  const last =
    leave_month !== null && leave_month < month && leave_month.slice(0, 4) === year
      ? getMonthNumber(leave_month)
      : getMonthNumber(month) - 1
  return hire_month !== null && hire_month > month ? 0 : Math.max(0, last - first + 1)
}

function findMemberIssues(member: CheckedMember, { month }: CheckContext): TaxIssueDetails[] {
  const { has_card, hire_month, leave_month, covered_month_count: coveredMonthCount, result } = member
  const issues: TaxIssueDetails[] = []
  if (!has_card) issues.push(createError('no_card', '花名册里没有身份证号，申报表里证件号码会是空的；请在员工档案里补上'))
  if (hire_month === null)
    issues.push(createWarning('no_entry', '花名册里没有入职日期，按以前年度入职计算；本年入职的请补上，否则减除费用会多算'))
  if (hire_month !== null && hire_month > month)
    issues.push(createWarning('entry_after', `入职月份 ${hire_month} 晚于税款所属期，没有减除费用；请核对入职日期`))
  if (leave_month !== null && leave_month < month)
    issues.push(createWarning('paid_after_leaving', `${leave_month} 已离职，之后的收入不再增加减除费用；申报时请填写离职后补发`))
  const expectedMonths = countExpectedMonths(member, month)
  if (expectedMonths > coveredMonthCount && hire_month !== null && !member.first_income_of_year)
    issues.push(
      createWarning(
        'months_gap',
        `本年任职的 ${expectedMonths} 个月里，只有 ${coveredMonthCount} 个月有锁定的期间或期初累计；累计收入会偏少，请补建以前月份，或填写期初累计`,
      ),
    )
  if (member.first_income_of_year && hire_month !== null && hire_month.slice(0, 4) < month.slice(0, 4))
    issues.push(createWarning('first_income_here', `标了「当年首次取得工资」，但 ${hire_month} 就已入职；请核对`))
  if (member.prior_year_under_60000 && (hire_month === null || hire_month.slice(0, 4) >= month.slice(0, 4)))
    issues.push(
      createWarning(
        'under_60000_unproven',
        '标了「上年收入不超过六万元」，但花名册里没有上年全年任职的记录；需上年 12 个月都在本单位申报',
      ),
    )
  if (member.deductions?.refused) issues.push(createWarning('deduction_refused', member.deductions.refused))
  return result?.special.social
    ? [...issues, createWarning('not_split', '社保只有合计，没有分养老、医疗、失业；申报表要求分项填写', result.special.social)]
    : issues
}

function findPayslipIssues({ imported, current_income, is_manual: isManual, amounts }: CheckedMember): TaxIssueDetails[] {
  const issues: TaxIssueDetails[] = []
  for (const one of imported) {
    const current = current_income?.get(one.batch_id)
    if (current_income && !current)
      issues.push(
        createError('slip_gone', '引入之后，这个人的工资条已撤回或不在这一批里；请重新引入这一批', getTotalIncome(one.amounts)),
      )
    else if (current && JSON.stringify(current) !== JSON.stringify(one))
      issues.push(
        createWarning(
          'slip_differs',
          '引入之后，工资条有改动；请重新引入这一批',
          getTotalIncome(one.amounts),
          getTotalIncome(current.amounts),
        ),
      )
  }
  if (isManual && imported.length > 0) {
    const payslipIncome = getTotalIncome(mergeAmounts(imported.map((one) => one.amounts)))
    if (getTotalIncome(amounts) !== payslipIncome)
      issues.push(createWarning('by_hand', '收入是手工填写的，与工资条不同；请核对', getTotalIncome(amounts), payslipIncome))
  }
  return issues
}
const getTotalIncome = ({ income_fen, bonus_fen }: TaxAmounts): number => income_fen + bonus_fen

function findPreviousMonthIssues(
  { last_income_fen, amounts, hire_month }: CheckedMember,
  { has_previous, month }: CheckContext,
): TaxIssueDetails[] {
  if (!has_previous) return []
  const now = amounts.income_fen
  if (last_income_fen === null)
    return hire_month === month
      ? []
      : [createWarning('new_person', '上月没有这个人，入职月份又不是本月；请核对是否漏了上月', now)]
  if (last_income_fen > 0 && now * 2 < last_income_fen)
    return [
      createWarning(
        'income_fell',
        `收入 ${formatFen(now)}，不到上月 ${formatFen(last_income_fen)} 的一半；请核对`,
        now,
        last_income_fen,
      ),
    ]
  return []
}

function findInsuranceIssues({ insurance, result }: CheckedMember): TaxIssueDetails[] {
  if (!insurance || !result) return []
  if ('refused' in insurance) return [createWarning('insurance_refused', insurance.refused)]
  const expected = Object.values(insurance.special).reduce((all, one) => all + one, 0)
  const computed = result.used.special
  return computed === expected
    ? []
    : [
        createWarning(
          'insurance_differs',
          `扣了个人社保公积金 ${formatFen(computed)}，按参保方案应为 ${formatFen(expected)}；请核对`,
          computed,
          expected,
        ),
      ]
}

/** A member of the previous month who is missing from this one and has not left. */
export const createMissingMemberIssue = (who: Pick<TaxIssue, 'member_id' | 'name'>, last_income_fen: number): TaxIssue => ({
  ...createWarning('missing_person', '上月有收入，本月不在这一期里；没有发工资也要零申报，请核对', null, last_income_fen),
  ...who,
})
