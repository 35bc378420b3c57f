/** An opened sheet becomes a batch, or replaces the sheet of one: the file, what was understood of it, and its rows. Writes batch and sheet_row. */
import { createHash } from 'node:crypto'
import { sql } from 'kysely'
import type { Difference, Layout, SheetInfo } from '../../../contract/sheet.ts'
import { can } from '../../../contract/states.ts'
import { dropFile, putFile } from '../../../runtime/files.ts'
import { type Ctx, must, refuse } from '../../../runtime/handle.ts'
import { newId } from '../../../runtime/ids.ts'
import { keepsAll } from '../../member/index.ts'
import { type BatchRow, batchFor, myOwn } from '../access.ts'
import { closeEdits } from '../check/undo.ts'
import { forgetNames } from '../names/sheet-names.ts'
import { titleFor } from '../names/title.ts'
import { sealFileName } from '../names/words.ts'
import { findRecipe } from '../recipe/recipes.ts'
import { skipsHidden, take } from '../recipe/take.ts'
import { arrange } from '../rules/arrange.ts'
import type { Decisions } from '../rules/carry.ts'
import { counting } from '../rules/holds.ts'
import { amountKeys, inUnit, powerOf } from '../rules/unit.ts'
import { writeCells } from '../sealed-row.ts'
import { RowWriter, type WrittenRow } from '../stored-rows.ts'
import { infoOf, sealDrawing, sealLayout, sealUnderstood, type Understood } from '../understood.ts'
import { replace } from './corrected.ts'
import type { HeldRow, SheetHeld } from './held-rows.ts'
import { mustHaveRoom } from './room.ts'

export type Source = {
  readonly file_name: string
  readonly bytes: Buffer
  /** The kept file that it was read from; null where it was not kept yet. */
  readonly file_id: string | null
  /** It came just now, and is not the file that the batch has. */
  readonly is_new: boolean
}
export type Wish = {
  readonly title_id?: string | undefined
  readonly batch_id?: string | undefined
  /** Only tells the difference. */
  readonly compare: boolean
  /** Hears how many rows are kept. */
  readonly kept: (rows: number) => void
}
export type Kept = SheetInfo & { difference: Difference | null }

export async function keep(ctx: Ctx, read: SheetHeld, source: Source, wish: Wish): Promise<Kept> {
  const { db, company_id, vault, now } = ctx
  const admin_id = myOwn(ctx)
  const old = wish.batch_id ? await batchFor(ctx, wish.batch_id, 'manage') : null
  if (old) must(can.arrange(old.status), { status: old.status })
  const is_new_file = source.is_new
  // Another sheet of the old file must not stand under the new one.
  if (old && !is_new_file && old.file_id !== source.file_id)
    throw refuse('wrong_state', '这一批的工资表刚刚换过，请刷新后重试', { status: old.status })
  const title_id = wish.title_id ? (await titleFor(ctx, wish.title_id)).id : (old?.title_id ?? null)
  const owner_id = old?.owner_id ?? admin_id
  const fingerprint = vault.index('header', read.understanding.fingerprint).toString('hex')
  const fresh = understoodFrom(read)

  const replaced = old ? await replace(ctx, old, fresh, read.rows, is_new_file) : null
  const setup = replaced?.setup ?? (await setUp(ctx, owner_id, fingerprint, fresh))
  const { understood, layout, template_id } = setup
  const difference = replaced?.difference ?? null
  if (old && wish.compare) return { ...infoOf({ ...old, status: 'draft', file_name: source.file_name }, understood), difference }

  if (!source.file_id) await mustHaveRoom(ctx, source.bytes.length)
  const file_id = source.file_id ?? (await putFile(ctx, { kind: 'sheet', name: source.file_name, bytes: source.bytes }))
  const id = old?.id ?? newId()
  const columns = {
    title_id,
    file_id,
    file_name: sealFileName(vault, id, source.file_name),
    // Keyed, as everywhere: the plain hash of a short file would tell whether a guessed content is the right one.
    file_hash: vault.index('sheet', createHash('sha256').update(source.bytes).digest('hex')),
    fingerprint,
    template_id,
    understood: sealUnderstood(vault, id, understood),
    drawing: sealDrawing(vault, id, read.drawing),
    layout: sealLayout(vault, id, layout),
    people: understood.rows,
    // As it is now, when the sheet is brought.
    scope_all: keepsAll(ctx),
    scope_ids: [...ctx.me.scope.department_ids],
    updated_at: now,
  }
  if (old) {
    await forgetNames(ctx, id)
    await closeEdits(ctx, id)
    await db.deleteFrom('sheet_row').where('company_id', '=', company_id).where('batch_id', '=', id).execute()
    const anew = { ...columns, ...newHands(ctx, old), status: 'draft' as const, accepted: [], totals: null }
    await db.updateTable('batch').set(anew).where('company_id', '=', company_id).where('id', '=', id).execute()
    if (old.file_id && old.file_id !== file_id) await dropFile(ctx, old.file_id)
  } else
    await db
      .insertInto('batch')
      .values({ company_id, id, owner_id, ...columns, created_at: now })
      .execute()

  const written = await writeRows(ctx, id, understood, {
    rows: replaced?.rows ?? read.rows.all(),
    hidden: new Set(skipsHidden(understood) ? read.drawing.hidden_rows : []),
    decisions: replaced?.decisions ?? new Map(),
    kept: wish.kept,
  })
  await db
    .updateTable('batch')
    .set({
      kept_bytes: written.bytes,
      ...(written.understood !== understood && { understood: sealUnderstood(vault, id, written.understood) }),
    })
    .where('company_id', '=', company_id)
    .where('id', '=', id)
    .execute()
  ctx.about({ batch_id: id, rows: written.rows })
  return { ...infoOf(await batchFor(ctx, id, 'manage'), written.understood), difference }
}

