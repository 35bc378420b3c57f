/** Accounts: signing in and out, also through chat platforms, passwords, codes, facts about oneself and the installation. */
import type { Platforms } from '../../../platform/types.ts'
import type { Handler } from '../../runtime/handle.ts'
import type { Log } from '../../runtime/log.ts'
import type { Secrets } from '../../runtime/secrets.ts'
import { getVerifyCode, validatePhoneCode } from './codes.ts'
import { clientLog, getPublicInfo, getTimeInfo, role, userFeedBack } from './facts.ts'
import { setEarlyPassword, updatePassword } from './password-change.ts'
import { platformSignIn } from './platform-sign-in.ts'
import { login, loginByCode, logout, selectCorp } from './sign-in.ts'

export { stolenTokenAlarm } from './alarm.ts'
export { browserOf } from './browser.ts'
export { spendCode } from './codes.ts'
export { companiesOf, enter } from './enter.ts'
export { setFirst } from './password-change.ts'
export { hashPassword, isPassword, mustBeGood } from './passwords.ts'
export { providersOf } from './platform-apps.ts'
export { accountOf } from './sign-in.ts'

export const accountHandlers = (parts: { secrets: Secrets; platforms: Platforms; log: Log; demo: boolean }): Handler[] => [
  login(parts.secrets),
  loginByCode(parts.secrets),
  selectCorp(parts.secrets),
  logout,
  ...platformSignIn(parts),
  getVerifyCode(parts),
  validatePhoneCode(parts.secrets),
  updatePassword,
  setEarlyPassword,
  role,
  getPublicInfo(parts.demo),
  getTimeInfo,
  clientLog(parts.log),
  userFeedBack,
]
