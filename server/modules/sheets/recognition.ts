/**
 * The recognition result of a batch, encrypted with the batch: columns and their roles, formula, questions, the sheet
 * layout and the payslip layout. These are the stored shapes: unlike those of calls they remain readable in every
 * version.
 */
import * as z from 'zod/mini'
import { cellKinds, columnRoleNames, questionKinds } from '../../contract/shared/schemas.ts'
import { getColumnNames } from '../../contract/sheets/column-names.ts'
import { isNet } from '../../contract/sheets/column-roles.ts'
import type { Layout, WageSheetInfo } from '../../contract/sheets/sheet.ts'
import { defineDocument } from '../../crypto/sealed-document.ts'
import type { CompanyVaultTx } from '../../database/company-tx.ts'
import type { HandlerContext } from '../../http/handler.ts'
import { findMonthInFileName } from '../../rules/months.ts'
import type { ReadSheetResult, SheetLayout } from '../../spreadsheets/index.ts'
import type { BatchRow } from './access.ts'
import { getLayoutPosition } from './names/sealed-names.ts'
import { createDefaultLayout } from './rules/default-layout.ts'
import { getUnitPowers } from './rules/unit.ts'

const nullableText = z.nullable(z.string())
const nullableInt = z.nullable(z.int())
const textList = z.array(z.string())
const intList = z.array(z.int())
const columnRole = z.enum(columnRoleNames)

const columnSchema = z.object({
  key: z.string(),
  col: z.string(),
  path: textList,
  label: z.string(),
  role: columnRole,
  kind: z.enum(cellKinds),
  samples: textList,
  confidence: z.number(),
  reason: z.string(),
  hidden: z.boolean(),
})
const sumFields = { plus: textList, minus: textList, holds: z.int(), of: z.int() }
const formulaSchema = z.nullable(z.object({ ...sumFields, net: z.string(), by: z.enum(['found', 'remembered', 'person']) }))
const totalsRowSchema = z.nullable(z.object({ row: z.int(), net_fen: nullableInt, agrees: z.nullable(z.boolean()) }))
const questionSchema = z.object({
  id: z.string(),
  kind: z.enum(questionKinds),
  must: z.boolean(),
  message: z.string(),
  key: nullableText,
  rows: intList,
  choices: z.array(z.object({ value: z.string(), label: z.string() })),
  suggested: z.string(),
  answer: nullableText,
  sheets: z.optional(textList),
})
const sourceTableSchema = z.object({
  sheet: z.string(),
  header_rows: intList,
  first_data_row: nullableInt,
  last_data_row: nullableInt,
  last_row: z.int(),
  people_rows: z.int(),
  places: z.array(z.tuple([z.string(), z.int()])),
  turned: z.optional(z.literal(true)),
})
/** Appearance of a column on a payslip. */
const layoutItemFields = { value: z.string(), status: z.boolean(), class_id: nullableText, note: z.string() }
/** The reading of the wage sheet for each column that may be the net pay. */
const netReadingSchema = z.object({ net: z.string(), formula: formulaSchema, roles: z.record(z.string(), columnRole) })
/** The original reading of the wage sheet, before answers or mappings were applied. */
const originalReadingSchema = z.object({
  formula: formulaSchema,
  questions: z.array(questionSchema),
  totals_row: totalsRowSchema,
  roles: z.record(z.string(), columnRole),
  net_readings: z.optional(z.array(netReadingSchema)),
})

