/** What employees do to their slips, or let pass, compare and set: false when the slip is not in the state any more in which it was shown. */
import { sql } from 'kysely'
import * as z from 'zod/mini'
import { readable } from '../../contract/words/states.ts'
import { documentKind } from '../../runtime/data/document.ts'
import type { Ctx } from '../../runtime/handle.ts'
import type { Place, Vault } from '../../runtime/secrets.ts'
import { type ToldSlip, tellWebhooks } from '../company/index.ts'
import { slip_form } from '../pay/index.ts'
import { wantOnCards } from './care/cards.ts'

type Here = Pick<Ctx, 'db' | 'company_id' | 'now'>
type Acting = Here & Pick<Ctx, 'jobs'>

/** For queries on `salary`: when the person was given what the slip now says. */
export const given_at = sql<Date>`greatest(salary.sent_at, salary.corrected_at)`

/** The first look; also at a slip that has confirmed itself unseen. */
export async function markViewed(ctx: Acting, salary_id: string): Promise<boolean> {
  const { db, company_id, now } = ctx
  const viewed = await db
    .updateTable('salary')
    .set({ status: sql`case when status = 'sent' then 'viewed' else status end`, viewed_at: now })
    .where('company_id', '=', company_id)
    .where('id', '=', salary_id)
    .where('status', 'in', readable)
    .where('viewed_at', 'is', null)
    .returning(['id as salary_id', 'batch_id'])
    .execute()
  await tellWebhooks({ db, company_id, now }, 'slip.viewed', viewed)
  if (viewed.length > 0) await wantOnCards(ctx, 'viewed', [salary_id])
  return viewed.length === 1
}

const confirmation = documentKind<{ readonly form: string; readonly hash: string }>({
  kind: 'confirmation',
  version: 1,
  schema: z.object({ form: z.string(), hash: z.string().check(z.regex(/^[\w-]{43}$/)) }),
})
const hashPlace = (salary_id: string, version: number): Place => ({
  table: 'salary',
  row: salary_id,
  column: 'confirmed_hash',
  version,
})
const sealHash = (vault: Vault, salary_id: string, version: number, hash: string): Buffer =>
  confirmation.seal(vault, hashPlace(salary_id, version), { form: slip_form, hash })

/** The hash of what was confirmed. What has confirmed itself was shown to nobody: it is that of its first showing, and kept from then on. */
export async function confirmedHash(
  { db, company_id, vault }: Pick<Ctx, 'db' | 'company_id' | 'vault'>,
  salary: { readonly id: string; readonly version: number; readonly confirmed_hash: Buffer | null },
  shown: string,
): Promise<string> {
  const { id, version } = salary
  if (salary.confirmed_hash) return confirmation.open(vault, hashPlace(id, version), salary.confirmed_hash).hash
  await db
    .updateTable('salary')
    .set({ confirmed_hash: sealHash(vault, id, version, shown) })
    .where('company_id', '=', company_id)
    .where('id', '=', id)
    .where('version', '=', version)
    .where('status', '=', 'confirmed')
    .where('confirmed_hash', 'is', null)
    .execute()
  return shown
}

const signaturePlace = (salary_id: string, version: number): Place => ({
  table: 'salary',
  row: salary_id,
  column: 'signature',
  version,
})
/** The handwriting with which it was confirmed, as an SVG path; null where there is none. */
export const signatureOf = (
  vault: Vault,
  {
    id,
    confirmed_version,
    signature,
  }: { readonly id: string; readonly confirmed_version: number | null; readonly signature: Buffer | null },
): string | null => (signature ? vault.open<string>(signaturePlace(id, confirmed_version ?? 1), signature) : null)

/** Confirms exactly what was shown: the version, and the hash of its canonical form; the handwriting, if any, is sealed. */
export async function markConfirmed(
  ctx: Acting & Pick<Ctx, 'vault'>,
  salary_id: string,
  { version, hash, signature }: { readonly version: number; readonly hash: string; readonly signature: string | null },
): Promise<boolean> {
  const { db, company_id, now, vault } = ctx
  const confirmed = await db
    .updateTable('salary')
    .set({
      status: 'confirmed',
      confirmed_at: now,
      confirmed_version: version,
      confirmed_hash: sealHash(vault, salary_id, version, hash),
      viewed_at: sql`coalesce(viewed_at, ${now})`,
      signature: signature ? vault.seal(signaturePlace(salary_id, version), signature) : null,
    })
    .where('company_id', '=', company_id)
    .where('id', '=', salary_id)
    .where('version', '=', version)
    .where('status', 'in', ['sent', 'viewed'])
    .returning(['id as salary_id', 'batch_id'])
    .execute()
  await tellWebhooks({ db, company_id, now }, 'slip.confirmed', confirmed)
  if (confirmed.length > 0) await wantOnCards(ctx, 'confirmed', [salary_id])
  return confirmed.length === 1
}

/**
 * Of a batch that asks for confirmation, whatever was given from `since` until `overdue` and has neither been confirmed nor asked about: it counts as
 * confirmed, and is marked as not confirmed by the person. The time of the first look stays as it is. Answers how many.
 */
export async function markOverdue(
  { db, company_id, now }: Here,
  batch_id: string,
  since: Date | null,
  overdue: Date,
): Promise<number> {
  const { rows: confirmed } = await sql<ToldSlip>`
    update salary set status = 'confirmed', confirmed_at = ${now}, confirmed_version = version, confirmed_auto = true
    where company_id = ${company_id} and batch_id = ${batch_id} and status in ('sent', 'viewed') and ${given_at} <= ${overdue} ${since ? sql`and ${given_at} >= ${since}` : sql``}
      and exists (select from batch where batch.company_id = ${company_id} and batch.id = ${batch_id} and (batch.rules ->> 'confirm')::boolean)
      and not exists (select from feedback where feedback.company_id = ${company_id} and feedback.salary_id = salary.id)
    returning id as salary_id, batch_id`.execute(db)
  await tellWebhooks({ db, company_id, now }, 'slip.confirmed', confirmed)
  return confirmed.length
}
