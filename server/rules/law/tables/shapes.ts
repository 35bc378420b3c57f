/** What the rows of each table hold, and how they are read from `figures.json`. Amounts in fen, rates in parts per million. */
import { exact } from '../exact.ts'
import { StrictFields } from '../read.ts'
import { LawRefusal } from '../refused.ts'

/** `up_to`: the upper end, included; null is the last level. */
export type Level = { readonly up_to: number | null; readonly rate_ppm: number; readonly quick_fen: number }
export type Levels = readonly Level[]

/** Levels rise, the last is open, and at each end both sides ask for the same: a table that jumps was copied wrongly. */
export function levels(value: unknown, place: string): Levels {
  if (!Array.isArray(value)) throw new LawRefusal(place, '应是税率级距的列表')
  const read = value.map((one: unknown, at): Level => {
    const of = new StrictFields(one, `${place}[${at}]`)
    const level = {
      up_to: of.has('up_to') ? of.money('up_to') : null,
      rate_ppm: of.rate('rate'),
      quick_fen: of.money('quick'),
    }
    of.close()
    return level
  })
  for (const [at, level] of read.entries()) {
    const where = `${place}[${at}]`
    if ((level.up_to === null) !== (at === read.length - 1)) throw new LawRefusal(where, '只有最后一级没有上限')
    const before = read[at - 1]
    if (!before) {
      if (level.quick_fen !== 0) throw new LawRefusal(where, '第一级的速算扣除数应为 0')
      continue
    }
    const end = before.up_to ?? 0
    if (level.rate_ppm <= before.rate_ppm || (level.up_to !== null && level.up_to <= end))
      throw new LawRefusal(where, '级距和税率应逐级升高')
    const jump = exact(end)
      .part(level.rate_ppm - before.rate_ppm)
      .minus(level.quick_fen - before.quick_fen)
    if (!jump.equals(0)) throw new LawRefusal(where, '速算扣除数与上一级接不上，请核对')
  }
  if (read.length === 0) throw new LawRefusal(place, '没有级距')
  return read
}

const shape =
  <T>(read: (of: StrictFields) => T) =>
  (value: unknown, place: string): T => {
    const of = new StrictFields(value, place)
    const found = read(of)
    of.close()
    return found
  }

/** A rule that only holds or does not. */
export function holds(value: unknown, place: string): true {
  if (value !== true) throw new LawRefusal(place, '应是 true')
  return true
}
const many = [1, 1_000] as const

export const basic = shape((of) => ({ month_fen: of.money('month'), year_fen: of.money('year') }))
export const bonus = shape((of) => ({ share_months: of.whole('share_months', many) }))
export const laborExpense = shape((of) => ({
  flat_up_to_fen: of.money('flat_up_to'),
  flat_fen: of.money('flat'),
  share_ppm: of.rate('share'),
  manuscript_ppm: of.rate('manuscript'),
  flat_rate_ppm: of.rate('flat_rate'),
}))
export const laborCumulative = shape((of) => ({ share_ppm: of.rate('share'), agent_ppm: of.rate('agent_share') }))
export const laborPlatform = shape((of) => ({ share_ppm: of.rate('share') }))
export const severance = shape((of) => ({ exempt_years: of.whole('exempt_years', many) }))
export const nonresident = shape((of) => ({
  basic_fen: of.money('basic'),
  bonus_months: of.whole('bonus_months', many),
  labor_ppm: of.rate('labor_share'),
  manuscript_ppm: of.rate('manuscript'),
  resident_days: of.whole('resident_days', many),
  short_days: of.whole('short_days', many),
}))
export const pension = shape((of) => ({ year_fen: of.money('year'), withdrawal_ppm: of.rate('withdrawal_rate') }))
export const flatRate = shape((of) => ({ rate_ppm: of.rate('rate') }))
export const caps = shape((of) => ({
  fund_ppm: of.rate('fund_rate'),
  annuity_ppm: of.rate('annuity_rate'),
  average_times: of.whole('average_times', many),
  health_month_fen: of.money('health_month'),
  donation_ppm: of.rate('donation_share'),
}))
export const settlement = shape((of) => ({ income_fen: of.money('income_up_to'), due_fen: of.money('due_up_to') }))
export const additional = shape((of) => ({
  /** Null: the deduction did not exist yet. */
  infant_care_fen: of.has('infant_care') ? of.money('infant_care') : null,
  child_education_fen: of.money('child_education'),
  degree_fen: of.money('continuing_degree'),
  degree_months: of.whole('degree_months', many),
  certificate_fen: of.money('continuing_certificate'),
  loan_fen: of.money('housing_loan'),
  loan_months: of.whole('loan_months', many),
  /** By the tier of the city. */
  rent_fen: of.list('housing_rent', (one, place) => new StrictFields({ one }, place).money('one')),
  elderly_fen: of.money('elderly'),
  elderly_share_fen: of.money('elderly_share'),
  elder_age: of.whole('elder_age', many),
  child_age: of.whole('child_age', many),
  illness_from_fen: of.money('illness_from'),
  illness_up_to_fen: of.money('illness_up_to'),
}))
