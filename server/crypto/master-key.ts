/**
 * The master key: it wraps the data keys of the companies and the installation's own key, and encrypts nothing else.
 * While it is being replaced there are two: the new one, and the previous one that still wraps some of the keys. A check
 * value in the database tells which of them wraps now.
 */
import { hkdfSync, randomBytes } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import type { Tx } from '../database/database.ts'
import { openWith, sealWith } from './cipher.ts'

/** The new master key first, then the previous one if there is one. */
export type MasterKeys = readonly Buffer[]

/** Parses 32 bytes in base64 or hex; `variable` names the environment variable in the error. */
export function parseMasterKey(text: string, variable: string): Buffer {
  const key = /^[0-9a-f]{64}$/i.test(text) ? Buffer.from(text, 'hex') : Buffer.from(text, 'base64')
  if (key.length !== 32) throw new Error(`${variable} must be 32 bytes in base64 or hex`)
  if (key.every((byte) => byte === 0)) throw new Error(`${variable} consists of zeros: make a key with "openssl rand -base64 32"`)
  return key
}

/**
 * Reads the master key: 32 bytes from `XINHAN_MASTER_KEY` (base64 or hex), or from a key file that is created on the
 * first start.
 */
export function readMasterKey(options: { provided: string | null; file: string; mayCreate: boolean }): Buffer {
  if (options.provided) return parseMasterKey(options.provided, 'XINHAN_MASTER_KEY')
  if (existsSync(options.file)) {
    const key = Buffer.from(readFileSync(options.file, 'utf8').trim(), 'base64')
    if (key.length !== 32) throw new Error(`${options.file} does not hold a key of 32 bytes in base64`)
    return key
  }
  if (!options.mayCreate) throw new Error(`no master key: set XINHAN_MASTER_KEY or put one into ${options.file}`)
  const key = randomBytes(32)
  // Other users may traverse the directory (the database's own user must), but not list it; the key file is readable
  // only by its owner.
  mkdirSync(dirname(options.file), { recursive: true, mode: 0o711 })
  writeFileSync(options.file, `${key.toString('base64')}\n`, { mode: 0o600, flag: 'wx' })
  return key
}

/** Reads the master key before the current one; null unless the keys are being wrapped again. */
export const readPreviousMasterKey = (provided: string | null): Buffer | null =>
  provided === null ? null : parseMasterKey(provided, 'XINHAN_MASTER_KEY_PREVIOUS')

/** Names a master key where servers and commands compare which one they have, without telling anything about it. */
export const getKeyFingerprint = (master: Buffer): string =>
  Buffer.from(hkdfSync('sha256', master, '', 'fingerprint', 4)).toString('hex')

/** Opens with the first key that fits; null if none does. */
function tryOpen(masters: MasterKeys, aad: string, sealed: Buffer): { readonly master: Buffer; readonly plain: Buffer } | null {
  for (const master of masters)
    try {
      return { master, plain: openWith(master, aad, sealed) }
    } catch {
      // Wrapped by another key: the next one is tried.
    }
  return null
}

export type CompanyKeyId = { readonly company_id: string; readonly id: number }
const getWrapAad = ({ company_id, id }: CompanyKeyId) => `company_key|${company_id}|${id}`

export const wrapCompanyKey = (master: Buffer, key_id: CompanyKeyId, key: Buffer): Buffer =>
  sealWith(master, 0, getWrapAad(key_id), key)

/** Unwraps a company's data key; returns it with the master key that wraps it, or null if none of them does. */
export const findCompanyKey = (masters: MasterKeys, { wrapped, ...key_id }: CompanyKeyId & { readonly wrapped: Buffer }) =>
  tryOpen(masters, getWrapAad(key_id), wrapped)

/** Unwraps a company's data key; throws with another master key. */
export function openCompanyKey(masters: MasterKeys, key: CompanyKeyId & { readonly wrapped: Buffer }): Buffer {
  const match = findCompanyKey(masters, key)
  if (!match) throw new Error('the key of the company was wrapped by another master key')
  return match.plain
}

/** For data that belongs to no company: one key to encrypt and one for keyed hashes. */
export type InstallationKey = { readonly seal: Buffer; readonly mac: Buffer }

export const deriveInstallationKey = (master: Buffer): InstallationKey => ({
  seal: Buffer.from(hkdfSync('sha256', master, '', 'installation seal', 32)),
  mac: Buffer.from(hkdfSync('sha256', master, '', 'installation', 32)),
})

