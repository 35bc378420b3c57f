/**
 * Idempotency: a repeated key returns the first response and does nothing twice. The row is inserted by the transaction
 * that does the work, so that a second request waits for the first and a failed one leaves nothing behind.
 */
import { createHash } from 'node:crypto'
import { sql } from 'kysely'
import type { Call } from '../contract/call.ts'
import { newId } from '../shared/ids.ts'
import { invalidInput } from './errors.ts'
import type { HandlerContext } from './handler.ts'

/** Clicks are repeated within minutes; a response that may contain wage sheet data is not stored for longer than necessary. */
const keyRetentionMs = 48 * 3_600_000
const sweepRows = 200

const setPosition = (id: string) => ({ table: 'idempotency_key', row: id, column: 'response' })

/** Runs `work` unless this key was used before; otherwise returns the first response. */
export async function withIdempotency(
  ctx: HandlerContext,
  call: Call,
  key: string,
  input: unknown,
  work: () => Promise<unknown>,
): Promise<unknown> {
  const { db, currentUser, company_id, vault, now } = ctx
  const id = newId()
  const body_hash = createHash('sha256').update(JSON.stringify(input)).digest()
  const inserted = await db
    .insertInto('idempotency_key')
    .values({ company_id, id, account_id: currentUser.account_id, call: call.route, key, body_hash, created_at: now })
    .onConflict((conflict) => conflict.columns(['company_id', 'account_id', 'call', 'key']).doNothing())
    .executeTakeFirst()
  if (inserted.numInsertedOrUpdatedRows === 0n) {
    const first = await db
      .selectFrom('idempotency_key')
      .select(['id', 'body_hash', 'response'])
      .where('company_id', '=', company_id)
      .where('account_id', '=', currentUser.account_id)
      .where('call', '=', call.route)
      .where('key', '=', key)
      .executeTakeFirstOrThrow()
    if (!first.body_hash.equals(body_hash))
      throw invalidInput('Idempotency-Key', '同一个操作编号不能用于不同的内容，请刷新后重试')
    if (first.response === null) throw new Error('an idempotency key without an answer')
    return vault.open(setPosition(first.id), first.response)
  }
  await deleteOldKeys(ctx)
  const answer = await work()
  await db
    .updateTable('idempotency_key')
    .set({ response: vault.seal(setPosition(id), answer) })
    .where('company_id', '=', company_id)
    .where('id', '=', id)
    .execute()
  return answer
}

/** Skips rows that another request is deleting, so that two requests never wait for each other. */
async function deleteOldKeys({ db, company_id, now }: HandlerContext): Promise<void> {
  await sql`
    delete from idempotency_key where company_id = ${company_id} and id in (
      select id from idempotency_key where company_id = ${company_id} and created_at < ${new Date(now.getTime() - keyRetentionMs)}
      order by id limit ${sweepRows} for update skip locked)`.execute(db)
}
