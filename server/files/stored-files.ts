/**
 * Files in the database, in encrypted chunks: a node has no state, a database backup is complete, and a copied data
 * directory reveals nothing. Each chunk can be decrypted only at its own position in its own file.
 */
import { createHash } from 'node:crypto'
import { type RawBuilder, sql } from 'kysely'
import type { Vault } from '../crypto/secrets.ts'
import type { CompanyTx, CompanyVaultTx } from '../database/company-tx.ts'
import type { Database, Tx } from '../database/database.ts'
import { fail } from '../http/handler.ts'
import { newId } from '../shared/ids.ts'

const chunk_bytes = 256 * 1024
/** Chunks per statement: 2 MB of text sent to the database. */
const chunksPerStatement = 4

const getNamePosition = (file_id: string) => ({ table: 'file', row: file_id, column: 'name' })
export const decryptFileName = (vault: Vault, file_id: string, stored: Buffer): string =>
  vault.open<string>(getNamePosition(file_id), stored)
const getChunkPosition = (file_id: string, at: number) => ({ table: 'file_chunk', row: file_id, column: 'sealed', version: at })

type Writer = CompanyVaultTx & { readonly now: Date; readonly currentUser?: { readonly account_id: string } }

/**
 * `sheet`: an uploaded wage sheet; `export`: a file made from payslips; both only for payroll administrators. `own`: an
 * employee's own data export.
 * `image`: a logo or avatar of a few kB; `photo`: a picture for feedback.
 */
export type FileKind = 'sheet' | 'export' | 'member' | 'image' | 'photo' | 'own'
export type NewFile = {
  readonly kind: FileKind
  readonly name: string
  readonly bytes: Buffer
  /** The owner of the file, stated by jobs, which have no current user. */
  readonly account_id?: string
  /** After this the file cannot be read, and is deleted when the company's next file is saved: nothing may refer to it. */
  readonly expires_at?: Date
  /** The subject the file was made from; used to decide who may download it. */
  readonly source_id?: string
  /** Replaces all files of this kind that the user has. */
  readonly replaceExisting?: boolean
}

/** Encrypts and stores a file; returns its id. */
export async function saveFile(ctx: Writer, file: NewFile): Promise<string> {
  const { kind, name, bytes, account_id, expires_at, source_id, replaceExisting = false } = file
  const { db, company_id, vault, now } = ctx
  const owner = account_id ?? ctx.currentUser?.account_id
  if (!owner) throw new TypeError('whose file?')
  await deleteExpiredFiles(ctx)
  if (replaceExisting)
    await db
      .deleteFrom('file')
      .where('company_id', '=', company_id)
      .where('account_id', '=', owner)
      .where('kind', '=', kind)
      .execute()
  const id = newId()
  await db
    .insertInto('file')
    .values({
      company_id,
      id,
      account_id: owner,
      kind,
      name: vault.seal(getNamePosition(id), sanitizeFileName(name)),
      size: bytes.length,
      // Keyed: a plain hash of a short file would allow a guessed content to be confirmed.
      sha256: computeFingerprint(vault, bytes),
      created_at: now,
      expires_at: expires_at ?? null,
      subject_id: source_id ?? null,
    })
    .execute()
  const count = Math.ceil(bytes.length / chunk_bytes)
  for (let from = 0; from < count; from += chunksPerStatement) {
    const chunks = Array.from({ length: Math.min(chunksPerStatement, count - from) }, (_, step) => {
      const at = from + step
      const sealed = vault.seal(getChunkPosition(id, at), bytes.subarray(at * chunk_bytes, (at + 1) * chunk_bytes))
      return { company_id, id: newId(), file_id: id, position: at, sealed }
    })
    await db.insertInto('file_chunk').values(chunks).execute()
  }
  return id
}

type FileWriterDeps = Omit<CompanyVaultTx, 'db'> & {
  readonly now: Date
  /** Runs in a transaction of the company. */
  within<T>(fn: (db: Tx) => Promise<T>): Promise<T>
}
/** An unfinished file is never requested: its writer has died. */
const unfinishedRetentionMs = 3_600_000

