/** A slip as the employee sees it. It shows what the sheet said, as text; the fen that were understood stand beside. */
import { moneyRoles } from '../../../contract/column-roles.ts'
import type { Layout, Slip } from '../../../contract/sheet.ts'
import type { ColumnRole } from '../../../contract/words.ts'
import { amountOf, type RowCells } from './amounts.ts'

export type SlipColumn = { readonly key: string; readonly label: string; readonly role: ColumnRole }

export function renderSlip(given: {
  readonly layout: Layout
  readonly columns: readonly SlipColumn[]
  readonly cells: RowCells
  readonly title: string
  readonly month: string | null
  readonly corp_name: string
  readonly name: string
}): Slip {
  const { layout, columns, cells } = given
  const roleOf = new Map(columns.map((column) => [column.key, column.role]))
  const visible = layout.sort_list.filter((item) => item.status && roleOf.has(item.key))
  const netItem = visible.find((item) => roleOf.get(item.key) === 'net')
  const net_fen = netItem ? amountOf(cells[netItem.key]).fen : null

  const cellsOf = (class_id: string | null): Shown[] =>
    visible.flatMap((item) => {
      const role = roleOf.get(item.key) ?? 'ignore'
      if (item.class_id !== class_id || item === netItem) return []
      const cell = cells[item.key]
      const { fen } = amountOf(cell)
      const value = cell?.value ?? ''
      if (layout.hide_empty && value === '') return []
      if (layout.hide_zero && fen === 0) return []
      const isMoney = moneyRoles.has(role)
      return [
        {
          role,
          cell: {
            key: item.key,
            label: item.value,
            value,
            kind: cell?.kind ?? ('empty' as const),
            fen: isMoney || cell?.kind === 'money' ? fen : null,
            note: item.note,
          },
        },
      ]
    })

  const order = [...layout.groups, { class_id: null, name: '' }]
  const groups = order.flatMap((group) => {
    const list = cellsOf(group.class_id)
    return list.length ? [{ name: group.name, sum_fen: sumOf(list), cells: list.map((one) => one.cell) }] : []
  })
  return {
    title: given.title,
    month: given.month,
    corp_name: given.corp_name,
    name: given.name,
    net: netItem && net_fen !== null ? { label: netItem.value, fen: net_fen } : null,
    groups,
    hint: layout.hint,
  }
}

type Shown = { readonly role: ColumnRole; readonly cell: Slip['groups'][number]['cells'][number] }

const isSubtotal = (one: Shown): boolean => one.role === 'gross' || /(?:合计|小计|总计|总额|共计)$/.test(one.cell.label.trim())

/**
 * The sum of a group, where all its cells are money. A subtotal of the sheet is not added once more: where there is exactly one it
 * is the sum, because the employee must find the sheet's own figure.
 */
function sumOf(list: readonly Shown[]): number | null {
  if (!list.every((one) => moneyRoles.has(one.role) && (one.cell.fen !== null || one.cell.value === ''))) return null
  const subtotals = list.filter(isSubtotal)
  if (subtotals.length === 1) return subtotals[0]?.cell.fen ?? null
  if (subtotals.length > 1) return null
  return list.length > 1 ? list.reduce((all, one) => all + (one.cell.fen ?? 0), 0) : null
}
