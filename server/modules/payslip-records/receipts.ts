/** Receipts of confirmations: signed once, stored encrypted with the confirmed content, never changed. Writes receipt. */
import { randomBytes, sign } from 'node:crypto'
import { sql } from 'kysely'
import * as z from 'zod/mini'
import { defineDocument } from '../../crypto/sealed-document.ts'
import type { SealPosition } from '../../crypto/secrets.ts'
import type { CompanyVaultTx } from '../../database/company-tx.ts'
import type { HandlerContext } from '../../http/handler.ts'
import { newId } from '../../shared/ids.ts'
import { getSigningKey } from './keys.ts'
import { buildSigningInput, computeCommitment, hashHandwriting, type ReceiptClaims, receiptFormat } from './verifier/receipt.ts'

const receiptContentSchema = z.object({
  receipt: z.string(),
  /** The confirmed payslip in its canonical form; null where only its hash was stored at the time. */
  form: z.nullable(z.string()),
  hash: z.string(),
  salt: z.string(),
  handwriting: z.nullable(z.string()),
})
type ReceiptContent = z.infer<typeof receiptContentSchema>
const receiptContentDocument = defineDocument<ReceiptContent>({ kind: 'receipt', version: 1, schema: receiptContentSchema })
const getReceiptPosition = (id: string): SealPosition => ({ table: 'receipt', row: id, column: 'proof' })

/** What was confirmed, when, and by whom. */
export type Confirmation = Pick<ReceiptClaims, 'kind' | 'company' | 'person' | 'month' | 'slip_id' | 'version'> &
  Pick<ReceiptContent, 'form' | 'hash' | 'handwriting'> & { readonly confirmed_at: Date }

/** Signs a confirmation. Each payslip version has one receipt; a second call returns the first one. */
export async function issueReceipt(
  ctx: CompanyVaultTx & Pick<HandlerContext, 'now'>,
  confirmation: Confirmation,
): Promise<string> {
  const { db, company_id, vault, now } = ctx
  const { form, hash, handwriting, confirmed_at, ...claims } = confirmation
  const { kid, key } = await getSigningKey(ctx)
  const salt = randomBytes(32).toString('base64url')
  const signingInput = buildSigningInput(kid, {
    ...claims,
    form: receiptFormat,
    company_id,
    confirmed_at: confirmed_at.toISOString(),
    signed_at: now.toISOString(),
    slip: computeCommitment(salt, hash),
    handwriting: handwriting === null ? null : hashHandwriting(handwriting),
  })
  const receipt = `${signingInput}.${sign(null, Buffer.from(signingInput), key).toString('base64url')}`
  const id = newId()
  const { numInsertedOrUpdatedRows } = await db
    .insertInto('receipt')
    .values({
      company_id,
      id,
      salary_id: claims.slip_id,
      version: claims.version,
      made_at: now,
      proof: receiptContentDocument.seal(vault, getReceiptPosition(id), { receipt, form, hash, salt, handwriting }),
    })
    .onConflict((conflict) => conflict.columns(['company_id', 'salary_id', 'version']).doNothing())
    .executeTakeFirst()
  if (numInsertedOrUpdatedRows === 1n) return receipt
  const existing = (await listReceipts(ctx, [claims.slip_id])).find(({ version }) => version === claims.version)
  if (!existing) throw new Error('a receipt that was there is gone')
  return existing.receipt
}

export type StoredReceipt = ReceiptContent & { readonly salary_id: string; readonly version: number; readonly made_at: Date }

/** Returns the receipts of all versions of these payslips, oldest first. */
export async function listReceipts(
  { db, company_id, vault }: CompanyVaultTx,
  slip_ids: readonly string[],
): Promise<StoredReceipt[]> {
  const rows = await db
    .selectFrom('receipt')
    .select(['id', 'salary_id', 'version', 'made_at', 'proof'])
    .where('company_id', '=', company_id)
    .where('salary_id', '=', sql<string>`any(${[...slip_ids]}::uuid[])`)
    .orderBy('salary_id')
    .orderBy('version')
    .execute()
  return rows.map(({ id, proof: sealedContent, ...row }) => ({
    ...row,
    ...receiptContentDocument.open(vault, getReceiptPosition(id), sealedContent),
  }))
}
