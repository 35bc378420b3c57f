/** Computes where a department moves, by dragging or one step up or down. Pure; the contract defines the allowed moves. */

import {
  canMoveDepartment,
  type DepartmentNode,
  type DepartmentTree,
} from '../../../../server/contract/directory/department-tree.ts'
import type { Department } from '../../../../server/contract/directory/members.ts'

/** All departments as the tree shows them, from top to bottom. */
export function buildDepartmentTree(tree: readonly Department[]): DepartmentTree {
  const nodesById = new Map<string, DepartmentNode>()
  const walk = (nodes: readonly Department[], pid: string | null) => {
    for (const { ID, NAME, child } of nodes) {
      nodesById.set(ID, { id: ID, pid, name: NAME })
      walk(child, ID)
    }
  }
  walk(tree, null)
  return nodesById
}

/** The part of a row below the pointer: its upper quarter (before), its lower quarter (behind), or the row itself. */
export type DropZone = 'before' | 'on' | 'behind'
export function getDropZone(y: number, { top, height }: { top: number; height: number }): DropZone {
  if (y < top + height / 4) return 'before'
  return y > top + (height * 3) / 4 ? 'behind' : 'on'
}

export type DepartmentDropTarget = { pid: string; before_id: string | null }
const getChildren = (tree: DepartmentTree, pid: string | null) => [...tree.values()].filter((node) => node.pid === pid)
const getNextSiblingId = (siblings: readonly DepartmentNode[], id: string): string | null =>
  siblings[siblings.findIndex((other) => other.id === id) + 1]?.id ?? null

/** The row below the pointer and the zone within it. `isExpanded`: its children are visible. */
export type HoverTarget = { readonly id: string; readonly zone: DropZone; readonly isExpanded?: boolean }

/** Resolves a drop: the target, or the reason why it is not allowed; null if nothing would change. */
export function resolveDrop(
  tree: DepartmentTree,
  id: string,
  { id: hoveredId, zone, isExpanded = false }: HoverTarget,
): DepartmentDropTarget | string | null {
  const [dragged, hovered] = [tree.get(id), tree.get(hoveredId)]
  if (!dragged || !hovered || id === hoveredId) return null
  if (dragged.pid === null) return '最上级部门不能移动'
  // Behind an expanded department means before its first child: that is where the line is drawn.
  const firstChild = zone === 'behind' && isExpanded ? getChildren(tree, hoveredId)[0] : undefined
  const target = firstChild ? getTargetBefore(tree, id, firstChild) : getTargetInZone(tree, id, hovered, zone)
  if (target === null) return '不能移到最上级'
  const { pid, before_id } = target
  if (pid === dragged.pid && (zone === 'on' || before_id === getNextSiblingId(getChildren(tree, pid), id))) return null
  const allowed = canMoveDepartment(dragged, pid, tree)
  return allowed === true ? target : allowed
}

const getTargetBefore = (tree: DepartmentTree, id: string, node: DepartmentNode): DepartmentDropTarget | null =>
  node.pid === null
    ? null
    : { pid: node.pid, before_id: node.id === id ? getNextSiblingId(getChildren(tree, node.pid), id) : node.id }

function getTargetInZone(tree: DepartmentTree, id: string, node: DepartmentNode, zone: DropZone): DepartmentDropTarget | null {
  if (zone === 'on') return { pid: node.id, before_id: null }
  if (zone === 'before') return getTargetBefore(tree, id, node)
  if (node.pid === null) return null
  return {
    pid: node.pid,
    before_id: getNextSiblingId(
      getChildren(tree, node.pid).filter((other) => other.id !== id),
      node.id,
    ),
  }
}

/** Resolves a move up or down among siblings: the target, or the reason why it is not allowed. */
export function resolveMove(tree: DepartmentTree, id: string, direction: -1 | 1): DepartmentDropTarget | string {
  const node = tree.get(id)
  if (!node || node.pid === null) return '最上级部门不能移动'
  const siblings = getChildren(tree, node.pid)
  const index = siblings.findIndex((other) => other.id === id) + direction
  if (index < 0) return '已经是第一个'
  if (index >= siblings.length) return '已经是最后一个'
  return { pid: node.pid, before_id: direction < 0 ? (siblings[index]?.id ?? null) : (siblings[index + 1]?.id ?? null) }
}

export function findDepartment(tree: readonly Department[], id: string): Department | undefined {
  for (const node of tree) {
    const match = node.ID === id ? node : findDepartment(node.child, id)
    if (match) return match
  }
  return undefined
}

/** Filters the tree to departments with matching names and their ancestors. */
export function filterTree(tree: readonly Department[], text: string): Department[] {
  const normalized = text.toLowerCase()
  return tree.flatMap((node) => {
    if (node.NAME.toLowerCase().includes(normalized)) return [node]
    const child = filterTree(node.child, text)
    return child.length > 0 ? [{ ...node, child }] : []
  })
}

const maxExpanded = 200
/** Returns the initially collapsed departments: a large tree shows its two highest levels. */
export function getInitiallyCollapsedIds(tree: readonly Department[]): string[] {
  const nodesById = buildDepartmentTree(tree)
  if (nodesById.size <= maxExpanded) return []
  const parents = new Set([...nodesById.values()].map(({ pid }) => pid))
  return [...nodesById.values()].filter((other) => other.pid !== null && parents.has(other.id)).map(({ id }) => id)
}