const recognizedSheetSchema = z.object({
  says: z.object({ title: nullableText, month: nullableText, months: z.optional(textList) }),
  sheets: z.array(z.object({ name: z.string(), rows: z.int(), hidden: z.boolean(), chosen: z.boolean(), like: z.boolean() })),
  /** Includes the column positions, which the sheet layout needs. */
  parts: z.array(sourceTableSchema),
  header: z.object({ rows: intList, first_data_row: nullableInt, last_data_row: nullableInt }),
  columns: z.array(columnSchema),
  rows: z.int(),
  ignored: z.array(z.object({ row: z.int(), why: z.string() })),
  formula: formulaSchema,
  subtotals: z.array(z.object({ ...sumFields, key: z.string() })),
  totals_row: totalsRowSchema,
  warnings: textList,
  questions: z.array(questionSchema),
  remembered: z.nullable(
    z.object({
      template_id: z.string(),
      name: nullableText,
      title: nullableText,
      month: nullableText,
      sent: z.optional(z.boolean()),
      fresh: textList,
      missing: z.array(z.object({ label: z.string(), role: columnRole })),
      renamed: z.array(z.object({ key: z.string(), from: z.string() })),
    }),
  ),
  /** The formula of the last wage sheet with the same template. */
  expected: z.nullable(z.object({ ...sumFields, net: z.string() })),
  /** Rows labelled as totals: of departments, of sheets, of everything. */
  total_rows: intList,
  /** The user has answered that nothing adds up. */
  no_sums: z.optional(z.boolean()),
  read: originalReadingSchema,
  /** Columns that appear to be renamed, with the old columns and their layout. */
  renames: z.optional(
    z.array(
      z.object({
        key: z.string(),
        from: z.string(),
        role: columnRole,
        item: z.nullable(z.object({ ...layoutItemFields, value: nullableText })),
      }),
    ),
  ),
})
const sheetLayoutSchema = z.object({
  others: z.array(z.tuple([z.int(), z.union([textList, z.int()])])),
  hidden_rows: intList,
  merges: z.array(z.object({ top: z.int(), left: z.int(), bottom: z.int(), right: z.int() })),
})
/** The object is empty where neither a user nor a mapping has changed the layout. */
const customLayoutSchema = z.object({
  groups: z.array(z.object({ class_id: z.string(), name: z.string() })),
  sort_list: z.array(z.object({ key: z.string(), ...layoutItemFields })),
  hide_empty: z.boolean(),
  hide_zero: z.boolean(),
  hint: z.string(),
})
const payslipLayoutSchema = z.union([customLayoutSchema, z.strictObject({})])

export type RecognizedSheet = z.infer<typeof recognizedSheetSchema>

/** The column as it was read, before a user or a template decides about it. */
export function toRecognizedSheet(recognition: ReadSheetResult['recognition']): RecognizedSheet {
  const {
    sheets,
    parts: sourceTables,
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
  } = recognition
  const toDetectedFormula = (sum: typeof formula) => sum && { ...sum, by: 'found' as const }
  const detectedFormula = toDetectedFormula(formula)
  return {
    sheets,
    parts: sourceTables,
    says,
    header,
    columns,
    rows: data_rows.length,
    ignored,
    formula: detectedFormula,
    subtotals,
    totals_row,
    total_rows,
    warnings,
    questions,
    remembered: null,
    expected: null,
    read: {
      roles: Object.fromEntries(columns.map(({ key, role }) => [key, role])),
      formula: detectedFormula,
      questions,
      totals_row,
      ...(net_readings.length > 0 && {
        net_readings: net_readings.map((reading) => ({ ...reading, formula: toDetectedFormula(reading.formula) })),
      }),
    },
  }
}

const recognizedSheetDocument = defineDocument<RecognizedSheet>({
  kind: 'recognition of a wage sheet',
  version: 2,
  // Version 2 knows one more column role, the union fee.
  upgrades: { 1: (older) => older },
  schema: recognizedSheetSchema,
})
const sheetLayoutDocument = defineDocument<SheetLayout>({ kind: 'sheet layout', version: 1, schema: sheetLayoutSchema })
const payslipLayoutDocument = defineDocument<z.infer<typeof payslipLayoutSchema>>({
  kind: 'payslip layout',
  version: 1,
  schema: payslipLayoutSchema,
})

const getBatchPosition = (batch_id: string, column: 'recognition' | 'sheet_layout') => ({ table: 'batch', row: batch_id, column })
export const sealRecognition = (vault: HandlerContext['vault'], batch_id: string, value: RecognizedSheet): Buffer =>
  recognizedSheetDocument.seal(vault, getBatchPosition(batch_id, 'recognition'), value)

export const sealSheetLayout = (vault: HandlerContext['vault'], batch_id: string, value: SheetLayout): Buffer =>
  sheetLayoutDocument.seal(vault, getBatchPosition(batch_id, 'sheet_layout'), value)
