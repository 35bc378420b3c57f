/**
 * Salary tax. The rules are those of rules/law; here is who may ask, and what is kept. Writes member_deduction, member_insurance, insurance_scheme,
 * tax_period, tax_income, tax_year and tax_period_event.
 */
import * as deductions from '../../contract/wage/deductions.ts'
import * as insurance from '../../contract/wage/insurance.ts'
import * as periods from '../../contract/wage/periods.ts'
import * as contract from '../../contract/wage/tax/tax.ts'
import * as history from '../../contract/wage/tax/tax-history.ts'
import * as results from '../../contract/wage/tax/tax-results.ts'
import { type Handler, implement } from '../../runtime/handle.ts'
import { tellKeptTax } from '../sheet/ready/index.ts'
import { importDeduction } from './deduction/import.ts'
import { getDeductionList } from './deduction/list.ts'
import { confirmDeduction, saveDeduction } from './deduction/save.ts'
import { getMemberInsurance, saveMemberInsurance } from './insurance/member-calls.ts'
import { getInsuranceSchemeList, saveInsuranceScheme } from './insurance/scheme-calls.ts'
import { checkPeriod } from './period/check.ts'
import { compareWithheld } from './period/compare.ts'
import { computePeriod, openComputing } from './period/compute.ts'
import { exportDeclaration } from './period/export.ts'
import { saveIncome } from './period/income.ts'
import { taxKept } from './period/kept.ts'
import { getHistoryDetail, getHistoryList } from './period/lists.ts'
import { clearPeriod, createPeriod, getPeriod, getPeriodList, lockPeriod, reopenPeriod } from './period/periods.ts'
import { getPersonTax, saveTaxYear, showMemberTax } from './period/person.ts'
import { getYearEndList, getYearEndPerson } from './period/year-end.ts'
import { previewTax } from './preview.ts'

export { seesDeclaration } from './period/export.ts'

const taxHandlers: Handler[] = [
  ...implement(contract, { previewTax }),
  ...implement(results, { compareWithheld, getYearEndList, getYearEndPerson }),
  ...implement(deductions, { getDeductionList, saveDeduction, confirmDeduction, importDeduction }),
  ...implement(insurance, { getInsuranceSchemeList, saveInsuranceScheme, getMemberInsurance, saveMemberInsurance }),
  ...implement(periods, {
    getPeriodList,
    getPeriod,
    createPeriod,
    clearPeriod,
    saveIncome,
    checkPeriod,
    computePeriod,
    lockPeriod,
    reopenPeriod,
  }),
  ...implement(history, { getHistoryList, getHistoryDetail, getPersonTax, saveTaxYear, exportDeclaration, showMemberTax }),
]

/** Binds the calls, declares the job, and tells sheets what is kept of people's tax. */
export function openTax(parts: Parameters<typeof openComputing>[0]): Handler[] {
  openComputing(parts)
  tellKeptTax(taxKept)
  return taxHandlers
}
