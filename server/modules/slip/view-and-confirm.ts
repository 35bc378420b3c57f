/** What employees do to their slips, or let pass, compare and set: false when the slip is not in the state any more in which it was shown. */
import { sql } from 'kysely'
import * as z from 'zod/mini'
import { readableStatuses } from '../../contract/shared/statuses.ts'
import { defineDocument } from '../../crypto/sealed-document.ts'
import type { SealPosition, Vault } from '../../crypto/secrets.ts'
import type { HandlerContext } from '../../http/handler.ts'
import { type PayslipRef, queueWebhookEvents } from '../company/index.ts'
import { payslipFormat } from '../pay/index.ts'
import { requestChatStatus } from './send/chat-status.ts'

type CompanyTx = Pick<HandlerContext, 'db' | 'company_id' | 'now'>
type CompanyJobTx = CompanyTx & Pick<HandlerContext, 'jobs'>

/** For queries on `salary`: when the person was given what the slip now says. */
export const deliveredVersionAt = sql<Date>`greatest(payslip.sent_at, payslip.corrected_at)`

/** The first look; also at a slip that has confirmed itself unseen. */
export async function markViewed(ctx: CompanyJobTx, salary_id: string): Promise<boolean> {
  const { db, company_id, now } = ctx
  const viewed = await db
    .updateTable('payslip')
    .set({ status: sql`case when status = 'sent' then 'viewed' else status end`, viewed_at: now })
    .where('company_id', '=', company_id)
    .where('id', '=', salary_id)
    .where('status', 'in', readableStatuses)
    .where('viewed_at', 'is', null)
    .returning(['id as salary_id', 'batch_id'])
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

/** The hash of what was confirmed. What has confirmed itself was shown to nobody: it is that of its first showing, and kept from then on. */
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
/** The handwriting with which it was confirmed, as an SVG path; null where there is none. */
export const openSignature = (
  vault: Vault,
  {
    id,
    confirmed_version,
    signature,
  }: { readonly id: string; readonly confirmed_version: number | null; readonly signature: Buffer | null },
): string | null => (signature ? vault.open<string>(getSignaturePosition(id, confirmed_version ?? 1), signature) : null)

/** Confirms exactly what was shown: the version, and the hash of its canonical form; the handwriting, if any, is sealed. */
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
    .returning(['id as salary_id', 'batch_id'])
    .execute()
  await queueWebhookEvents({ db, company_id, now }, 'slip.confirmed', confirmed)
  if (confirmed.length > 0) await requestChatStatus(ctx, 'confirmed', [salary_id])
  return confirmed.length === 1
}

/**
 * Of a batch that asks for confirmation, whatever was given from `since` until `cutoff` and has neither been confirmed nor asked about: it counts as
 * confirmed, and is marked as not confirmed by the person. The time of the first look stays as it is. Answers how many.
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
      and exists (select from batch where batch.company_id = ${company_id} and batch.id = ${batch_id} and (batch.rules ->> 'confirm')::boolean)
      and not exists (select from feedback where feedback.company_id = ${company_id} and feedback.salary_id = payslip.id)
    returning id as salary_id, batch_id`.execute(db)
  await queueWebhookEvents({ db, company_id, now }, 'slip.confirmed', confirmed)
  return confirmed.length
}
