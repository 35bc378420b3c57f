/**
 * Batches as plain values: the wage sheet, the employees, the send time, and the result of each payslip. Pure except
 * for ids.
 */
import { type Fen, toFen } from '../contract/shared/money.ts'
import type { Channel, PayslipStatus, TitleKind } from '../contract/shared/schemas.ts'
import { bonusLabels, computeDemoBonus, computeWages, type Wage, wageLabels } from './pay.ts'
import type { SeededRandom } from './random.ts'
import { buildReadSheet, type ReadSheet, type SheetGroup, type SheetRowInput } from './sheet.ts'
import type { DemoCompany, DemoStaff } from './staff.ts'

export type DemoPayslip = {
  readonly id: string
  readonly staff: DemoStaff
  readonly wage: Wage
  readonly channel: Channel
  readonly status: PayslipStatus
  readonly sent_at: Date | null
  readonly viewed_at: Date | null
  readonly confirmed_at: Date | null
  readonly withdrawn_at: Date | null
  readonly corrected_at: Date | null
  readonly question: string | null
}
export type PayRun = {
  readonly title_id: string
  readonly batch_id: string
  readonly plan_id: string
  readonly title: string
  readonly month: string
  readonly kind: TitleKind
  /** Index of the owner among the administrators. */
  readonly owner: number
  readonly file_name: string
  readonly uploaded_at: Date
  readonly sent_at: Date
  readonly sheet: ReadSheet
  readonly payslips: readonly DemoPayslip[]
}

const dayMs = 86_400_000
const wageGroups: readonly SheetGroup[] = [
  ['姓名', []],
  ['工号', []],
  ['部门', []],
  ['手机号', []],
  ['应发', wageLabels.slice(0, 6)],
  ['应发合计', []],
  ['扣款', wageLabels.slice(7, 13)],
  ['扣款合计', []],
  ['实发工资', []],
]
const bonusGroups: readonly SheetGroup[] = [['姓名', []], ['手机号', []], ...bonusLabels.map((label): SheetGroup => [label, []])]

export const addMonths = (month: string, count: number): string => {
  const [year = 0, monthOfYear = 1] = month.split('-').map(Number)
  return new Date(Date.UTC(year, monthOfYear - 1 + count, 1)).toISOString().slice(0, 7)
}
/** Wages of a month are sent on the 8th of the next month, at 10:30 in Shanghai. */
const getSendTime = (month: string, day = '08'): Date => new Date(`${addMonths(month, 1)}-${day}T10:30:00+08:00`)

/** Lists the six months whose wages have been sent before `now`, oldest first. */
export function listPaidMonths(now: Date): string[] {
  let last = now.toISOString().slice(0, 7)
  while (getSendTime(last) >= now) last = addMonths(last, -1)
  return [-5, -4, -3, -2, -1, 0].map((offset) => addMonths(last, offset))
}

const formatChineseMonth = (month: string): string => `${month.slice(0, 4)}年${Number(month.slice(5))}月`
const questions = [
  '您好，这个月的加班费好像少算了一天，麻烦核对一下。',
  '绩效是按哪个月的考核结果发的？和主管告诉我的不太一样。',
  '住房公积金的基数是什么时候调整的？谢谢。',
  '其他扣款是什么原因，可以看一下明细吗？',
]

/** Input for building batches: the company, the clock, and the random generator. */
type RunContext = { readonly company: DemoCompany; readonly now: Date; readonly random: SeededRandom }
type PaidStaff = { readonly staff: DemoStaff; readonly wage: Wage }

/** The pay runs, oldest first, and the wages of the year before the first one by employee. */
export type DemoPay = { readonly runs: readonly PayRun[]; readonly earlierWages: ReadonlyMap<string, readonly (Wage | null)[]> }

