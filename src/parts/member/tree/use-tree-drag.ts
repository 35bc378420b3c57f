import { type PointerEvent as ReactPointerEvent, useCallback, useEffect, useEffectEvent, useState } from 'react'
import { getDropZone, type HoverTarget } from './drop-target.ts'

/** Spec §9: so long one holds something above a folded department before it opens. */
const expandDelayMs = 400
/** A hand that trembles while it presses does not drag. */
const dragThresholdPx = 6
const scrollEdgePx = 28

type PressedDepartment = { id: string; x: number; y: number }
export type TreeDrag = { id: string; over: HoverTarget | null; x: number; y: number }

/** The row of a department below the pointer: it carries `data-department`. */
function getHoverTarget(x: number, y: number): HoverTarget | null {
  const row = document.elementFromPoint(x, y)?.closest('.ant-tree-treenode')
  const id = row?.querySelector<HTMLElement>('[data-department]')?.dataset.department
  return row && id ? { id, zone: getDropZone(y, row.getBoundingClientRect()) } : null
}

/**
 * Dragging departments with mouse or pen; a finger scrolls the tree, and moves by the menu. Esc gives up; near its edges the tree scrolls
 * along. `onOpen` is told of a department above which one waits.
 */
export function useTreeDrag(onOpen: (id: string) => void, onDrop: (id: string, over: HoverTarget) => void) {
  const [pressed, setPressed] = useState<PressedDepartment | null>(null)
  const [dragging, setDragging] = useState<TreeDrag | null>(null)
  const open = useEffectEvent(onOpen)
  const drop = useEffectEvent(onDrop)
  // Listens to the whole window while something is held.
  useEffect(() => {
    if (!pressed) return
    let current: TreeDrag | null = null
    let expandTimer: number | undefined
    const update = (next: TreeDrag | null) => {
      current = next
      setDragging(next)
    }
    const move = ({ clientX: x, clientY: y }: PointerEvent) => {
      if (!current && Math.hypot(x - pressed.x, y - pressed.y) < dragThresholdPx) return
      const over = getHoverTarget(x, y)
      if (over?.id !== current?.over?.id) {
        clearTimeout(expandTimer)
        if (over) expandTimer = window.setTimeout(() => open(over.id), expandDelayMs)
      }
      update({ id: pressed.id, over, x, y })
      scrollNearEdge(x, y)
    }
    const end = () => {
      const final = current
      cancel()
      if (final?.over) drop(final.id, final.over)
    }
    const cancel = () => {
      update(null)
      setPressed(null)
    }
    const onKey = (event: KeyboardEvent) => event.key === 'Escape' && cancel()
    addEventListener('pointermove', move)
    addEventListener('pointerup', end)
    addEventListener('pointercancel', cancel)
    addEventListener('keydown', onKey)
    return () => {
      clearTimeout(expandTimer)
      removeEventListener('pointermove', move)
      removeEventListener('pointerup', end)
      removeEventListener('pointercancel', cancel)
      removeEventListener('keydown', onKey)
    }
  }, [pressed])
  // The same one always: a row is not drawn anew for it.
  const press = useCallback((id: string, event: ReactPointerEvent) => {
    if (event.button === 0 && event.pointerType !== 'touch') setPressed({ id, x: event.clientX, y: event.clientY })
  }, [])
  return { dragging, press }
}

function scrollNearEdge(x: number, y: number): void {
  const list = document.elementFromPoint(x, y)?.closest('.ant-tree')?.querySelector('.ant-tree-list-holder')
  if (!list) return
  const { top, bottom } = list.getBoundingClientRect()
  if (y < top + scrollEdgePx) list.scrollBy({ top: -8 })
  else if (y > bottom - scrollEdgePx) list.scrollBy({ top: 8 })
}
