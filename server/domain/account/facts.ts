/** Who am I, what installation is this, what time is it; what clients and people report to us. */
import * as contract from '../../contract/account.ts'
import { maskMobile, mobilePattern } from '../../contract/words.ts'
import { dayOf, isoOf, monthOf, weekdayOf } from '../../runtime/clock.ts'
import { handle, handleOutside } from '../../runtime/handle.ts'
import { newId } from '../../runtime/ids.ts'
import { type Log, scrub } from '../../runtime/log.ts'
import { max_upload_bytes } from '../../runtime/uploads.ts'
import { providersOf } from './platform-apps.ts'

export const role = handle(contract.role, async ({ db, me, company_id, now }) => {
  const company = await db
    .selectFrom('company')
    .select(['name', 'corp_role', 'edition', 'edition_until', 'corp_origin', 'provider'])
    .where('id', '=', company_id)
    .executeTakeFirstOrThrow()
  const account = await db
    .selectFrom('account')
    .select(['password_hash', 'totp_on'])
    .where('id', '=', me.account_id)
    .executeTakeFirstOrThrow()
  const unread = me.admin_id
    ? await db
        .selectFrom('notice')
        .select(({ fn }) => fn.countAll<number>().as('count'))
        .where('company_id', '=', company_id)
        .where('admin_id', '=', me.admin_id)
        .where('read_at', 'is', null)
        .executeTakeFirstOrThrow()
    : { count: 0 }
  const days_left = company.edition_until
    ? Math.max(0, Math.ceil((company.edition_until.getTime() - now.getTime()) / 86_400_000))
    : 0
  return {
    corp: {
      corp_id: company_id,
      corp_role: company.corp_role as 10 | 20,
      name: company.name,
      logo: null,
      platform_status: company.provider ? 10 : 0,
      corp_origin: company.corp_origin,
    },
    power: [...me.power],
    user: {
      // 10: no password yet; the client asks for one.
      pass_status: account.password_hash ? 20 : 10,
      notice_number: Number(unread.count),
      user_name: me.name,
      logo: null,
      phone_masked: maskMobile(me.mobile),
      is_employee: me.is_employee,
      totp_on: account.totp_on !== null,
    },
    trail_info: { trail_status: 0, days_left },
    service_info: {
      TYPE: company.edition as 50 | 53 | 60,
      expires_at: company.edition_until ? isoOf(company.edition_until) : null,
    },
  }
})

export const getPublicInfo = (demo: boolean) =>
  handleOutside(contract.getPublicInfo, async ({ database }) => ({
    service_phone: '400-000-0000',
    service_hours: '工作日 9:00-18:00',
    chat_qr: null,
    phone_pattern: mobilePattern,
    corp_origin: 0,
    demo,
    providers: await providersOf(database),
    upload: { max_bytes: max_upload_bytes, max_rows: 100_000 },
  }))

export const getTimeInfo = handleOutside(contract.getTimeInfo, async ({ now }) => {
  const weekday = weekdayOf(now)
  // Public holidays are announced year by year; a weekday is the best that is known without that list.
  return { now: isoOf(now), month: monthOf(now), weekday, is_workday: weekday <= 5 }
})

export const clientLog = (log: Log) =>
  handleOutside(contract.log, async ({ request_id, me, now }, input) => {
    log.warn(
      {
        client: {
          day: dayOf(now),
          level: input.level,
          message: scrub(input.message),
          stack: scrub(input.stack ?? ''),
          page: scrub(input.url.split('?')[0] ?? ''),
          release: input.release,
          company_id: me?.company_id ?? null,
        },
        request_id,
      },
      'client',
    )
    return {}
  })

export const userFeedBack = handle(contract.userFeedBack, async ({ db, me, company_id, now }, input) => {
  await db
    .insertInto('suggestion')
    .values({ company_id, id: newId(), account_id: me.account_id, ...input, created_at: now })
    .execute()
  return {}
})
