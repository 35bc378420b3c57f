/** What answers the calls of the company. */
import * as contract from '../../contract/corp/company.ts'
import { implement } from '../../runtime/handle.ts'
import { closeTrailServiceInfo, getTrialServiceInstruction } from './found.ts'
import { getIndex } from './home.ts'
import { companyInfo, saveCompanyInfo } from './info.ts'
import { setLogo } from './logo.ts'

export const companyHandlers = implement(contract, {
  getIndex,
  getTrialServiceInstruction,
  closeTrailServiceInfo,
  setLogo,
  companyInfo,
  saveCompanyInfo,
})
