/** Prepaid SMS: a ledger of what was taken and given back; `company.sms_left` is its sum and never below zero. */
import { sql } from 'kysely'
import type { Tx } from '../../runtime/db.ts'
import { refuse } from '../../runtime/handle.ts'
import { newId } from '../../runtime/ids.ts'

type Here = { readonly db: Tx; readonly company_id: string; readonly now: Date }

/**
 * Takes `count` messages for `ref` (a plan, a reminder, …). The same (why, ref) takes only once, so that a retried job costs
 * nothing. Refuses `sms_used_up` with `{needed, left}` when there are not enough; nothing is taken then.
 */
export async function takeSms(ctx: Here, count: number, why: string, ref: string): Promise<void> {
  await book(ctx, -whole(count), why, ref)
}

/** Gives back what could not be used, once for each (why, ref). */
export async function giveBackSms(ctx: Here, count: number, why: string, ref: string): Promise<void> {
  await book(ctx, whole(count), why, ref)
}

async function book({ db, company_id, now }: Here, change: number, why: string, ref: string): Promise<void> {
  if (change === 0) return
  // The lock on the company's row puts simultaneous senders in a line: the last message is never sold twice. No stronger lock: others
  // only name the company in a row of their own, and two of them who book afterwards must not wait for each other.
  const { sms_left } = await db
    .selectFrom('company')
    .select('sms_left')
    .where('id', '=', company_id)
    .forNoKeyUpdate()
    .executeTakeFirstOrThrow()
  const booked = await db
    .selectFrom('sms_entry')
    .select('id')
    .where('company_id', '=', company_id)
    .where('why', '=', why)
    .where('ref', '=', ref)
    .executeTakeFirst()
  if (booked) return
  if (sms_left + change < 0) throw refuse('sms_used_up', undefined, { needed: -change, left: sms_left })
  await db.insertInto('sms_entry').values({ company_id, id: newId(), change, why, ref, created_at: now }).execute()
  await db
    .updateTable('company')
    .set({ sms_left: sql`sms_left + ${change}` })
    .where('id', '=', company_id)
    .execute()
}

function whole(count: number): number {
  if (!Number.isSafeInteger(count) || count < 0) throw new RangeError('a number of messages is whole and not negative')
  return count
}

/** What is left, with the row held until the transaction ends: whoever takes after having looked takes what he has seen. */
export async function lockedSmsLeft({ db, company_id }: Pick<Here, 'db' | 'company_id'>): Promise<number> {
  const row = await db
    .selectFrom('company')
    .select('sms_left')
    .where('id', '=', company_id)
    .forNoKeyUpdate()
    .executeTakeFirstOrThrow()
  return row.sms_left
}

/** By what a plan can reach people: the chat platform that the company is bound to, and the messages it has left. */
export const meansOf = ({ db, company_id }: Pick<Here, 'db' | 'company_id'>) =>
  db.selectFrom('company').select(['provider', 'sms_left']).where('id', '=', company_id).executeTakeFirstOrThrow()
