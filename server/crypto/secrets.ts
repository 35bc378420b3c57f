/**
 * Encryption of what belongs to a company: AES-256-GCM, one data key a company, wrapped by the master key. What is sealed is bound
 * to its place (table, company, row, column): moved elsewhere it does not open. Deleting a company's key deletes its pay data.
 *
 * Sealed form: 1 byte format · 4 bytes key id · 12 bytes nonce · ciphertext · 16 bytes tag.
 */
import { createCipheriv, createDecipheriv, createHmac, hkdfSync, randomBytes } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import type { Tx } from '../database/database.ts'
import { takeRandomBytes } from './random.ts'

const format = 1
const headerBytes = 5
/** The first bytes of what is sealed: format, key and nonce. Sealed once more, the same value has others. */
export const sealedHeaderBytes = headerBytes + 12

function sealWith(key: Buffer, key_id: number, aad: string, plain: Buffer): Buffer {
  const nonce = takeRandomBytes(12)
  const cipher = createCipheriv('aes-256-gcm', key, nonce)
  cipher.setAAD(Buffer.from(aad))
  const start = Buffer.alloc(headerBytes)
  start[0] = format
  start.writeUInt32BE(key_id, 1)
  return Buffer.concat([start, nonce, cipher.update(plain), cipher.final(), cipher.getAuthTag()])
}

function openWith(key: Buffer, aad: string, sealed: Buffer): Buffer {
  if (sealed.length < headerBytes + 28 || sealed[0] !== format) throw new Error('not a sealed value')
  const decipher = createDecipheriv('aes-256-gcm', key, sealed.subarray(headerBytes, headerBytes + 12))
  decipher.setAAD(Buffer.from(aad))
  decipher.setAuthTag(sealed.subarray(-16))
  const plain = decipher.update(sealed.subarray(headerBytes + 12, -16))
  // Throws where the tag is another; of this kind nothing is ever left over for it.
  decipher.final()
  return plain
}

/** The place of a value; it opens only there. */
export type SealPosition = { readonly table: string; readonly row: string; readonly column: string; readonly version?: number }

export class Vault {
  readonly #company_id: string
  readonly #keys: ReadonlyMap<number, Buffer>
  readonly #newest: number
  readonly #indexKey: Buffer

  constructor(company_id: string, keys: ReadonlyMap<number, Buffer>) {
    this.#company_id = company_id
    this.#keys = keys
    this.#newest = Math.max(...keys.keys())
    const first = keys.get(Math.min(...keys.keys()))
    if (!first) throw new Error('a company without a key')
    this.#indexKey = Buffer.from(hkdfSync('sha256', first, '', 'blind index', 32))
  }

  #aad = (position: SealPosition): string =>
    `${position.table}|${this.#company_id}|${position.row}|${position.column}|${position.version ?? 0}`

