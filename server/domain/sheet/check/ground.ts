/**
 * What a check stands on, as one digest: as long as it is the same, so is what became of it. Taken before anything is read, so that what changes
 * meanwhile makes another one.
 */
import { createHash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Ctx } from '../../../runtime/handle.ts'
import { sealed_head } from '../../../runtime/secrets.ts'
import { rosterDigest } from '../../member/index.ts'
import type { BatchRow } from '../access.ts'
import { type RowSigns, rowSigns, rowsDigest } from '../rows/stored-rows.ts'
import { paidDigest } from './last-run.ts'
import { keptTaxDigest } from './months-before.ts'

/** Folders of what decides: rules, tables of law, words, what reads rows, roster and earlier runs. A test holds them to what the check imports. */
export const decides = ['domain', 'contract', 'rules', 'tables'] as const

/** The version of all that decides: whoever changes a file of it, be it a comment, lets every sheet be checked anew. */
export function versionOf(folders: readonly string[]): string {
  const hash = createHash('sha256').update(process.version)
  for (const folder of folders)
    for (const name of readdirSync(folder, { recursive: true, encoding: 'utf8' }).toSorted())
      if (name.endsWith('.ts')) hash.update(`\0${name}\0`).update(readFileSync(join(folder, name)))
  return hash.digest('hex')
}
/** Read once, when the server starts: it decides by what it has loaded then. */
const version = versionOf(decides.map((folder) => join(import.meta.dirname, '../../..', folder)))

/** Sealed anew it is another one. */
const headOf = (sealed: Buffer | null): string => sealed?.subarray(0, sealed_head).toString('hex') ?? ''

/**
 * `digest`: of all of it. `around`: of what nobody who holds the batch can change, and no fix changes: all but its rows and what was accepted. `signs`: what
 * rows are known by, where whoever asks holds the batch, so that none becomes another before it is read.
 */
export type Ground = { readonly digest: string; readonly around: string; readonly signs?: RowSigns['of'] }

const digestOf = (values: readonly unknown[]): string => createHash('sha256').update(JSON.stringify(values)).digest('hex')

export async function groundOf(ctx: Ctx, batch: BatchRow): Promise<Ground> {
  const { admin_id, power, scope } = ctx.me
  const { id, owner_id, title_id, title_month, title_kind, fingerprint, file_hash, understood, drawing } = batch
  const around = digestOf([
    version,
    [admin_id, power.toSorted(), scope.all, scope.department_ids.toSorted()],
    [id, owner_id, title_id, title_month, title_kind, fingerprint, file_hash.toString('hex')],
    [headOf(understood), headOf(drawing)],
    await rosterDigest(ctx),
    await paidDigest(ctx, batch),
    await keptTaxDigest(ctx),
  ])
  return groundOn(ctx, batch, around)
}

async function groundOn(ctx: Ctx, { id, accepted }: BatchRow, around: string): Promise<Ground> {
  return { around, digest: digestOf([around, accepted, await rowsDigest(ctx, id)]) }
}

/** The same for whoever holds the batch, where all but the rows and what was accepted is known to stand as it stood. */
export async function groundHeld(ctx: Ctx, { id, accepted }: BatchRow, around: string): Promise<Ground> {
  const signs = await rowSigns(ctx, id)
  return { around, digest: digestOf([around, accepted, signs.digest]), signs: signs.of }
}
