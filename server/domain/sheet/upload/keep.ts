/**
 * An opened sheet on its way to a batch of its own, or to the place of another: whose it is; then what is set up for it (`setup.ts`), beside a sheet that it
 * replaces (`corrected.ts`); then it is stored (`store.ts`). Each hands it on to the next.
 */
import type { Difference, SheetInfo } from '../../../contract/sheet/sheet.ts'
import { can } from '../../../contract/words/states.ts'
import { type Ctx, must, refuse } from '../../../runtime/handle.ts'
import type { DrawnSheet } from '../../../tables/index.ts'
import { type BatchRow, batchFor, myOwn } from '../access.ts'
import { titleFor } from '../names/title.ts'
import type { Understood } from '../understood.ts'
import { correct } from './corrected.ts'
import type { HeldRows, SheetHeld } from './held-rows.ts'
import { setUp } from './setup.ts'

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

/** As it was read, and what it is to become. */
export type Incoming = {
  readonly source: Source
  readonly wish: Wish
  /** Whose sheet it replaces. */
  readonly old: BatchRow | null
  readonly title_id: string | null
  readonly owner_id: string
  /** Of its header, keyed. */
  readonly fingerprint: string
  readonly understood: Understood
  readonly drawing: DrawnSheet
  readonly rows: HeldRows
}

export async function keep(ctx: Ctx, read: SheetHeld, source: Source, wish: Wish): Promise<Kept> {
  const admin_id = myOwn(ctx)
  const old = wish.batch_id ? await batchFor(ctx, wish.batch_id, 'manage') : null
  if (old) must(can.arrange(old.status), { status: old.status })
  // Another sheet of the old file must not stand under the new one.
  if (old && !source.is_new && old.file_id !== source.file_id)
    throw refuse('wrong_state', '这一批的工资表刚刚换过，请刷新后重试', { status: old.status })
  const title_id = wish.title_id ? (await titleFor(ctx, wish.title_id)).id : (old?.title_id ?? null)
  const incoming: Incoming = {
    source,
    wish,
    old,
    title_id,
    owner_id: old?.owner_id ?? admin_id,
    fingerprint: ctx.vault.index('header', read.understanding.fingerprint).toString('hex'),
    understood: understoodFrom(read),
    drawing: read.drawing,
    rows: read.rows,
  }
  return old ? correct(ctx, incoming, old) : setUp(ctx, incoming)
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
    net_readings,
  } = understanding
  const foundBy = (sum: typeof formula) => sum && { ...sum, by: 'found' as const }
  const found = foundBy(formula)
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
    read: {
      roles: Object.fromEntries(columns.map(({ key, role }) => [key, role])),
      formula: found,
      questions,
      totals_row,
      ...(net_readings.length > 0 && {
        net_readings: net_readings.map((reading) => ({ ...reading, formula: foundBy(reading.formula) })),
      }),
    },
  }
}
