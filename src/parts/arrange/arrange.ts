/** Moving columns about, as values: the page draws what these answer. */
import type { Layout } from '../../../server/contract/sheet/sheet.ts'

export type Item = Layout['sort_list'][number]
export type ItemGroup = Layout['groups'][number]
/** Groups in order, each with its items; what is in no group comes last. */
export type Shelf = { group: ItemGroup | null; items: Item[] }

export function shelvesOf(groups: readonly ItemGroup[], list: readonly Item[]): Shelf[] {
  const known = new Set(groups.map(({ class_id }) => class_id))
  return [
    ...groups.map((group) => ({ group, items: list.filter((item) => item.class_id === group.class_id) })),
    { group: null, items: list.filter((item) => item.class_id === null || !known.has(item.class_id)) },
  ]
}

/** Takes an item out and puts it before another one of a group, or at the group's end. */
export function moveTo(list: readonly Item[], key: string, class_id: string | null, before: string | null): Item[] {
  const item = list.find((one) => one.key === key)
  if (!item || before === key) return [...list]
  const rest = list.filter((one) => one.key !== key)
  const moved = { ...item, class_id }
  const at =
    before === null ? rest.findLastIndex((one) => one.class_id === class_id) + 1 : rest.findIndex((one) => one.key === before)
  return at <= 0 && before === null ? [...rest, moved] : rest.toSpliced(Math.max(0, at), 0, moved)
}

/** One place up or down; at the edge of its group into the neighbouring one. Null when there is nowhere to go. */
export function step(groups: readonly ItemGroup[], list: readonly Item[], key: string, way: -1 | 1): Item[] | null {
  const shelves = shelvesOf(groups, list)
  const at = shelves.findIndex(({ items }) => items.some((item) => item.key === key))
  const shelf = shelves[at]
  if (!shelf) return null
  const index = shelf.items.findIndex((item) => item.key === key)
  const class_id = shelf.group?.class_id ?? null
  const neighbour = shelf.items[index + way]
  if (neighbour) return moveTo(list, key, class_id, way < 0 ? neighbour.key : (shelf.items[index + 2]?.key ?? null))
  const next = shelves[at + way]
  if (!next) return null
  return moveTo(list, key, next.group?.class_id ?? null, way < 0 ? null : (next.items[0]?.key ?? null))
}

export const change = (list: readonly Item[], key: string, by: Partial<Item>): Item[] =>
  list.map((item) => (item.key === key ? { ...item, ...by } : item))

/** Which place a group gets when it is put before another one, or at the end. */
export function placeOf(groups: readonly ItemGroup[], class_id: string, before: string | null): number {
  const others = groups.filter((group) => group.class_id !== class_id)
  const at = others.findIndex((group) => group.class_id === before)
  return at < 0 ? others.length : at
}

/** A name that no group has yet. */
export function freeName(groups: readonly ItemGroup[]): string {
  let number = 1
  while (groups.some(({ name }) => name === `新分组${number}`)) number++
  return `新分组${number}`
}

/** Alt with an arrow moves what has the focus; anything else is no way. */
export const wayOf = ({ altKey, key }: { altKey: boolean; key: string }): -1 | 1 | null =>
  !altKey ? null : key === 'ArrowUp' ? -1 : key === 'ArrowDown' ? 1 : null