/** Stores a file chunk by chunk while it is generated, each chunk in its own transaction; it can be read once it is finished. */
export function createFileWriter(
  { within, ...context }: FileWriterDeps,
  file: Required<Pick<NewFile, 'kind' | 'name' | 'account_id'>>,
) {
  const { company_id, vault, now } = context
  const { kind, name, account_id } = file
  const id = newId()
  const hash = createHash('sha256')
  let size = 0
  let position = 0
  let isStarted = false
  let waiting: Uint8Array[] = []
  let locked = 0
  const keep = async (db: Tx, bytes: Buffer) => {
    if (!isStarted) {
      const expires_at = new Date(now.getTime() + unfinishedRetentionMs)
      const sealed = { name: vault.seal(getNamePosition(id), sanitizeFileName(name)), sha256: Buffer.alloc(0) }
      await db
        .insertInto('file')
        .values({ company_id, id, account_id, kind, ...sealed, size: 0, created_at: now, expires_at })
        .execute()
      isStarted = true
    }
    const count = Math.ceil(bytes.length / chunk_bytes)
    const chunks = Array.from({ length: count }, (_, step) => {
      const at = position + step
      const sealed = vault.seal(getChunkPosition(id, at), bytes.subarray(step * chunk_bytes, (step + 1) * chunk_bytes))
      return { company_id, id: newId(), file_id: id, position: at, sealed }
    })
    if (count > 0) await db.insertInto('file_chunk').values(chunks).execute()
    position += count
  }
  return {
    id,
    async add(bytes: Uint8Array): Promise<void> {
      hash.update(bytes)
      size += bytes.length
      waiting.push(bytes)
      locked += bytes.length
      if (locked < chunk_bytes * chunksPerStatement) return
      const all = Buffer.concat(waiting)
      const full = all.length - (all.length % chunk_bytes)
      waiting = [Buffer.from(all.subarray(full))]
      locked = all.length - full
      await within((db) => keep(db, all.subarray(0, full)))
    },
    /** Finishes the file in the transaction of the caller that refers to it. */
    async finish(db: Tx, expires_at: Date): Promise<void> {
      await keep(db, Buffer.concat(waiting))
      const values = { size, sha256: vault.blindIndex('file', hash.digest('hex')), expires_at }
      await db.updateTable('file').set(values).where('company_id', '=', company_id).where('id', '=', id).execute()
    },
    /** Deletes everything written. */
    drop: (): Promise<void> => within((db) => deleteFile({ db, company_id }, id)),
  }
}

/** Returns a file's metadata before it is read. Throws the same errors as `readFile`. */
async function findFile(
  { db, company_id, now }: Pick<CompanyVaultTx, 'db' | 'company_id'> & { readonly now?: Date },
  file_id: string,
) {
  const file = await db
    .selectFrom('file')
    .select(['name', 'size', 'sha256', 'expires_at'])
    .where('company_id', '=', company_id)
    .where('id', '=', file_id)
    .executeTakeFirst()
  if (!file || (file.expires_at && file.expires_at <= (now ?? new Date()))) throw fail('not_found', '文件不存在或已过期')
  return file
}

/** Streams a file: name, size, and bytes chunk by chunk, each read in its own transaction; aborts if it is damaged. */
export async function streamFile(ctx: CompanyVaultTx & { readonly now: Date; readonly database: Database }, file_id: string) {
  const { company_id, vault, database } = ctx
  const { name, size, sha256 } = await findFile(ctx, file_id)
  async function* splitIntoSegments(): AsyncGenerator<Buffer> {
    const hash = createHash('sha256')
    for (let from = 0; from * chunk_bytes < size; from += chunksPerStatement) {
      const chunks = await database.inCompany(company_id, (db) =>
        db
          .selectFrom('file_chunk')
          .select(['position', 'sealed'])
          .where('company_id', '=', company_id)
          .where('file_id', '=', file_id)
          .where('position', '>=', from)
          .where('position', '<', from + chunksPerStatement)
          .orderBy('position')
          .execute(),
      )
      if (chunks.length === 0) throw new Error('a stored file was swept while it was sent')
      for (const { position, sealed } of chunks) {
        const bytes = vault.openBytes(getChunkPosition(file_id, position), sealed)
        hash.update(bytes)
        const isLast = (position + 1) * chunk_bytes >= size
        if (isLast && !vault.blindIndex('file', hash.digest('hex')).equals(sha256)) throw new Error('a stored file is damaged')
        yield bytes
      }
    }
  }
  return { name: decryptFileName(vault, file_id, name), size, chunks: splitIntoSegments }
}

