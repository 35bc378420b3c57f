/** Accounts: signing in and out, passwords, codes, facts about oneself and the installation. Writes account, session, challenge. */
import type { Handler } from '../../runtime/handle.ts'
import type { Log } from '../../runtime/log.ts'
import type { Secrets } from '../../runtime/secrets.ts'
import { getVerifyCode, validatePhoneCode } from './codes.ts'
import { clientLog, getPublicInfo, getTimeInfo, role, userFeedBack } from './facts.ts'
import { setEarlyPassword, updatePassword } from './password-change.ts'
import { login, loginByCode, logout, selectCorp } from './sign-in.ts'

export { spendCode } from './codes.ts'
export { setFirst } from './password-change.ts'
export { hashPassword, isPassword, mustBeGood } from './passwords.ts'
export { accountOf, companiesOf, enter } from './sign-in.ts'

export const accountHandlers = (parts: { secrets: Secrets; log: Log; demo: boolean }): Handler[] => [
  login(parts.secrets),
  loginByCode(parts.secrets),
  selectCorp(parts.secrets),
  logout,
  getVerifyCode(parts.secrets),
  validatePhoneCode(parts.secrets),
  updatePassword,
  setEarlyPassword,
  role,
  getPublicInfo(parts.demo),
  getTimeInfo,
  clientLog(parts.log),
  userFeedBack,
]
