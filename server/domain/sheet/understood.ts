/**
 * What was understood of a batch's sheet, sealed with the batch: columns and their roles, formula, questions; and its drawing and arrangement beside
 * it. The shapes are those that lie on disk. A call's may change from one day to the next; of these every one that ever was is read.
 */
import * as z from 'zod/mini'
import { getColumnNames } from '../../contract/sheet/column-names.ts'
import type { Layout, SheetInfo } from '../../contract/sheet/sheet.ts'
import { cellKinds, columnRoles, questionKinds } from '../../contract/words/words.ts'
import { monthInFileName } from '../../rules/months.ts'
import { documentKind } from '../../runtime/data/document.ts'
import type { Ctx } from '../../runtime/handle.ts'
import type { DrawnSheet } from '../../tables/index.ts'
import type { BatchRow } from './access.ts'
import { layoutPlace } from './names/words.ts'
import { arrange } from './rules/arrange.ts'
import { getUnitPowers } from './rules/unit.ts'

const text = z.nullable(z.string())
const number = z.nullable(z.int())
const texts = z.array(z.string())
const numbers = z.array(z.int())
const role = z.enum(columnRoles)

const column = z.object({
  key: z.string(),
  col: z.string(),
  path: texts,
  label: z.string(),
  role,
  kind: z.enum(cellKinds),
  samples: texts,
  confidence: z.number(),
  reason: z.string(),
  hidden: z.boolean(),
})
const sum = { plus: texts, minus: texts, holds: z.int(), of: z.int() }
const formula = z.nullable(z.object({ ...sum, net: z.string(), by: z.enum(['found', 'remembered', 'person']) }))
const totals_row = z.nullable(z.object({ row: z.int(), net_fen: number, agrees: z.nullable(z.boolean()) }))
const question = z.object({
  id: z.string(),
  kind: z.enum(questionKinds),
  must: z.boolean(),
  message: z.string(),
  key: text,
  rows: numbers,
  choices: z.array(z.object({ value: z.string(), label: z.string() })),
  suggested: z.string(),
  answer: text,
  sheets: z.optional(texts),
})
const part = z.object({
  sheet: z.string(),
  header_rows: numbers,
  first_data_row: number,
  last_data_row: number,
  last_row: z.int(),
  people_rows: z.int(),
  places: z.array(z.tuple([z.string(), z.int()])),
  turned: z.optional(z.literal(true)),
})
/** How a column looks on a slip. */
const look = { value: z.string(), status: z.boolean(), class_id: text, note: z.string() }
/** How the sheet is read with each of the columns that may be the net pay. */
const netReading = z.object({ net: z.string(), formula, roles: z.record(z.string(), role) })
/** The sheet as it was read, before anybody or any recipe decided about it. */
const asRead = z.object({
  formula,
  questions: z.array(question),
  totals_row,
  roles: z.record(z.string(), role),
  net_readings: z.optional(z.array(netReading)),
})

const understood = z.object({
  says: z.object({ title: text, month: text, months: z.optional(texts) }),
  sheets: z.array(z.object({ name: z.string(), rows: z.int(), hidden: z.boolean(), chosen: z.boolean(), like: z.boolean() })),
  /** With the places of their columns, which a drawing needs. */
  parts: z.array(part),
  header: z.object({ rows: numbers, first_data_row: number, last_data_row: number }),
  columns: z.array(column),
  rows: z.int(),
  ignored: z.array(z.object({ row: z.int(), why: z.string() })),
  formula,
  subtotals: z.array(z.object({ ...sum, key: z.string() })),
  totals_row,
  warnings: texts,
  questions: z.array(question),
  remembered: z.nullable(
    z.object({
      template_id: z.string(),
      name: text,
      title: text,
      month: text,
      sent: z.optional(z.boolean()),
      fresh: texts,
      missing: z.array(z.object({ label: z.string(), role })),
      renamed: z.array(z.object({ key: z.string(), from: z.string() })),
    }),
  ),
  /** The formula of the last sheet from the same template. */
  expected: z.nullable(z.object({ ...sum, net: z.string() })),
  /** Rows that call themselves a total: of departments, of sheets, of all. */
  total_rows: z.optional(numbers),
  /** Somebody has said that nothing adds up. */
  no_sums: z.optional(z.boolean()),
  read: z.optional(asRead),
  /** Columns that seem to be old ones under a new name, and what those were, with how they were shown. */
  renames: z.optional(
    z.array(z.object({ key: z.string(), from: z.string(), role, item: z.nullable(z.object({ ...look, value: text })) })),
  ),
})
const drawing = z.object({
  others: z.array(z.tuple([z.int(), z.union([texts, z.int()])])),
  hidden_rows: numbers,
  merges: z.array(z.object({ top: z.int(), left: z.int(), bottom: z.int(), right: z.int() })),
})
/** Empty where nobody and no recipe has arranged anything. */
const arranged = z.object({
  groups: z.array(z.object({ class_id: z.string(), name: z.string() })),
  sort_list: z.array(z.object({ key: z.string(), ...look })),
  hide_empty: z.boolean(),
  hide_zero: z.boolean(),
  hint: z.string(),
})
const layout = z.union([arranged, z.strictObject({})])

