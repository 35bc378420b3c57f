/** Renders a payslip as the employee sees it. It shows the text of the wage sheet in addition to the parsed fen. */

import { type AmountSign, applySign } from '../../../contract/shared/money.ts'
import type { ColumnRole } from '../../../contract/shared/schemas.ts'
import { isDeductionOrTax, isEarning, isGross, isNet, isSubtotal, moneyRoles } from '../../../contract/sheets/column-roles.ts'
import type { Layout, Payslip } from '../../../contract/sheets/sheet.ts'
import { getCellKind, parseCellAmount, type RowCells } from '../../../rules/amounts.ts'
import { getSubtotalSide } from './default-layout.ts'
import { getSectionHeadings, getSectionKey, getSections, needsSections, type SectionRow } from './sections.ts'

export type PayslipColumn = { readonly key: string; readonly label: string; readonly role: ColumnRole }

/** The columns that make up net pay, where known. */
export type PayslipFormula = { readonly plus: readonly string[]; readonly minus: readonly string[] } | null
type NamedColumn = { readonly key: string; readonly label: string; readonly role: ColumnRole }

const isDeducted = (role: ColumnRole, label: string): boolean =>
  isDeductionOrTax(role) || (isSubtotal(role) && getSubtotalSide(label) === 'deduction')

/**
 * Returns the sign by the formula where it contains the column: added columns keep their sign, subtracted ones are
 * negated. Otherwise a deduction that the wage sheet writes with a minus keeps its sign.
 */
function getAmountSign({ key, role, label }: NamedColumn, formula: PayslipFormula): AmountSign {
  if (!isDeducted(role, label) || formula?.plus.includes(key)) return 'own'
  return formula?.minus.includes(key) ? 'turned' : 'minus'
}

/** Returns the sign of each column, by the names used on the payslips. */
export function getAmountSigns(params: {
  readonly layout: Pick<Layout, 'sort_list'>
  readonly columns: readonly NamedColumn[]
  readonly formula: PayslipFormula
}): ReadonlyMap<string, AmountSign> {
  const names = new Map(params.layout.sort_list.map(({ key, value }) => [key, value]))
  return new Map(
    params.columns.map((column) => [
      column.key,
      getAmountSign({ ...column, label: names.get(column.key) ?? column.label }, params.formula),
    ]),
  )
}

export function renderPayslip(params: {
  readonly layout: Layout
  readonly columns: readonly PayslipColumn[]
  readonly formula: PayslipFormula
  readonly cells: RowCells
  readonly title: string
  readonly month: string | null
  readonly corp_name: string
  readonly name: string
}): Payslip {
  const { layout, columns, cells, formula } = params
  const signs = getAmountSigns({ layout, columns, formula })
  const roleByKey = new Map(columns.map((column) => [column.key, column.role]))
  const visible = layout.sort_list.filter((item) => item.status && roleByKey.has(item.key))
  const netItem = visible.find((item) => isNet(roleByKey.get(item.key)))
  const net_fen = netItem ? parseCellAmount(cells[netItem.key]).fen : null

  const renderCells = (
    class_id: string | null,
    { source = cells, getKey = (key: string) => key, without = noKeys }: SectionView = {},
  ): RenderedCell[] =>
    visible.flatMap((item) => {
      const role = roleByKey.get(item.key) ?? 'ignore'
      if (item.class_id !== class_id || item === netItem || without.has(item.key)) return []
      const cell = source[item.key]
      const amount = parseCellAmount(cell).fen
      const value = cell?.value ?? ''
      if (layout.hide_empty && value === '') return []
      if (layout.hide_zero && amount === 0) return []
      const fen = moneyRoles.has(role) || cell?.kind === 'money' ? amount : null
      const minus = fen !== null && applySign(fen, signs.get(item.key) ?? 'own') !== fen
      return [
        {
          role,
          cell: {
            key: getKey(item.key),
            label: item.value,
            value,
            kind: getCellKind(cell, role),
            fen,
            is_deduction: minus,
            note: item.note,
          },
        },
      ]
    })

  const order = [...layout.groups, { class_id: null, name: '' }]
  const allGroups = order
    .map((group) => ({ name: group.name, list: renderCells(group.class_id) }))
    .filter(({ list }) => list.length > 0)
  const items = visible.flatMap(({ key }) =>
    key === netItem?.key ? [] : [{ key, role: roleByKey.get(key) ?? ('ignore' as const) }],
  )
  const sections = getSections(cells)
  const split = needsSections(sections, items) ? splitSections(sections, items) : null
  const groups = split
    ? [
        ...split.sections.flatMap(({ heading, part }) =>
          order
            .map(({ class_id, name }) => ({ name: getGroupName(heading, name), list: renderCells(class_id, part) }))
            // A second position has no deductions: zeros would only hide the amounts that exist.
            .filter(({ list }) => list.some(({ cell }) => cell.fen !== 0)),
        ),
        ...order.map(({ class_id, name }) => ({ name, list: renderCells(class_id, { without: split.own }) })),
      ].filter(({ list }) => list.length > 0)
    : allGroups
  return {
    title: params.title,
    month: params.month,
    corp_name: params.corp_name,
    name: params.name,
    net: netItem && net_fen !== null ? { label: netItem.value, fen: net_fen } : null,
    totals:
      net_fen === null
        ? null
        : findSums(
            allGroups.flatMap(({ list }) => list),
            net_fen,
          ),
    groups: groups.map(({ name, list }) => ({ name, ...addGroupSum(list) })),
    hint: layout.hint,
  }
}

