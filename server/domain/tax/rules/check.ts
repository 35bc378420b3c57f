/** What is found in a month before it is locked: beside the month before, the slips, what the sheets withheld, and what a declaration needs. Pure. */

import type { TaxProblemKind } from '../../../contract/wage/tax/tax-states.ts'
import { formatFen } from '../../../contract/words/money.ts'
import { percent } from '../../../rules/law/steps.ts'
import type { TaxAmounts } from '../../../rules/law/wages/amounts.ts'
import { type PersonResult, type TakenIncome, together } from './amounts.ts'
import type { DeductionsKnown, InsuranceKnown } from './person-tax.ts'

export type TaxProblem = {
  readonly kind: TaxProblemKind
  readonly level: 'error' | 'warning'
  readonly member_id: string
  readonly name: string
  readonly message: string
  readonly ours_fen: number | null
  readonly theirs_fen: number | null
}
export type CheckedPerson = {
  readonly member_id: string
  readonly name: string
  readonly has_card: boolean
  /** Months as `2026-07`. */
  readonly hired: string | null
  readonly left: string | null
  readonly taken: readonly TakenIncome[]
  readonly by_hand: boolean
  readonly amounts: TaxAmounts
  readonly sheet_tax_fen: number | null
  readonly result: PersonResult | null
  /** What the same runs say now; null: not asked, because nothing was taken. */
  readonly now: ReadonlyMap<string, TakenIncome> | null
  /** Months of the year that are known: locked ones and those of an opening. */
  readonly months_known: number
  readonly first_income_of_year: boolean
  readonly prior_year_under_60000: boolean
  readonly deductions: DeductionsKnown | null
  readonly insurance: InsuranceKnown | null
  /** Income of the month before; null: was not in it. */
  readonly last_income_fen: number | null
}
/** `last`: there is a period of the month before. */
export type CheckGround = { readonly month: string; readonly last: boolean }

/** To the fen: both sides round in the same place. */
const tolerance_fen = 1
type Told = Omit<TaxProblem, 'member_id' | 'name'>
const told = (kind: TaxProblemKind, message: string, ours_fen: number | null = null, theirs_fen: number | null = null): Told => ({
  kind,
  level: 'warning',
  message,
  ours_fen,
  theirs_fen,
})
const error = (...of: Parameters<typeof told>): Told => ({ ...told(...of), level: 'error' })

export function problemsOf(of: CheckedPerson, ground: CheckGround): TaxProblem[] {
  const found = [
    ...resultProblems(of),
    ...taxProblems(of),
    ...personProblems(of, ground),
    ...slipProblems(of),
    ...lastProblems(of, ground),
    ...insuranceProblems(of),
  ]
  const { member_id, name } = of
  return found.map((one) => ({ ...one, member_id, name }))
}

function resultProblems({ result }: CheckedPerson): Told[] {
  if (!result) return [told('not_computed', '还没有计算，或计算之后改过；请点「计算」')]
  return result.refused === null ? [] : [error('refused', result.refused)]
}

function taxProblems({ result, sheet_tax_fen }: CheckedPerson): Told[] {
  if (!result?.figures || sheet_tax_fen === null) return []
  const difference = sheet_tax_fen - result.tax_fen
  if (Math.abs(difference) < tolerance_fen) return []
  const { figures } = result
  const quick = figures.quick_fen ? ` − 速算扣除数 ${formatFen(figures.quick_fen)}` : ''
  const how = `累计应纳税所得额 ${formatFen(figures.cum_taxable)} × ${percent(figures.rate_ppm)}${quick} − 已预扣 ${formatFen(figures.cum_withheld)}`
  const way = difference > 0 ? '多扣' : '少扣'
  const message = `工资表扣了 ${formatFen(sheet_tax_fen)}，按累计预扣法应扣 ${formatFen(result.tax_fen)}（${how}），${way} ${formatFen(Math.abs(difference))}；请核对以前月份、专项附加扣除和入职月份`
  return [told('tax_differs', message, result.tax_fen, sheet_tax_fen)]
}

const monthOf = (year_month: string): number => Number(year_month.slice(5))
/** Calendar months of employment in the year before this one. */
function monthsDue({ hired, left, first_income_of_year }: CheckedPerson, month: string): number {
  const year = month.slice(0, 4)
  const first = hired === null || hired.slice(0, 4) < year || first_income_of_year ? 1 : monthOf(hired)
  const last = left !== null && left < month && left.slice(0, 4) === year ? monthOf(left) : monthOf(month) - 1
  return hired !== null && hired > month ? 0 : Math.max(0, last - first + 1)
}

