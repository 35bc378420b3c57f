/** What an imported list of deductions would change, row by row: whose each is, what is there already, what cannot be taken and where. Pure. */
import { type DeductionItem, deductionFieldNames, type ImportedDeduction } from '../../../contract/wage/deductions.ts'
import type { DeductionsRead } from '../../../tables/index.ts'
import { type CalledPerson, type KnownPeople, whoseRow } from '../rules/whose.ts'
import { faultTogether, itemFault, sameThing, tidyItem } from './items.ts'

type Row = DeductionsRead['rows'][number]
type Known = KnownPeople & {
  readonly kept: (member_id: string) => readonly DeductionItem[]
  readonly month: string
}
type Taken = { readonly row: Row; readonly person: CalledPerson; readonly item: DeductionItem }

const fault = (row: Row, column: string | null, why: string): ImportedDeduction => ({
  sheet: row.sheet,
  row: row.row,
  cell: column === null ? null : `${column}${row.row}`,
  name: row.name,
  kind: null,
  what: 'fault',
  why,
})

export function planImport(rows: readonly Row[], known: Known) {
  const faults = new Map<Row, ImportedDeduction>()
  const taken: Taken[] = []
  for (const row of rows) {
    const [bad] = row.bad
    if (bad || !row.item) {
      faults.set(row, fault(row, bad?.column ?? null, bad?.why ?? '这一行看不懂，请核对'))
      continue
    }
    const person = whoseRow(row, known)
    if (typeof person === 'string') {
      faults.set(row, fault(row, row.name_column, person))
      continue
    }
    const item = tidyItem(row.item)
    const wrong = itemFault(item, known.month)
    if (wrong) faults.set(row, fault(row, null, wrong.message))
    else taken.push({ row, person, item })
  }
  const changed: { readonly member_id: string; readonly items: readonly DeductionItem[] }[] = []
  const told = new Map<Row, ImportedDeduction>(faults)
  for (const [member_id, own] of Map.groupBy(taken, ({ person }) => person.id)) {
    const { items, lines } = merged(known.kept(member_id), own, known.month)
    for (const [row, line] of lines) told.set(row, line)
    if (items) changed.push({ member_id, items })
  }
  return { rows: rows.flatMap((row) => told.get(row) ?? []), changed }
}

/** One person's rows put to what is there: all of them or none, for half of a year's deductions may be refused because of the other half. */
function merged(
  before: readonly DeductionItem[],
  own: readonly Taken[],
  month: string,
): { items: readonly DeductionItem[] | null; lines: [Row, ImportedDeduction][] } {
  const items = new Map(before.map((item) => [sameThing(item), item]))
  const lines = own.map(({ row, item }): [Row, ImportedDeduction] => {
    const there = items.get(sameThing(item))
    const what = !there ? 'new' : deductionFieldNames.every((field) => there[field] === item[field]) ? 'same' : 'changed'
    items.set(sameThing(item), item)
    return [row, { sheet: row.sheet, row: row.row, cell: null, name: row.name, kind: item.kind, what, why: '' }]
  })
  const all = [...items.values()]
  const wrong = faultTogether(all, month)
  if (wrong) return { items: null, lines: own.map(({ row }) => [row, fault(row, null, wrong.message)]) }
  return { items: lines.some(([, { what }]) => what !== 'same') ? all : null, lines }
}
