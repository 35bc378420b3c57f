/** Handlers of the company calls. */
import * as contract from '../../contract/company/company.ts'
import { bindHandlers } from '../../http/handler.ts'
import { closeTrailServiceInfo, getTrialServiceInstruction } from './create.ts'
import { getIndex } from './dashboard.ts'
import { setLogo } from './logo.ts'
import { getCompanyInfo, saveCompanyInfo } from './profile.ts'

export const companyHandlers = bindHandlers(contract, {
  getIndex,
  getTrialServiceInstruction,
  closeTrailServiceInfo,
  setLogo,
  getCompanyInfo,
  saveCompanyInfo,
})