function personProblems(of: CheckedPerson, { month }: CheckGround): Told[] {
  const { has_card, hired, left, months_known, result } = of
  const found: Told[] = []
  if (!has_card) found.push(error('no_card', '花名册里没有身份证号，申报表里证件号码会是空的；请在员工档案里补上'))
  if (hired === null)
    found.push(told('no_entry', '花名册里没有入职日期，按以前年度入职计算；本年入职的请补上，否则减除费用会多算'))
  if (hired !== null && hired > month)
    found.push(told('entry_after', `入职月份 ${hired} 晚于税款所属期，没有减除费用；请核对入职日期`))
  if (left !== null && left < month)
    found.push(told('paid_after_leaving', `${left} 已离职，之后的收入不再增加减除费用；申报时请填写离职后补发`))
  const due = monthsDue(of, month)
  if (due > months_known && hired !== null && !of.first_income_of_year)
    found.push(
      told(
        'months_gap',
        `本年任职的 ${due} 个月里，只有 ${months_known} 个月有锁定的期间或期初累计；累计收入会偏少，请补建以前月份，或填写期初累计`,
      ),
    )
  if (of.first_income_of_year && hired !== null && hired.slice(0, 4) < month.slice(0, 4))
    found.push(told('first_income_here', `标了「当年首次取得工资」，但 ${hired} 就已入职；请核对`))
  if (of.prior_year_under_60000 && (hired === null || hired.slice(0, 4) >= month.slice(0, 4)))
    found.push(
      told(
        'under_60000_unproven',
        '标了「上年收入不超过六万元」，但花名册里没有上年全年任职的记录；需上年 12 个月都在本单位申报',
      ),
    )
  if (of.deductions?.refused) found.push(told('deduction_refused', of.deductions.refused))
  return result?.special.social
    ? [...found, told('not_split', '社保只有合计，没有分养老、医疗、失业；申报表要求分项填写', result.special.social)]
    : found
}

function slipProblems({ taken, now, by_hand, amounts }: CheckedPerson): Told[] {
  const found: Told[] = []
  for (const one of taken) {
    const then = now?.get(one.batch_id)
    if (now && !then)
      found.push(error('slip_gone', '取入之后，这个人的工资条已撤回或不在这一批里；请重新取入这一批', incomeOf(one.amounts)))
    else if (then && JSON.stringify(then) !== JSON.stringify(one))
      found.push(told('slip_differs', '取入之后，工资条有改动；请重新取入这一批', incomeOf(one.amounts), incomeOf(then.amounts)))
  }
  if (by_hand && taken.length > 0) {
    const slips = incomeOf(together(taken.map((one) => one.amounts)))
    if (incomeOf(amounts) !== slips)
      found.push(told('by_hand', '收入是手工填写的，与工资条不同；请核对', incomeOf(amounts), slips))
  }
  return found
}
const incomeOf = ({ income_fen, bonus_fen }: TaxAmounts): number => income_fen + bonus_fen

function lastProblems({ last_income_fen, amounts, hired }: CheckedPerson, { last, month }: CheckGround): Told[] {
  if (!last) return []
  const now = amounts.income_fen
  if (last_income_fen === null)
    return hired === month ? [] : [told('new_person', '上月没有这个人，入职月份又不是本月；请核对是否漏了上月', now)]
  if (last_income_fen > 0 && now * 2 < last_income_fen)
    return [
      told('income_fell', `收入 ${formatFen(now)}，不到上月 ${formatFen(last_income_fen)} 的一半；请核对`, now, last_income_fen),
    ]
  return []
}

function insuranceProblems({ insurance, result }: CheckedPerson): Told[] {
  if (!insurance || !result) return []
  if ('refused' in insurance) return [told('insurance_refused', insurance.refused)]
  const theirs = Object.values(insurance.special).reduce((all, one) => all + one, 0)
  const ours = result.used.special
  return ours === theirs
    ? []
    : [
        told(
          'insurance_differs',
          `扣了个人社保公积金 ${formatFen(ours)}，按参保方案应为 ${formatFen(theirs)}；请核对`,
          ours,
          theirs,
        ),
      ]
}

/** Somebody of the month before who is not in this one and has not left. */
export const missingPerson = (who: Pick<TaxProblem, 'member_id' | 'name'>, last_income_fen: number): TaxProblem => ({
  ...told('missing_person', '上月有收入，本月不在这一期里；没有发工资也要零申报，请核对', null, last_income_fen),
  ...who,
})
