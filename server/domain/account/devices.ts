/** Where I am signed in, and ending it there. */
import { sql } from 'kysely'
import * as contract from '../../contract/profile.ts'
import { isoOf } from '../../runtime/clock.ts'
import { handleOutside, invalid, refuse } from '../../runtime/handle.ts'
import { endSessions } from '../../runtime/sessions.ts'
import { companiesOf, onlyCompany } from './enter.ts'

const most_shown = 50

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
