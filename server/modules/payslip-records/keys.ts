/** Signing keys of a company: successive Ed25519 keys. The newest signs; all are stored to verify. Writes receipt_key. */
import { createPrivateKey, generateKeyPairSync, type KeyObject, sign } from 'node:crypto'
import type { CompanyTx } from '../../database/company-tx.ts'
import type { HandlerContext } from '../../http/handler.ts'
import { computeKeyId, formatKeyStatement, type KeyEntry } from './verifier/keys.ts'

type SigningContext = CompanyTx & Pick<HandlerContext, 'vault' | 'now'>
export type SigningKey = { readonly kid: string; readonly key: KeyObject }

/** A key signs for one year. Its signatures remain valid, and nobody can create more: the private key is erased. */
const keyLifetimeMs = 365 * 86_400_000
const getPrivateKeyPosition = (number: number) => ({ table: 'receipt_key', row: String(number), column: 'private_key' })

const findLatestKey = ({ db, company_id }: CompanyTx) =>
  db
    .selectFrom('receipt_key')
    .select(['number', 'kid', 'private_key', 'since'])
    .where('company_id', '=', company_id)
    .orderBy('number', 'desc')
    .limit(1)
    .executeTakeFirst()
type LatestKey = NonNullable<Awaited<ReturnType<typeof findLatestKey>>>

const openSigningKey = ({ vault }: SigningContext, { number, kid, private_key }: LatestKey): SigningKey => {
  if (!private_key) throw new Error('the newest key of a company has no private half')
  const key = createPrivateKey({ key: vault.openBytes(getPrivateKeyPosition(number), private_key), format: 'der', type: 'pkcs8' })
  return { kid, key }
}

/** Returns the current signing key. The first is created on first use, the next when the current one is a year old. */
export async function getSigningKey(ctx: SigningContext): Promise<SigningKey> {
  const latest = await findLatestKey(ctx)
  if (latest && ctx.now.getTime() - latest.since.getTime() < keyLifetimeMs) return openSigningKey(ctx, latest)
  await createNextKey(ctx, latest)
  const created = await findLatestKey(ctx)
  if (!created) throw new Error('a key that was made is not there')
  return openSigningKey(ctx, created)
}

/** Creates the next key. Of two concurrent calls, the second waits for the first and creates none. */
async function createNextKey(ctx: SigningContext, previousKey: LatestKey | undefined): Promise<void> {
  const { db, company_id, vault, now } = ctx
  const { publicKey, privateKey } = generateKeyPairSync('ed25519')
  const { x = '' } = publicKey.export({ format: 'jwk' })
  const number = (previousKey?.number ?? 0) + 1
  const entry = { kid: computeKeyId(x), x, since: now.toISOString() }
  const signer = previousKey ? openSigningKey(ctx, previousKey).key : privateKey
  const { numInsertedOrUpdatedRows } = await db
    .insertInto('receipt_key')
    .values({
      company_id,
      number,
      kid: entry.kid,
      public_key: Buffer.from(x, 'base64url'),
      private_key: vault.seal(getPrivateKeyPosition(number), privateKey.export({ format: 'der', type: 'pkcs8' })),
      since: now,
      signature: sign(null, Buffer.from(formatKeyStatement(company_id, entry)), signer),
    })
    .onConflict((conflict) => conflict.columns(['company_id', 'number']).doNothing())
    .executeTakeFirst()
  if (!previousKey || numInsertedOrUpdatedRows !== 1n) return
  await db
    .updateTable('receipt_key')
    .set({ private_key: null })
    .where('company_id', '=', company_id)
    .where('number', '=', previousKey.number)
    .execute()
}

/** Returns all keys that the company has ever signed with, oldest first. */
export async function listReceiptKeys({ db, company_id }: CompanyTx): Promise<KeyEntry[]> {
  const rows = await db
    .selectFrom('receipt_key')
    .select(['kid', 'public_key', 'since', 'signature'])
    .where('company_id', '=', company_id)
    .orderBy('number')
    .execute()
  return rows.map(({ kid, public_key, since, signature }) => ({
    kid,
    x: public_key.toString('base64url'),
    since: since.toISOString(),
    signature: signature.toString('base64url'),
  }))
}
