/**
 * Downloads. A browser navigation cannot carry the token header, so a ticket replaces it. It is random and valid once,
 * for one file, account and session, within 60 seconds and with the cookie of that session.
 */
import { sql } from 'kysely'
import { hasPower } from '../../contract/access.ts'
import * as contract from '../../contract/files/files.ts'
import { decryptFileName, sanitizeFileName, streamFile } from '../../files/stored-files.ts'
import { writeAuditEntry } from '../../http/audit-log.ts'
import type { CompanyUserTx } from '../../http/current-user.ts'
import { type CurrentUser, defineHandler, fail, type HandlerContext } from '../../http/handler.ts'
import { generateSecret, getSessionCookieName, hashSecret, loadCurrentUser, selectActiveSession } from '../../http/sessions.ts'

const ticketLifetimeMs = 60_000

/** Files that show salaries require the right to view salaries when the ticket is requested and when it is downloaded. */
function canDownload(me: CurrentUser, { account_id, kind }: { account_id: string; kind: string }): boolean {
  if (account_id !== me.account_id) return false
  if (kind === 'own') return me.is_employee && !me.phone_unconfirmed
  return !['sheet', 'export'].includes(kind) || hasPower(me.power, ['2'])
}

/** Creates a ticket for a file of the current user; it is passed to `download` as `oss_path`. */
export async function createTicketPath(ctx: HandlerContext, file_id: string): Promise<string> {
  return (await createDownloadTicket(ctx, file_id)).oss_path
}

export async function createDownloadTicket(
  { db, currentUser, company_id, now, vault }: HandlerContext,
  file_id: string,
): Promise<{ oss_path: string; file_name: string }> {
  const file = await db
    .selectFrom('file')
    .select(['name', 'account_id', 'kind', 'expires_at'])
    .where('company_id', '=', company_id)
    .where('id', '=', file_id)
    .executeTakeFirst()
  if (!file || !canDownload(currentUser, file) || (file.expires_at && file.expires_at <= now))
    throw fail('not_found', '文件不存在或已过期')
  await db.deleteFrom('download_ticket').where('company_id', '=', company_id).where('expires_at', '<=', now).execute()
  const oss_path = generateSecret()
  await db
    .insertInto('download_ticket')
    .values({
      token_hash: hashSecret(oss_path),
      company_id,
      file_id,
      account_id: currentUser.account_id,
      session_id: currentUser.session_id,
      expires_at: new Date(now.getTime() + ticketLifetimeMs),
    })
    .execute()
  return { oss_path, file_name: decryptFileName(vault, file_id, file.name) }
}

/** Whether the current user may still view the data in a pay file; implemented by the module that knows the batches. */
export type FileAccessCheck = (ctx: CompanyUserTx, file_id: string) => Promise<boolean>

export const getDownloadTicket = (canSeeFile: FileAccessCheck) =>
  defineHandler(contract.getDownloadTicket, async (ctx, { file_id }) => {
    if (!(await canSeeFile(ctx, file_id))) throw fail('not_found', '文件不存在或已过期')
    return createDownloadTicket(ctx, file_id)
  })

export const download = (canSeeFile: FileAccessCheck) =>
  defineHandler(contract.download, { kind: 'external' }, async (ctx, { oss_path, file_name }) => {
    const { database, secrets, request, now, sendBytes } = ctx
    const createLinkExpiredError = () => fail('not_found', '下载链接已失效，请回到页面重新下载')
    const cookie = request.cookies[getSessionCookieName(request.https)]
    if (!cookie) throw createLinkExpiredError()
    // One statement consumes the ticket and checks the session: of two requests one succeeds, and without the cookie
    // nobody can consume it.
    const { rows } = await database.withoutCompany((tx) =>
      sql<{
        company_id: string
        file_id: string
        account_id: string
        session_id: string
        agency_id: string | null
        mobile: string
      }>`
        delete from download_ticket using (${selectActiveSession(cookie, now)}) as session
        where download_ticket.token_hash = ${hashSecret(oss_path)} and download_ticket.expires_at > ${now}
          and session.id = download_ticket.session_id and session.account_id = download_ticket.account_id and session.company_id = download_ticket.company_id
        returning download_ticket.company_id, download_ticket.file_id, download_ticket.account_id, download_ticket.session_id, session.agency_id, session.mobile`.execute(
        tx,
      ),
    )
    const ticket = rows[0]
    if (!ticket) throw createLinkExpiredError()
    const { company_id, file_id, account_id, session_id, agency_id, mobile } = ticket
    const opened = await database.inCompany(company_id, async (tx) => {
      const me = await loadCurrentUser(
        tx,
        { id: session_id, account_id, company_id, agency_id, mobile, view_until: null, verified_at: null },
        now,
      )
      const file = await tx
        .selectFrom('file')
        .select(['account_id', 'kind'])
        .where('company_id', '=', company_id)
        .where('id', '=', file_id)
        .executeTakeFirst()
      if (!me || !file || !canDownload(me, file) || !(await canSeeFile({ db: tx, currentUser: me, company_id }, file_id)))
        throw createLinkExpiredError()
      // The audit log entry is written here because, for the mount, a navigation has no user.
      const { address, request_id } = ctx
      await writeAuditEntry(tx, me, {
        call: contract.download,
        outcome: 'done',
        details: { file_id },
        at: now,
        address,
        request_id,
      })
      const vault = await secrets.vault(tx, company_id)
      return streamFile({ db: tx, company_id, vault, now, database }, file_id)
    })
    sendBytes({ name: chooseFileName(opened.name, file_name), bytes: opened, type: getContentType(opened.name) })
    return {}
  })

/** The URL may choose another name, but never another file type. */
export function chooseFileName(storedName: string, requestedName: string | undefined): string {
  const end = /\.[a-z0-9]{1,5}$/i.exec(storedName)?.[0] ?? ''
  if (!requestedName) return storedName
  const stem = sanitizeFileName(requestedName, '').replace(/\.[a-z0-9]{1,5}$/i, '')
  return stem ? sanitizeFileName(`${stem}${end}`) : storedName
}

const contentTypes: Record<string, string> = {
  xlsx: 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
  xls: 'application/vnd.ms-excel',
  csv: 'text/csv; charset=utf-8',
  pdf: 'application/pdf',
  png: 'image/png',
  zip: 'application/zip',
}
/** Unknown types are sent as bytes, so that no browser displays them as a page. */
const getContentType = (name: string): string =>
  contentTypes[name.slice(name.lastIndexOf('.') + 1).toLowerCase()] ?? 'application/octet-stream'

/** Files with amounts are few by nature; whoever copies all of them is noticed. */
const maxExportsPerHour = { withAmounts: 5, others: 30 } as const
export const getExportWindowStart = (now: Date): Date => new Date(now.getTime() - 3_600_000)
/** Limits a user's exports of one kind per hour. */
export function assertExportLimit(count: number | string, kind: keyof typeof maxExportsPerHour): void {
  const max = maxExportsPerHour[kind]
  if (Number(count) >= max)
    throw fail('too_often', `一小时内最多导出 ${max} 次${kind === 'withAmounts' ? '含金额的文件' : ''}，请稍后再试`, {
      retry_after: 600,
    })
}
