/**
 * The uploaded wage sheets: built as a grid and read by the product's own recognition rules, so that batches contain
 * real recognition results.
 */

import type { Fen } from '../contract/shared/money.ts'
import type { Layout } from '../contract/sheets/sheet.ts'
import { type RecognizedSheet, toRecognizedSheet } from '../modules/sheets/recognition.ts'
import { createDefaultLayout } from '../modules/sheets/rules/default-layout.ts'
import type { RowCell, RowCells } from '../rules/amounts.ts'
import { type SheetLayout, toSheetLayout } from '../spreadsheets/child/response.ts'
import type { Grid, StoredValue } from '../spreadsheets/grid.ts'
import { recognizeWorkbook } from '../spreadsheets/profiles/wage/recognize-workbook.ts'

/** A header cell with the cells below it; without any it spans both rows. */
export type SheetGroup = readonly [name: string, below: readonly string[]]
export type SheetRowInput = { readonly texts: readonly string[]; readonly amounts: readonly Fen[] }
export type ReadSheet = {
  readonly recognition: RecognizedSheet
  readonly sheetLayout: SheetLayout
  readonly fingerprint: string
  readonly layout: Layout
  /** The rows in display order, each with its number in the wage sheet. */
  readonly rows: readonly { readonly row: number; readonly cells: RowCells }[]
}

const firstDataRow = 3

/** Text columns are on the left, amounts to the right of them; a total row ends the sheet. */
export function buildReadSheet(title: string, groups: readonly SheetGroup[], rowInputs: readonly SheetRowInput[]): ReadSheet {
  const leaves = groups.flatMap(([name, below]) => (below.length > 0 ? below : [name]))
  const texts = rowInputs[0]?.texts.length ?? 0
  const totals = leaves.slice(texts).map((_, at) => rowInputs.reduce((sum, line) => sum + (line.amounts[at] ?? 0), 0))
  const rows: StoredValue[][] = [
    [title],
    groups.flatMap(([name, below]) => [name, ...Array<null>(Math.max(0, below.length - 1)).fill(null)]),
    groups.flatMap(([, below]): StoredValue[] => (below.length > 0 ? [...below] : [null])),
    ...rowInputs.map((line) => [...line.texts, ...line.amounts.map((amount) => amount / 100)]),
    ['合计', ...Array<null>(texts - 1).fill(null), ...totals.map((total) => total / 100)],
  ]
  const merges = [{ top: 0, left: 0, bottom: 0, right: leaves.length - 1 }]
  let left = 0
  for (const [, below] of groups) {
    const right = left + Math.max(0, below.length - 1)
    merges.push({ top: 1, left, bottom: below.length > 0 ? 1 : 2, right })
    left = right + 1
  }
  const grid: Grid = {
    name: '工资表',
    hidden: false,
    rows,
    marks: new Map(),
    merges,
    hidden_rows: new Set(),
    hidden_columns: new Set(),
  }
  const { recognition, grids } = recognizeWorkbook([grid])
  if (recognition.data_rows.length !== rowInputs.length)
    throw new Error(`the demo's sheet was not recognition: ${recognition.reason ?? title}`)
  return {
    recognition: toRecognizedSheet(recognition),
    sheetLayout: toSheetLayout(grids, recognition),
    fingerprint: recognition.fingerprint,
    layout: adjustLayout(createDefaultLayout(recognition.columns)),
    rows: rowInputs.map((line, at) => ({ row: firstDataRow + at + 1, cells: toRowCells(line) })),
  }
}

/** Adjusts the layout as a user would in step 3: hides 扣款合计, because the group adds up its deductions itself. */
const adjustLayout = (layout: Layout): Layout => ({
  ...layout,
  sort_list: layout.sort_list.map((item) => (item.value === '扣款合计' ? { ...item, status: false } : item)),
  hint: '如对工资条有疑问，请在发放后 7 天内通过「有疑问」反馈。',
})

function toRowCells(rowInput: SheetRowInput): RowCells {
  const entries = [
    ...rowInput.texts.map((value): RowCell => ({ value, kind: 'text' })),
    ...rowInput.amounts.map((amount): RowCell => ({ value: formatPlainAmount(amount), kind: 'money', fen: amount })),
  ]
  return Object.fromEntries(entries.flatMap((cell, at) => (cell.value === '' ? [] : [[`c${at}`, cell]])))
}

/** `1234567` → `12345.67`. */
export const formatPlainAmount = (amount: number): string => {
  const digits = String(Math.abs(amount)).padStart(3, '0')
  return `${amount < 0 ? '-' : ''}${digits.slice(0, -2)}.${digits.slice(-2)}`
}
