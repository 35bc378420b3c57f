/** Cases about social insurance and its lines on a payslip. */
import {
  type ContributionResult,
  computeContributions,
  type InsuredMember,
} from '../../../server/rules/law/insurance/contributions.ts'
import { type InsuranceScheme, insuranceCodes, readSchemes } from '../../../server/rules/law/insurance/scheme.ts'
import { LawError } from '../../../server/rules/law/law-error.ts'
import type { StrictFields } from '../../../server/rules/law/strict-fields.ts'
import { type CaseOutput, formatMoney, toRefusedOutput } from './formats.ts'

const readOptionalRate = (fields: StrictFields, name: string): number | null => (fields.has(name) ? fields.rate(name) : null)

export function readInsuredMember(fields: StrictFields): Omit<InsuredMember, 'month'> {
  const bases = new Map<string, number>()
  if (fields.has('bases')) {
    const from = fields.nested('bases')
    for (const key of from.names()) if (from.has(key)) bases.set(key, from.money(key))
    from.close()
  }
  const not_enrolled = fields.textList('not_enrolled').map((code) => {
    const existingCode = insuranceCodes.find((one) => one === code)
    if (!existingCode)
      throw new LawError(fields.getPath('not_enrolled'), `没有险种「${code}」；可以写：${insuranceCodes.join('、')}`)
    return existingCode
  })
  return {
    bases,
    housing_fund_ppm: readOptionalRate(fields, 'housing_fund_rate'),
    supplementary_ppm: readOptionalRate(fields, 'supplementary_rate'),
    not_enrolled,
  }
}
/** Reads the schemes, restricted to the city that the case names. */
export function readCaseSchemes(fields: StrictFields): InsuranceScheme[] {
  const schemes = readSchemes(
    fields.list('configs', (one) => one, true),
    fields.getPath('configs'),
  )
  const city = fields.has('city') ? fields.text('city') : null
  return city === null ? schemes : schemes.filter((one) => one.city === city)
}

export function formatContributions(result: ContributionResult): CaseOutput {
  if ('refused' in result) return toRefusedOutput(result.refused, result.message)
  const items = result.items.map(({ code, base, employee, employer }) => [
    code,
    { base: formatMoney(base), employee: formatMoney(employee), employer: formatMoney(employer) },
  ])
  return {
    result: {
      scheme_valid_from: result.scheme.written_from,
      items: Object.fromEntries(items),
      employee_total: formatMoney(result.employee_total),
      employer_total: formatMoney(result.employer_total),
    },
    steps: result.steps,
  }
}

export function runSocialInsuranceCase(fields: StrictFields): CaseOutput {
  const schemes = readCaseSchemes(fields)
  const insured: InsuredMember = { month: fields.month('month'), ...readInsuredMember(fields) }
  fields.close()
  return formatContributions(computeContributions(schemes, insured))
}