/** Returns a file's name and bytes. Throws `not_found` if it does not exist or (where `now` is given) has expired. */
export async function readFile(
  ctx: CompanyVaultTx & { readonly now?: Date },
  file_id: string,
): Promise<{ name: string; bytes: Buffer }> {
  const { db, company_id, vault } = ctx
  const file = await findFile(ctx, file_id)
  const chunks = await db
    .selectFrom('file_chunk')
    .select(['position', 'sealed'])
    .where('company_id', '=', company_id)
    .where('file_id', '=', file_id)
    .orderBy('position')
    .execute()
  const bytes = Buffer.concat(chunks.map((chunk) => vault.openBytes(getChunkPosition(file_id, chunk.position), chunk.sealed)))
  if (bytes.length !== file.size || !computeFingerprint(vault, bytes).equals(file.sha256))
    throw new Error('a stored file is damaged')
  return { name: decryptFileName(vault, file_id, file.name), bytes }
}

export async function makeFilePermanent(
  { db, company_id }: Pick<CompanyVaultTx, 'db' | 'company_id'>,
  file_id: string,
): Promise<void> {
  const stays = { expires_at: null, subject_id: null }
  await db.updateTable('file').set(stays).where('company_id', '=', company_id).where('id', '=', file_id).execute()
}

/** For queries on `upload_progress`: its file if it still exists; temporary files may have been deleted. */
export const selectStoredFile = (company_id: string): RawBuilder<string | null> =>
  sql<string | null>`(select file.id from file where file.company_id = ${company_id} and file.id = upload_progress.file_id)`

/** Whether a temporary file still exists. */
export async function fileExists(
  { db, company_id }: Pick<CompanyVaultTx, 'db' | 'company_id'>,
  file_id: string,
): Promise<boolean> {
  const file = db.selectFrom('file').select('id').where('company_id', '=', company_id).where('id', '=', file_id)
  return (await file.executeTakeFirst()) !== undefined
}

/** Returns the subject a file was made from; null where it has none or does not exist. */
export async function getFileSourceId(
  { db, company_id }: Pick<CompanyVaultTx, 'db' | 'company_id'>,
  file_id: string,
): Promise<string | null> {
  const file = db.selectFrom('file').select('subject_id').where('company_id', '=', company_id).where('id', '=', file_id)
  return (await file.executeTakeFirst())?.subject_id ?? null
}

/** Deletes a file with its chunks. References to it must be removed first. */
export async function deleteFile({ db, company_id }: Pick<CompanyVaultTx, 'db' | 'company_id'>, file_id: string): Promise<void> {
  await db.deleteFrom('file').where('company_id', '=', company_id).where('id', '=', file_id).execute()
}

/** Deletes expired files, so that no export of salaries is left behind. */
export async function deleteExpiredFiles({ db, company_id, now }: Pick<Writer, 'db' | 'company_id' | 'now'>): Promise<void> {
  await db.deleteFrom('file').where('company_id', '=', company_id).where('expires_at', '<=', now).execute()
}

/** Deletes files that were exported before this time; returns how many. */
export async function deleteExportsBefore({ db, company_id }: CompanyTx, before: Date, limit: number): Promise<number> {
  const { numDeletedRows } = await db
    .deleteFrom('file')
    .where('company_id', '=', company_id)
    .where('id', 'in', (old) =>
      old
        .selectFrom('file')
        .select('id')
        .where('company_id', '=', company_id)
        .where('kind', '=', 'export')
        .where('created_at', '<', before)
        .orderBy('created_at')
        .limit(limit),
    )
    .executeTakeFirst()
  return Number(numDeletedRows)
}

const computeFingerprint = (vault: Vault, bytes: Buffer): Buffer =>
  vault.blindIndex('file', createHash('sha256').update(bytes).digest('hex'))

/** Sanitizes a name only for display: no control, bidirectional, path or reserved characters, 120 at most. */
export function sanitizeFileName(name: string, otherwise = '未命名'): string {
  const clean = name
    .normalize('NFC')
    // oxlint-disable-next-line no-control-regex -- control characters are exactly what must go
    .replace(/[\u0000-\u001f\u007f-\u009f\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff\\/:*?"<>|]/g, '')
    .replace(/^[.\s]+/, '')
    .trim()
  const end = /\.[a-z0-9]{1,5}$/i.exec(clean)?.[0] ?? ''
  return (
    `${Array.from(clean.slice(0, clean.length - end.length))
      .slice(0, 120 - end.length)
      .join('')}${end}` || otherwise
  )
}