export function buildPayRuns(company: DemoCompany, months: readonly string[], now: Date, chance: SeededRandom): DemoPay {
  if (company.plan.pay === 'none') return { runs: [], earlierWages: new Map() }
  const context = { company, now, random: chance }
  const { runs: wageRuns, earlierWages } = buildWageRuns(context, months)
  const runs = [...wageRuns, ...buildBonusRuns(context, months)]
  return { runs: runs.toSorted((a, b) => a.sent_at.getTime() - b.sent_at.getTime()), earlierWages }
}

function buildWageRuns(context: RunContext, months: readonly string[]): DemoPay {
  const { plan, staff } = context.company
  const [first = ''] = months
  // Withholding is cumulative: the year is computed from its January.
  const since = `${first.slice(0, 4)}-01`
  const year: string[] = []
  for (let month = since; month <= (months.at(-1) ?? ''); month = addMonths(month, 1)) year.push(month)
  const wages = new Map(staff.map((one) => [one.id, computeWages(one.terms, year, context.random)]))
  const owner = plan.admins.findIndex((admin) => admin.power.includes('2') && admin.scope === 'all')
  const runs = months.map((month, at): PayRun => {
    const paid = staff.flatMap((one) => {
      const wage = wages.get(one.id)?.[year.indexOf(month)]
      return wage && month >= one.terms.entry_month && (!one.last_month || month <= one.last_month) ? [{ staff: one, wage }] : []
    })
    const rows = paid.map(
      ({ staff: one, wage }): SheetRowInput => ({
        texts: [one.name, one.employee_no, one.department.name, one.mobile],
        amounts: wage.amounts,
      }),
    )
    const title = `${formatChineseMonth(month)}工资`
    const read = buildReadSheet(`${plan.name}${title}表`, wageGroups, rows)
    const monthsAgo = months.length - 1 - at
    return buildPayRun(context, {
      title,
      month,
      kind: 'monthly',
      owner,
      sent_at: getSendTime(month),
      paid,
      sheet: read,
      spice: monthsAgo,
    })
  })
  const earlierCount = year.filter((month) => month < first).length
  return { runs, earlierWages: new Map([...wages].map(([id, all]) => [id, all.slice(0, earlierCount)])) }
}

/** Builds quarterly bonuses for employees whose department has its own administrator. */
function buildBonusRuns(context: RunContext, months: readonly string[]): PayRun[] {
  const { plan, staff } = context.company
  const salesAdminIndex = plan.admins.findIndex((admin) => admin.scope !== 'all')
  const scope = plan.admins[salesAdminIndex]?.scope ?? []
  const quarterEnds = salesAdminIndex < 0 ? [] : months.filter((one) => Number(one.slice(5)) % 3 === 0)
  return quarterEnds.flatMap((month) => {
    const paid = staff
      .filter((one) => scope.includes(one.department.name) && one.terms.entry_month <= month && !one.last_month)
      .map((one) => ({ staff: one, wage: computeDemoBonus(one.terms, context.random) }))
    const rows = paid.map(({ staff: one, wage }): SheetRowInput => ({ texts: [one.name, one.mobile], amounts: wage.amounts }))
    const title = `${month.slice(0, 4)}年${Number(month.slice(5)) / 3}季度销售奖金`
    const sent_at = getSendTime(month, '15')
    if (sent_at >= context.now) return []
    const read = buildReadSheet(title, bonusGroups, rows)
    return [buildPayRun(context, { title, month, kind: 'bonus', owner: salesAdminIndex, sent_at, paid, sheet: read, spice: -1 })]
  })
}

/** By months ago: the index of the asking employee, and which question is asked. */
const questionsByMonthsAgo: Readonly<Record<number, ReadonlyMap<number, number>>> = {
  0: new Map([
    [12, 0],
    [47, 1],
  ]),
  2: new Map([[30, 2]]),
  3: new Map([[64, 3]]),
}

