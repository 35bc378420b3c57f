/** Row types of the tables and their readers for `figures.json`. Amounts are in fen, rates in parts per million. */
import { toFraction } from '../fraction.ts'
import { LawError } from '../law-error.ts'
import { StrictFields } from '../strict-fields.ts'

/** `up_to` is the inclusive upper end; null for the last bracket. */
export type TaxBracket = { readonly up_to: number | null; readonly rate_ppm: number; readonly quick_fen: number }
export type TaxBrackets = readonly TaxBracket[]

/** Brackets must ascend, the last is open, both brackets must give the same tax at a boundary: else it is miscopied. */
export function readBrackets(value: unknown, path: string): TaxBrackets {
  if (!Array.isArray(value)) throw new LawError(path, '应是税率级距的列表')
  const read = value.map((one: unknown, at): TaxBracket => {
    const fields = new StrictFields(one, `${path}[${at}]`)
    const level = {
      up_to: fields.has('up_to') ? fields.money('up_to') : null,
      rate_ppm: fields.rate('rate'),
      quick_fen: fields.money('quick'),
    }
    fields.close()
    return level
  })
  for (const [at, level] of read.entries()) {
    const bracketPath = `${path}[${at}]`
    if ((level.up_to === null) !== (at === read.length - 1)) throw new LawError(bracketPath, '只有最后一级没有上限')
    const before = read[at - 1]
    if (!before) {
      if (level.quick_fen !== 0) throw new LawError(bracketPath, '第一级的速算扣除数应为 0')
      continue
    }
    const end = before.up_to ?? 0
    if (level.rate_ppm <= before.rate_ppm || (level.up_to !== null && level.up_to <= end))
      throw new LawError(bracketPath, '级距和税率应逐级升高')
    const gap = toFraction(end)
      .timesPpm(level.rate_ppm - before.rate_ppm)
      .minus(level.quick_fen - before.quick_fen)
    if (!gap.equals(0)) throw new LawError(bracketPath, '速算扣除数与上一级接不上，请核对')
  }
  if (read.length === 0) throw new LawError(path, '没有级距')
  return read
}

const defineRowReader =
  <T>(read: (of: StrictFields) => T) =>
  (value: unknown, path: string): T => {
    const fields = new StrictFields(value, path)
    const row = read(fields)
    fields.close()
    return row
  }

/** Reads a rule that has no value other than being in force. */
export function readTrue(value: unknown, path: string): true {
  if (value !== true) throw new LawError(path, '应是 true')
  return true
}
const countRange = [1, 1_000] as const

export const readBasicDeduction = defineRowReader((fields) => ({
  month_fen: fields.money('month'),
  year_fen: fields.money('year'),
}))
export const readBonusRule = defineRowReader((fields) => ({ share_months: fields.integer('share_months', countRange) }))
export const readLaborExpense = defineRowReader((fields) => ({
  flat_up_to_fen: fields.money('flat_up_to'),
  flat_fen: fields.money('flat'),
  share_ppm: fields.rate('share'),
  manuscript_ppm: fields.rate('manuscript'),
  flat_rate_ppm: fields.rate('flat_rate'),
}))
export const readLaborCumulative = defineRowReader((fields) => ({
  share_ppm: fields.rate('share'),
  agent_ppm: fields.rate('agent_share'),
}))
export const readLaborPlatform = defineRowReader((fields) => ({ share_ppm: fields.rate('share') }))
export const readSeverance = defineRowReader((fields) => ({ exempt_years: fields.integer('exempt_years', countRange) }))
export const readNonresident = defineRowReader((fields) => ({
  basic_fen: fields.money('basic'),
  bonus_months: fields.integer('bonus_months', countRange),
  labor_ppm: fields.rate('labor_share'),
  manuscript_ppm: fields.rate('manuscript'),
  resident_days: fields.integer('resident_days', countRange),
  short_days: fields.integer('short_days', countRange),
}))
export const readPersonalPension = defineRowReader((fields) => ({
  year_fen: fields.money('year'),
  withdrawal_ppm: fields.rate('withdrawal_rate'),
}))
export const readFlatRate = defineRowReader((fields) => ({ rate_ppm: fields.rate('rate') }))
export const readCaps = defineRowReader((fields) => ({
  fund_ppm: fields.rate('fund_rate'),
  annuity_ppm: fields.rate('annuity_rate'),
  average_times: fields.integer('average_times', countRange),
  health_month_fen: fields.money('health_month'),
  donation_ppm: fields.rate('donation_share'),
}))
export const readSettlementLimits = defineRowReader((fields) => ({
  income_fen: fields.money('income_up_to'),
  due_fen: fields.money('due_up_to'),
}))
export const readAdditionalDeduction = defineRowReader((fields) => ({
  /** The value is null if the deduction did not exist yet. */
  infant_care_fen: fields.has('infant_care') ? fields.money('infant_care') : null,
  child_education_fen: fields.money('child_education'),
  degree_fen: fields.money('continuing_degree'),
  degree_months: fields.integer('degree_months', countRange),
  certificate_fen: fields.money('continuing_certificate'),
  loan_fen: fields.money('housing_loan'),
  loan_months: fields.integer('loan_months', countRange),
  /** By city tier. */
  rent_fen: fields.list('housing_rent', (one, path) => new StrictFields({ one }, path).money('one')),
  elderly_fen: fields.money('elderly'),
  elderly_share_fen: fields.money('elderly_share'),
  elder_age: fields.integer('elder_age', countRange),
  child_age: fields.integer('child_age', countRange),
  illness_from_fen: fields.money('illness_from'),
  illness_up_to_fen: fields.money('illness_up_to'),
}))
