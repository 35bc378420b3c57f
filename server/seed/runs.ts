/** Pay runs as plain values: which sheet, for whom, when it was sent, and what became of each slip. Pure but for ids. */
import { type Fen, fen } from '../contract/words/money.ts'
import type { Channel, SalaryStatus, TitleKind } from '../contract/words/words.ts'
import type { Chance } from './chance.ts'
import { bonusLabels, bonusOf, type Wage, wageLabels, wagesOf } from './pay.ts'
import { type Read, readSheetOf, type SheetGroup, type SheetLine } from './sheet.ts'
import type { Company, Staff } from './staff.ts'

export type SlipFate = {
  readonly id: string
  readonly staff: Staff
  readonly wage: Wage
  readonly channel: Channel
  readonly status: SalaryStatus
  readonly sent_at: Date | null
  readonly viewed_at: Date | null
  readonly confirmed_at: Date | null
  readonly withdrawn_at: Date | null
  readonly corrected_at: Date | null
  readonly asks: string | null
}
export type PayRun = {
  readonly title_id: string
  readonly batch_id: string
  readonly plan_id: string
  readonly title: string
  readonly month: string
  readonly kind: TitleKind
  /** Place of its owner among the administrators. */
  readonly owner: number
  readonly file_name: string
  readonly uploaded_at: Date
  readonly sent_at: Date
  readonly read: Read
  readonly slips: readonly SlipFate[]
}

const day_ms = 86_400_000
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

export const monthAfter = (month: string, count: number): string => {
  const [year = 0, of_year = 1] = month.split('-').map(Number)
  return new Date(Date.UTC(year, of_year - 1 + count, 1)).toISOString().slice(0, 7)
}
/** Wages of a month go out on the 8th of the next, at 10:30 in Shanghai. */
const sentAt = (month: string, day = '08'): Date => new Date(`${monthAfter(month, 1)}-${day}T10:30:00+08:00`)

/** The six months whose wages have gone out before `now`, oldest first. */
export function paidMonths(now: Date): string[] {
  let last = now.toISOString().slice(0, 7)
  while (sentAt(last) >= now) last = monthAfter(last, -1)
  return [-5, -4, -3, -2, -1, 0].map((back) => monthAfter(last, back))
}

const chinese = (month: string): string => `${month.slice(0, 4)}年${Number(month.slice(5))}月`
const questions = [
  '您好，这个月的加班费好像少算了一天，麻烦核对一下。',
  '绩效是按哪个月的考核结果发的？和主管告诉我的不太一样。',
  '住房公积金的基数是什么时候调整的？谢谢。',
  '其他扣款是什么原因，可以看一下明细吗？',
]

/** What runs are made of: the company, the clock, and chance. */
type Making = { readonly company: Company; readonly now: Date; readonly chance: Chance }
type Paid = { readonly staff: Staff; readonly wage: Wage }

export function runsOf(company: Company, months: readonly string[], now: Date, chance: Chance): PayRun[] {
  if (company.plan.pay === 'none') return []
  const making = { company, now, chance }
  const runs = [...wageRuns(making, months), ...bonusRuns(making, months)]
  return runs.toSorted((a, b) => a.sent_at.getTime() - b.sent_at.getTime())
}

function wageRuns(making: Making, months: readonly string[]): PayRun[] {
  const { plan, staff } = making.company
  const [first = ''] = months
  // Withholding is cumulative: the year is computed from its January.
  const since = `${first.slice(0, 4)}-01`
  const year: string[] = []
  for (let month = since; month <= (months.at(-1) ?? ''); month = monthAfter(month, 1)) year.push(month)
  const wages = new Map(staff.map((one) => [one.id, wagesOf(one.terms, year, making.chance)]))
  const owner = plan.admins.findIndex((admin) => admin.power.includes('2') && admin.scope === 'all')
  return months.map((month, at): PayRun => {
    const paid = staff.flatMap((one) => {
      const wage = wages.get(one.id)?.[year.indexOf(month)]
      return wage && month >= one.terms.entry_month && (!one.last_month || month <= one.last_month) ? [{ staff: one, wage }] : []
    })
    const lines = paid.map(
      ({ staff: one, wage }): SheetLine => ({
        texts: [one.name, one.employee_no, one.department.name, one.mobile],
        amounts: wage.amounts,
      }),
    )
    const title = `${chinese(month)}工资`
    const read = readSheetOf(`${plan.name}${title}表`, wageGroups, lines)
    const spice = months.length - 1 - at
    return makeRun(making, { title, month, kind: 'monthly', owner, sent_at: sentAt(month), paid, read, spice })
  })
}