const installationAad = 'installation_key|1'
const checkAad = 'master_key_check'
const checkText = Buffer.from('xinhan')

/** Loads the installation's own key. `active` is the master key that wraps now, from which it derives if it is not stored. */
export async function loadInstallationKey(tx: Tx, masters: MasterKeys, active: Buffer): Promise<InstallationKey> {
  const row = await tx.selectFrom('installation_key').select('wrapped').where('id', '=', 1).executeTakeFirst()
  if (!row) return deriveInstallationKey(active)
  const match = tryOpen(masters, installationAad, row.wrapped)
  if (!match) throw new Error(anotherMasterKey)
  return { seal: match.plain.subarray(0, 32), mac: match.plain.subarray(32) }
}

const anotherMasterKey = 'this database was written with another master key; without that key its pay data cannot be read'
const unfinishedRewrap =
  'the keys are not yet all wrapped by this master key: set XINHAN_MASTER_KEY_PREVIOUS to the former one as well, and run ' +
  '"npm run keys -- rewrap" (docs/operations/keys.md)'

/** Returns the master key that wraps now. Throws if none of these does, or if the previous one is still needed and missing. */
export async function verifyMasterKeys(tx: Tx, masters: MasterKeys): Promise<Buffer> {
  const row = await tx.selectFrom('master_key_check').select(['sealed', 'previous_sealed']).where('id', '=', 1).executeTakeFirst()
  if (row) {
    const active = tryOpen(masters, checkAad, row.sealed)
    if (!active) throw new Error(anotherMasterKey)
    if (row.previous_sealed && !tryOpen(masters, checkAad, row.previous_sealed)) throw new Error(unfinishedRewrap)
    return active.master
  }
  const [master] = masters
  if (!master) throw new TypeError('no master key')
  await tx
    .insertInto('master_key_check')
    .values({ id: 1, sealed: sealWith(master, 0, checkAad, checkText) })
    .onConflict((conflict) => conflict.doNothing())
    .execute()
  return master
}

/**
 * Returns the master key that wraps new keys, and keeps it until the end of the transaction: the database decides, because
 * servers with and without the new master key run side by side while it is being replaced.
 */
export async function lockWrappingKey(tx: Tx, masters: MasterKeys): Promise<Buffer> {
  const row = await tx.selectFrom('master_key_check').select('sealed').where('id', '=', 1).forShare().executeTakeFirst()
  const match = row ? tryOpen(masters, checkAad, row.sealed)?.master : masters[0]
  if (!match) throw new Error(anotherMasterKey)
  return match
}

/**
 * Makes the first of these master keys the one that wraps. The installation's key is wrapped again at once; the keys of
 * the companies follow one by one. Repeated after an interruption it changes nothing.
 */
export async function switchMasterKey(tx: Tx, [current, previous]: readonly [Buffer, Buffer]): Promise<void> {
  const row = await tx
    .selectFrom('master_key_check')
    .select(['sealed', 'previous_sealed'])
    .where('id', '=', 1)
    .forUpdate()
    .executeTakeFirst()
  const active = row && tryOpen([current, previous], checkAad, row.sealed)?.master
  if (!row || !active) throw new Error(anotherMasterKey)
  if (row.previous_sealed && !tryOpen([previous], checkAad, row.previous_sealed))
    throw new Error('an earlier re-wrapping is not finished: finish it with the two master keys it began with')
  if (active === current) return
  const { seal, mac } = await loadInstallationKey(tx, [previous, current], previous)
  const wrapped = sealWith(current, 0, installationAad, Buffer.concat([seal, mac]))
  await tx
    .insertInto('installation_key')
    .values({ id: 1, wrapped })
    .onConflict((conflict) => conflict.column('id').doUpdateSet({ wrapped }))
    .execute()
  await tx
    .updateTable('master_key_check')
    .set({ sealed: sealWith(current, 0, checkAad, checkText), previous_sealed: row.sealed })
    .where('id', '=', 1)
    .execute()
}

/** States that no key is wrapped by the previous master key any more. */
export const forgetPreviousMasterKey = async (tx: Tx): Promise<void> =>
  void (await tx.updateTable('master_key_check').set({ previous_sealed: null }).where('id', '=', 1).execute())
