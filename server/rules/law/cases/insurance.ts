/** Cases of social insurance, and what a slip says of it. */
import { type Contributions, contributions, type Insured } from '../insurance/contributions.ts'
import { insuranceCodes, type Scheme, schemesOf } from '../insurance/scheme.ts'
import type { StrictFields } from '../read.ts'
import { LawRefusal } from '../refused.ts'
import { type CaseAnswer, money, refusedAs } from './words.ts'

const rateOrNull = (of: StrictFields, name: string): number | null => (of.has(name) ? of.rate(name) : null)

export function insuranceOf(of: StrictFields): Omit<Insured, 'month'> {
  const bases = new Map<string, number>()
  if (of.has('bases')) {
    const from = of.inside('bases')
    for (const key of from.names()) if (from.has(key)) bases.set(key, from.money(key))
    from.close()
  }
  const not_enrolled = of.texts('not_enrolled').map((code) => {
    const known = insuranceCodes.find((one) => one === code)
    if (!known) throw new LawRefusal(of.at('not_enrolled'), `没有险种「${code}」；可以写：${insuranceCodes.join('、')}`)
    return known
  })
  return {
    bases,
    housing_fund_ppm: rateOrNull(of, 'housing_fund_rate'),
    supplementary_ppm: rateOrNull(of, 'supplementary_rate'),
    not_enrolled,
  }
}
/** Where a case names a city, its schemes only. */
export function schemesIn(of: StrictFields): Scheme[] {
  const schemes = schemesOf(
    of.list('configs', (one) => one, true),
    of.at('configs'),
  )
  const city = of.has('city') ? of.text('city') : null
  return city === null ? schemes : schemes.filter((one) => one.city === city)
}

export function insuranceAnswer(found: Contributions): CaseAnswer {
  if ('refused' in found) return refusedAs(found.refused, found.message)
  const items = found.items.map(({ code, base, employee, employer }) => [
    code,
    { base: money(base), employee: money(employee), employer: money(employer) },
  ])
  return {
    result: {
      scheme_valid_from: found.scheme.written_from,
      items: Object.fromEntries(items),
      employee_total: money(found.employee_total),
      employer_total: money(found.employer_total),
    },
    steps: found.steps,
  }
}

export function socialInsurance(of: StrictFields): CaseAnswer {
  const schemes = schemesIn(of)
  const insured: Insured = { month: of.month('month'), ...insuranceOf(of) }
  of.close()
  return insuranceAnswer(contributions(schemes, insured))
}
