/** Cases of deductions and their ceilings. */
import { additionalDeduction } from '../deductions/additional.ts'
import { annuityCap, donationCap, fundCap, healthInsurance, type Increment, personalPension } from '../deductions/caps.ts'
import type { AdditionalItem } from '../deductions/windows.ts'
import { roundings } from '../exact.ts'
import { StrictFields } from '../read.ts'
import { LawRefusal } from '../refused.ts'
import { statutes } from '../tables/law.ts'
import { type CaseAnswer, money, monthsOfYear, refusedAs, whenOf, years } from './words.ts'

const codes = [
  'infant_care',
  'child_education',
  'continuing_degree',
  'continuing_certificate',
  'housing_loan',
  'housing_rent',
  'elderly',
  'serious_illness',
] as const
const monthOrNull = (of: StrictFields, name: string): string | null => (of.has(name) ? of.month(name) : null)
/** `100` or `50` per cent. */
const shareOf = (of: StrictFields): number => (of.has('share') ? of.whole('share', [0, 100]) : 100) * 10_000

function elderIn(of: StrictFields): AdditionalItem {
  const only_child = of.has('only_child') ? of.flag('only_child') : null
  if (only_child === null && !of.has('share_amount'))
    throw new LawRefusal(of.at('only_child'), '没有写；独生子女请写 true，否则请写 share_amount')
  // An only child shares with nobody, whatever amount is written beside.
  const share_fen = of.money('share_amount', 0)
  return {
    code: 'elderly',
    elder_birth: of.month('elder_birth'),
    share_fen: only_child === true ? null : share_fen,
    obligation_end: monthOrNull(of, 'obligation_end'),
  }
}

function itemIn(value: unknown, place: string): AdditionalItem {
  const of = new StrictFields(value, place)
  const code = of.choice('code', codes)
  const item = ((): AdditionalItem => {
    switch (code) {
      case 'infant_care':
        return { code, child_birth: of.month('child_birth'), share_ppm: shareOf(of) }
      case 'child_education':
        return {
          code,
          child_birth: monthOrNull(of, 'child_birth'),
          start: monthOrNull(of, 'start'),
          end: monthOrNull(of, 'end'),
          share_ppm: shareOf(of),
        }
      case 'continuing_degree':
        return { code, start: of.month('start'), end: monthOrNull(of, 'end') }
      case 'continuing_certificate':
        return { code, certificate_month: of.month('certificate_date') }
      case 'housing_loan':
        return { code, first_repay: of.month('first_repay'), end: monthOrNull(of, 'end'), share_ppm: shareOf(of) }
      case 'housing_rent':
        return { code, start: of.month('start'), end: monthOrNull(of, 'end'), city_tier: of.whole('city_tier', [1, 3]) }
      case 'elderly':
        return elderIn(of)
      case 'serious_illness':
        return { code, self_paid: of.money('self_paid', 0) }
    }
  })()
  of.close()
  return item
}

export function additional(of: StrictFields): CaseAnswer {
  const year = {
    year: of.whole('tax_year', years),
    as_of_month: of.whole('as_of_month', monthsOfYear),
    employment_start: of.month('employment_start'),
    employment_end: monthOrNull(of, 'employment_end'),
  }
  const items = of.list('items', itemIn)
  of.close()
  const found = additionalDeduction(year, items)
  if ('refused' in found) return refusedAs(found.refused, found.message)
  const cumulative = Object.fromEntries([...found.cumulative].map(([code, amount]) => [code, money(amount)]))
  return { result: { cumulative, total: money(found.total) }, steps: found.steps }
}

export function housingFundCap(of: StrictFields): CaseAnswer {
  const input = {
    base: of.money('base'),
    employee_ppm: of.rate('employee_rate', 0),
    employer_ppm: of.rate('employer_rate', 0),
    unit_fen: of.money('unit', 1),
    mode: of.choice('mode', roundings, 'half_up'),
    city_avg_month_wage: of.money('city_avg_month_wage'),
  }
  const when = whenOf(of)
  of.close()
  if (input.unit_fen <= 0) throw new LawRefusal('unit', '取整单位应大于 0，如 0.01、0.1、1')
  const { steps, ...found } = fundCap(input, when)
  return { result: Object.fromEntries(Object.entries(found).map(([name, value]) => [name, money(value)])), steps }
}

export function annuityCapCase(of: StrictFields): CaseAnswer {
  const input = {
    employee_contribution: of.money('employee_contribution', 0),
    wage_base: of.money('wage_base'),
    city_avg_month_wage: of.money('city_avg_month_wage'),
  }
  const when = whenOf(of)
  of.close()
  const { limit, deductible, excess, steps } = annuityCap(input, when)
  return { result: { limit: money(limit), deductible: money(deductible), excess: money(excess) }, steps }
}

const increments =
  (rule: typeof healthInsurance) =>
  (of: StrictFields): CaseAnswer => {
    const months = of.list('months', (value, place) => {
      const one = new StrictFields(value, place)
      const found = { month: one.whole('month', monthsOfYear), paid: one.money('paid', 0) }
      one.close()
      return found
    })
    const when = whenOf(of)
    of.close()
    const found: Increment[] = rule(months, when)
    const said = found.map(({ month, increment, cumulative }) => ({
      month,
      increment: money(increment),
      cumulative: money(cumulative),
    }))
    return { result: { months: said }, steps: found.flatMap(({ steps }) => steps) }
  }
export const healthInsuranceCase = increments(healthInsurance)
export const personalPensionCase = increments(personalPension)

export function donation(of: StrictFields): CaseAnswer {
  const donated = of.money('donated', 0)
  const taxable = of.money('taxable_before', 0)
  const in_full = of.flag('in_full', false)
  const when = whenOf(of)
  of.close()
  const { limit, deductible, steps } = donationCap(donated, taxable, in_full, [when, statutes])
  return { result: { limit: money(limit), deductible: money(deductible) }, steps }
}
