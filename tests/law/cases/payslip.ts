/** Cases about an entire payslip. */

import { StrictFields } from '../../../server/rules/law/strict-fields.ts'
import { computePayslip } from '../payslip.ts'
import { readBonus, readEmployment, readOpening } from './employee.ts'
import { type CaseOutput, formatMoney, readFlag, toRefusedOutput } from './formats.ts'
import { readCaseSchemes, readInsuredMember } from './insurance.ts'

export function runPayslipCase(fields: StrictFields): CaseOutput {
  const month = fields.month('month')
  const { resident, ...employment } = readEmployment(fields.nested('employee'), Number(month.slice(0, 4)))
  const isInsured = fields.flag('insured', true)
  const insured = readInsuredMember(fields)
  const schemes = readCaseSchemes(fields)
  const bonus = readBonus(fields)
  const used = readFlag(fields, 'bonus_used_this_year')
  const result = computePayslip({
    month,
    employment,
    resident,
    opening: readOpening(fields),
    earnings: fields.list('earnings', (value, path) => {
      const one = new StrictFields(value, path)
      const earning = { name: one.text('name', '收入'), amount: one.money('amount', 0), taxable: one.flag('taxable', true) }
      const local_subsidy = one.flag('local_subsidy', false)
      one.close()
      return { ...earning, local_subsidy }
    }),
    insured: isInsured ? insured : null,
    schemes,
    exempt: fields.money('exempt', 0),
    additional: fields.money('additional', 0),
    other: fields.money('other', 0),
    donation: fields.money('donation', 0),
    reduction: fields.money('tax_reduction', 0),
    bonus: bonus && { ...bonus, used },
    after_tax_add: fields.money('after_tax_add', 0),
    after_tax_deduct: fields.money('after_tax_deduct', 0),
  })
  fields.close()
  if ('refused' in result) return toRefusedOutput(result.refused, result.message)
  const items = result.items.map(({ code, base, employee, employer }) => [
    code,
    { base: formatMoney(base), employee: formatMoney(employee), employer: formatMoney(employer) },
  ])
  return {
    result: {
      gross: formatMoney(result.gross),
      items: Object.fromEntries(items),
      employee_insurance_total: formatMoney(result.employee_total),
      tax: formatMoney(result.tax),
      wage_tax: formatMoney(result.wage_tax),
      bonus_tax: formatMoney(result.bonus_tax),
      net: formatMoney(result.net),
      employer_insurance_total: formatMoney(result.employer_total),
      total_cost: formatMoney(result.total_cost),
      negative_net: result.negative_net,
    },
    steps: result.steps,
  }
}
