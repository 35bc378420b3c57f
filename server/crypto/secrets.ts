/**
 * Encryption of company data: AES-256-GCM with one data key per company, wrapped by the master key. An encrypted value
 * is bound to its position (table, company, row, column) as additional authenticated data: moved elsewhere it does not
 * open. Deleting a company's key deletes its pay data.
 */
import { createHmac, createSecretKey, hkdfSync, type KeyObject, randomBytes } from 'node:crypto'
import { sql } from 'kysely'
import type { Tx } from '../database/database.ts'
import { headerBytes, openWith, sealWith } from './cipher.ts'
import {
  deriveInstallationKey,
  loadInstallationKey,
  lockWrappingKey,
  openCompanyKey,
  verifyMasterKeys,
  wrapCompanyKey,
} from './master-key.ts'

/** The position of an encrypted value; it can be decrypted only there. */
export type SealPosition = { readonly table: string; readonly row: string; readonly column: string; readonly version?: number }

export class Vault {
  readonly #company_id: string
  readonly #keys: ReadonlyMap<number, Buffer>
  readonly #newest: number
  /** A key object: Node would otherwise prepare the key again for every hash, which takes six times as long as hashing. */
  readonly #indexKey: KeyObject

  /** `newest`: the key that encrypts; by default the one with the highest number. */
  constructor(company_id: string, keys: ReadonlyMap<number, Buffer>, newest = Math.max(...keys.keys())) {
    this.#company_id = company_id
    this.#keys = keys
    this.#newest = newest
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

/** The company has no key any more: its pay data cannot be read. */
export class MissingCompanyKeyError extends Error {
  override name = 'MissingCompanyKeyError'
}

export type Secrets = {
  /** Returns the vault of a company, cached in memory for ten minutes. */
  vault(tx: Tx, company_id: string): Promise<Vault>
  /** Returns whether the company has a key: destroying its keys destroys its pay data. */
  hasCompanyKey(tx: Tx, company_id: string): Promise<boolean>
  /** Creates a company's first key; called in the transaction that creates the company. */
  createCompanyKey(tx: Tx, company_id: string): Promise<Vault>
  /** Creates a further key of a company. Data is encrypted with it once all servers have had the time to load it. */
  addCompanyKey(tx: Tx, company_id: string): Promise<void>
  /** Loads the installation's own key; throws if this database was written with another master key. */
  verifyMasterKey(tx: Tx): Promise<void>
  /** Encrypts data that belongs to a person and to no company, with the installation's own key, bound to its position. */
  seal(position: SealPosition, plain: Buffer): Buffer
  open(position: SealPosition, sealed: Buffer): Buffer
  /** Computes a keyed hash with the installation's own key, for form tokens and codes. */
  mac(purpose: string, text: string): Buffer
}

const cacheLifetimeMs = 600_000
/** Longer than a vault is cached: when a further key is used, every server has loaded it. */
const newKeyDelayMinutes = 15

/** `previous`: the former master key, while keys that it wrapped are being wrapped again. */
export function createSecrets(master: Buffer, previous: Buffer | null = null): Secrets {
  const masters = previous ? [master, previous] : [master]
  const cache = new Map<string, { vault: Vault; until: number }>()
  let installation = deriveInstallationKey(master)
  const positionAad = ({ table, row, column, version = 0 }: SealPosition) => `${table}||${row}|${column}|${version}`

  const load = async (tx: Tx, company_id: string): Promise<Vault> => {
    const rows = await tx
      .selectFrom('company_key')
      .select(['id', 'wrapped', sql<boolean>`usable_from <= now()`.as('isUsable')])
      .where('company_id', '=', company_id)
      .execute()
    if (rows.length === 0) throw new MissingCompanyKeyError('a company without a key')
    const keys = new Map(rows.map((row) => [row.id, openCompanyKey(masters, { company_id, ...row })]))
    return new Vault(company_id, keys, Math.max(...rows.filter(({ isUsable }) => isUsable).map(({ id }) => id)))
  }
  return {
    async vault(tx, company_id) {
      const stored = cache.get(company_id)
      if (stored && stored.until > Date.now()) return stored.vault
      const vault = await load(tx, company_id)
      if (cache.size > 2000) cache.clear()
      cache.set(company_id, { vault, until: Date.now() + cacheLifetimeMs })
      return vault
    },
    async hasCompanyKey(tx, company_id) {
      const key = await tx.selectFrom('company_key').select('id').where('company_id', '=', company_id).limit(1).executeTakeFirst()
      return key !== undefined
    },
    async createCompanyKey(tx, company_id) {
      const key = randomBytes(32)
      const wrapped = wrapCompanyKey(await lockWrappingKey(tx, masters), { company_id, id: 1 }, key)
      await tx.insertInto('company_key').values({ company_id, id: 1, wrapped }).execute()
      return new Vault(company_id, new Map([[1, key]]))
    },
    async addCompanyKey(tx, company_id) {
      const wrapping = await lockWrappingKey(tx, masters)
      const newest = await tx
        .selectFrom('company_key')
        .select('id')
        .where('company_id', '=', company_id)
        .orderBy('id', 'desc')
        .limit(1)
        .executeTakeFirst()
      if (!newest) throw new MissingCompanyKeyError('a company without a key')
      const id = newest.id + 1
      const wrapped = wrapCompanyKey(wrapping, { company_id, id }, randomBytes(32))
      const usable_from = sql<Date>`now() + make_interval(mins => ${newKeyDelayMinutes})`
      await tx.insertInto('company_key').values({ company_id, id, wrapped, usable_from }).execute()
    },
    async verifyMasterKey(tx) {
      const active = await verifyMasterKeys(tx, masters)
      installation = await loadInstallationKey(tx, masters, active)
    },
    seal: (position, plain) => sealWith(installation.seal, 0, positionAad(position), plain),
    open: (position, sealed) => openWith(installation.seal, positionAad(position), sealed),
    mac: (purpose, text) => createHmac('sha256', installation.mac).update(`${purpose}|${text}`).digest(),
  }
}
