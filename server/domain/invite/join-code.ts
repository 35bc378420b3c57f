/** The company's join code: shown as an address and a picture, good for thirty days or until somebody makes a new one. */
import { sql } from 'kysely'
import * as contract from '../../contract/invite.ts'
import { isoOf } from '../../runtime/clock.ts'
import { type Ctx, handle } from '../../runtime/handle.ts'
import { newId } from '../../runtime/ids.ts'
import { hashOf } from '../../runtime/sessions.ts'
import { join_code_ms, linkOf, newCode } from './codes.ts'
import { qrSvg } from './rules/qr.ts'

const place = (id: string) => ({ table: 'join_code', row: id, column: 'code' })

function shown(ctx: Ctx, code: string, expires_at: Date) {
  const url = linkOf(ctx.origin, code)
  return { url, svg: qrSvg(url), expires_at: isoOf(expires_at) }
}

export const qr_code = handle(contract.qr_code, async (ctx) => {
  const { db, company_id, now, vault } = ctx
  await oneAtATime(ctx)
  const row = await db
    .selectFrom('join_code')
    .select(['id', 'code', 'expires_at'])
    .where('company_id', '=', company_id)
    .where('ended_at', 'is', null)
    .where('expires_at', '>', now)
    .executeTakeFirst()
  return row ? shown(ctx, vault.open<string>(place(row.id), row.code), row.expires_at) : make(ctx)
})

export const resetQrCode = handle(contract.resetQrCode, async (ctx) => {
  const { db, company_id, now } = ctx
  await oneAtATime(ctx)
  await db
    .updateTable('join_code')
    .set({ ended_at: now })
    .where('company_id', '=', company_id)
    .where('ended_at', 'is', null)
    .execute()
  return make(ctx)
})

/** Two who look for the first time at once would otherwise make two codes, of which a later reset shows one. */
const oneAtATime = ({ db, company_id }: Ctx) =>
  sql`select pg_advisory_xact_lock(hashtextextended(${`join|${company_id}`}, 0))`.execute(db)

async function make(ctx: Ctx) {
  const { db, company_id, now, vault } = ctx
  const id = newId()
  const code = newCode(company_id)
  const expires_at = new Date(now.getTime() + join_code_ms)
  await db
    .insertInto('join_code')
    .values({ company_id, id, code_hash: hashOf(code), code: vault.seal(place(id), code), created_at: now, expires_at })
    .execute()
  return shown(ctx, code, expires_at)
}
