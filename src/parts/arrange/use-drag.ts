import { type PointerEvent as ReactPointerEvent, useEffect, useEffectEvent, useState } from 'react'

/** What is held: a column by its key, or a whole group by its id. */
export type Held = { what: 'column' | 'group'; key: string }
/** Before which one it would stand; null: at the end. Of a column also in which group. */
export type DropPlace = { class_id: string | null; before: string | null }
type Dragging = Held & { place: DropPlace | null }

/** The first of these whose middle is below the pointer. */
const nextBelow = (elements: readonly HTMLElement[], y: number) =>
  elements.find((element) => {
    const { top, height } = element.getBoundingClientRect()
    return y < top + height / 2
  })

/** Where the pointer is, read from the page: rows carry `data-item`, shelves `data-shelf`. */
function placeAt(x: number, y: number, { what, key }: Held): DropPlace | null {
  const shelf = document.elementFromPoint(x, y)?.closest<HTMLElement>('[data-shelf]')
  if (!shelf) return null
  if (what === 'group') {
    const others = [...document.querySelectorAll<HTMLElement>('[data-shelf]')].filter(
      ({ dataset }) => dataset.shelf && dataset.shelf !== key,
    )
    return { class_id: null, before: nextBelow(others, y)?.dataset.shelf ?? null }
  }
  const rows = [...shelf.querySelectorAll<HTMLElement>('[data-item]')].filter((row) => row.dataset.item !== key)
  return { class_id: shelf.dataset.shelf || null, before: nextBelow(rows, y)?.dataset.item ?? null }
}

/** Dragging with mouse, pen or finger. Esc gives up; near the edge of the window the page scrolls along. */
export function useDrag(onDrop: (held: Held, place: DropPlace) => void) {
  const [dragging, setDragging] = useState<Dragging | null>(null)
  const drop = useEffectEvent(onDrop)
  const key = dragging?.key
  const what = dragging?.what
  // Listens to the whole window while something is held.
  useEffect(() => {
    if (key === undefined || what === undefined) return
    const held = { what, key }
    let place: DropPlace | null = null
    const scroller = document.getElementById('page')
    const move = (event: PointerEvent) => {
      place = placeAt(event.clientX, event.clientY, held)
      setDragging({ ...held, place })
      const edge = event.clientY < 110 ? -12 : event.clientY > innerHeight - 110 ? 12 : 0
      if (edge) scroller?.scrollBy({ top: edge })
    }
    const end = () => {
      setDragging(null)
      if (place) drop(held, place)
    }
    const giveUp = () => setDragging(null)
    const onKey = (event: KeyboardEvent) => event.key === 'Escape' && giveUp()
    addEventListener('pointermove', move)
    addEventListener('pointerup', end)
    addEventListener('pointercancel', giveUp)
    addEventListener('keydown', onKey)
    return () => {
      removeEventListener('pointermove', move)
      removeEventListener('pointerup', end)
      removeEventListener('pointercancel', giveUp)
      removeEventListener('keydown', onKey)
    }
  }, [key, what])
  const start = (held: Held) => (event: ReactPointerEvent) => {
    if (event.button !== 0) return
    event.preventDefault()
    setDragging({ ...held, place: null })
  }
  return { dragging, start }
}