export type Understood = z.infer<typeof understood>

const understoodSheet = documentKind<Understood>({
  kind: 'understood sheet',
  version: 3,
  schema: understood,
  // Of the second version on a column may be one of accounts at a chat platform, of the third on it is kept how each column that may be the net pay is read.
  upgrades: { 1: (older) => older, 2: (older) => older },
})
const sheetDrawing = documentKind<DrawnSheet>({ kind: 'sheet drawing', version: 1, schema: drawing })
const slipLayout = documentKind<z.infer<typeof layout>>({ kind: 'slip layout', version: 1, schema: layout })

const place = (batch_id: string, column: 'understood' | 'drawing') => ({ table: 'batch', row: batch_id, column })
export const sealUnderstood = (vault: Ctx['vault'], batch_id: string, value: Understood): Buffer =>
  understoodSheet.seal(vault, place(batch_id, 'understood'), value)

export const sealDrawing = (vault: Ctx['vault'], batch_id: string, value: DrawnSheet): Buffer =>
  sheetDrawing.seal(vault, place(batch_id, 'drawing'), value)
/** What a drawing needs beside the rows of people; nothing where the batch is older than drawings. */
export const drawingOf = ({ vault }: Pick<Ctx, 'vault'>, batch: Pick<BatchRow, 'id' | 'drawing'>): DrawnSheet =>
  batch.drawing
    ? sheetDrawing.open(vault, place(batch.id, 'drawing'), batch.drawing)
    : { others: [], hidden_rows: [], merges: [] }

/** Columns with their present roles, and all else that is known of the sheet. */
export const understoodOf = ({ vault }: Pick<Ctx, 'vault'>, batch: Pick<BatchRow, 'id' | 'understood'>): Understood =>
  understoodSheet.open(vault, place(batch.id, 'understood'), batch.understood)

/** The same, for whoever has only the id: to read slips of it, not to show it. */
export async function understoodIn(ctx: Pick<Ctx, 'db' | 'company_id' | 'vault'>, batch_id: string): Promise<Understood> {
  const row = await ctx.db
    .selectFrom('batch')
    .select(['id', 'understood'])
    .where('company_id', '=', ctx.company_id)
    .where('id', '=', batch_id)
    .executeTakeFirstOrThrow()
  return understoodOf(ctx, row)
}

/** The arrangement of a batch's slips, with the notes that somebody wrote into it. */
export const sealLayout = (vault: Ctx['vault'], batch_id: string, value: Layout): Buffer =>
  slipLayout.seal(vault, layoutPlace(batch_id), value)

const isArranged = (kept: z.infer<typeof layout>): kept is z.infer<typeof arranged> => Array.isArray(kept.sort_list)

export function layoutOf(
  { vault }: Pick<Ctx, 'vault'>,
  batch: Pick<BatchRow, 'id' | 'layout'>,
  known?: Pick<Understood, 'columns'>,
): Layout {
  const kept = slipLayout.open(vault, layoutPlace(batch.id), batch.layout)
  return isArranged(kept) ? kept : arrange(known?.columns ?? [])
}

const isNetScaled = ({ columns, questions }: Pick<Understood, 'columns' | 'questions'>): boolean => {
  const net = columns.find(({ role: of }) => of === 'net')
  return net !== undefined && (getUnitPowers(columns, questions).get(net.key) ?? 0) > 0
}

/** As the contract has it. */
const fileMonth = (file_name: string): SheetInfo['file_month'] => {
  const { month, months, is_date } = monthInFileName(file_name)
  return { month, months: [...months], is_date }
}

/** The answer of the calls that show the sheet. */
export function infoOf(batch: BatchRow, sheet: Understood): SheetInfo {
  const names = getColumnNames(sheet.columns)
  const { expected: _, no_sums: _n, total_rows: _t, read: _r, renames: _w, ...known } = sheet
  return {
    batch_id: batch.id,
    status: batch.status,
    file_name: batch.file_name,
    file_month: fileMonth(batch.file_name),
    title:
      batch.title_id !== null && batch.title_name !== null && batch.title_month !== null
        ? { title_id: batch.title_id, title: batch.title_name, month: batch.title_month, kind: batch.title_kind ?? 'monthly' }
        : null,
    ...known,
    columns: known.columns.map((column) => ({ ...column, name: names.get(column.key) ?? column.label })),
    // It was read as it stands; in ten thousands to the fen it would be said wrong.
    totals_row: known.totals_row && isNetScaled(known) ? { ...known.totals_row, net_fen: null } : known.totals_row,
  }
}
