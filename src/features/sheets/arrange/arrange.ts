/** Pure functions for moving columns; the page renders their results. */
import type { Layout } from '../../../../server/contract/sheets/sheet.ts'

export type LayoutItem = Layout['sort_list'][number]
export type LayoutGroup = Layout['groups'][number]
/** Groups in order, each with its items; items without a group come last. */
export type GroupSection = { group: LayoutGroup | null; items: LayoutItem[] }

export function buildGroupSections(groups: readonly LayoutGroup[], list: readonly LayoutItem[]): GroupSection[] {
  const groupIds = new Set(groups.map(({ class_id }) => class_id))
  return [
    ...groups.map((group) => ({ group, items: list.filter((item) => item.class_id === group.class_id) })),
    { group: null, items: list.filter((item) => item.class_id === null || !groupIds.has(item.class_id)) },
  ]
}

/** Moves an item before another item of a group, or to the end of the group. */
export function moveItem(list: readonly LayoutItem[], key: string, class_id: string | null, before: string | null): LayoutItem[] {
  const item = list.find((other) => other.key === key)
  if (!item || before === key) return [...list]
  const rest = list.filter((other) => other.key !== key)
  const moved = { ...item, class_id }
  const at =
    before === null
      ? rest.findLastIndex((other) => other.class_id === class_id) + 1
      : rest.findIndex((other) => other.key === before)
  return at <= 0 && before === null ? [...rest, moved] : rest.toSpliced(Math.max(0, at), 0, moved)
}

/** Moves an item up or down by one, at the edge of its group into the neighbouring group. Returns null if it cannot move. */
export function moveItemByOne(
  groups: readonly LayoutGroup[],
  list: readonly LayoutItem[],
  key: string,
  direction: -1 | 1,
): LayoutItem[] | null {
  const sections = buildGroupSections(groups, list)
  const at = sections.findIndex(({ items }) => items.some((item) => item.key === key))
  const section = sections[at]
  if (!section) return null
  const index = section.items.findIndex((item) => item.key === key)
  const class_id = section.group?.class_id ?? null
  const neighbour = section.items[index + direction]
  if (neighbour) return moveItem(list, key, class_id, direction < 0 ? neighbour.key : (section.items[index + 2]?.key ?? null))
  const next = sections[at + direction]
  if (!next) return null
  return moveItem(list, key, next.group?.class_id ?? null, direction < 0 ? null : (next.items[0]?.key ?? null))
}

export const updateLayoutItem = (list: readonly LayoutItem[], key: string, by: Partial<LayoutItem>): LayoutItem[] =>
  list.map((item) => (item.key === key ? { ...item, ...by } : item))

/** Returns the position of a group when it is moved before another one, or to the end. */
export function getGroupPosition(groups: readonly LayoutGroup[], class_id: string, before: string | null): number {
  const others = groups.filter((group) => group.class_id !== class_id)
  const at = others.findIndex((group) => group.class_id === before)
  return at < 0 ? others.length : at
}

export function getUnusedGroupName(groups: readonly LayoutGroup[]): string {
  let number = 1
  while (groups.some(({ name }) => name === `新分组${number}`)) number++
  return `新分组${number}`
}

/** Returns the direction for Alt with an arrow key, which moves the focused element; null for any other key. */
export const getMoveDirection = ({ altKey, key }: { altKey: boolean; key: string }): -1 | 1 | null =>
  !altKey ? null : key === 'ArrowUp' ? -1 : key === 'ArrowDown' ? 1 : null
