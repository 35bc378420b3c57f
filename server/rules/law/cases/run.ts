/** One case of `payroll/examples.json` → its result (tax-rules §15). A kind that is not known is refused by name. */
import { StrictFields } from '../read.ts'
import { LawRefusal } from '../refused.ts'
import { additional, annuityCapCase, donation, healthInsuranceCase, housingFundCap, personalPensionCase } from './deductions.ts'
import {
  annualSettlement,
  annuityWithdrawal,
  earlyRetirement,
  equityDeferredTransfer,
  equityIncentive,
  internalRetirement,
  laborCumulative,
  laborMonth,
  laborOnce,
  pensionSavingCase,
  pensionWithdrawal,
  severance,
} from './income.ts'
import { socialInsurance } from './insurance.ts'
import {
  expatAllowanceChoice,
  expatAllowanceExempt,
  nonresidentBonus,
  nonresidentLabor,
  nonresidentSalary,
  nonresidentSourcing,
  nonresidentYear,
  residenceChange,
  sixYears,
} from './nonresident.ts'
import { payslipCase } from './payslip.ts'
import { annualBonus, bonusCompare, salaryCorrection, salarySeries } from './wages.ts'
import type { CaseAnswer } from './words.ts'

const kinds: Readonly<Record<string, (of: StrictFields) => CaseAnswer>> = {
  salary_series: salarySeries,
  salary_correction: salaryCorrection,
  annual_bonus: annualBonus,
  bonus_compare: bonusCompare,
  labor_once: laborOnce,
  labor_month: laborMonth,
  labor_cumulative: laborCumulative,
  severance,
  early_retirement: earlyRetirement,
  internal_retirement: internalRetirement,
  nonresident_salary: nonresidentSalary,
  nonresident_bonus: nonresidentBonus,
  nonresident_labor: nonresidentLabor,
  nonresident_sourcing: nonresidentSourcing,
  nonresident_year: nonresidentYear,
  no_domicile_six_years: sixYears,
  residence_change: residenceChange,
  expat_allowance_choice: expatAllowanceChoice,
  expat_allowance_exempt: expatAllowanceExempt,
  social_insurance: socialInsurance,
  housing_fund_tax_cap: housingFundCap,
  annuity_cap: annuityCapCase,
  annuity_withdrawal: annuityWithdrawal,
  personal_pension: personalPensionCase,
  personal_pension_saving: pensionSavingCase,
  personal_pension_withdrawal: pensionWithdrawal,
  health_insurance: healthInsuranceCase,
  additional_deduction: additional,
  donation_cap: donation,
  equity_incentive: equityIncentive,
  equity_deferred_transfer: equityDeferredTransfer,
  payslip: payslipCase,
  annual_settlement: annualSettlement,
}

export function run(input: unknown): CaseAnswer {
  const of = new StrictFields(input, '')
  const kind = of.text('kind')
  const of_kind = Object.hasOwn(kinds, kind) ? kinds[kind] : undefined
  if (!of_kind) throw new LawRefusal('kind', `不认识的类型「${kind}」；可以写：${Object.keys(kinds).join('、')}`)
  return of_kind(of)
}
