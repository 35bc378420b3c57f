/**
 * Encryption of company data: AES-256-GCM with one data key per company, wrapped by the master key. An encrypted value
 * is bound to its position (table, company, row, column) as additional authenticated data: moved elsewhere it does not
 * open. Deleting a company's key deletes its pay data.
 *
 * Sealed form: 1 byte format · 4 bytes key id · 12 bytes nonce · ciphertext · 16 bytes tag.
 */
import { createCipheriv, createDecipheriv, createHmac, createSecretKey, hkdfSync, type KeyObject, randomBytes } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import type { Tx } from '../database/database.ts'
import { takeRandomBytes } from './random.ts'

const format = 1
const headerBytes = 5
/**
 * Length of the header of an encrypted value: format, key id and nonce. Encrypting the same value again yields another
 * header.
 */
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
  // Throws if the tag does not match; in GCM mode it returns no remaining bytes.
  decipher.final()
  return plain
}

/** The position of an encrypted value; it can be decrypted only there. */
export type SealPosition = { readonly table: string; readonly row: string; readonly column: string; readonly version?: number }

export class Vault {
  readonly #company_id: string
  readonly #keys: ReadonlyMap<number, Buffer>
  readonly #newest: number
  /** A key object: Node would otherwise prepare the key again for every hash, which takes six times as long as hashing. */
  readonly #indexKey: KeyObject

  constructor(company_id: string, keys: ReadonlyMap<number, Buffer>) {
    this.#company_id = company_id
    this.#keys = keys
    this.#newest = Math.max(...keys.keys())
    const first = keys.get(Math.min(...keys.keys()))
    if (!first) throw new Error('a company without a key')
    this.#indexKey = createSecretKey(Buffer.from(hkdfSync('sha256', first, '', 'blind index', 32)))
  }

  #aad = (position: SealPosition): string =>
    `${position.table}|${this.#company_id}|${position.row}|${position.column}|${position.version ?? 0}`

  /** Encrypts bytes, text, or any JSON value. */
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
  /** Decrypts a JSON value. The caller names the type that was passed to `seal`. */
  open<T>(position: SealPosition, sealed: Buffer): T {
    return JSON.parse(this.openBytes(position, sealed).toString('utf8')) as T
  }
  /** Computes a keyed hash by which equal values can be found without being readable. */
  blindIndex(kind: string, text: string): Buffer {
    return createHmac('sha256', this.#indexKey).update(`${kind}|${text}`).digest()
  }
}

export type Secrets = {
  /** Returns the vault of a company, cached in memory for ten minutes. */
  vault(tx: Tx, company_id: string): Promise<Vault>
  /** Returns whether the company has a key: destroying its keys destroys its pay data. */
  hasCompanyKey(tx: Tx, company_id: string): Promise<boolean>
  /** Creates a company's first key; called in the transaction that creates the company. */
  createCompanyKey(tx: Tx, company_id: string): Promise<Vault>
  /** Throws if this database was written with another master key. */
  verifyMasterKey(tx: Tx): Promise<void>
  /** Encrypts data that belongs to a person and to no company, with the installation's own key, bound to its position. */
  seal(position: SealPosition, plain: Buffer): Buffer
  open(position: SealPosition, sealed: Buffer): Buffer
  /** Computes a keyed hash with the installation's own key, for form tokens and codes. */
  mac(purpose: string, text: string): Buffer
}

/**
 * Reads the master key: 32 bytes from `XINHAN_MASTER_KEY` (base64 or hex), or from a key file that is created on the
 * first start.
 */
export function readMasterKey(options: { provided: string | null; file: string; mayCreate: boolean }): Buffer {
  if (options.provided) {
    const key = /^[0-9a-f]{64}$/i.test(options.provided)
      ? Buffer.from(options.provided, 'hex')
      : Buffer.from(options.provided, 'base64')
    if (key.length !== 32) throw new Error('XINHAN_MASTER_KEY must be 32 bytes in base64 or hex')
    if (key.every((byte) => byte === 0))
      throw new Error('XINHAN_MASTER_KEY consists of zeros: make a key with "openssl rand -base64 32"')
    return key
  }
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

const getWrapAad = (company_id: string, key_id: number) => `company_key|${company_id}|${key_id}`

/** Unwraps a company's data key; throws with another master key. */
export const openCompanyKey = (
  master: Buffer,
  { company_id, id, wrapped }: { readonly company_id: string; readonly id: number; readonly wrapped: Buffer },
): Buffer => openWith(master, getWrapAad(company_id, id), wrapped)

export function createSecrets(master: Buffer): Secrets {
  const cache = new Map<string, { vault: Vault; until: number }>()
  const macKey = Buffer.from(hkdfSync('sha256', master, '', 'installation', 32))
  const sealKey = Buffer.from(hkdfSync('sha256', master, '', 'installation seal', 32))
  const positionAad = ({ table, row, column, version = 0 }: SealPosition) => `${table}||${row}|${column}|${version}`

  const load = async (tx: Tx, company_id: string): Promise<Vault> => {
    const rows = await tx.selectFrom('company_key').select(['id', 'wrapped']).where('company_id', '=', company_id).execute()
    if (rows.length === 0) throw new Error('a company without a key')
    return new Vault(company_id, new Map(rows.map((row) => [row.id, openCompanyKey(master, { company_id, ...row })])))
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
    async hasCompanyKey(tx, company_id) {
      const key = await tx.selectFrom('company_key').select('id').where('company_id', '=', company_id).limit(1).executeTakeFirst()
      return key !== undefined
    },
    async createCompanyKey(tx, company_id) {
      const key = randomBytes(32)
      await tx
        .insertInto('company_key')
        .values({ company_id, id: 1, wrapped: sealWith(master, 0, getWrapAad(company_id, 1), key) })
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
