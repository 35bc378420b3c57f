/**
 * Combines several rows of one member into one payslip. The combined cells hold the sum or joined text of all rows
 * under each column key, and each row's own cell under `column@row`: a section of the payslip. Code that reads a row by
 * column key sees one member with summed amounts; only code that shows or corrects the payslip reads the sections.
 */

import type { ColumnRole } from '../../../contract/shared/schemas.ts'
import { identityRoles, isDepartment, isInfo, moneyRoles } from '../../../contract/sheets/column-roles.ts'
import { parseCellAmount, type RowCell, type RowCells } from '../../../rules/amounts.ts'
import { isEmptyMark, parseDecimal } from '../../../rules/decimal.ts'
import { normalizeText } from '../../../rules/text.ts'

export type SectionRow = { readonly row: number; readonly cells: RowCells }
type Column = { readonly key: string; readonly role: ColumnRole }

export const getSectionKey = (column: string, row: number): string => `${column}@${row}`

/** Returns the rows combined in these cells, in order; none for a single row. */
export function getSections(cells: RowCells): SectionRow[] {
  const rows = new Map<number, Record<string, RowCell>>()
  for (const key in cells) {
    const cut = key.indexOf('@')
    const cell = cells[key]
    if (cut < 0 || !cell) continue
    const row = Number(key.slice(cut + 1))
    const sectionCells = rows.get(row) ?? {}
    sectionCells[key.slice(0, cut)] = cell
    rows.set(row, sectionCells)
  }
  return [...rows].map(([row, sectionCells]) => ({ row, cells: sectionCells })).toSorted((a, b) => a.row - b.row)
}

/** `terms`: columns that are summed in addition to amount columns because a sum of the wage sheet contains them. */
export function combineRows(
  rows: readonly SectionRow[],
  columns: readonly Column[],
  terms: ReadonlySet<string> = new Set(),
): RowCells {
  const combined: Record<string, RowCell> = {}
  for (const { key, role } of columns) {
    const cells = rows.flatMap(({ cells: own }) => own[key] ?? []).filter(isFilled)
    const cell = moneyRoles.has(role) || terms.has(key) ? addCells(cells) : joinCells(cells, role)
    if (cell) combined[key] = cell
  }
  for (const { row, cells } of rows)
    for (const key in cells) {
      const cell = cells[key]
      if (cell) combined[getSectionKey(key, row)] = cell
    }
  return combined
}

const isFilled = (cell: RowCell): boolean => cell.kind === 'error' || cell.flaw !== undefined || cell.value !== ''

/** Sums amounts in the unit of the wage sheet. An unreadable cell is returned unchanged, so that the check reports it. */
function addCells(cells: readonly RowCell[]): RowCell | null {
  const unread = cells.find((cell) => parseCellAmount(cell).error !== null)
  const [only, ...more] = unread ? [unread] : cells.filter(({ value }) => !isEmptyMark(value))
  if (!only) return cells[0] ?? null
  if (more.length === 0) return only
  const all = [only, ...more]
  const fen = all.reduce((sum, cell) => sum + (parseCellAmount(cell).fen ?? 0), 0)
  return { value: addDecimals(all.map(({ value }) => parseDecimal(value) ?? '0')), kind: 'money', fen }
}

/** Identity numbers are kept once; other differing texts are joined. */
function joinCells(cells: readonly RowCell[], role: ColumnRole): RowCell | null {
  const [first] = cells
  if (!first) return null
  const texts = [...new Set(cells.map(({ value }) => normalizeText(value)))]
  return texts.length === 1 || identityRoles.has(role) ? first : { value: texts.join('、'), kind: 'text' }
}

/** Adds decimals exactly: `1.25` and `-0.5` → `0.75`. */
export function addDecimals(decimals: readonly string[]): string {
  const fractionDigits = Math.max(0, ...decimals.map((one) => one.split('.')[1]?.length ?? 0))
  const sum = decimals.reduce((all, one) => {
    const [integerDigits = '0', fraction = ''] = one.split('.')
    return all + BigInt(integerDigits + fraction.padEnd(fractionDigits, '0'))
  }, 0n)
  const digits = `${sum < 0n ? -sum : sum}`.padStart(fractionDigits + 1, '0')
  const fraction = digits.slice(digits.length - fractionDigits).replace(/0+$/, '')
  const integerDigits = digits.slice(0, digits.length - fractionDigits)
  return `${sum < 0n ? '-' : ''}${integerDigits}${fractionDigits > 0 && fraction ? `.${fraction}` : ''}`
}

const getText = (cells: RowCells, key: string): string => normalizeText(cells[key]?.value ?? '')

/** Whether rows have to be shown as separate sections; not if no item has values in more than one row. */
export const needsSections = (sections: readonly SectionRow[], items: readonly Column[]): boolean =>
  items.some(({ key, role }) => {
    const texts = sections.flatMap(({ cells }) => getText(cells, key) || [])
    return moneyRoles.has(role) ? texts.length > 1 : new Set(texts).size > 1
  })

/**
 * Returns the headings of the sections: the first text column with a different value in each (position, project,
 * department), otherwise their order. `by` is that column, which is not repeated below its heading. `shared` lists
 * columns with the same value in all sections.
 */
export function getSectionHeadings(sections: readonly SectionRow[], items: readonly Column[]) {
  const getTexts = (key: string) => sections.map(({ cells }) => getText(cells, key))
  const isHeading = ({ key, role }: Column) => {
    const texts = getTexts(key)
    return (
      (isInfo(role) || isDepartment(role)) &&
      texts.every((text) => text !== '' && text.length <= maxHeadingLength && parseDecimal(text) === null) &&
      new Set(texts).size === texts.length
    )
  }
  const headingColumn = items.find(isHeading)
  const shared = new Set(
    items.flatMap(({ key, role }) => (!moneyRoles.has(role) && new Set(getTexts(key)).size === 1 ? [key] : [])),
  )
  const headings = headingColumn ? getTexts(headingColumn.key) : sections.map((_, at) => `第 ${at + 1} 行`)
  return { headings, by: headingColumn?.key ?? null, shared }
}
const maxHeadingLength = 20
