import { type PointerEvent as ReactPointerEvent, useEffect, useEffectEvent, useState } from 'react'

export type Place = { class_id: string | null; before: string | null }
type Dragging = { key: string; place: Place | null }

/** Where the pointer is, read from the page: rows carry `data-item`, shelves `data-shelf`. */
function placeAt(x: number, y: number, key: string): Place | null {
  const under = document.elementFromPoint(x, y)
  const shelf = under?.closest<HTMLElement>('[data-shelf]')
  if (!shelf) return null
  const class_id = shelf.dataset.shelf || null
  const rows = [...shelf.querySelectorAll<HTMLElement>('[data-item]')].filter((row) => row.dataset.item !== key)
  const next = rows.find((row) => {
    const { top, height } = row.getBoundingClientRect()
    return y < top + height / 2
  })
  return { class_id, before: next?.dataset.item ?? null }
}

/** Dragging with mouse, pen or finger. Esc gives up; near the edge of the window the page scrolls along. */
export function useDrag(onDrop: (key: string, place: Place) => void) {
  const [dragging, setDragging] = useState<Dragging | null>(null)
  const drop = useEffectEvent(onDrop)
  const active = dragging?.key
  // Listens to the whole window while something is held.
  useEffect(() => {
    if (active === undefined) return
    let place: Place | null = null
    const scroller = document.getElementById('page')
    const move = (event: PointerEvent) => {
      place = placeAt(event.clientX, event.clientY, active)
      setDragging({ key: active, place })
      const edge = event.clientY < 110 ? -12 : event.clientY > innerHeight - 110 ? 12 : 0
      if (edge) scroller?.scrollBy({ top: edge })
    }
    const end = () => {
      setDragging(null)
      if (place) drop(active, place)
    }
    const giveUp = () => setDragging(null)
    const key = (event: KeyboardEvent) => event.key === 'Escape' && giveUp()
    addEventListener('pointermove', move)
    addEventListener('pointerup', end)
    addEventListener('pointercancel', giveUp)
    addEventListener('keydown', key)
    return () => {
      removeEventListener('pointermove', move)
      removeEventListener('pointerup', end)
      removeEventListener('pointercancel', giveUp)
      removeEventListener('keydown', key)
    }
  }, [active])
  const start = (key: string) => (event: ReactPointerEvent) => {
    if (event.button !== 0) return
    event.preventDefault()
    setDragging({ key, place: null })
  }
  return { dragging, start }
}
