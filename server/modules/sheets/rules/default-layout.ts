/** The payslip layout: the default derived from column roles, and changes to it. */

import type { ColumnRole } from '../../../contract/shared/schemas.ts'
import { getColumnNames } from '../../../contract/sheets/column-names.ts'
import { columnRoles, isNet } from '../../../contract/sheets/column-roles.ts'
import type { Layout } from '../../../contract/sheets/sheet.ts'

export type LayoutColumn = {
  readonly key: string
  readonly path: readonly string[]
  readonly label: string
  /** The column letter in Excel. */
  readonly col: string
  readonly role: ColumnRole
  readonly hidden?: boolean
}
/** Groups of a new layout; their ids are words, while ids of groups added by users are random. */
const defaultGroups = [
  { class_id: 'earning', name: '应发' },
  { class_id: 'deduction', name: '扣款' },
  { class_id: 'employer', name: '公司承担' },
  { class_id: 'other', name: '其他' },
] as const

/** Row numbers of the wage sheet are irrelevant to the employee. */
const rowNumberLabel = /^(?:序号?|行号|no\.?|№|#|s\/?n|番号)$/i

/** Creates the initial layout of a batch. Net pay is in no group. */
export function createDefaultLayout(columns: readonly LayoutColumn[]): Layout {
  const getGroupIndex = (column: LayoutColumn) =>
    isNet(column.role) ? -1 : defaultGroups.findIndex((group) => group.class_id === getGroupId(column))
  const used = new Set(columns.map(getGroupId))
  const names = getColumnNames(columns)
  const getName = ({ key }: LayoutColumn) => names.get(key) ?? ''
  return {
    groups: defaultGroups.filter((group) => used.has(group.class_id)).map((group) => ({ ...group })),
    sort_list: columns
      .map((column, at) => ({ column, at }))
      .sort((a, b) => getGroupIndex(a.column) - getGroupIndex(b.column) || a.at - b.at)
      .map(({ column }) => ({
        key: column.key,
        value: getName(column),
        // Columns hidden in the wage sheet itself were not meant to be read.
        status:
          isNet(column.role) ||
          !(
            columnRoles[column.role].isHidden ||
            getGroupId(column) === 'employer' ||
            column.hidden ||
            rowNumberLabel.test(getName(column).trim())
          ),
        class_id: getGroupId(column),
        note: '',
      })),
    hide_empty: true,
    hide_zero: false,
    hint: '',
  }
}
const getGroupId = (column: LayoutColumn): string | null => {
  const { group } = columnRoles[column.role]
  return group === 'by label' ? getSubtotalSide([...column.path, column.label].join(' ')) : group
}

/** Returns the side of a subtotal by its name: 扣款合计 belongs to the deductions. */
export const getSubtotalSide = (name: string): 'earning' | 'deduction' | 'employer' => {
  if (/公司|单位|企业|employer/i.test(name)) return 'employer'
  return /扣|减|代缴|个人缴|五险|社保|公积金|保险|税|deduct/i.test(name) ? 'deduction' : 'earning'
}

/**
 * Adapts a layout to changed column roles: columns with an unchanged role stay where the user put them, the others move
 * to the place of their new role.
 */
export function updateLayout(layout: Layout, before: readonly LayoutColumn[], after: readonly LayoutColumn[]): Layout {
  const defaultLayout = createDefaultLayout(after)
  const previousRoles = new Map(before.map((column) => [column.key, column.role]))
  const previousItems = new Map(layout.sort_list.map((item) => [item.key, item]))
  const moved = new Set(after.filter((column) => previousRoles.get(column.key) !== column.role).map((column) => column.key))
  const defaultItems = new Map(defaultLayout.sort_list.map((item) => [item.key, item]))
  const columnKeys = new Set(after.map((column) => column.key))
  const unchangedItems = layout.sort_list.filter((item) => columnKeys.has(item.key) && !moved.has(item.key))
  const insertedItems = defaultLayout.sort_list.filter((item) => moved.has(item.key) || !previousItems.has(item.key))
  const sort_list = [...unchangedItems]
  for (const item of insertedItems) {
    const rank = defaultLayout.sort_list.indexOf(item)
    // The item is inserted after the last item of its group that precedes it in the default order.
    const at = sort_list.findLastIndex(
      (other) => other.class_id === item.class_id && defaultLayout.sort_list.findIndex((one) => one.key === other.key) < rank,
    )
    const first = sort_list.findIndex((other) => other.class_id === item.class_id)
    const index = at >= 0 ? at + 1 : first >= 0 ? first : sort_list.length
    sort_list.splice(index, 0, {
      ...(defaultItems.get(item.key) ?? item),
      value: previousItems.get(item.key)?.value ?? item.value,
      note: previousItems.get(item.key)?.note ?? '',
    })
  }
  const used = new Set(sort_list.map((item) => item.class_id))
  const missing = defaultLayout.groups.filter(
    (group) => used.has(group.class_id) && !layout.groups.some((one) => one.class_id === group.class_id),
  )
  return { ...layout, groups: [...layout.groups, ...missing], sort_list }
}

/**
 * Applies a partial change: omitted properties are unchanged, columns that are not named follow those that are, and a
 * removed group is cleared from its columns.
 */
export function applyLayoutChange(
  layout: Layout,
  change: {
    readonly sort_list?:
      | readonly {
          key: string
          value: string
          status: boolean
          class_id?: string | null | undefined
          note?: string | undefined
        }[]
      | undefined
    readonly hide_empty?: boolean | undefined
    readonly hide_zero?: boolean | undefined
    readonly hint?: string | undefined
  },
): Layout {
  const groupIds = new Set(layout.groups.map((group) => group.class_id))
  const before = new Map(layout.sort_list.map((item) => [item.key, item]))
  const listedKeys = new Set<string>()
  const listedItems = (change.sort_list ?? []).flatMap((item) => {
    const old = before.get(item.key)
    if (!old || listedKeys.has(item.key)) return []
    listedKeys.add(item.key)
    const class_id = item.class_id === undefined ? old.class_id : item.class_id
    return [
      {
        key: item.key,
        value: item.value,
        status: item.status,
        class_id: class_id !== null && groupIds.has(class_id) ? class_id : null,
        note: item.note ?? old.note,
      },
    ]
  })
  return {
    groups: layout.groups,
    sort_list: [...listedItems, ...layout.sort_list.filter((item) => !listedKeys.has(item.key))],
    hide_empty: change.hide_empty ?? layout.hide_empty,
    hide_zero: change.hide_zero ?? layout.hide_zero,
    hint: change.hint ?? layout.hint,
  }
}