/** `monthsAgo`: decides which batch has a failure, a withdrawal, a correction or feedback. */
function buildPayRun(
  { company: { plan }, now, random }: RunContext,
  input: Pick<PayRun, 'title' | 'month' | 'kind' | 'owner' | 'sent_at' | 'sheet'> & { paid: readonly PaidStaff[]; spice: number },
): PayRun {
  const { paid, spice: monthsAgo, ...run } = input
  const uploaded_at = new Date(run.sent_at.getTime() - 18 * 3_600_000)
  const payslips = paid.map(({ staff: one, wage }, at): DemoPayslip => {
    const questionIndex = questionsByMonthsAgo[monthsAgo]?.get(at)
    const isScripted = questionIndex !== undefined || (monthsAgo === 3 && at === 9)
    const isFailed = monthsAgo === 0 && at === Math.min(71, paid.length - 2)
    const isWithdrawn = monthsAgo === 1 && at === Math.min(15, paid.length - 3)
    return {
      id: random.id(uploaded_at),
      staff: one,
      wage,
      channel: one.platform_user_id ? 'platform' : plan.sms_left > 200 || at % 2 === 0 ? 'sms' : 'link',
      question: questionIndex === undefined ? null : (questions[questionIndex] ?? null),
      ...buildPayslipTimes({ now, random }, run.sent_at, at, { fixed: isScripted, unlucky: isFailed, withdrawn: isWithdrawn }),
      corrected_at: monthsAgo === 3 && at === 9 ? new Date(run.sent_at.getTime() + 2 * dayMs) : null,
    }
  })
  return {
    ...run,
    title_id: random.id(uploaded_at),
    batch_id: random.id(uploaded_at),
    plan_id: random.id(run.sent_at),
    file_name: `${run.title}.xlsx`,
    uploaded_at,
    payslips,
  }
}

/** Most employees view within a day and confirm soon after; times in the future have not happened yet. */
function buildPayslipTimes(
  { now, random }: Pick<RunContext, 'now' | 'random'>,
  batch_sent: Date,
  at: number,
  { fixed: isScripted, unlucky: isFailed, withdrawn: isWithdrawn }: { fixed: boolean; unlucky: boolean; withdrawn: boolean },
) {
  const addRandomHours = (from: Date, mean_h: number): Date =>
    new Date(from.getTime() + Math.ceil(-Math.log(1 - random.next()) * mean_h * 3_600_000) + 30_000)
  const ifPast = (at_time: Date): Date | null => (at_time < now ? at_time : null)
  const none = { viewed_at: null, confirmed_at: null, withdrawn_at: null }
  const sent_at = new Date(batch_sent.getTime() + 2000 + at * 40)
  const isViewed = random.chance(0.955) || isScripted
  const viewed_at = isViewed ? ifPast(addRandomHours(sent_at, isScripted ? 3 : 22)) : null
  const isConfirmed = random.chance(0.93)
  const confirmed_at = viewed_at && isConfirmed ? ifPast(addRandomHours(viewed_at, isScripted ? 60 : 1.5)) : null
  if (isFailed) return { status: 'failed' as const, sent_at: null, ...none }
  if (isWithdrawn)
    return {
      status: 'withdrawn' as const,
      sent_at,
      ...none,
      viewed_at,
      withdrawn_at: new Date(batch_sent.getTime() + 3 * 3_600_000),
    }
  const status: PayslipStatus = confirmed_at ? 'confirmed' : viewed_at ? 'viewed' : 'sent'
  return { status, sent_at, ...none, viewed_at, confirmed_at }
}

/** The item that the corrected payslip increases. */
export const correction = { key: 'c6', label: '绩效工资', increase: toFen(50_000) } as const

/** Applies the correction to the payslip's amounts: performance, gross and net increase together. */
export function applyDemoCorrection(wage: Wage): Wage {
  const correctedIndexes = new Set([
    wageLabels.indexOf('绩效工资'),
    wageLabels.indexOf('应发合计'),
    wageLabels.indexOf('实发工资'),
  ])
  const amounts = wage.amounts.map((amount, at): Fen => (correctedIndexes.has(at) ? toFen(amount + correction.increase) : amount))
  return { amounts, gross: toFen(wage.gross + correction.increase), tax: wage.tax, net: toFen(wage.net + correction.increase) }
}
