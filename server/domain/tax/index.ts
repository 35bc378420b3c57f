/** Salary tax. The rules are those of rules/law; here is who may ask, and what is kept. Writes member_deduction, member_insurance and insurance_scheme. */
import * as deductions from '../../contract/wage/deductions.ts'
import * as insurance from '../../contract/wage/insurance.ts'
import * as contract from '../../contract/wage/tax.ts'
import { type Handler, implement } from '../../runtime/handle.ts'
import { importDeduction } from './deduction/import.ts'
import { getDeductionList } from './deduction/list.ts'
import { confirmDeduction, saveDeduction } from './deduction/save.ts'
import { getMemberInsurance, saveMemberInsurance } from './insurance/member-calls.ts'
import { getInsuranceSchemeList, saveInsuranceScheme } from './insurance/scheme-calls.ts'
import { previewTax } from './preview.ts'

export const taxHandlers: Handler[] = [
  ...implement(contract, { previewTax }),
  ...implement(deductions, { getDeductionList, saveDeduction, confirmDeduction, importDeduction }),
  ...implement(insurance, { getInsuranceSchemeList, saveInsuranceScheme, getMemberInsurance, saveMemberInsurance }),
]
