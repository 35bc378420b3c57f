/** A slip as the employee sees it. It shows what the sheet said, as text; the fen that were understood stand beside. */
import { moneyRoles } from '../../../contract/sheet/column-roles.ts'
import type { Layout, Slip } from '../../../contract/sheet/sheet.ts'
import { type Sign, signed } from '../../../contract/words/money.ts'
import type { ColumnRole } from '../../../contract/words/words.ts'
import { amountOf, kindIn, type RowCells } from '../../../rules/amounts.ts'
import { sideOf } from './arrange.ts'
import { headingsOf, isSplit, type SectionRow, sectionKey, sectionsIn } from './sections.ts'

export type SlipColumn = { readonly key: string; readonly label: string; readonly role: ColumnRole }

/** Which columns make the net pay, where it is known. */
export type SlipFormula = { readonly plus: readonly string[]; readonly minus: readonly string[] } | null
type Named = { readonly key: string; readonly label: string; readonly role: ColumnRole }

const deductions: ReadonlySet<ColumnRole> = new Set(['deduction', 'tax'])
const takesOff = (role: ColumnRole, label: string): boolean =>
  deductions.has(role) || (role === 'subtotal' && sideOf(label) === 'deduction')

/**
 * By the formula, where it names the column: what it adds stands as it is, what it subtracts is turned round. Otherwise a deduction that the
 * sheet writes with a minus sign has its sign already.
 */
function signOf({ key, role, label }: Named, formula: SlipFormula): Sign {
  if (!takesOff(role, label) || formula?.plus.includes(key)) return 'own'
  return formula?.minus.includes(key) ? 'turned' : 'minus'
}

/** The sign of each column, by the names that the slips give them. */
export function signsOf(given: {
  readonly layout: Pick<Layout, 'sort_list'>
  readonly columns: readonly Named[]
  readonly formula: SlipFormula
}): ReadonlyMap<string, Sign> {
  const names = new Map(given.layout.sort_list.map(({ key, value }) => [key, value]))
  return new Map(
    given.columns.map((column) => [
      column.key,
      signOf({ ...column, label: names.get(column.key) ?? column.label }, given.formula),
    ]),
  )
}

export function renderSlip(given: {
  readonly layout: Layout
  readonly columns: readonly SlipColumn[]
  readonly formula: SlipFormula
  readonly cells: RowCells
  readonly title: string
  readonly month: string | null
  readonly corp_name: string
  readonly name: string
}): Slip {
  const { layout, columns, cells, formula } = given
  const signs = signsOf({ layout, columns, formula })
  const roleOf = new Map(columns.map((column) => [column.key, column.role]))
  const visible = layout.sort_list.filter((item) => item.status && roleOf.has(item.key))
  const netItem = visible.find((item) => roleOf.get(item.key) === 'net')
  const net_fen = netItem ? amountOf(cells[netItem.key]).fen : null

  const cellsOf = (class_id: string | null, { of = cells, keyed = (key: string) => key, without = none }: Part = {}): Shown[] =>
    visible.flatMap((item) => {
      const role = roleOf.get(item.key) ?? 'ignore'
      if (item.class_id !== class_id || item === netItem || without.has(item.key)) return []
      const cell = of[item.key]
      const amount = amountOf(cell).fen
      const value = cell?.value ?? ''
      if (layout.hide_empty && value === '') return []
      if (layout.hide_zero && amount === 0) return []
      const fen = moneyRoles.has(role) || cell?.kind === 'money' ? amount : null
      const minus = fen !== null && signed(fen, signs.get(item.key) ?? 'own') !== fen
      return [
        { role, cell: { key: keyed(item.key), label: item.value, value, kind: kindIn(cell, role), fen, minus, note: item.note } },
      ]
    })

  const order = [...layout.groups, { class_id: null, name: '' }]
  const whole = order.map((group) => ({ name: group.name, list: cellsOf(group.class_id) })).filter(({ list }) => list.length > 0)
  const items = visible.flatMap(({ key }) =>
    key === netItem?.key ? [] : [{ key, role: roleOf.get(key) ?? ('ignore' as const) }],
  )
  const sections = sectionsIn(cells)
  const split = isSplit(sections, items) ? splitOf(sections, items) : null
  const groups = split
    ? [
        ...split.parts.flatMap(({ heading, part }) =>
          order
            .map(({ class_id, name }) => ({ name: nameIn(heading, name), list: cellsOf(class_id, part) }))
            // A second post has no deductions of its own: noughts would only hide what there is.
            .filter(({ list }) => list.some(({ cell }) => cell.fen !== 0)),
        ),
        ...order.map(({ class_id, name }) => ({ name, list: cellsOf(class_id, { without: split.own }) })),
      ].filter(({ list }) => list.length > 0)
    : whole
  return {
    title: given.title,
    month: given.month,
    corp_name: given.corp_name,
    name: given.name,
    net: netItem && net_fen !== null ? { label: netItem.value, fen: net_fen } : null,
    sums:
      net_fen === null
        ? null
        : sumsOf(
            whole.flatMap(({ list }) => list),
            net_fen,
          ),
    groups: groups.map(({ name, list }) => ({ name, ...summed(list) })),
    hint: layout.hint,
  }
}

