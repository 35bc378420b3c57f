/** The user's signed-in devices, and signing them out. */
import { sql } from 'kysely'
import * as contract from '../../../contract/auth/profile.ts'
import type { Database } from '../../../database/database.ts'
import { toPngDataUrl } from '../../../files/uploads.ts'
import { type CurrentAccount, defineHandler, fail, invalidInput } from '../../../http/handler.ts'
import { endSessions } from '../../../http/sessions.ts'
import { toIsoTimestamp } from '../../../shared/clock.ts'
import { getBoundCompanyId, listAvailableCompanies } from './complete-sign-in.ts'

const maxListedSessions = 50
const maxExportedRows = 500

export const getSessionList = defineHandler(
  contract.getSessionList,
  { kind: 'external' },
  async ({ database, currentAccount, now }) => {
    if (!currentAccount) throw fail('signed_out')
    const [corps, boundCompanyId] = await Promise.all([
      listAvailableCompanies(database, currentAccount.account_id, now),
      getBoundCompanyId(database, currentAccount),
    ])
    const rows = await database.withoutCompany((tx) =>
      tx
        .selectFrom('session')
        .innerJoin('account', 'account.id', 'session.account_id')
        .select(['session.id', 'device', 'address', 'company_id', 'session.created_at', 'last_active_at'])
        .where('account_id', '=', currentAccount.account_id)
        .where('ended', 'is', null)
        .where('expires_at', '>', now)
        .where(sql<boolean>`last_active_at + idle_s * interval '1 second' >= ${now}`)
        .whereRef('session.epoch', '=', 'account.epoch')
        .$if(boundCompanyId !== null, (query) => query.where('company_id', '=', boundCompanyId))
        .orderBy('session.created_at', 'desc')
        .orderBy('session.id', 'desc')
        .limit(maxListedSessions)
        .execute(),
    )
    return {
      list: rows.map(({ id, company_id, created_at, last_active_at: lastUsedAt, ...row }) => ({
        ...row,
        session_id: id,
        corp_name: corps.find((corp) => corp.corp_id === company_id)?.name ?? null,
        created_at: toIsoTimestamp(created_at),
        last_active_at: toIsoTimestamp(lastUsedAt),
        current: id === currentAccount.session_id,
      })),
    }
  },
)

export const endSession = defineHandler(
  contract.endSession,
  { kind: 'external' },
  async ({ database, currentAccount }, { session_id, all_others }) => {
    if (!currentAccount) throw fail('signed_out')
    const { account_id } = currentAccount
    if (!session_id && !all_others) throw invalidInput('session_id', '请选择要下线的设备')
    // A session started through one company's chat platform neither lists nor ends sessions of other companies.
    const boundCompanyId = await getBoundCompanyId(database, currentAccount)
    const ownSessions = { account_id, ...(boundCompanyId ? { company_id: boundCompanyId } : {}) }
    const ended = await database.withoutCompany((tx) =>
      session_id
        ? endSessions(tx, { ...ownSessions, session_id }, session_id === currentAccount.session_id ? 'signed_out' : 'device')
        : endSessions(tx, { ...ownSessions, except: currentAccount.session_id }, 'device'),
    )
    if (session_id && ended === 0) throw fail('not_found', '没有找到这台设备，可能已经下线，请刷新')
    return { ended }
  },
)

/** Returns the stored data about an account, for its owner; for one company only if signed in through its chat platform. */
export async function getAccountData(database: Database, half: CurrentAccount, now: Date) {
  const { account_id } = half
  const [corps, boundCompanyId] = await Promise.all([
    listAvailableCompanies(database, account_id, now),
    getBoundCompanyId(database, half),
  ])
  return database.withoutCompany(async (tx) => {
    const account = await tx
      .selectFrom('account')
      .select(['mobile', 'display_name', 'avatar', 'created_at', 'signed_in_at', 'totp_on'])
      .select(sql<boolean>`password_hash is not null`.as('has_password'))
      .where('id', '=', account_id)
      .executeTakeFirstOrThrow()
    const sessions = await tx
      .selectFrom('session')
      .select(['device', 'address', 'company_id', 'created_at', 'last_active_at', 'ended'])
      .where('account_id', '=', account_id)
      .$if(boundCompanyId !== null, (query) => query.where('company_id', '=', boundCompanyId))
      .orderBy('created_at', 'desc')
      .limit(maxExportedRows)
      .execute()
    const browsers = await tx
      .selectFrom('device')
      .select(['created_at', 'last_active_at'])
      .where('account_id', '=', account_id)
      .orderBy('created_at', 'desc')
      .limit(maxExportedRows)
      .execute()
    const platforms = await tx
      .selectFrom('platform_identity')
      .select(['provider', 'user_id', 'created_at'])
      .where('account_id', '=', account_id)
      .limit(maxExportedRows)
      .execute()
    const { avatar, created_at, signed_in_at, totp_on, ...more } = account
    return {
      account: {
        ...more,
        avatar: toPngDataUrl(avatar),
        created_at: toIsoTimestamp(created_at),
        signed_in_at: signed_in_at && toIsoTimestamp(signed_in_at),
        second_factor_since: totp_on && toIsoTimestamp(totp_on),
      },
      sessions: sessions.map(({ company_id, ...one }) => ({
        ...one,
        corp_name: corps.find(({ corp_id }) => corp_id === company_id)?.name ?? null,
        created_at: toIsoTimestamp(one.created_at),
        last_active_at: toIsoTimestamp(one.last_active_at),
      })),
      browsers: browsers.map((one) => ({
        created_at: toIsoTimestamp(one.created_at),
        last_active_at: toIsoTimestamp(one.last_active_at),
      })),
      platforms: platforms.map((one) => ({ ...one, created_at: toIsoTimestamp(one.created_at) })),
    }
  })
}