/** Of each quarter, for those whose department has an administrator of its own. */
function bonusRuns(making: Making, months: readonly string[]): PayRun[] {
  const { plan, staff } = making.company
  const seller = plan.admins.findIndex((admin) => admin.scope !== 'all')
  const scope = plan.admins[seller]?.scope ?? []
  const ends = seller < 0 ? [] : months.filter((one) => Number(one.slice(5)) % 3 === 0)
  return ends.flatMap((month) => {
    const paid = staff
      .filter((one) => scope.includes(one.department.name) && one.terms.entry_month <= month && !one.last_month)
      .map((one) => ({ staff: one, wage: bonusOf(one.terms, making.chance) }))
    const lines = paid.map(({ staff: one, wage }): SheetLine => ({ texts: [one.name, one.mobile], amounts: wage.amounts }))
    const title = `${month.slice(0, 4)}年${Number(month.slice(5)) / 3}季度销售奖金`
    const sent_at = sentAt(month, '15')
    if (sent_at >= making.now) return []
    const read = readSheetOf(title, bonusGroups, lines)
    return [makeRun(making, { title, month, kind: 'bonus', owner: seller, sent_at, paid, read, spice: -1 })]
  })
}

/** By how many months ago: who asks, by his place, and which of the questions. */
const asked: Readonly<Record<number, ReadonlyMap<number, number>>> = {
  0: new Map([
    [12, 0],
    [47, 1],
  ]),
  2: new Map([[30, 2]]),
  3: new Map([[64, 3]]),
}

/** `spice`: how many months ago; decides which run has a failure, a withdrawal, a correction, questions. */
function makeRun(
  { company: { plan }, now, chance }: Making,
  it: Pick<PayRun, 'title' | 'month' | 'kind' | 'owner' | 'sent_at' | 'read'> & { paid: readonly Paid[]; spice: number },
): PayRun {
  const { paid, spice, ...run } = it
  const uploaded_at = new Date(run.sent_at.getTime() - 18 * 3_600_000)
  const slips = paid.map(({ staff: one, wage }, at): SlipFate => {
    const asks = asked[spice]?.get(at)
    const fixed = asks !== undefined || (spice === 3 && at === 9)
    const unlucky = spice === 0 && at === Math.min(71, paid.length - 2)
    const withdrawn = spice === 1 && at === Math.min(15, paid.length - 3)
    return {
      id: chance.id(uploaded_at),
      staff: one,
      wage,
      channel: one.platform_user_id ? 'platform' : plan.sms_left > 200 || at % 2 === 0 ? 'sms' : 'link',
      asks: asks === undefined ? null : (questions[asks] ?? null),
      ...fateOf({ now, chance }, run.sent_at, at, { fixed, unlucky, withdrawn }),
      corrected_at: spice === 3 && at === 9 ? new Date(run.sent_at.getTime() + 2 * day_ms) : null,
    }
  })
  return {
    ...run,
    title_id: chance.id(uploaded_at),
    batch_id: chance.id(uploaded_at),
    plan_id: chance.id(run.sent_at),
    file_name: `${run.title}.xlsx`,
    uploaded_at,
    slips,
  }
}

/** Most people look within a day and confirm soon after; what would lie in the future has not happened yet. */
function fateOf(
  { now, chance }: Pick<Making, 'now' | 'chance'>,
  batch_sent: Date,
  at: number,
  { fixed, unlucky, withdrawn }: { fixed: boolean; unlucky: boolean; withdrawn: boolean },
) {
  const later = (from: Date, mean_h: number): Date =>
    new Date(from.getTime() + Math.ceil(-Math.log(1 - chance.next()) * mean_h * 3_600_000) + 30_000)
  const happened = (at_time: Date): Date | null => (at_time < now ? at_time : null)
  const none = { viewed_at: null, confirmed_at: null, withdrawn_at: null }
  const sent_at = new Date(batch_sent.getTime() + 2000 + at * 40)
  const looks = chance.often(0.955) || fixed
  const viewed_at = looks ? happened(later(sent_at, fixed ? 3 : 22)) : null
  const confirms = chance.often(0.93)
  const confirmed_at = viewed_at && confirms ? happened(later(viewed_at, fixed ? 60 : 1.5)) : null
  if (unlucky) return { status: 'failed' as const, sent_at: null, ...none }
  if (withdrawn)
    return {
      status: 'withdrawn' as const,
      sent_at,
      ...none,
      viewed_at,
      withdrawn_at: new Date(batch_sent.getTime() + 3 * 3_600_000),
    }
  const status: SalaryStatus = confirmed_at ? 'confirmed' : viewed_at ? 'viewed' : 'sent'
  return { status, sent_at, ...none, viewed_at, confirmed_at }
}

/** What the corrected slip had been given too little of. */
export const correction = { key: 'c6', label: '绩效工资', more: fen(50_000) } as const

/** The corrected slip's amounts: performance, gross and net rise together. */
export function corrected(wage: Wage): Wage {
  const more = new Set([wageLabels.indexOf('绩效工资'), wageLabels.indexOf('应发合计'), wageLabels.indexOf('实发工资')])
  const amounts = wage.amounts.map((amount, at): Fen => (more.has(at) ? fen(amount + correction.more) : amount))
  return { amounts, gross: fen(wage.gross + correction.more), tax: wage.tax, net: fen(wage.net + correction.more) }
}