const none: ReadonlySet<string> = new Set()
/** Of several rows that became one payslip, the one that a group shows; and columns that it leaves out. */
type Part = { readonly of?: RowCells; readonly keyed?: (key: string) => string; readonly without?: ReadonlySet<string> }

/** What each section shows under which heading, and the columns (`own`) that are not said once for all of them. */
function splitOf(sections: readonly SectionRow[], items: readonly { readonly key: string; readonly role: ColumnRole }[]) {
  const { headings, shared, by } = headingsOf(sections, items)
  const own = new Set(items.flatMap(({ key }) => (shared.has(key) ? [] : [key])))
  const without = new Set([...shared, ...(by === null ? [] : [by])])
  const parts = sections.map(({ row, cells }, at) => ({
    heading: headings[at] ?? '',
    part: { of: cells, keyed: (key: string) => sectionKey(key, row), without },
  }))
  return { own, parts }
}
const nameIn = (heading: string, group: string): string => (group === '' || group === heading ? heading : `${heading} · ${group}`)

type Shown = { readonly role: ColumnRole; readonly cell: Slip['groups'][number]['cells'][number] }

const isSubtotal = (one: Shown): boolean =>
  one.role === 'gross' || one.role === 'subtotal' || /(?:合计|小计|总计|总额|共计)$/.test(one.cell.label.trim())
const shownFen = ({ cell }: Shown): number => (cell.minus ? -(cell.fen ?? 0) : (cell.fen ?? 0))
const total = (list: readonly Shown[]): number => list.reduce((all, one) => all + shownFen(one), 0)

/**
 * A group as it adds up to the eye: its sum is that of the lines below it, and a subtotal of the sheet that says the same is the sum and no
 * line of its own. A subtotal that says something else (lines are hidden, or the sheet is wrong) stays a line, and there is no sum.
 */
function summed(list: readonly Shown[]): Pick<Slip['groups'][number], 'sum_fen' | 'cells'> {
  const whole = { sum_fen: null, cells: list.map(({ cell }) => cell) }
  if (!list.every((one) => moneyRoles.has(one.role) && (one.cell.fen !== null || one.cell.value === ''))) return whole
  const items = list.filter((one) => !isSubtotal(one))
  const subtotals = list.filter((one) => isSubtotal(one) && one.cell.fen !== null)
  if (items.length === 0) return whole
  const sum_fen = total(items)
  const same = subtotals.filter((one) => shownFen(one) === sum_fen)
  if (subtotals.length > 0 && same.length === 0) return whole
  if (subtotals.length === 0 && items.length < 2) return whole
  return { sum_fen, cells: list.filter((one) => !same.includes(one)).map(({ cell }) => cell) }
}

/** Gross pay and deductions that make the net pay, of what is shown: the sheet's own figures before ours. Null where none of them do. */
function sumsOf(list: readonly Shown[], net_fen: number): Slip['sums'] {
  const money = list.filter((one) => one.cell.fen !== null)
  const off = money.filter((one) => takesOff(one.role, one.cell.label))
  const items = off.filter((one) => !isSubtotal(one))
  const gross = money.filter((one) => one.role === 'gross').map(shownFen)
  const earned = money.filter((one) => one.role === 'earning' && !isSubtotal(one))
  const grosses = [...gross, ...(earned.length > 0 ? [total(earned)] : [])]
  const deductions = [-total(items), ...off.filter(isSubtotal).map((one) => -shownFen(one))]
  for (const gross_fen of grosses)
    for (const deduction_fen of deductions)
      if (gross_fen - deduction_fen === net_fen) return { gross_fen, deduction_fen: deduction_fen || 0 }
  return null
}