export type NewSetup = {
  readonly understood: Understood
  readonly layout: Layout
  readonly template_id: string | null
}
/** What was decided for the last sheet of this kind; nothing, where it is the first. */
export async function setUp(ctx: Ctx, owner_id: string, fingerprint: string, fresh: Understood): Promise<NewSetup> {
  const kept = await findRecipe(ctx, owner_id, fingerprint, fresh.columns)
  if (!kept) return { understood: fresh, layout: arrange(fresh.columns), template_id: null }
  const { understood, layout, applied } = take(fresh, kept)
  const { fresh: added, missing, renamed } = applied
  const remembered = {
    template_id: kept.id,
    name: kept.name,
    title: kept.title,
    month: kept.month,
    sent: await wasSent(ctx, kept.id),
    fresh: added,
    missing,
    renamed: renamed.map(({ key, from }) => ({ key, from })),
  }
  return { understood: { ...understood, remembered }, layout, template_id: kept.id }
}

/** Whether slips of this kind of sheet have left already: then somebody has arranged them as they are. */
async function wasSent({ db, company_id }: Ctx, template_id: string): Promise<boolean> {
  const sent = await db
    .selectFrom('batch')
    .select('id')
    .where('company_id', '=', company_id)
    .where('template_id', '=', template_id)
    .where('sent_at', 'is not', null)
    .limit(1)
    .executeTakeFirst()
  return sent !== undefined
}

type Writing = {
  rows: AsyncIterable<HeldRow[]>
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
  { rows, hidden, decisions, kept }: Writing,
): Promise<{ rows: number; bytes: number; understood: Understood }> {
  const power = powerOf(understood.questions)
  const amounts = amountKeys(understood.columns)
  const { formula } = understood
  const count = formula && formula.by !== 'found' ? counting(formula) : null
  const writer = new RowWriter(ctx, batch_id)
  let written = 0
  for await (const chunk of rows) {
    await writer.add(
      chunk.map((one): WrittenRow => {
        const { row, edited } = one
        const decided = decisions.get(row)
        const also = { row, edited, ...decided, skipped: hidden.has(row) || decided?.skipped === true }
        if (power === 0) {
          count?.add(one.cells)
          return { ...also, written: one.written }
        }
        const cells = inUnit(one.cells, amounts, power)
        count?.add(cells)
        return { ...also, written: writeCells(cells) }
      }),
    )
    written += chunk.length
    kept(written)
  }
  return {
    rows: written,
    bytes: await writer.end(),
    understood: formula && count ? { ...understood, formula: { ...formula, ...count.result() } } : understood,
  }
}

function understoodFrom({ understanding }: SheetHeld): Understood {
  const {
    sheets,
    parts,
    says,
    header,
    columns,
    data_rows,
    ignored,
    formula,
    subtotals,
    totals_row,
    total_rows,
    warnings,
    questions,
  } = understanding
  const found = formula && { ...formula, by: 'found' as const }
  return {
    sheets,
    parts,
    says,
    header,
    columns,
    rows: data_rows.length,
    ignored,
    formula: found,
    subtotals,
    totals_row,
    total_rows,
    warnings,
    questions,
    remembered: null,
    expected: null,
    read: { roles: Object.fromEntries(columns.map(({ key, role }) => [key, role])), formula: found, questions, totals_row },
  }
}

/** Only cells that hold something. */
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
