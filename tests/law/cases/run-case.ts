/** Computes the result of one case of `payroll/examples.json` (tax-rules §15). An unknown kind is rejected by name. */

import { LawError } from '../../../server/rules/law/law-error.ts'
import { StrictFields } from '../../../server/rules/law/strict-fields.ts'
import {
  runAdditionalDeductionCase,
  runAnnuityCapCase,
  runDonationCase,
  runHealthInsuranceCase,
  runHousingFundCapCase,
  runPersonalPensionCase,
} from './deductions.ts'
import type { CaseOutput } from './formats.ts'
import {
  runAnnuityWithdrawalCase,
  runDeferredTransferCase,
  runEarlyRetirementCase,
  runEquityIncentiveCase,
  runInternalRetirementCase,
  runLaborCumulativeCase,
  runLaborMonthCase,
  runLaborOnceCase,
  runPensionSavingCase,
  runPensionWithdrawalCase,
  runSettlementCase,
  runSeveranceCase,
} from './income.ts'
import { runSocialInsuranceCase } from './insurance.ts'
import {
  runExpatChoiceCase,
  runExpatExemptCase,
  runNonresidentBonusCase,
  runNonresidentLaborCase,
  runNonresidentSalaryCase,
  runNonresidentSourcingCase,
  runNonresidentYearCase,
  runResidenceChangeCase,
  runSixYearsCase,
} from './nonresident.ts'
import { runPayslipCase } from './payslip.ts'
import { runAnnualBonusCase, runBonusCompareCase, runSalaryCorrectionCase, runSalarySeriesCase } from './wages.ts'

const caseRunners: Readonly<Record<string, (of: StrictFields) => CaseOutput>> = {
  salary_series: runSalarySeriesCase,
  salary_correction: runSalaryCorrectionCase,
  annual_bonus: runAnnualBonusCase,
  bonus_compare: runBonusCompareCase,
  labor_once: runLaborOnceCase,
  labor_month: runLaborMonthCase,
  labor_cumulative: runLaborCumulativeCase,
  severance: runSeveranceCase,
  early_retirement: runEarlyRetirementCase,
  internal_retirement: runInternalRetirementCase,
  nonresident_salary: runNonresidentSalaryCase,
  nonresident_bonus: runNonresidentBonusCase,
  nonresident_labor: runNonresidentLaborCase,
  nonresident_sourcing: runNonresidentSourcingCase,
  nonresident_year: runNonresidentYearCase,
  no_domicile_six_years: runSixYearsCase,
  residence_change: runResidenceChangeCase,
  expat_allowance_choice: runExpatChoiceCase,
  expat_allowance_exempt: runExpatExemptCase,
  social_insurance: runSocialInsuranceCase,
  housing_fund_tax_cap: runHousingFundCapCase,
  annuity_cap: runAnnuityCapCase,
  annuity_withdrawal: runAnnuityWithdrawalCase,
  personal_pension: runPersonalPensionCase,
  personal_pension_saving: runPensionSavingCase,
  personal_pension_withdrawal: runPensionWithdrawalCase,
  health_insurance: runHealthInsuranceCase,
  additional_deduction: runAdditionalDeductionCase,
  donation_cap: runDonationCase,
  equity_incentive: runEquityIncentiveCase,
  equity_deferred_transfer: runDeferredTransferCase,
  payslip: runPayslipCase,
  annual_settlement: runSettlementCase,
}

export function computeCase(input: unknown): CaseOutput {
  const fields = new StrictFields(input, '')
  const kind = fields.text('kind')
  const runner = Object.hasOwn(caseRunners, kind) ? caseRunners[kind] : undefined
  if (!runner) throw new LawError('kind', `不认识的类型「${kind}」；可以写：${Object.keys(caseRunners).join('、')}`)
  return runner(fields)
}
