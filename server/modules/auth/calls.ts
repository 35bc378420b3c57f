/** Handlers of the account calls: signing in and out (also by chat platforms), passwords, codes, devices and profile data. */

import * as profile from '../../contract/auth/profile.ts'
import * as account from '../../contract/auth/sign-in.ts'
import type { Secrets } from '../../crypto/secrets.ts'
import type { Database } from '../../database/database.ts'
import { bindHandlers, type Handler } from '../../http/handler.ts'
import type { RequestDeps as MountOptions } from '../../http/pipeline.ts'
import type { JobQueue } from '../../jobs/queue.ts'
import type { Log } from '../../observability/log.ts'
import type { ChannelSenders } from '../../outbox/index.ts'
import type { Clock } from '../../shared/clock.ts'
import { setPlatformLinkProvider } from '../directory/index.ts'
import { deleteExpiredAuthData } from './cleanup.ts'
import { logClientError } from './client-log.ts'
import { createCodeSender, getVerifyCode, validatePhoneCode } from './codes.ts'
import { getCurrentUser, getPublicInfo, getTimeInfo, sendSuggestion } from './current-user.ts'
import { registerNotificationJobs } from './notice/notifier.ts'
import { notificationSettingsHandlers } from './notice/preferences.ts'
import { createStolenTokenAlert } from './notice/stolen-token-alert.ts'
import { setEarlyPassword, setPassword, updatePassword } from './password/change.ts'
import { changePhone, registerPhoneChangeJob } from './phone/change.ts'
import { registerPhoneTransferJob } from './phone/phone-owner.ts'
import { createPlatformAccountHandlers } from './platform/accounts.ts'
import { listPlatformLinks } from './platform/apps.ts'
import type { PlatformUserLinks, SignInPlatforms } from './platform/platforms.ts'
import { createPlatformHandlers } from './platform/sign-in.ts'
import { dismissHint, getProfile, setAvatar, setProfile } from './profile.ts'
import { endSession, getSessionList } from './sign-in/devices.ts'
import { registerCorp } from './sign-in/register.ts'
import { checkTotp, confirmTotp, startTotp, stopTotp } from './sign-in/second-factor.ts'
import { getAvailableCorps, login, loginByCode, logout, selectCorp } from './sign-in/sign-in.ts'
import { signInByLink } from './sign-in/sign-in-link.ts'
import { verifyIdentity } from './sign-in/verify-identity.ts'

export type AuthDeps = {
  readonly database: Database
  readonly jobs: JobQueue
  readonly secrets: Secrets
  readonly senders: ChannelSenders
  readonly platforms: SignInPlatforms
  readonly platformLinks: PlatformUserLinks
  readonly clock: Clock
  readonly log: Log
  readonly origin: string
}

/** Registers the module's jobs; returns its handlers and the mount's reaction to a stolen token. */
export function createAuthModule(deps: AuthDeps): { handlers: Handler[]; onStolenToken: MountOptions['onStolenToken'] } {
  const { database, jobs, secrets, platforms, platformLinks, clock, log } = deps
  registerPhoneChangeJob(deps)
  registerPhoneTransferJob(deps)
  registerNotificationJobs(deps)
  setPlatformLinkProvider(listPlatformLinks)
  jobs.schedule('sweep_accounts', '20 4 * * *', () => deleteExpiredAuthData(database, clock.now()))
  const handlers = [
    ...bindHandlers(account, {
      login,
      loginByCode,
      checkTotp,
      registerCorp,
      signInByLink,
      getAvailableCorps,
      selectCorp,
      logout,
      getVerifyCode: getVerifyCode(createCodeSender(deps)),
      validatePhoneCode,
      updatePassword,
      setEarlyPassword,
      getCurrentUser,
      getPublicInfo,
      getTimeInfo,
      logClientError,
      sendSuggestion,
    }),
    ...createPlatformHandlers(platforms, platformLinks),
    ...bindHandlers(profile, {
      ...notificationSettingsHandlers,
      ...createPlatformAccountHandlers(platformLinks),
      dismissHint,
      getProfile,
      setProfile,
      setAvatar,
      setPassword,
      changePhone,
      getSessionList,
      endSession,
      verifyIdentity,
      startTotp,
      confirmTotp,
      stopTotp,
    }),
  ]
  return { handlers, onStolenToken: createStolenTokenAlert({ database, secrets, log }) }
}
