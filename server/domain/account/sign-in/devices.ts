/** Where I am signed in, and ending it there. */
import { sql } from 'kysely'
import * as contract from '../../../contract/account/profile.ts'
import { isoOf } from '../../../runtime/clock.ts'
import type { Database } from '../../../runtime/db.ts'
import { pictureOf } from '../../../runtime/files/uploads.ts'
import { type HalfMe, handleOutside, invalid, refuse } from '../../../runtime/handle.ts'
import { endSessions } from '../../../runtime/request/sessions.ts'
import { companiesOf, onlyCompany } from './enter.ts'

const most_shown = 50
const most_told = 500

export const getSessionList = handleOutside(contract.getSessionList, async ({ database, half, now }) => {
  if (!half) throw refuse('signed_out')
  const [corps, only] = await Promise.all([companiesOf(database, half.account_id, now), onlyCompany(database, half)])
  const rows = await database.outside((tx) =>
    tx
      .selectFrom('session')
      .innerJoin('account', 'account.id', 'session.account_id')
      .select(['session.id', 'device', 'address', 'company_id', 'session.created_at', 'seen_at'])
      .where('account_id', '=', half.account_id)
      .where('ended', 'is', null)
      .where('expires_at', '>', now)
      .where(sql<boolean>`seen_at + idle_s * interval '1 second' >= ${now}`)
      .whereRef('session.epoch', '=', 'account.epoch')
      .$if(only !== null, (query) => query.where('company_id', '=', only))
      .orderBy('session.created_at', 'desc')
      .orderBy('session.id', 'desc')
      .limit(most_shown)
      .execute(),
  )
  return {
    list: rows.map(({ id, company_id, created_at, seen_at, ...row }) => ({
      ...row,
      session_id: id,
      corp_name: corps.find((corp) => corp.corp_id === company_id)?.name ?? null,
      created_at: isoOf(created_at),
      seen_at: isoOf(seen_at),
      current: id === half.session_id,
    })),
  }
})

export const endSession = handleOutside(contract.endSession, async ({ database, half }, { session_id, others }) => {
  if (!half) throw refuse('signed_out')
  const { account_id } = half
  if (!session_id && !others) throw invalid('session_id', '请选择要下线的设备')
  // What came in through one company's chat platform sees and ends nothing of the others.
  const only = await onlyCompany(database, half)
  const mine = { account_id, ...(only ? { company_id: only } : {}) }
  const ended = await database.outside((tx) =>
    session_id
      ? endSessions(tx, { ...mine, session_id }, session_id === half.session_id ? 'signed_out' : 'device')
      : endSessions(tx, { ...mine, except: half.session_id }, 'device'),
  )
  if (session_id && ended === 0) throw refuse('not_found', '没有找到这台设备，可能已经下线，请刷新')
  return { ended }
})

/** What is held about an account, for whoever it is. What came in through one company's chat platform is told of that company only. */
export async function heldByAccount(database: Database, half: HalfMe, now: Date) {
  const { account_id } = half
  const [corps, only] = await Promise.all([companiesOf(database, account_id, now), onlyCompany(database, half)])
  return database.outside(async (tx) => {
    const account = await tx
      .selectFrom('account')
      .select(['mobile', 'display_name', 'avatar', 'created_at', 'came_at', 'totp_on'])
      .select(sql<boolean>`password_hash is not null`.as('has_password'))
      .where('id', '=', account_id)
      .executeTakeFirstOrThrow()
    const sessions = await tx
      .selectFrom('session')
      .select(['device', 'address', 'company_id', 'created_at', 'seen_at', 'ended'])
      .where('account_id', '=', account_id)
      .$if(only !== null, (query) => query.where('company_id', '=', only))
      .orderBy('created_at', 'desc')
      .limit(most_told)
      .execute()
    const browsers = await tx
      .selectFrom('device')
      .select(['created_at', 'seen_at'])
      .where('account_id', '=', account_id)
      .orderBy('created_at', 'desc')
      .limit(most_told)
      .execute()
    const platforms = await tx
      .selectFrom('platform_identity')
      .select(['provider', 'user_id', 'created_at'])
      .where('account_id', '=', account_id)
      .limit(most_told)
      .execute()
    const { avatar, created_at, came_at, totp_on, ...more } = account
    return {
      account: {
        ...more,
        avatar: pictureOf(avatar),
        created_at: isoOf(created_at),
        came_at: came_at && isoOf(came_at),
        second_factor_since: totp_on && isoOf(totp_on),
      },
      sessions: sessions.map(({ company_id, ...one }) => ({
        ...one,
        corp_name: corps.find(({ corp_id }) => corp_id === company_id)?.name ?? null,
        created_at: isoOf(one.created_at),
        seen_at: isoOf(one.seen_at),
      })),
      browsers: browsers.map((one) => ({ created_at: isoOf(one.created_at), seen_at: isoOf(one.seen_at) })),
      platforms: platforms.map((one) => ({ ...one, created_at: isoOf(one.created_at) })),
    }
  })
}
