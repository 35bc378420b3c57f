/**
 * Payroll tax. The rules are in rules/law; this module handles access and storage. Writes member_deduction,
 * member_insurance, insurance_scheme, tax_period, tax_income, tax_year and tax_period_event.
 */

import * as results from '../../contract/tax/comparison.ts'
import * as deductions from '../../contract/tax/deductions.ts'
import * as history from '../../contract/tax/history.ts'
import * as insurance from '../../contract/tax/insurance.ts'
import * as openings from '../../contract/tax/opening.ts'
import * as periods from '../../contract/tax/periods.ts'
import * as contract from '../../contract/tax/preview.ts'
import { bindHandlers, type Handler } from '../../http/handler.ts'
import { setTaxYearProvider } from '../sheets/ready/index.ts'
import { importDeduction } from './deduction/import.ts'
import { getDeductionList } from './deduction/list.ts'
import { confirmDeduction, saveDeduction } from './deduction/save.ts'
import { importInsurance } from './insurance/import.ts'
import { getMemberInsurance, saveMemberInsurance } from './insurance/member-calls.ts'
import { getInsuranceSchemeList, saveInsuranceScheme } from './insurance/scheme-calls.ts'
import { checkPeriod } from './period/check.ts'
import { compareWithholding } from './period/compare.ts'
import { computePeriod, registerComputeJob } from './period/compute.ts'
import { exportDeclaration } from './period/export.ts'
import { getHistoryDetail, getHistoryList } from './period/history.ts'
import { saveIncome } from './period/income.ts'
import { importIncome } from './period/income-import.ts'
import { lockPeriod, reopenPeriod } from './period/lock.ts'
import { getMemberTaxDetail, revealMemberTax, saveTaxYear } from './period/member-detail.ts'
import { importOpening, importSentMonths } from './period/opening-import.ts'
import { clearPeriod, createPeriod, getPeriod, getPeriodList } from './period/periods.ts'
import { getReconciliationDetail, getReconciliationList } from './period/reconciliation.ts'
import { taxYearProvider } from './period/tax-year-provider.ts'
import { previewTax } from './preview.ts'

export { canSeeDeclaration } from './period/export.ts'

const taxHandlers: Handler[] = [
  ...bindHandlers(contract, { previewTax }),
  ...bindHandlers(results, { compareWithholding, getReconciliationList, getReconciliationDetail }),
  ...bindHandlers(openings, { importOpening, importSentMonths }),
  ...bindHandlers(deductions, { getDeductionList, saveDeduction, confirmDeduction, importDeduction }),
  ...bindHandlers(insurance, {
    getInsuranceSchemeList,
    saveInsuranceScheme,
    getMemberInsurance,
    saveMemberInsurance,
    importInsurance,
  }),
  ...bindHandlers(periods, {
    getPeriodList,
    getPeriod,
    createPeriod,
    clearPeriod,
    saveIncome,
    importIncome,
    checkPeriod,
    computePeriod,
    lockPeriod,
    reopenPeriod,
  }),
  ...bindHandlers(history, {
    getHistoryList,
    getHistoryDetail,
    getMemberTaxDetail,
    saveTaxYear,
    exportDeclaration,
    revealMemberTax,
  }),
]

/** Creates the handlers, registers the job, and provides members' tax data to wage sheets. */
export function createTaxModule(deps: Parameters<typeof registerComputeJob>[0]): Handler[] {
  registerComputeJob(deps)
  setTaxYearProvider(taxYearProvider)
  return taxHandlers
}
