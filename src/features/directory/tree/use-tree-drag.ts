import { type PointerEvent as ReactPointerEvent, useCallback, useEffect, useEffectEvent, useState } from 'react'
import { getDropZone, type HoverTarget } from './drop-target.ts'

/** The delay until a collapsed department expands below a dragged one (spec §9). */
const expandDelayMs = 400
/** Small movements while pressing do not start a drag. */
const dragThresholdPx = 6
const scrollEdgePx = 28

type PressedDepartment = { id: string; x: number; y: number }
export type TreeDrag = { id: string; over: HoverTarget | null; x: number; y: number }

/** Returns the department row below the pointer, which carries `data-department`. */
function getHoverTarget(x: number, y: number): HoverTarget | null {
  const row = document.elementFromPoint(x, y)?.closest('.ant-tree-treenode')
  const id = row?.querySelector<HTMLElement>('[data-department]')?.dataset.department
  return row && id ? { id, zone: getDropZone(y, row.getBoundingClientRect()) } : null
}

/**
 * Dragging departments with mouse or pen; a finger scrolls the tree, and moves use the menu. Esc cancels; near its
 * edges the tree scrolls along. `onOpen` is called with a collapsed department that the pointer rests on.
 */
export function useTreeDrag(onOpen: (id: string) => void, onDrop: (id: string, over: HoverTarget) => void) {
  const [pressed, setPressed] = useState<PressedDepartment | null>(null)
  const [dragging, setDragging] = useState<TreeDrag | null>(null)
  const open = useEffectEvent(onOpen)
  const drop = useEffectEvent(onDrop)
  // Listens to the whole window during a drag.
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
  // A stable function, so that rows do not render again.
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
