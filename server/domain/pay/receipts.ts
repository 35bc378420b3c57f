/** Receipts of confirmations: signed once, kept sealed with what they are receipts of, never changed. Writes receipt. */
import { randomBytes, sign } from 'node:crypto'
import { sql } from 'kysely'
import * as z from 'zod/mini'
import { documentKind } from '../../runtime/data/document.ts'
import type { Ctx } from '../../runtime/handle.ts'
import { newId } from '../../runtime/ids.ts'
import type { Place } from '../../runtime/secrets.ts'
import { signingKey } from './keys.ts'
import { commitmentOf, handwritingHash, type ReceiptSays, receipt_form, signedTextOf } from './verifier/receipt.ts'

type Here = Pick<Ctx, 'db' | 'company_id' | 'vault'>

const proof = z.object({
  receipt: z.string(),
  /** The slip in its canonical form as it was confirmed; null where only its hash was kept then. */
  form: z.nullable(z.string()),
  hash: z.string(),
  salt: z.string(),
  handwriting: z.nullable(z.string()),
})
type Proof = z.infer<typeof proof>
const receiptProof = documentKind<Proof>({ kind: 'receipt', version: 1, schema: proof })
const place = (id: string): Place => ({ table: 'receipt', row: id, column: 'proof' })

/** What was confirmed, by whom and when. */
export type Confirmation = Pick<ReceiptSays, 'kind' | 'company' | 'person' | 'month' | 'slip_id' | 'version'> &
  Pick<Proof, 'form' | 'hash' | 'handwriting'> & { readonly confirmed_at: Date }

/** Signs what was confirmed. Of one version there is one receipt: whoever comes second is given the first. */
export async function issueReceipt(ctx: Here & Pick<Ctx, 'now'>, confirmed: Confirmation): Promise<string> {
  const { db, company_id, vault, now } = ctx
  const { form, hash, handwriting, confirmed_at, ...told } = confirmed
  const { kid, key } = await signingKey(ctx)
  const salt = randomBytes(32).toString('base64url')
  const text = signedTextOf(kid, {
    ...told,
    form: receipt_form,
    company_id,
    confirmed_at: confirmed_at.toISOString(),
    signed_at: now.toISOString(),
    slip: commitmentOf(salt, hash),
    handwriting: handwriting === null ? null : handwritingHash(handwriting),
  })
  const receipt = `${text}.${sign(null, Buffer.from(text), key).toString('base64url')}`
  const id = newId()
  const { numInsertedOrUpdatedRows } = await db
    .insertInto('receipt')
    .values({
      company_id,
      id,
      salary_id: told.slip_id,
      version: told.version,
      made_at: now,
      proof: receiptProof.seal(vault, place(id), { receipt, form, hash, salt, handwriting }),
    })
    .onConflict((conflict) => conflict.columns(['company_id', 'salary_id', 'version']).doNothing())
    .executeTakeFirst()
  if (numInsertedOrUpdatedRows === 1n) return receipt
  const kept = (await receiptsOf(ctx, [told.slip_id])).find(({ version }) => version === told.version)
  if (!kept) throw new Error('a receipt that was there is gone')
  return kept.receipt
}

export type KeptReceipt = Proof & { readonly salary_id: string; readonly version: number; readonly made_at: Date }

/** The receipts of these slips, of all their versions, the first one first. */
export async function receiptsOf({ db, company_id, vault }: Here, slip_ids: readonly string[]): Promise<KeptReceipt[]> {
  const rows = await db
    .selectFrom('receipt')
    .select(['id', 'salary_id', 'version', 'made_at', 'proof'])
    .where('company_id', '=', company_id)
    .where('salary_id', '=', sql<string>`any(${[...slip_ids]}::uuid[])`)
    .orderBy('salary_id')
    .orderBy('version')
    .execute()
  return rows.map(({ id, proof: sealed, ...row }) => ({ ...row, ...receiptProof.open(vault, place(id), sealed) }))
}
