/**
 * What a check stands on, as one digest: as long as it is the same, so is what became of it. Taken before anything is read, so that what changes
 * meanwhile makes another one.
 */
import { createHash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { sealedHeaderBytes } from '../../../crypto/secrets.ts'
import type { HandlerContext } from '../../../http/handler.ts'
import { computeRosterDigest } from '../../member/index.ts'
import type { BatchRow } from '../access.ts'
import { computeRowsDigest, getRowVersions, type RowVersions } from '../rows/stored-rows.ts'
import { getTaxYearDigest } from './earlier-months.ts'
import { computePaidDigest } from './previous-pay-run.ts'

/** Folders of what decides: rules, tables of law, words, what reads rows, roster and earlier runs. A test holds them to what the check imports. */
export const versionedFolders = ['modules', 'contract', 'rules', 'spreadsheets'] as const

/** The version of all that decides: whoever changes a file of it, be it a comment, lets every sheet be checked anew. */
export function computeSourceVersion(folders: readonly string[]): string {
  const hash = createHash('sha256').update(process.version)
  for (const folder of folders)
    for (const name of readdirSync(folder, { recursive: true, encoding: 'utf8' }).toSorted())
      if (name.endsWith('.ts')) hash.update(`\0${name}\0`).update(readFileSync(join(folder, name)))
  return hash.digest('hex')
}
/** Read once, when the server starts: it decides by what it has loaded then. */
const sourceVersion = computeSourceVersion(versionedFolders.map((folder) => join(import.meta.dirname, '../../..', folder)))

/** Sealed anew it is another one. */
const getSealedHeader = (sealed: Buffer | null): string => sealed?.subarray(0, sealedHeaderBytes).toString('hex') ?? ''

/**
 * `digest`: of all of it. `baseDigest`: of what nobody who holds the batch can change, and no fix changes: all but its rows and what was accepted. `versions`: what
 * rows are known by, where whoever asks holds the batch, so that none becomes another before it is read.
 */
export type CheckKey = { readonly digest: string; readonly baseDigest: string; readonly rowVersions?: RowVersions['byRow'] }

const hashValues = (values: readonly unknown[]): string => createHash('sha256').update(JSON.stringify(values)).digest('hex')

export async function getCheckKey(ctx: HandlerContext, batch: BatchRow): Promise<CheckKey> {
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

async function buildCheckKey(ctx: HandlerContext, { id, accepted }: BatchRow, baseDigest: string): Promise<CheckKey> {
  return { baseDigest: baseDigest, digest: hashValues([baseDigest, accepted, await computeRowsDigest(ctx, id)]) }
}

/** The same for whoever holds the batch, where all but the rows and what was accepted is known to stand as it stood. */
export async function getLockedCheckKey(ctx: HandlerContext, { id, accepted }: BatchRow, baseDigest: string): Promise<CheckKey> {
  const versions = await getRowVersions(ctx, id)
  return { baseDigest: baseDigest, digest: hashValues([baseDigest, accepted, versions.digest]), rowVersions: versions.byRow }
}
