/**
 * Digest of all inputs of a check: while it is unchanged, so is the outcome. It is computed before anything is read, so
 * that a concurrent change produces a different digest.
 */
import { createHash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { sealedHeaderBytes } from '../../../crypto/cipher.ts'
import type { HandlerContext } from '../../../http/handler.ts'
import { computeRosterDigest } from '../../directory/index.ts'
import type { BatchRow } from '../access.ts'
import { computeRowsDigest, getRowVersions, type RowVersions } from '../rows/stored-rows.ts'
import { getTaxYearDigest } from './earlier-months.ts'
import { computePaidDigest } from './previous-pay-run.ts'

/**
 * Folders of the code that determines the outcome: rules, statutory tables, labels, and readers of rows, roster and
 * earlier pay runs. A test compares them with what the check imports.
 */
export const versionedFolders = [
  'server/modules',
  'server/contract',
  'server/rules',
  'server/spreadsheets',
  'platform/chat',
] as const

/** Computes the version of that code: any change of a file, even of a comment, makes every wage sheet be checked again. */
export function computeSourceVersion(folders: readonly string[]): string {
  const hash = createHash('sha256').update(process.version)
  for (const folder of folders)
    for (const name of readdirSync(folder, { recursive: true, encoding: 'utf8' }).toSorted())
      if (name.endsWith('.ts')) hash.update(`\0${name}\0`).update(readFileSync(join(folder, name)))
  return hash.digest('hex')
}
/** Computed once at server start, because the running code is the code loaded then. */
const sourceVersion = computeSourceVersion(versionedFolders.map((folder) => join(import.meta.dirname, '../../../..', folder)))

/** The header differs each time the value is encrypted. */
const getSealedHeader = (sealed: Buffer): string => sealed.subarray(0, sealedHeaderBytes).toString('hex')

/**
 * `digest` covers all inputs. `baseDigest` covers those that cannot change while the batch is locked and that no fix
 * changes: all except the rows and the accepted warnings. `rowVersions` identifies the rows when the caller has locked
 * the batch, so that no row changes before it is read.
 */
export type CheckCacheKey = { readonly digest: string; readonly baseDigest: string; readonly rowVersions?: RowVersions['byRow'] }

const hashValues = (values: readonly unknown[]): string => createHash('sha256').update(JSON.stringify(values)).digest('hex')

export async function getCheckKey(ctx: HandlerContext, batch: BatchRow): Promise<CheckCacheKey> {
  const { admin_id, power, scope } = ctx.currentUser
  const { id, owner_id, title_id, title_month, title_kind, fingerprint, file_hash, recognition, sheet_layout } = batch
  const baseDigest = hashValues([
    sourceVersion,
    [admin_id, power.toSorted(), scope.all, scope.department_ids.toSorted()],
    [id, owner_id, title_id, title_month, title_kind, fingerprint, file_hash.toString('hex')],
    [getSealedHeader(recognition), getSealedHeader(sheet_layout)],
    await computeRosterDigest(ctx),
    await computePaidDigest(ctx, batch),
    await getTaxYearDigest(ctx),
  ])
  return buildCheckKey(ctx, batch, baseDigest)
}

async function buildCheckKey(ctx: HandlerContext, { id, accepted }: BatchRow, baseDigest: string): Promise<CheckCacheKey> {
  return { baseDigest, digest: hashValues([baseDigest, accepted, await computeRowsDigest(ctx, id)]) }
}

/** Computes the key when the batch is locked and only the rows and the accepted warnings may have changed. */
export async function getLockedCheckKey(
  ctx: HandlerContext,
  { id, accepted }: BatchRow,
  baseDigest: string,
): Promise<CheckCacheKey> {
  const versions = await getRowVersions(ctx, id)
  return { baseDigest, digest: hashValues([baseDigest, accepted, versions.digest]), rowVersions: versions.byRow }
}