const noKeys: ReadonlySet<string> = new Set()
/** For a payslip of several rows, the row that a group shows, and the columns that it omits. */
type SectionView = {
  readonly source?: RowCells
  readonly getKey?: (key: string) => string
  readonly without?: ReadonlySet<string>
}

/** Splits the items into sections with headings; `own` lists the columns that are not shown once for all sections. */
function splitSections(sections: readonly SectionRow[], items: readonly { readonly key: string; readonly role: ColumnRole }[]) {
  const { headings, shared, by } = getSectionHeadings(sections, items)
  const sectionColumns = new Set(items.flatMap(({ key }) => (shared.has(key) ? [] : [key])))
  const without = new Set([...shared, ...(by === null ? [] : [by])])
  const sectionViews = sections.map(({ row, cells }, at) => ({
    heading: headings[at] ?? '',
    part: { source: cells, getKey: (key: string) => getSectionKey(key, row), without },
  }))
  return { own: sectionColumns, sections: sectionViews }
}
const getGroupName = (heading: string, group: string): string =>
  group === '' || group === heading ? heading : `${heading} · ${group}`

type RenderedCell = { readonly role: ColumnRole; readonly cell: Payslip['groups'][number]['cells'][number] }

const isSum = (one: RenderedCell): boolean =>
  isGross(one.role) || isSubtotal(one.role) || /(?:合计|小计|总计|总额|共计)$/.test(one.cell.label.trim())
const getSignedFen = ({ cell }: RenderedCell): number => (cell.is_deduction ? -(cell.fen ?? 0) : (cell.fen ?? 0))
const sumSignedFen = (list: readonly RenderedCell[]): number => list.reduce((all, one) => all + getSignedFen(one), 0)

/**
 * Adds the visible sum of a group: the sum of the items below it; a subtotal of the wage sheet with the same amount
 * replaces it and is no item. A subtotal with a different amount (items are hidden, or the wage sheet is wrong) remains
 * an item, and there is no sum.
 */
function addGroupSum(list: readonly RenderedCell[]): Pick<Payslip['groups'][number], 'total_fen' | 'cells'> {
  const withoutSum = { total_fen: null, cells: list.map(({ cell }) => cell) }
  if (!list.every((one) => moneyRoles.has(one.role) && (one.cell.fen !== null || one.cell.value === ''))) return withoutSum
  const items = list.filter((one) => !isSum(one))
  const subtotals = list.filter((one) => isSum(one) && one.cell.fen !== null)
  if (items.length === 0) return withoutSum
  const sum_fen = sumSignedFen(items)
  const same = subtotals.filter((one) => getSignedFen(one) === sum_fen)
  if (subtotals.length > 0 && same.length === 0) return withoutSum
  if (subtotals.length === 0 && items.length < 2) return withoutSum
  return { total_fen: sum_fen, cells: list.filter((one) => !same.includes(one)).map(({ cell }) => cell) }
}

/**
 * Returns gross and deductions that make up net pay among the visible cells, preferring the amounts of the wage sheet
 * over computed ones. Null where none match.
 */
function findSums(list: readonly RenderedCell[], net_fen: number): Payslip['totals'] {
  const money = list.filter((one) => one.cell.fen !== null)
  const deducted = money.filter((one) => isDeducted(one.role, one.cell.label))
  const items = deducted.filter((one) => !isSum(one))
  const gross = money.filter((one) => isGross(one.role)).map(getSignedFen)
  const earned = money.filter((one) => isEarning(one.role) && !isSum(one))
  const grosses = [...gross, ...(earned.length > 0 ? [sumSignedFen(earned)] : [])]
  const deductions = [-sumSignedFen(items), ...deducted.filter(isSum).map((one) => -getSignedFen(one))]
  for (const gross_fen of grosses)
    for (const deduction_fen of deductions)
      if (gross_fen - deduction_fen === net_fen) return { gross_fen, deduction_fen: deduction_fen || 0 }
  return null
}
