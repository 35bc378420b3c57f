/** Accounts: signing in and out, also through chat platforms, passwords, codes, devices, facts about oneself and the installation. */
import type { Platforms } from '../../../platform/types.ts'
import type { Clock } from '../../runtime/clock.ts'
import type { Database } from '../../runtime/db.ts'
import type { Handler } from '../../runtime/handle.ts'
import type { Jobs } from '../../runtime/jobs.ts'
import type { Log } from '../../runtime/log.ts'
import type { Parts as MountParts } from '../../runtime/mount.ts'
import type { CarrierLines } from '../../runtime/post/index.ts'
import type { Secrets } from '../../runtime/secrets.ts'
import { stolenTokenAlarm } from './alarm.ts'
import { clientLog } from './client-log.ts'
import { getVerifyCode, validatePhoneCode } from './codes.ts'
import { endSession, getSessionList } from './devices.ts'
import { checkTotp, confirmTotp, startTotp, stopTotp } from './factor.ts'
import { getPublicInfo, getTimeInfo, role, type Service, userFeedBack } from './facts.ts'
import { setEarlyPassword, setPassword, updatePassword } from './password-change.ts'
import { changePhone, openPhoneChanges } from './phone/change.ts'
import { openPassedPhones } from './phone/holder.ts'
import { platformSignIn } from './platform-sign-in.ts'
import { getProfile, setAvatar, setProfile } from './profile.ts'
import { registerCorp } from './register.ts'
import { getMyCorps, login, loginByCode, logout, selectCorp } from './sign-in.ts'
import { sweepAccounts } from './sweep.ts'

export { browserOf } from './browser.ts'
export { spendCode } from './codes.ts'
export { choosable, companiesOf, enter } from './enter.ts'
export type { Service } from './facts.ts'
export { provePassword, setFirst } from './password-change.ts'
export { hashPassword, isPassword, mustBeGood } from './passwords.ts'
export { accountOfPhone, holderFor, showsPassword } from './phone/holder.ts'

export type AccountParts = {
  readonly database: Database
  readonly jobs: Jobs
  readonly secrets: Secrets
  readonly lines: CarrierLines
  readonly platforms: Platforms
  readonly clock: Clock
  readonly log: Log
  readonly demo: boolean
  readonly service: Service
}

/** Declares its jobs; what answers calls, and what the mount does about a stolen token. */
export function openAccounts(parts: AccountParts): { handlers: Handler[]; onStolenToken: MountParts['onStolenToken'] } {
  const { database, jobs, secrets, clock, log } = parts
  openPhoneChanges(parts)
  openPassedPhones(parts)
  jobs.daily('sweep_accounts', '20 4 * * *', () => sweepAccounts(database, clock.now()))
  const handlers = [
    login(secrets),
    loginByCode(secrets),
    checkTotp(secrets),
    registerCorp(secrets),
    getMyCorps,
    selectCorp(secrets),
    logout,
    ...platformSignIn(parts),
    getVerifyCode(parts),
    validatePhoneCode(secrets),
    updatePassword,
    setEarlyPassword,
    role,
    getPublicInfo(parts),
    getTimeInfo,
    clientLog(log),
    userFeedBack,
    getProfile,
    setProfile,
    setAvatar,
    setPassword,
    changePhone(secrets),
    getSessionList,
    endSession,
    startTotp(secrets),
    confirmTotp(secrets),
    stopTotp(secrets),
  ]
  return { handlers, onStolenToken: stolenTokenAlarm({ database, secrets, log }) }
}
