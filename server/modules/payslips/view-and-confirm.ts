/**
 * Employees' actions on their payslips, and automatic confirmation, as compare-and-set: false when the payslip is no
 * longer in the state in which it was shown.
 */

import { sql } from 'kysely'
import * as z from 'zod/mini'
import { readableStatuses } from '../../contract/shared/statuses.ts'
import { defineDocument } from '../../crypto/sealed-document.ts'
import type { SealPosition, Vault } from '../../crypto/secrets.ts'
import type { HandlerContext } from '../../http/handler.ts'
import { payslipFormat } from '../payslip-records/index.ts'
import { batchView } from '../sheets/read-model.ts'
import { type PayslipRef, queueWebhookEvents } from '../webhooks/index.ts'
import { requestChatStatus } from './send/request-chat-status.ts'

type CompanyTx = Pick<HandlerContext, 'db' | 'company_id' | 'now'>
type CompanyJobTx = CompanyTx & Pick<HandlerContext, 'jobs'>

/** SQL expression for `payslip`: when the current content was delivered. */
export const deliveredVersionAt = sql<Date>`greatest(payslip.sent_at, payslip.corrected_at)`

/** Records the first view, also of a payslip confirmed automatically before it. */
export async function markViewed(ctx: CompanyJobTx, salary_id: string): Promise<boolean> {
  const { db, company_id, now } = ctx
  const viewed = await db
    .updateTable('payslip')
    .set({ status: sql`case when status = 'sent' then 'viewed' else status end`, viewed_at: now })
    .where('company_id', '=', company_id)
    .where('id', '=', salary_id)
    .where('status', 'in', readableStatuses)
    .where('viewed_at', 'is', null)
    .returning(['id as salary_id', 'batch_id', 'member_id'])
    .execute()
  await queueWebhookEvents({ db, company_id, now }, 'slip.viewed', viewed)
  if (viewed.length > 0) await requestChatStatus(ctx, 'viewed', [salary_id])
  return viewed.length === 1
}

const confirmationDocument = defineDocument<{ readonly form: string; readonly hash: string }>({
  kind: 'confirmation',
  version: 1,
  schema: z.object({ form: z.string(), hash: z.string().check(z.regex(/^[\w-]{43}$/)) }),
})
const getConfirmedHashPosition = (salary_id: string, version: number): SealPosition => ({
  table: 'payslip',
  row: salary_id,
  column: 'confirmed_hash',
  version,
})
const sealHash = (vault: Vault, salary_id: string, version: number, hash: string): Buffer =>
  confirmationDocument.seal(vault, getConfirmedHashPosition(salary_id, version), { form: payslipFormat, hash })

/**
 * Returns the hash of the confirmed content. An automatic confirmation was shown to nobody: its hash is computed at the
 * first view and then stored.
 */
export async function getConfirmedHash(
  { db, company_id, vault }: Pick<HandlerContext, 'db' | 'company_id' | 'vault'>,
  salary: { readonly id: string; readonly version: number; readonly confirmed_hash: Buffer | null },
  currentHash: string,
): Promise<string> {
  const { id, version } = salary
  if (salary.confirmed_hash)
    return confirmationDocument.open(vault, getConfirmedHashPosition(id, version), salary.confirmed_hash).hash
  await db
    .updateTable('payslip')
    .set({ confirmed_hash: sealHash(vault, id, version, currentHash) })
    .where('company_id', '=', company_id)
    .where('id', '=', id)
    .where('version', '=', version)
    .where('status', '=', 'confirmed')
    .where('confirmed_hash', 'is', null)
    .execute()
  return currentHash
}

const getSignaturePosition = (salary_id: string, version: number): SealPosition => ({
  table: 'payslip',
  row: salary_id,
  column: 'signature',
  version,
})
/** Returns the handwritten signature of the confirmation as an SVG path; null if there is none. */
export const openSignature = (
  vault: Vault,
  {
    id,
    confirmed_version,
    signature,
  }: { readonly id: string; readonly confirmed_version: number | null; readonly signature: Buffer | null },
): string | null => (signature ? vault.open<string>(getSignaturePosition(id, confirmed_version ?? 1), signature) : null)

/** Confirms exactly what was shown: the version, and the hash of its canonical form; a handwritten signature is encrypted. */
export async function markConfirmed(
  ctx: CompanyJobTx & Pick<HandlerContext, 'vault'>,
  salary_id: string,
  { version, hash, signature }: { readonly version: number; readonly hash: string; readonly signature: string | null },
): Promise<boolean> {
  const { db, company_id, now, vault } = ctx
  const confirmed = await db
    .updateTable('payslip')
    .set({
      status: 'confirmed',
      confirmed_at: now,
      confirmed_version: version,
      confirmed_hash: sealHash(vault, salary_id, version, hash),
      viewed_at: sql`coalesce(viewed_at, ${now})`,
      signature: signature ? vault.seal(getSignaturePosition(salary_id, version), signature) : null,
    })
    .where('company_id', '=', company_id)
    .where('id', '=', salary_id)
    .where('version', '=', version)
    .where('status', 'in', ['sent', 'viewed'])
    .returning(['id as salary_id', 'batch_id', 'member_id'])
    .execute()
  await queueWebhookEvents({ db, company_id, now }, 'slip.confirmed', confirmed)
  if (confirmed.length > 0) await requestChatStatus(ctx, 'confirmed', [salary_id])
  return confirmed.length === 1
}

/**
 * Confirms all payslips sent between `since` and `cutoff`, in batches that require confirmation, that have neither been
 * confirmed nor questioned; they are marked as not confirmed by the employee. The time of the first view stays
 * unchanged. Returns their number.
 */
export async function confirmOverdue(
  { db, company_id, now }: CompanyTx,
  batch_id: string,
  since: Date | null,
  cutoff: Date,
): Promise<number> {
  const { rows: confirmed } = await sql<PayslipRef>`
    update payslip set status = 'confirmed', confirmed_at = ${now}, confirmed_version = version, confirmed_auto = true
    where company_id = ${company_id} and batch_id = ${batch_id} and status in ('sent', 'viewed') and ${deliveredVersionAt} <= ${cutoff} ${since ? sql`and ${deliveredVersionAt} >= ${since}` : sql``}
      and exists (select from ${batchView} where batch.company_id = ${company_id} and batch.id = ${batch_id} and (batch.rules ->> 'confirm')::boolean)
      and not exists (select from feedback where feedback.company_id = ${company_id} and feedback.salary_id = payslip.id)
    returning id as salary_id, batch_id, member_id`.execute(db)
  await queueWebhookEvents({ db, company_id, now }, 'slip.confirmed', confirmed)
  return confirmed.length
}
