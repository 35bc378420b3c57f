/**
 * Downloads. A browser's navigation cannot carry the header token, so a ticket stands for it: random, for one file, one account and
 * one session, 60 seconds, once, and only together with the cookie half of that session.
 */
import { sql } from 'kysely'
import * as contract from '../../contract/corp/desk.ts'
import { holds } from '../../contract/who.ts'
import { cleanFileName, openFile, openName } from '../../runtime/files/files.ts'
import { type Ctx, handle, handleOutside, type Me, refuse } from '../../runtime/handle.ts'
import { writeAudit } from '../../runtime/request/audit.ts'
import { aliveWith, cookieName, hashOf, loadMe, newSecret } from '../../runtime/request/sessions.ts'

const life_ms = 60_000

/** Files that show salaries are for those who may see salaries still, at the moment of asking and again of fetching. */
function mayFetch(me: Me, { account_id, kind }: { account_id: string; kind: string }): boolean {
  if (account_id !== me.account_id) return false
  if (kind === 'own') return me.is_employee && !me.unconfirmed
  return !['sheet', 'export'].includes(kind) || holds(me.power, ['2'])
}

/** A ticket for a file of one's own; it goes into the address of `download` as `oss_path`. */
export async function makeTicket(ctx: Ctx, file_id: string): Promise<string> {
  return (await ticketFor(ctx, file_id)).oss_path
}

export async function ticketFor(
  { db, me, company_id, now, vault }: Ctx,
  file_id: string,
): Promise<{ oss_path: string; file_name: string }> {
  const file = await db
    .selectFrom('file')
    .select(['name', 'account_id', 'kind', 'expires_at'])
    .where('company_id', '=', company_id)
    .where('id', '=', file_id)
    .executeTakeFirst()
  if (!file || !mayFetch(me, file) || (file.expires_at && file.expires_at <= now)) throw refuse('not_found', '文件不存在或已过期')
  await db.deleteFrom('ticket').where('company_id', '=', company_id).where('expires_at', '<=', now).execute()
  const oss_path = newSecret()
  await db
    .insertInto('ticket')
    .values({
      token_hash: hashOf(oss_path),
      company_id,
      file_id,
      account_id: me.account_id,
      session_id: me.session_id,
      expires_at: new Date(now.getTime() + life_ms),
    })
    .execute()
  return { oss_path, file_name: openName(vault, file_id, file.name) }
}

/** Whether I may still see what a pay file was made of; said by who knows the batches. */
export type SeesFile = (ctx: Pick<Ctx, 'db' | 'me' | 'company_id'>, file_id: string) => Promise<boolean>

export const getDownloadTicket = (seesFile: SeesFile) =>
  handle(contract.getDownloadTicket, async (ctx, { file_id }) => {
    if (!(await seesFile(ctx, file_id))) throw refuse('not_found', '文件不存在或已过期')
    return ticketFor(ctx, file_id)
  })

export const download = (seesFile: SeesFile) =>
  handleOutside(contract.download, async (ctx, { oss_path, file_name }) => {
    const { database, secrets, request, now, sendBytes } = ctx
    const gone = () => refuse('not_found', '下载链接已失效，请回到页面重新下载')
    const cookie = request.cookies[cookieName(request.https)]
    if (!cookie) throw gone()
    // One statement takes the ticket and checks the session: of two requests one gets it, and without the cookie nobody spends it.
    const { rows } = await database.outside((tx) =>
      sql<{
        company_id: string
        file_id: string
        account_id: string
        session_id: string
        agency_id: string | null
        mobile: string
      }>`
        delete from ticket using (${aliveWith(cookie, now)}) as session
        where ticket.token_hash = ${hashOf(oss_path)} and ticket.expires_at > ${now}
          and session.id = ticket.session_id and session.account_id = ticket.account_id and session.company_id = ticket.company_id
        returning ticket.company_id, ticket.file_id, ticket.account_id, ticket.session_id, session.agency_id, session.mobile`.execute(
        tx,
      ),
    )
    const ticket = rows[0]
    if (!ticket) throw gone()
    const { company_id, file_id, account_id, session_id, agency_id, mobile } = ticket
    const opened = await database.inCompany(company_id, async (tx) => {
      const me = await loadMe(tx, { id: session_id, account_id, company_id, agency_id, mobile, view_until: null }, now)
      const file = await tx
        .selectFrom('file')
        .select(['account_id', 'kind'])
        .where('company_id', '=', company_id)
        .where('id', '=', file_id)
        .executeTakeFirst()
      if (!me || !file || !mayFetch(me, file) || !(await seesFile({ db: tx, me, company_id }, file_id))) throw gone()
      // The line of this call is written here: to the mount a navigation has no person.
      const { address, request_id } = ctx
      await writeAudit(tx, me, { call: contract.download, outcome: 'done', about: { file_id }, at: now, address, request_id })
      const vault = await secrets.vault(tx, company_id)
      return openFile({ db: tx, company_id, vault, now, database }, file_id)
    })
    sendBytes({ name: nameFor(opened.name, file_name), bytes: opened, type: typeOf(opened.name) })
    return {}
  })

/** The address may wish another name, never another kind of file. */
export function nameFor(kept: string, wished: string | undefined): string {
  const end = /\.[a-z0-9]{1,5}$/i.exec(kept)?.[0] ?? ''
  if (!wished) return kept
  const stem = cleanFileName(wished, '').replace(/\.[a-z0-9]{1,5}$/i, '')
  return stem ? cleanFileName(`${stem}${end}`) : kept
}

const types: Record<string, string> = {
  xlsx: 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
  xls: 'application/vnd.ms-excel',
  csv: 'text/csv; charset=utf-8',
  pdf: 'application/pdf',
  png: 'image/png',
  zip: 'application/zip',
}
/** What is not known is bytes, so that no browser shows it as a page. */
const typeOf = (name: string): string => types[name.slice(name.lastIndexOf('.') + 1).toLowerCase()] ?? 'application/octet-stream'

const most_an_hour = 30
/** From when on exports count together. */
export const exportsSince = (now: Date): Date => new Date(now.getTime() - 3_600_000)
/** One person's exports of a kind within the hour; more wait. */
export function mustBeFew(count: number | string): void {
  if (Number(count) >= most_an_hour)
    throw refuse('too_often', `一小时内最多导出 ${most_an_hour} 次，请稍后再试`, { retry_after: 600 })
}
