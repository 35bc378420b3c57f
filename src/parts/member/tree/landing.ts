/** Where a department lands: by a drag, by one step up or down. Pure; the contract says what may hang where. */

import { type Hanging, type Hung, mayHang } from '../../../../server/contract/people/hanging.ts'
import type { Department } from '../../../../server/contract/people/member.ts'

/** Every department as the tree shows it, in the order from top to bottom. */
export function hangingOf(tree: readonly Department[]): Hanging {
  const all = new Map<string, Hung>()
  const walk = (nodes: readonly Department[], pid: string | null) => {
    for (const { ID, NAME, child } of nodes) {
      all.set(ID, { id: ID, pid, name: NAME })
      walk(child, ID)
    }
  }
  walk(tree, null)
  return all
}

/** Over a row one is before it (its upper quarter), behind it (its lower one), or on it. */
export type Gap = 'before' | 'on' | 'behind'
export function gapAt(y: number, { top, height }: { top: number; height: number }): Gap {
  if (y < top + height / 4) return 'before'
  return y > top + (height * 3) / 4 ? 'behind' : 'on'
}

export type Landing = { pid: string; before_id: string | null }
const childrenOf = (tree: Hanging, pid: string | null) => [...tree.values()].filter((one) => one.pid === pid)
const follower = (beside: readonly Hung[], id: string): string | null =>
  beside[beside.findIndex((one) => one.id === id) + 1]?.id ?? null

/** The row that one is over, and where of it. `open`: its own children are in sight. */
export type Over = { readonly id: string; readonly gap: Gap; readonly open?: boolean }

/** What dropping one there means: where it goes, or why it cannot; null where nothing would change. */
export function landing(tree: Hanging, id: string, { id: over, gap, open = false }: Over): Landing | string | null {
  const [held, at] = [tree.get(id), tree.get(over)]
  if (!held || !at || id === over) return null
  if (held.pid === null) return '最上级部门不能移动'
  // Behind a department that is unfolded is before its first child: there the line is drawn.
  const inside = gap === 'behind' && open ? childrenOf(tree, over)[0] : undefined
  const place = inside ? landsBefore(tree, id, inside) : placeOf(tree, id, at, gap)
  if (place === null) return '不能移到最上级'
  const { pid, before_id } = place
  if (pid === held.pid && (gap === 'on' || before_id === follower(childrenOf(tree, pid), id))) return null
  const verdict = mayHang(held, pid, tree)
  return verdict === true ? place : verdict
}

const landsBefore = (tree: Hanging, id: string, at: Hung): Landing | null =>
  at.pid === null ? null : { pid: at.pid, before_id: at.id === id ? follower(childrenOf(tree, at.pid), id) : at.id }

function placeOf(tree: Hanging, id: string, at: Hung, gap: Gap): Landing | null {
  if (gap === 'on') return { pid: at.id, before_id: null }
  if (gap === 'before') return landsBefore(tree, id, at)
  if (at.pid === null) return null
  return {
    pid: at.pid,
    before_id: follower(
      childrenOf(tree, at.pid).filter((one) => one.id !== id),
      at.id,
    ),
  }
}

/** One place up or down among those beside it: where it lands, or why not. */
export function stepped(tree: Hanging, id: string, way: -1 | 1): Landing | string {
  const held = tree.get(id)
  if (!held || held.pid === null) return '最上级部门不能移动'
  const beside = childrenOf(tree, held.pid)
  const to = beside.findIndex((one) => one.id === id) + way
  if (to < 0) return '已经是第一个'
  if (to >= beside.length) return '已经是最后一个'
  return { pid: held.pid, before_id: way < 0 ? (beside[to]?.id ?? null) : (beside[to + 1]?.id ?? null) }
}

/** One department of the tree, however deep. */
export function departmentOf(tree: readonly Department[], id: string): Department | undefined {
  for (const node of tree) {
    const at = node.ID === id ? node : departmentOf(node.child, id)
    if (at) return at
  }
  return undefined
}

/** The tree with only what is called so, and what that belongs to. */
export function found(tree: readonly Department[], words: string): Department[] {
  const wanted = words.toLowerCase()
  return tree.flatMap((node) => {
    if (node.NAME.toLowerCase().includes(wanted)) return [node]
    const child = found(node.child, words)
    return child.length > 0 ? [{ ...node, child }] : []
  })
}

const most_open = 200
/** What is folded at first: a large tree shows its two highest levels. */
export function foldedAtFirst(tree: readonly Department[]): string[] {
  const all = hangingOf(tree)
  if (all.size <= most_open) return []
  const parents = new Set([...all.values()].map(({ pid }) => pid))
  return [...all.values()].filter((one) => one.pid !== null && parents.has(one.id)).map(({ id }) => id)
}
