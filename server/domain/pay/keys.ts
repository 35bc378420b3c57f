/** With what a company signs: one Ed25519 key after the other. The newest signs; all of them are kept to check by. Writes receipt_key. */
import { createPrivateKey, generateKeyPairSync, type KeyObject, sign } from 'node:crypto'
import type { Ctx } from '../../runtime/handle.ts'
import { type KeyEntry, kidOf, statementOf } from './verifier/keys.ts'

type Here = Pick<Ctx, 'db' | 'company_id'>
type Signing = Here & Pick<Ctx, 'vault' | 'now'>
export type SigningKey = { readonly kid: string; readonly key: KeyObject }

/** A key signs for a year; what it has signed stays good, and nobody can sign with it later: its private half is erased. */
const lives_ms = 365 * 86_400_000
const place = (number: number) => ({ table: 'receipt_key', row: String(number), column: 'private_key' })

const newestOf = ({ db, company_id }: Here) =>
  db
    .selectFrom('receipt_key')
    .select(['number', 'kid', 'private_key', 'since'])
    .where('company_id', '=', company_id)
    .orderBy('number', 'desc')
    .limit(1)
    .executeTakeFirst()
type Newest = NonNullable<Awaited<ReturnType<typeof newestOf>>>

const opened = ({ vault }: Signing, { number, kid, private_key }: Newest): SigningKey => {
  if (!private_key) throw new Error('the newest key of a company has no private half')
  const key = createPrivateKey({ key: vault.openBytes(place(number), private_key), format: 'der', type: 'pkcs8' })
  return { kid, key }
}

/** The key that signs now; the first is made when it is first wanted, and the next when this one is a year old. */
export async function signingKey(ctx: Signing): Promise<SigningKey> {
  const newest = await newestOf(ctx)
  if (newest && ctx.now.getTime() - newest.since.getTime() < lives_ms) return opened(ctx, newest)
  await makeNext(ctx, newest)
  const made = await newestOf(ctx)
  if (!made) throw new Error('a key that was made is not there')
  return opened(ctx, made)
}

/** Two at once: the second waits for the first and makes none. */
async function makeNext(ctx: Signing, before: Newest | undefined): Promise<void> {
  const { db, company_id, vault, now } = ctx
  const { publicKey, privateKey } = generateKeyPairSync('ed25519')
  const { x = '' } = publicKey.export({ format: 'jwk' })
  const number = (before?.number ?? 0) + 1
  const entry = { kid: kidOf(x), x, since: now.toISOString() }
  const signer = before ? opened(ctx, before).key : privateKey
  const { numInsertedOrUpdatedRows } = await db
    .insertInto('receipt_key')
    .values({
      company_id,
      number,
      kid: entry.kid,
      public_key: Buffer.from(x, 'base64url'),
      private_key: vault.seal(place(number), privateKey.export({ format: 'der', type: 'pkcs8' })),
      since: now,
      signature: sign(null, Buffer.from(statementOf(company_id, entry)), signer),
    })
    .onConflict((conflict) => conflict.columns(['company_id', 'number']).doNothing())
    .executeTakeFirst()
  if (!before || numInsertedOrUpdatedRows !== 1n) return
  await db
    .updateTable('receipt_key')
    .set({ private_key: null })
    .where('company_id', '=', company_id)
    .where('number', '=', before.number)
    .execute()
}

/** All keys that the company ever signed with, the first one first. */
export async function keysOf({ db, company_id }: Here): Promise<KeyEntry[]> {
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
