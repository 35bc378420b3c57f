import { type FocusEvent, type KeyboardEvent, type RefObject, useEffectEvent, useLayoutEffect, useRef, useState } from 'react'
import { type CellAt, headLine, type Lines, lineHeight, type MergedArea, moved, type Range, rangeOf } from './geometry.ts'

/** A cell that somebody wants to see; `row: null` is the head of the column. A new object jumps again. */
export type Target = { row: number | null; col: number }
export type Shape = { lines: Lines; offsets: readonly number[]; columns: number; gutter: number; head: number; name: number }
type Frame = Pick<Shape, 'lines' | 'offsets' | 'gutter' | 'head'>
export type Area = { top: number; bottom: number; left: number; right: number }

const sameRange = (a: Range, b: Range) => a.from === b.from && a.to === b.to && a.left === b.left && a.right === b.right
export const covers = (area: Area, { line, col }: CellAt) =>
  line >= area.top && line <= area.bottom && col >= area.left && col <= area.right

/** Which lines and columns of the frame are seen. */
export function useSeen(shape: Shape) {
  const { lines, offsets, columns, gutter, head } = shape
  const frame = useRef<HTMLDivElement>(null)
  const [range, setRange] = useState<Range>({ from: 0, to: Math.min(40, lines.count), left: 0, right: Math.min(14, columns) })
  const look = (box: HTMLElement, { lines: all, offsets: of, gutter: beside, head: above }: Frame) => {
    const { scrollTop: top, scrollLeft: left, clientWidth, clientHeight } = box
    const next = rangeOf({ top, left, width: clientWidth - beside, height: clientHeight - above }, all.count, of)
    setRange((before) => (sameRange(before, next) ? before : next))
  }
  const onSize = useEffectEvent((box: HTMLElement) => look(box, shape))
  // What is seen depends on the size of the frame, which only the browser knows.
  useLayoutEffect(() => {
    const box = frame.current
    if (!box) return
    const watch = new ResizeObserver(() => onSize(box))
    watch.observe(box)
    return () => watch.disconnect()
  }, [])
  const onShape = useEffectEvent(look)
  // Another sheet, other widths: the same place shows other cells.
  useLayoutEffect(() => {
    if (frame.current) onShape(frame.current, { lines, offsets, gutter, head })
  }, [lines, offsets, gutter, head])
  return { frame, range, look: (box: HTMLElement) => look(box, shape) }
}

/** Scrolls until the cell is seen beside what stays, and gives it the focus. */
function bring(box: HTMLElement, { line, col }: CellAt, { offsets, gutter, head, name }: Shape, middle: boolean) {
  const height = box.clientHeight - head
  const y = line * lineHeight
  if (line !== headLine) {
    if (middle) box.scrollTop = y - height / 2 + lineHeight
    else if (y < box.scrollTop) box.scrollTop = y
    else if (y + lineHeight > box.scrollTop + height) box.scrollTop = y + lineHeight - height
  }
  const frozen = gutter + (name >= 0 && col > name ? (offsets[name + 1] ?? 0) - (offsets[name] ?? 0) : 0)
  const x = gutter + (offsets[col] ?? 0)
  const end = gutter + (offsets[col + 1] ?? 0)
  if (x < box.scrollLeft + frozen) box.scrollLeft = x - frozen
  else if (end > box.scrollLeft + box.clientWidth) box.scrollLeft = Math.min(x - frozen, end - box.clientWidth)
  if (middle) box.closest('section')?.scrollIntoView({ block: 'nearest' })
  box.querySelector<HTMLElement>('[data-cursor]')?.focus({ preventScroll: true })
}

/** The cell one is in: arrows, the mouse and a jump move it; the focus and what is seen follow. */
export function useCursor(
  shape: Shape,
  frame: RefObject<HTMLElement | null>,
  merges: readonly MergedArea[],
  target: Target | null,
) {
  const { lines, columns } = shape
  const [cursor, setCursor] = useState<CellAt & { by: 'start' | 'focus' | 'key' | 'jump' }>({
    line: headLine,
    col: 0,
    by: 'start',
  })
  const [jumped, setJumped] = useState<Target | null>(null)
  // Somebody asked for a cell: from the address, or from a sentence above.
  if (target !== jumped) {
    setJumped(target)
    const line = target && target.row !== null ? lines.of(target.row) : headLine
    if (target) setCursor({ line, col: Math.max(0, Math.min(target.col, columns - 1)), by: 'jump' })
  }
  const areaOf = (merge: MergedArea): Area => ({
    top: lines.of(merge.top),
    bottom: lines.of(merge.bottom),
    left: merge.left - 1,
    right: merge.right - 1,
  })
  /** What the cell covers: itself, or all that is merged with it. */
  const areaAt = ({ line, col }: CellAt): Area => {
    const one = { top: line, bottom: line, left: col, right: col }
    if (line === headLine) return one
    const { row } = lines.at(line)
    if (row === null) return { ...one, left: 0, right: columns - 1 }
    const merge = merges.find((area) => row >= area.top && row <= area.bottom && col >= area.left - 1 && col < area.right)
    return merge ? areaOf(merge) : one
  }
  const onKeyDown = (event: KeyboardEvent<HTMLElement>) => {
    if (event.altKey || event.shiftKey || event.target instanceof HTMLSelectElement) return
    if (cursor.line === headLine && (event.key === 'Enter' || event.key === ' ' || event.key === 'F2')) {
      const role = event.target instanceof HTMLElement && event.target.querySelector('select')
      if (!role) return
      event.preventDefault()
      role.focus()
      // Where the browser cannot be told to, the arrows change it all the same.
      role.showPicker?.()
      return
    }
    const page = Math.max(1, Math.floor((event.currentTarget.clientHeight - shape.head) / lineHeight) - 1)
    const to = moved(event.key, event.ctrlKey || event.metaKey, cursor, { lines: lines.count, columns, page }, areaAt(cursor))
    if (!to) return
    event.preventDefault()
    setCursor({ ...to, by: 'key' })
  }
  const onFocus = (event: FocusEvent<HTMLElement>) => {
    const { line, col } = event.target.closest<HTMLElement>('[data-line]')?.dataset ?? {}
    if (line === undefined || col === undefined) return
    const to = { line: Number(line), col: Number(col) }
    if (!covers(areaAt(to), cursor)) setCursor({ ...to, by: 'focus' })
  }
  const follow = useEffectEvent(({ by, ...cell }: typeof cursor) => {
    if (frame.current && (by === 'key' || by === 'jump')) bring(frame.current, cell, shape, by === 'jump')
  })
  // The browser scrolls and focuses; it can only when the cell was drawn.
  useLayoutEffect(() => follow(cursor), [cursor])
  return { cursor, areaOf, areaAt, onKeyDown, onFocus }
}
