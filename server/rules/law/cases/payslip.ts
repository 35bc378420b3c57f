/** Cases of a whole slip. */
import { payslip } from '../payslip.ts'
import { StrictFields } from '../read.ts'
import { bonusIn, employmentOf, openingOf } from './employee.ts'
import { insuranceOf, schemesIn } from './insurance.ts'
import { type CaseAnswer, flag, money, refusedAs } from './words.ts'

export function payslipCase(of: StrictFields): CaseAnswer {
  const month = of.month('month')
  const { resident, ...employment } = employmentOf(of.inside('employee'), Number(month.slice(0, 4)))
  const isInsured = of.flag('insured', true)
  const insured = insuranceOf(of)
  const schemes = schemesIn(of)
  const bonus = bonusIn(of)
  const used = flag(of, 'bonus_used_this_year')
  const found = payslip({
    month,
    employment,
    resident,
    opening: openingOf(of),
    earnings: of.list('earnings', (value, place) => {
      const one = new StrictFields(value, place)
      const earning = { name: one.text('name', '收入'), amount: one.money('amount', 0), taxable: one.flag('taxable', true) }
      const local_subsidy = one.flag('local_subsidy', false)
      one.close()
      return { ...earning, local_subsidy }
    }),
    insured: isInsured ? insured : null,
    schemes,
    exempt: of.money('exempt', 0),
    additional: of.money('additional', 0),
    other: of.money('other', 0),
    donation: of.money('donation', 0),
    reduction: of.money('tax_reduction', 0),
    bonus: bonus && { ...bonus, used },
    after_tax_add: of.money('after_tax_add', 0),
    after_tax_deduct: of.money('after_tax_deduct', 0),
  })
  of.close()
  if ('refused' in found) return refusedAs(found.refused, found.message)
  const items = found.items.map(({ code, base, employee, employer }) => [
    code,
    { base: money(base), employee: money(employee), employer: money(employer) },
  ])
  return {
    result: {
      gross: money(found.gross),
      items: Object.fromEntries(items),
      employee_insurance_total: money(found.employee_total),
      tax: money(found.tax),
      wage_tax: money(found.wage_tax),
      bonus_tax: money(found.bonus_tax),
      net: money(found.net),
      employer_insurance_total: money(found.employer_total),
      total_cost: money(found.total_cost),
      negative_net: found.negative_net,
    },
    steps: found.steps,
  }
}
