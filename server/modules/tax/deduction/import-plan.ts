/** Plans an imported list of deductions row by row: member, existing items, and the position of rows that cannot be imported. */
import { type DeductionItem, deductionFieldNames, type ImportedDeduction } from '../../../contract/tax/deductions.ts'
import type { DeductionLists } from '../../../spreadsheets/index.ts'
import { type MemberLookup, matchRowToMember, type NamedMember } from '../rules/match-member.ts'
import { getItemIdentity, normalizeItem, validateItem, validateItems } from './items.ts'

type DeductionRow = DeductionLists['rows'][number]
type ImportContext = MemberLookup & {
  readonly getStored: (member_id: string) => readonly DeductionItem[]
  readonly month: string
}
type AcceptedRow = { readonly row: DeductionRow; readonly person: NamedMember; readonly item: DeductionItem }

const createErrorRow = (row: DeductionRow, column: string | null, reason: string): ImportedDeduction => ({
  sheet: row.sheet,
  row: row.row,
  cell: column === null ? null : `${column}${row.row}`,
  name: row.name,
  kind: null,
  what: 'fault',
  reason,
})

export function planImport(rows: readonly DeductionRow[], context: ImportContext) {
  const errors = new Map<DeductionRow, ImportedDeduction>()
  const accepted: AcceptedRow[] = []
  for (const row of rows) {
    const [invalidCell] = row.errors
    if (invalidCell || !row.item) {
      errors.set(row, createErrorRow(row, invalidCell?.column ?? null, invalidCell?.reason ?? '这一行看不懂，请核对'))
      continue
    }
    const person = matchRowToMember(row, context)
    if (typeof person === 'string') {
      errors.set(row, createErrorRow(row, row.name_column, person))
      continue
    }
    const item = normalizeItem(row.item)
    const error = validateItem(item, context.month)
    if (error) errors.set(row, createErrorRow(row, null, error.message))
    else accepted.push({ row, person, item })
  }
  const changed: { readonly member_id: string; readonly items: readonly DeductionItem[] }[] = []
  const results = new Map<DeductionRow, ImportedDeduction>(errors)
  for (const [member_id, memberRows] of Map.groupBy(accepted, ({ person }) => person.id)) {
    const { items, lines: rowResults } = mergeMemberRows(context.getStored(member_id), memberRows, context.month)
    for (const [row, line] of rowResults) results.set(row, line)
    if (items) changed.push({ member_id, items })
  }
  return { rows: rows.flatMap((row) => results.get(row) ?? []), changed }
}

/** Merges a member's rows with the existing items: all or none, because half of a year's deductions may conflict. */
function mergeMemberRows(
  stored: readonly DeductionItem[],
  memberRows: readonly AcceptedRow[],
  month: string,
): { items: readonly DeductionItem[] | null; lines: [DeductionRow, ImportedDeduction][] } {
  const items = new Map(stored.map((item) => [getItemIdentity(item), item]))
  const rowResults = memberRows.map(({ row, item }): [DeductionRow, ImportedDeduction] => {
    const existing = items.get(getItemIdentity(item))
    const kind = !existing ? 'new' : deductionFieldNames.every((field) => existing[field] === item[field]) ? 'same' : 'changed'
    items.set(getItemIdentity(item), item)
    return [row, { sheet: row.sheet, row: row.row, cell: null, name: row.name, kind: item.kind, what: kind, reason: '' }]
  })
  const all = [...items.values()]
  const error = validateItems(all, month)
  if (error) return { items: null, lines: memberRows.map(({ row }) => [row, createErrorRow(row, null, error.message)]) }
  return { items: rowResults.some(([, { what: kind }]) => kind !== 'same') ? all : null, lines: rowResults }
}
