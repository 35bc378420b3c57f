/** Stores a sheet that is set up: its file, what was understood of it, and its rows. Writes batch. */
import { createHash } from 'node:crypto'
import { sql } from 'kysely'
import type { Difference, Layout } from '../../../contract/sheet/sheet.ts'
import { dropFile, putFile } from '../../../runtime/files/files.ts'
import type { Ctx } from '../../../runtime/handle.ts'
import { newId } from '../../../runtime/ids.ts'
import { keepsAll } from '../../member/index.ts'
import { type BatchRow, batchFor } from '../access.ts'
import { closeEdits } from '../check/undo.ts'
import { forgetNames } from '../names/sheet-names.ts'
import { sealFileName } from '../names/words.ts'
import { skipsHidden } from '../recipe/answers.ts'
import { writePage } from '../rows/sealed.ts'
import { deleteRows, type RowHead, RowWriter } from '../rows/written-rows.ts'
import type { Decisions } from '../rules/carry.ts'
import { counting } from '../rules/holds.ts'
import { getUnitPowers, inUnit, isScaled } from '../rules/unit.ts'
import { infoOf, sealDrawing, sealLayout, sealUnderstood, type Understood } from '../understood.ts'
import type { HeldPage } from './held-rows.ts'
import type { Incoming, Kept } from './keep.ts'
import { mustHaveRoom } from './room.ts'

export type NewSetup = {
  readonly understood: Understood
  readonly layout: Layout
  readonly template_id: string | null
}
/** What was found beside the sheet that it replaces. */
export type ComparedRows = {
  readonly pages: AsyncIterable<HeldPage>
  readonly decisions: ReadonlyMap<number, Decisions>
  readonly difference: Difference | null
}

export async function store(ctx: Ctx, incoming: Incoming, setup: NewSetup, beside?: ComparedRows): Promise<Kept> {
  const { source, wish, old, drawing } = incoming
  const { understood } = setup
  const difference = beside?.difference ?? null
  if (old && wish.compare) return { ...infoOf({ ...old, status: 'draft', file_name: source.file_name }, understood), difference }

  if (!source.file_id) await mustHaveRoom(ctx, source.bytes.length)
  const file_id = source.file_id ?? (await putFile(ctx, { kind: 'sheet', name: source.file_name, bytes: source.bytes }))
  const id = old?.id ?? newId()
  await writeBatch(ctx, id, { incoming, setup, file_id })
  const written = await writeRows(ctx, id, understood, {
    pages: beside?.pages ?? incoming.rows.pages(),
    hidden: new Set(skipsHidden(understood) ? drawing.hidden_rows : []),
    decisions: beside?.decisions ?? new Map(),
    kept: wish.kept,
  })
  await ctx.db
    .updateTable('batch')
    .set({
      kept_bytes: written.bytes,
      ...(written.understood !== understood && { understood: sealUnderstood(ctx.vault, id, written.understood) }),
    })
    .where('company_id', '=', ctx.company_id)
    .where('id', '=', id)
    .execute()
  ctx.about({ batch_id: id, rows: written.rows })
  return { ...infoOf(await batchFor(ctx, id, 'manage'), written.understood), difference }
}

/** A new batch; or the old one without its rows and its file. */
async function writeBatch(
  ctx: Ctx,
  id: string,
  { incoming, setup, file_id }: { incoming: Incoming; setup: NewSetup; file_id: string },
): Promise<void> {
  const { db, company_id, vault, now } = ctx
  const { source, old, title_id, owner_id, fingerprint, drawing } = incoming
  const { understood, layout, template_id } = setup
  const columns = {
    title_id,
    file_id,
    file_name: sealFileName(vault, id, source.file_name),
    // Keyed, as everywhere: the plain hash of a short file would tell whether a guessed content is the right one.
    file_hash: vault.index('sheet', createHash('sha256').update(source.bytes).digest('hex')),
    fingerprint,
    template_id,
    understood: sealUnderstood(vault, id, understood),
    drawing: sealDrawing(vault, id, drawing),
    layout: sealLayout(vault, id, layout),
    people: understood.rows,
    // As it is now, when the sheet is brought.
    scope_all: keepsAll(ctx),
    scope_ids: [...ctx.me.scope.department_ids],
    updated_at: now,
  }
  if (!old) {
    await db
      .insertInto('batch')
      .values({ company_id, id, owner_id, ...columns, created_at: now })
      .execute()
    return
  }
  await forgetNames(ctx, id)
  await closeEdits(ctx, id)
  await deleteRows(ctx, id)
  const anew = { ...columns, ...newHands(ctx, old), status: 'draft' as const, accepted: [], totals: null }
  await db.updateTable('batch').set(anew).where('company_id', '=', company_id).where('id', '=', id).execute()
  if (old.file_id && old.file_id !== file_id) await dropFile(ctx, old.file_id)
}

/**
 * Of a sheet in the place of another: whoever arranges it, or chooses whom to send to, in another window is told. Rows that were chosen in the old
 * one may be other people now, so nobody is chosen any more.
 */
const newHands = ({ me }: Ctx, old: BatchRow) => ({
  layout_version: old.layout_version + 1,
  layout_by: me.admin_id,
  options_version: old.options_version + 1,
  options_by: me.admin_id,
  send_options: sql<string>`case when send_options->'rows' <> 'null'::jsonb then jsonb_set(send_options, '{rows}', '[]') else send_options end`,
})

type Writing = {
  pages: AsyncIterable<HeldPage>
  /** Rows that the sheet hides and that are left out. */
  hidden: ReadonlySet<number>
  decisions: ReadonlyMap<number, Decisions>
  kept: (rows: number) => void
}

/** Writes the rows; counts in how many of them a formula holds that was not found in them. */
async function writeRows(
  ctx: Ctx,
  batch_id: string,
  understood: Understood,
  { pages, hidden, decisions, kept }: Writing,
): Promise<{ rows: number; bytes: number; understood: Understood }> {
  const powers = getUnitPowers(understood.columns, understood.questions)
  const isBig = isScaled(powers)
  const { formula } = understood
  const count = formula && formula.by !== 'found' ? counting(formula) : null
  const writer = new RowWriter(ctx, batch_id)
  const decided = ({ row, edited }: RowHead): RowHead => {
    const known = decisions.get(row)
    return { row, edited, ...known, skipped: hidden.has(row) || known?.skipped === true }
  }
  let written = 0
  for await (const page of pages) {
    if (!isBig) {
      if (count) for (const { cells } of page.rows()) count.add(cells)
      await writer.add(page.heads.map(decided), page.written)
    } else {
      const rows = page.rows().map((row) => ({ ...row, cells: inUnit(row.cells, powers) }))
      for (const { cells } of rows) count?.add(cells)
      await writer.add(rows.map(decided), writePage(rows))
    }
    written += page.heads.length
    kept(written)
  }
  return {
    rows: written,
    bytes: await writer.end(),
    understood: formula && count ? { ...understood, formula: { ...formula, ...count.result() } } : understood,
  }
}
