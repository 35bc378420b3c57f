/** The current user, the installation and the server time; product suggestions from users. */

import * as contract from '../../contract/auth/sign-in.ts'
import { type ChatProvider, findProviderByUserAgent } from '../../contract/shared/providers.ts'
import { maskMobile, mobilePattern } from '../../contract/shared/schemas.ts'
import type { Database } from '../../database/database.ts'
import { toPngDataUrl } from '../../files/uploads.ts'
import { defineHandler } from '../../http/handler.ts'
import { uploadLimits } from '../../http/limits/config.ts'
import { scrubText } from '../../observability/log.ts'
import { toIsoTimestamp, toShanghaiDate, toShanghaiMonth, toShanghaiWeekday } from '../../shared/clock.ts'
import { newId } from '../../shared/ids.ts'
import { adminView } from '../access/read-model.ts'
import { getDaysRemaining, getTrialStatus } from '../billing/index.ts'
import { companyView } from '../company/read-model.ts'
import { countUnseenNotifications, isWorkday } from '../notifications/index.ts'
import { listSignInProviders } from './platform/apps.ts'
import { isRegistrationOpen } from './sign-in/registration.ts'

export const getCurrentUser = defineHandler(contract.getCurrentUser, async ({ db, currentUser, company_id, now, billing }) => {
  const company = await db
    .selectFrom(companyView)
    .select(['name', 'corp_role', 'edition', 'edition_until', 'trial_until', 'corp_origin', 'provider', 'logo'])
    .where('id', '=', company_id)
    .executeTakeFirstOrThrow()
  const account = await db
    .selectFrom('account')
    .select(['password_hash', 'totp_on', 'display_name', 'avatar'])
    .where('id', '=', currentUser.account_id)
    .executeTakeFirstOrThrow()
  const admin = await db
    .selectFrom(adminView)
    .select(['trial_closed_at', 'dismissed_hints'])
    .select(countUnseenNotifications(company_id).as('unread'))
    .where('company_id', '=', company_id)
    .where('id', '=', currentUser.admin_id)
    .executeTakeFirst()
  return {
    corp: {
      corp_id: company_id,
      corp_role: company.corp_role,
      name: company.name,
      logo: toPngDataUrl(company.logo),
      platform_status: company.provider ? 10 : 0,
      corp_origin: company.corp_origin,
    },
    power: [...currentUser.power],
    agency_service: currentUser.agency && { until: currentUser.agency.until },
    user: {
      // 10: no password yet; the client asks the user to set one.
      pass_status: account.password_hash ? 20 : 10,
      notice_number: Number(admin?.unread ?? 0),
      user_name: account.display_name || currentUser.name,
      logo: toPngDataUrl(account.avatar),
      phone_masked: maskMobile(currentUser.mobile),
      is_employee: currentUser.is_employee,
      totp_on: account.totp_on !== null,
    },
    trail_info: {
      // Where nothing is sold there is no trial, and no edition ends.
      trail_status: billing ? getTrialStatus(company.trial_until, admin?.trial_closed_at ?? null, now) : 0,
      days_left: billing ? getDaysRemaining(company.edition_until, now) : 0,
    },
    dismissed_hints: admin?.dismissed_hints ?? [],
    service_info: {
      TYPE: currentUser.edition,
      expires_at: billing && company.edition_until ? toIsoTimestamp(company.edition_until) : null,
    },
  }
})

const getCompanyOrigin = (database: Database, company_id: string): Promise<number> =>
  database.inCompany(company_id, async (tx) => {
    const company = await tx.selectFrom(companyView).select('corp_origin').where('id', '=', company_id).executeTakeFirstOrThrow()
    return company.corp_origin
  })

/** Inside the app of a chat platform, only this platform can sign its user in. */
const listOfferedProviders = async (database: Database, client: ChatProvider | null) =>
  (await listSignInProviders(database)).filter(({ provider }) => client === null || provider === client)

export const getPublicInfo = defineHandler(
  contract.getPublicInfo,
  { kind: 'external' },
  async ({ database, me, demo, registration, supportContact, request }) => ({
    service_phone: supportContact.phone,
    service_hours: supportContact.hours,
    chat_qr: supportContact.qr,
    phone_pattern: mobilePattern,
    // The origin of the current company; 0 without a selected company.
    corp_origin: me ? await getCompanyOrigin(database, me.company_id) : 0,
    demo,
    registration_open: await isRegistrationOpen({ database, registration }),
    providers: await listOfferedProviders(database, findProviderByUserAgent(request.user_agent)),
    upload: { max_bytes: uploadLimits.maxFileBytes, max_rows: 100_000 },
  }),
)

export const getTimeInfo = defineHandler(contract.getTimeInfo, { kind: 'external' }, async ({ now }) => ({
  now: toIsoTimestamp(now),
  month: toShanghaiMonth(now),
  weekday: toShanghaiWeekday(now),
  is_workday: isWorkday(toShanghaiDate(now), toShanghaiWeekday(now)),
}))

export const sendSuggestion = defineHandler(contract.sendSuggestion, async ({ db, currentUser, company_id, now }, input) => {
  await db
    .insertInto('suggestion')
    .values({
      company_id,
      id: newId(),
      account_id: currentUser.account_id,
      ...input,
      // It is read outside the company: an amount or a name that somebody quotes must not stand there.
      content: scrubText(input.content),
      created_at: now,
    })
    .execute()
  return {}
})
