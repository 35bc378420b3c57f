/** Cases about deductions and their caps. */
import { computeAdditionalDeduction } from '../../../server/rules/law/deductions/additional.ts'
import { computePersonalPension, type DeductionIncrement } from '../../../server/rules/law/deductions/personal-pension.ts'
import type { AdditionalDeductionItem } from '../../../server/rules/law/deductions/windows.ts'
import { roundingModes } from '../../../server/rules/law/fraction.ts'
import { LawError } from '../../../server/rules/law/law-error.ts'
import { StrictFields } from '../../../server/rules/law/strict-fields.ts'
import { currentLaw } from '../../../server/rules/law/tables/law.ts'
import { computeAnnuityCap, computeDonationCap, computeHealthInsurance, computeHousingFundCap } from '../deductions/caps.ts'
import { type CaseOutput, formatMoney, monthRange, readPaymentMonth, toRefusedOutput, yearRange } from './formats.ts'

const deductionCodes = [
  'infant_care',
  'child_education',
  'continuing_degree',
  'continuing_certificate',
  'housing_loan',
  'housing_rent',
  'elderly',
  'serious_illness',
] as const
const readOptionalMonth = (fields: StrictFields, name: string): string | null => (fields.has(name) ? fields.month(name) : null)
/** Reads a share of `100` or `50` percent. */
const readSharePpm = (fields: StrictFields): number => (fields.has('share') ? fields.integer('share', [0, 100]) : 100) * 10_000

function readElderItem(fields: StrictFields): AdditionalDeductionItem {
  const only_child = fields.has('only_child') ? fields.flag('only_child') : null
  if (only_child === null && !fields.has('share_amount'))
    throw new LawError(fields.getPath('only_child'), '没有写；独生子女请写 true，否则请写 share_amount')
  // An only child shares the deduction with nobody, even if an amount is given.
  const share_fen = fields.money('share_amount', 0)
  return {
    code: 'elderly',
    elder_birth: fields.month('elder_birth'),
    share_fen: only_child === true ? null : share_fen,
    obligation_end: readOptionalMonth(fields, 'obligation_end'),
  }
}

function readItem(value: unknown, path: string): AdditionalDeductionItem {
  const fields = new StrictFields(value, path)
  const code = fields.choice('code', deductionCodes)
  const item = ((): AdditionalDeductionItem => {
    switch (code) {
      case 'infant_care':
        return { code, child_birth: fields.month('child_birth'), share_ppm: readSharePpm(fields) }
      case 'child_education':
        return {
          code,
          child_birth: readOptionalMonth(fields, 'child_birth'),
          start: readOptionalMonth(fields, 'start'),
          end: readOptionalMonth(fields, 'end'),
          share_ppm: readSharePpm(fields),
        }
      case 'continuing_degree':
        return { code, start: fields.month('start'), end: readOptionalMonth(fields, 'end') }
      case 'continuing_certificate':
        return { code, certificate_month: fields.month('certificate_date') }
      case 'housing_loan':
        return {
          code,
          first_repay: fields.month('first_repay'),
          end: readOptionalMonth(fields, 'end'),
          share_ppm: readSharePpm(fields),
        }
      case 'housing_rent':
        return {
          code,
          start: fields.month('start'),
          end: readOptionalMonth(fields, 'end'),
          city_tier: fields.integer('city_tier', [1, 3]),
        }
      case 'elderly':
        return readElderItem(fields)
      case 'serious_illness':
        return { code, self_paid: fields.money('self_paid', 0) }
    }
  })()
  fields.close()
  return item
}

export function runAdditionalDeductionCase(fields: StrictFields): CaseOutput {
  const year = {
    year: fields.integer('tax_year', yearRange),
    as_of_month: fields.integer('as_of_month', monthRange),
    employment_start: fields.month('employment_start'),
    employment_end: readOptionalMonth(fields, 'employment_end'),
  }
  const items = fields.list('items', readItem)
  fields.close()
  const result = computeAdditionalDeduction(year, items)
  if ('refused' in result) return toRefusedOutput(result.refused, result.message)
  const cumulative = Object.fromEntries([...result.cumulative].map(([code, amount]) => [code, formatMoney(amount)]))
  return { result: { cumulative, total: formatMoney(result.total) }, steps: result.steps }
}

export function runHousingFundCapCase(fields: StrictFields): CaseOutput {
  const input = {
    base: fields.money('base'),
    employee_ppm: fields.rate('employee_rate', 0),
    employer_ppm: fields.rate('employer_rate', 0),
    unit_fen: fields.money('unit', 1),
    mode: fields.choice('mode', roundingModes, 'half_up'),
    city_avg_month_wage: fields.money('city_avg_month_wage'),
  }
  const when = readPaymentMonth(fields)
  fields.close()
  if (input.unit_fen <= 0) throw new LawError('unit', '取整单位应大于 0，如 0.01、0.1、1')
  const { steps, ...result } = computeHousingFundCap(input, when)
  return { result: Object.fromEntries(Object.entries(result).map(([name, value]) => [name, formatMoney(value)])), steps }
}

export function runAnnuityCapCase(fields: StrictFields): CaseOutput {
  const input = {
    employee_contribution: fields.money('employee_contribution', 0),
    wage_base: fields.money('wage_base'),
    city_avg_month_wage: fields.money('city_avg_month_wage'),
  }
  const when = readPaymentMonth(fields)
  fields.close()
  const { limit, deductible, excess, steps } = computeAnnuityCap(input, when)
  return { result: { limit: formatMoney(limit), deductible: formatMoney(deductible), excess: formatMoney(excess) }, steps }
}

const defineIncrementCase =
  (rule: typeof computeHealthInsurance) =>
  (fields: StrictFields): CaseOutput => {
    const months = fields.list('months', (value, path) => {
      const one = new StrictFields(value, path)
      const result = { month: one.integer('month', monthRange), paid: one.money('paid', 0) }
      one.close()
      return result
    })
    const when = readPaymentMonth(fields)
    fields.close()
    const result: DeductionIncrement[] = rule(months, when)
    const rows = result.map(({ month, increment, cumulative }) => ({
      month,
      increment: formatMoney(increment),
      cumulative: formatMoney(cumulative),
    }))
    return { result: { months: rows }, steps: result.flatMap(({ steps }) => steps) }
  }
export const runHealthInsuranceCase = defineIncrementCase(computeHealthInsurance)
export const runPersonalPensionCase = defineIncrementCase(computePersonalPension)

export function runDonationCase(fields: StrictFields): CaseOutput {
  const donated = fields.money('donated', 0)
  const taxable = fields.money('taxable_before', 0)
  const in_full = fields.flag('in_full', false)
  const when = readPaymentMonth(fields)
  fields.close()
  const { limit, deductible, steps } = computeDonationCap(donated, taxable, in_full, [when, currentLaw])
  return { result: { limit: formatMoney(limit), deductible: formatMoney(deductible) }, steps }
}