  /** Seals bytes, text, or any JSON value. */
  seal(position: SealPosition, value: unknown): Buffer {
    const key = this.#keys.get(this.#newest)
    if (!key) throw new Error('a company without a key')
    return sealWith(key, this.#newest, this.#aad(position), Buffer.isBuffer(value) ? value : Buffer.from(JSON.stringify(value)))
  }
  openBytes(position: SealPosition, sealed: Buffer): Buffer {
    const key = this.#keys.get(sealed.length > headerBytes ? sealed.readUInt32BE(1) : -1)
    if (!key) throw new Error('sealed with a key that is gone')
    return openWith(key, this.#aad(position), sealed)
  }
  /** What `seal` was given, for JSON values. The caller names the type that it sealed. */
  open<T>(position: SealPosition, sealed: Buffer): T {
    return JSON.parse(this.openBytes(position, sealed).toString('utf8')) as T
  }
  /** A keyed hash by which equal values are found without being readable. */
  blindIndex(kind: string, text: string): Buffer {
    return createHmac('sha256', this.#indexKey).update(`${kind}|${text}`).digest()
  }
}

export type Secrets = {
  /** The vault of a company, kept in memory for ten minutes. */
  vault(tx: Tx, company_id: string): Promise<Vault>
  /** A company's first key; called by whoever founds it, in the same transaction. */
  createCompanyKey(tx: Tx, company_id: string): Promise<Vault>
  /** Refuses when this database was written with another master key. */
  verifyMasterKey(tx: Tx): Promise<void>
  /** Seals what belongs to a person and to no company, with the installation's own key; it opens only in its place. */
  seal(place: SealPosition, plain: Buffer): Buffer
  open(place: SealPosition, sealed: Buffer): Buffer
  /** Keyed hash with the installation's own key, for tokens of forms and codes. */
  mac(purpose: string, text: string): Buffer
}

/** The master key: 32 bytes from `XINHAN_MASTER_KEY` (base64 or hex), or from a key file that is made on the first start. */
export function readMasterKey(options: { provided: string | null; file: string; mayCreate: boolean }): Buffer {
  if (options.provided) {
    const key = /^[0-9a-f]{64}$/i.test(options.provided)
      ? Buffer.from(options.provided, 'hex')
      : Buffer.from(options.provided, 'base64')
    if (key.length !== 32) throw new Error('XINHAN_MASTER_KEY must be 32 bytes in base64 or hex')
    return key
  }
  if (existsSync(options.file)) {
    const key = Buffer.from(readFileSync(options.file, 'utf8').trim(), 'base64')
    if (key.length !== 32) throw new Error(`${options.file} does not hold a key of 32 bytes in base64`)
    return key
  }
  if (!options.mayCreate) throw new Error(`no master key: set XINHAN_MASTER_KEY or put one into ${options.file}`)
  const key = randomBytes(32)
  // Others may pass through (the database's own user must), not look in; the key itself is for the owner only.
  mkdirSync(dirname(options.file), { recursive: true, mode: 0o711 })
  writeFileSync(options.file, `${key.toString('base64')}\n`, { mode: 0o600, flag: 'wx' })
  return key
}

export function createSecrets(master: Buffer): Secrets {
  const cache = new Map<string, { vault: Vault; until: number }>()
  const macKey = Buffer.from(hkdfSync('sha256', master, '', 'installation', 32))
  const sealKey = Buffer.from(hkdfSync('sha256', master, '', 'installation seal', 32))
  const positionAad = ({ table, row, column, version = 0 }: SealPosition) => `${table}||${row}|${column}|${version}`
  const wrapAad = (company_id: string, key_id: number) => `company_key|${company_id}|${key_id}`

  const load = async (tx: Tx, company_id: string): Promise<Vault> => {
    const rows = await tx.selectFrom('company_key').select(['id', 'wrapped']).where('company_id', '=', company_id).execute()
    if (rows.length === 0) throw new Error('a company without a key')
    return new Vault(company_id, new Map(rows.map((row) => [row.id, openWith(master, wrapAad(company_id, row.id), row.wrapped)])))
  }
  return {
    async vault(tx, company_id) {
      const stored = cache.get(company_id)
      if (stored && stored.until > Date.now()) return stored.vault
      const vault = await load(tx, company_id)
      if (cache.size > 2000) cache.clear()
      cache.set(company_id, { vault, until: Date.now() + 600_000 })
      return vault
    },
    async createCompanyKey(tx, company_id) {
      const key = randomBytes(32)
      await tx
        .insertInto('company_key')
        .values({ company_id, id: 1, wrapped: sealWith(master, 0, wrapAad(company_id, 1), key) })
        .execute()
      return new Vault(company_id, new Map([[1, key]]))
    },
    async verifyMasterKey(tx) {
      const row = await tx.selectFrom('master_key_check').select('sealed').where('id', '=', 1).executeTakeFirst()
      if (row) {
        try {
          openWith(master, 'master_key_check', row.sealed)
        } catch {
          throw new Error('this database was written with another master key; without that key its pay data cannot be read')
        }
        return
      }
      const sealed = sealWith(master, 0, 'master_key_check', Buffer.from('xinhan'))
      await tx
        .insertInto('master_key_check')
        .values({ id: 1, sealed })
        .onConflict((conflict) => conflict.doNothing())
        .execute()
    },
    seal: (position, plain) => sealWith(sealKey, 0, positionAad(position), plain),
    open: (position, sealed) => openWith(sealKey, positionAad(position), sealed),
    mac: (purpose, text) => createHmac('sha256', macKey).update(`${purpose}|${text}`).digest(),
  }
}
