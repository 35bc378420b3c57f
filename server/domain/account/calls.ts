/** What answers the calls of accounts: signing in and out, also through chat platforms, passwords, codes, devices, facts about oneself. */

import * as account from '../../contract/account/account.ts'
import * as profile from '../../contract/account/profile.ts'
import type { Clock } from '../../runtime/clock.ts'
import type { Database } from '../../runtime/db.ts'
import { type Handler, implement } from '../../runtime/handle.ts'
import type { Jobs } from '../../runtime/jobs.ts'
import type { Log } from '../../runtime/log.ts'
import type { CarrierLines } from '../../runtime/post/index.ts'
import type { Parts as MountParts } from '../../runtime/request/mount.ts'
import type { Secrets } from '../../runtime/secrets.ts'
import { tellPlatformLinks } from '../member/index.ts'
import { clientLog } from './client-log.ts'
import { getVerifyCode, openCodes, validatePhoneCode } from './codes.ts'
import { getPublicInfo, getTimeInfo, role, userFeedBack } from './facts.ts'
import { stolenTokenAlarm } from './notice/alarm.ts'
import { openNoticeTeller } from './notice/teller.ts'
import { noticeWayCalls } from './notice/ways.ts'
import { setEarlyPassword, setPassword, updatePassword } from './password/change.ts'
import { changePhone, openPhoneChanges } from './phone/change.ts'
import { openPassedPhones } from './phone/holder.ts'
import { platformLinks } from './platform/apps.ts'
import type { OutsidePlatforms } from './platform/outside.ts'
import { platformHandlers } from './platform/sign-in.ts'
import { closeHint, getProfile, setAvatar, setProfile } from './profile.ts'
import { endSession, getSessionList } from './sign-in/devices.ts'
import { checkTotp, confirmTotp, startTotp, stopTotp } from './sign-in/factor.ts'
import { registerCorp } from './sign-in/register.ts'
import { getMyCorps, login, loginByCode, logout, selectCorp } from './sign-in/sign-in.ts'
import { sweepAccounts } from './sweep.ts'

export type AccountParts = {
  readonly database: Database
  readonly jobs: Jobs
  readonly secrets: Secrets
  readonly lines: CarrierLines
  readonly platforms: OutsidePlatforms
  readonly clock: Clock
  readonly log: Log
  readonly origin: string
}

/** Declares its jobs; what answers calls, and what the mount does about a stolen token. */
export function openAccounts(parts: AccountParts): { handlers: Handler[]; onStolenToken: MountParts['onStolenToken'] } {
  const { database, jobs, secrets, platforms, clock, log } = parts
  openPhoneChanges(parts)
  openPassedPhones(parts)
  openNoticeTeller(parts)
  tellPlatformLinks(platformLinks)
  jobs.daily('sweep_accounts', '20 4 * * *', () => sweepAccounts(database, clock.now()))
  const handlers = [
    ...implement(account, {
      login,
      loginByCode,
      checkTotp,
      registerCorp,
      getMyCorps,
      selectCorp,
      logout,
      getVerifyCode: getVerifyCode(openCodes(parts)),
      validatePhoneCode,
      updatePassword,
      setEarlyPassword,
      role,
      getPublicInfo,
      getTimeInfo,
      log: clientLog,
      userFeedBack,
    }),
    ...platformHandlers(platforms),
    ...implement(profile, {
      ...noticeWayCalls,
      closeHint,
      getProfile,
      setProfile,
      setAvatar,
      setPassword,
      changePhone,
      getSessionList,
      endSession,
      startTotp,
      confirmTotp,
      stopTotp,
    }),
  ]
  return { handlers, onStolenToken: stolenTokenAlarm({ database, secrets, log }) }
}