/** Decrypts the data that the sheet layout needs in addition to the rows of employees. */
export const openSheetLayout = (
  { vault }: Pick<HandlerContext, 'vault'>,
  batch: Pick<BatchRow, 'id' | 'sheet_layout'>,
): SheetLayout => sheetLayoutDocument.open(vault, getBatchPosition(batch.id, 'sheet_layout'), batch.sheet_layout)

/** Decrypts the recognition result: columns with their current roles and everything else about the wage sheet. */
export const openRecognition = (
  { vault }: Pick<HandlerContext, 'vault'>,
  batch: Pick<BatchRow, 'id' | 'recognition'>,
): RecognizedSheet => recognizedSheetDocument.open(vault, getBatchPosition(batch.id, 'recognition'), batch.recognition)

/** Loads the recognition result by batch id, for reading payslips and not for display. */
export async function loadRecognition(
  ctx: Pick<HandlerContext, 'db' | 'company_id' | 'vault'>,
  batch_id: string,
): Promise<RecognizedSheet> {
  const row = await ctx.db
    .selectFrom('batch')
    .select(['id', 'recognition'])
    .where('company_id', '=', ctx.company_id)
    .where('id', '=', batch_id)
    .executeTakeFirstOrThrow()
  return openRecognition(ctx, row)
}

/** Encrypts the payslip layout of a batch with its notes. */
export const sealPayslipLayout = (vault: HandlerContext['vault'], batch_id: string, value: Layout): Buffer =>
  payslipLayoutDocument.seal(vault, getLayoutPosition(batch_id), value)

const isCustomLayout = (stored: z.infer<typeof payslipLayoutSchema>): stored is z.infer<typeof customLayoutSchema> =>
  Array.isArray(stored.sort_list)

export function openPayslipLayout(
  { vault }: Pick<HandlerContext, 'vault'>,
  batch: Pick<BatchRow, 'id' | 'layout'>,
  recognition?: Pick<RecognizedSheet, 'columns'>,
): Layout {
  const stored = payslipLayoutDocument.open(vault, getLayoutPosition(batch.id), batch.layout)
  return isCustomLayout(stored) ? stored : createDefaultLayout(recognition?.columns ?? [])
}

const hasScaledNet = ({ columns, questions }: Pick<RecognizedSheet, 'columns' | 'questions'>): boolean => {
  const net = columns.find(({ role: of }) => isNet(of))
  return net !== undefined && (getUnitPowers(columns, questions).get(net.key) ?? 0) > 0
}

/** Returns the month in the format of the contract. */
const getFileMonth = (file_name: string): WageSheetInfo['file_month'] => {
  const { month, months, is_date } = findMonthInFileName(file_name)
  return { month, months: [...months], is_date }
}

/** Builds the response of the calls that show the wage sheet. */
export function toSheetInfo(batch: BatchRow, sheet: RecognizedSheet): WageSheetInfo {
  const names = getColumnNames(sheet.columns)
  const { expected: _, no_sums: _n, total_rows: _t, read: _r, renames: _w, ...publicFields } = sheet
  return {
    batch_id: batch.id,
    status: batch.status,
    file_name: batch.file_name,
    file_month: getFileMonth(batch.file_name),
    title:
      batch.title_id !== null && batch.title_name !== null && batch.title_month !== null
        ? { title_id: batch.title_id, title: batch.title_name, month: batch.title_month, kind: batch.title_kind ?? 'monthly' }
        : null,
    ...publicFields,
    columns: publicFields.columns.map((column) => ({ ...column, name: names.get(column.key) ?? column.label })),
    // The total is read without its unit, so a net total in units of ten thousand would be wrong and is omitted.
    totals_row:
      publicFields.totals_row && hasScaledNet(publicFields)
        ? { ...publicFields.totals_row, net_fen: null }
        : publicFields.totals_row,
  }
}

/** Decrypts the newest wage sheet of a company; throws if there is one that cannot be read. For the check at the start. */
export async function openNewestRecognition(ctx: CompanyVaultTx): Promise<void> {
  const batch = await ctx.db
    .selectFrom('batch')
    .select(['id', 'recognition', 'layout', 'sheet_layout'])
    .where('company_id', '=', ctx.company_id)
    .orderBy('id', 'desc')
    .limit(1)
    .executeTakeFirst()
  if (!batch) return
  openPayslipLayout(ctx, batch, openRecognition(ctx, batch))
  openSheetLayout(ctx, batch)
}
