import { type PointerEvent as ReactPointerEvent, useCallback, useEffect, useEffectEvent, useState } from 'react'
import { gapAt, type Over } from './landing.ts'

/** Spec §9: so long one holds something above a folded department before it opens. */
const openDelay = 400
/** A hand that trembles while it presses does not drag. */
const threshold = 6
const edge = 28

type Held = { id: string; x: number; y: number }
export type Dragging = { id: string; over: Over | null; x: number; y: number }

/** The row of a department below the pointer: it carries `data-department`. */
function overAt(x: number, y: number): Over | null {
  const row = document.elementFromPoint(x, y)?.closest('.ant-tree-treenode')
  const id = row?.querySelector<HTMLElement>('[data-department]')?.dataset.department
  return row && id ? { id, gap: gapAt(y, row.getBoundingClientRect()) } : null
}

/**
 * Dragging departments with mouse or pen; a finger scrolls the tree, and moves by the menu. Esc gives up; near its edges the tree scrolls
 * along. `onOpen` is told of a department above which one waits.
 */
export function useTreeDrag(onOpen: (id: string) => void, onDrop: (id: string, over: Over) => void) {
  const [pressed, setPressed] = useState<Held | null>(null)
  const [dragging, setDragging] = useState<Dragging | null>(null)
  const open = useEffectEvent(onOpen)
  const drop = useEffectEvent(onDrop)
  // Listens to the whole window while something is held.
  useEffect(() => {
    if (!pressed) return
    let now: Dragging | null = null
    let waits: number | undefined
    const show = (next: Dragging | null) => {
      now = next
      setDragging(next)
    }
    const move = ({ clientX: x, clientY: y }: PointerEvent) => {
      if (!now && Math.hypot(x - pressed.x, y - pressed.y) < threshold) return
      const over = overAt(x, y)
      if (over?.id !== now?.over?.id) {
        clearTimeout(waits)
        if (over) waits = window.setTimeout(() => open(over.id), openDelay)
      }
      show({ id: pressed.id, over, x, y })
      scrollAlong(x, y)
    }
    const end = () => {
      const last = now
      giveUp()
      if (last?.over) drop(last.id, last.over)
    }
    const giveUp = () => {
      show(null)
      setPressed(null)
    }
    const onKey = (event: KeyboardEvent) => event.key === 'Escape' && giveUp()
    addEventListener('pointermove', move)
    addEventListener('pointerup', end)
    addEventListener('pointercancel', giveUp)
    addEventListener('keydown', onKey)
    return () => {
      clearTimeout(waits)
      removeEventListener('pointermove', move)
      removeEventListener('pointerup', end)
      removeEventListener('pointercancel', giveUp)
      removeEventListener('keydown', onKey)
    }
  }, [pressed])
  // The same one always: a row is not drawn anew for it.
  const press = useCallback((id: string, event: ReactPointerEvent) => {
    if (event.button === 0 && event.pointerType !== 'touch') setPressed({ id, x: event.clientX, y: event.clientY })
  }, [])
  return { dragging, press }
}

function scrollAlong(x: number, y: number): void {
  const holder = document.elementFromPoint(x, y)?.closest('.ant-tree')?.querySelector('.ant-tree-list-holder')
  if (!holder) return
  const { top, bottom } = holder.getBoundingClientRect()
  if (y < top + edge) holder.scrollBy({ top: -8 })
  else if (y > bottom - edge) holder.scrollBy({ top: 8 })
}
