import { type PointerEvent as ReactPointerEvent, useEffect, useEffectEvent, useState } from 'react'

/** The dragged element: a column by its key, or a whole group by its id. */
export type DragSource = { kind: 'column' | 'group'; key: string }
/** The element before which it would be dropped; null for the end. For a column also the group. */
export type LayoutDropTarget = { class_id: string | null; before: string | null }
type DragState = DragSource & { target: LayoutDropTarget | null }

/** Returns the first element whose middle is below the pointer. */
const findNextBelow = (elements: readonly HTMLElement[], y: number) =>
  elements.find((element) => {
    const { top, height } = element.getBoundingClientRect()
    return y < top + height / 2
  })

/** Finds the drop target under the pointer in the DOM: rows carry `data-item`, group sections `data-shelf`. */
function findDropTarget(x: number, y: number, { kind, key }: DragSource): LayoutDropTarget | null {
  const section = document.elementFromPoint(x, y)?.closest<HTMLElement>('[data-shelf]')
  if (!section) return null
  if (kind === 'group') {
    const others = [...document.querySelectorAll<HTMLElement>('[data-shelf]')].filter(
      ({ dataset }) => dataset.shelf && dataset.shelf !== key,
    )
    return { class_id: null, before: findNextBelow(others, y)?.dataset.shelf ?? null }
  }
  const rows = [...section.querySelectorAll<HTMLElement>('[data-item]')].filter((row) => row.dataset.item !== key)
  return { class_id: section.dataset.shelf || null, before: findNextBelow(rows, y)?.dataset.item ?? null }
}

/** Dragging with mouse, pen or finger. Esc cancels; near the edge of the window the page scrolls along. */
export function useDrag(onDrop: (source: DragSource, target: LayoutDropTarget) => void) {
  const [dragging, setDragging] = useState<DragState | null>(null)
  const drop = useEffectEvent(onDrop)
  const key = dragging?.key
  const kind = dragging?.kind
  // Listens to the whole window during a drag.
  useEffect(() => {
    if (key === undefined || kind === undefined) return
    const source = { kind, key }
    let target: LayoutDropTarget | null = null
    const scroller = document.getElementById('page')
    const move = (event: PointerEvent) => {
      target = findDropTarget(event.clientX, event.clientY, source)
      setDragging({ ...source, target })
      const edge = event.clientY < 110 ? -12 : event.clientY > innerHeight - 110 ? 12 : 0
      if (edge) scroller?.scrollBy({ top: edge })
    }
    const end = () => {
      setDragging(null)
      if (target) drop(source, target)
    }
    const cancel = () => setDragging(null)
    const onKey = (event: KeyboardEvent) => event.key === 'Escape' && cancel()
    addEventListener('pointermove', move)
    addEventListener('pointerup', end)
    addEventListener('pointercancel', cancel)
    addEventListener('keydown', onKey)
    return () => {
      removeEventListener('pointermove', move)
      removeEventListener('pointerup', end)
      removeEventListener('pointercancel', cancel)
      removeEventListener('keydown', onKey)
    }
  }, [key, kind])
  const start = (source: DragSource) => (event: ReactPointerEvent) => {
    if (event.button !== 0) return
    event.preventDefault()
    setDragging({ ...source, target: null })
  }
  return { dragging, start }
}
