import { type FocusEvent, type KeyboardEvent, type RefObject, useEffectEvent, useLayoutEffect, useRef, useState } from 'react'
import {
  type GridCellPosition,
  type GridLines,
  type GridRange,
  getVisibleRange,
  headerLine,
  lineHeight,
  type MergedArea,
  moveCell,
} from './geometry.ts'

/** A cell to scroll to; `row: null` is the column header. A new object scrolls again. */
export type GridTarget = { row: number | null; col: number }
export type GridShape = {
  lines: GridLines
  offsets: readonly number[]
  columns: number
  gutter: number
  headerHeight: number
  nameColumn: number
}
type GridFrame = Pick<GridShape, 'lines' | 'offsets' | 'gutter' | 'headerHeight'>
export type CellArea = { top: number; bottom: number; left: number; right: number }

const isSameRange = (a: GridRange, b: GridRange) => a.from === b.from && a.to === b.to && a.left === b.left && a.right === b.right
export const containsCell = (area: CellArea, { line, col }: GridCellPosition) =>
  line >= area.top && line <= area.bottom && col >= area.left && col <= area.right

export function useVisibleRange(shape: GridShape) {
  const { lines, offsets, columns, gutter, headerHeight } = shape
  const frame = useRef<HTMLDivElement>(null)
  const [range, setRange] = useState<GridRange>({ from: 0, to: Math.min(40, lines.count), left: 0, right: Math.min(14, columns) })
  const measure = (
    box: HTMLElement,
    { lines: gridLines, offsets: columnOffsets, gutter: gutterWidth, headerHeight: headerOffset }: GridFrame,
  ) => {
    const { scrollTop: top, scrollLeft: left, clientWidth, clientHeight } = box
    const next = getVisibleRange(
      { top, left, width: clientWidth - gutterWidth, height: clientHeight - headerOffset },
      gridLines.count,
      columnOffsets,
    )
    setRange((previous) => (isSameRange(previous, next) ? previous : next))
  }
  const onSize = useEffectEvent((box: HTMLElement) => measure(box, shape))
  // The visible range depends on the size of the frame, which only the browser knows.
  useLayoutEffect(() => {
    const box = frame.current
    if (!box) return
    const observer = new ResizeObserver(() => onSize(box))
    observer.observe(box)
    return () => observer.disconnect()
  }, [])
  const onShape = useEffectEvent(measure)
  // Another sheet has other widths: the same scroll position shows other cells.
  useLayoutEffect(() => {
    if (frame.current) onShape(frame.current, { lines, offsets, gutter, headerHeight })
  }, [lines, offsets, gutter, headerHeight])
  return { frame, range, view: (box: HTMLElement) => measure(box, shape) }
}

/** Scrolls until the cell is visible outside the sticky parts, and focuses it. */
function scrollToCell(
  box: HTMLElement,
  { line, col }: GridCellPosition,
  { offsets, gutter, headerHeight, nameColumn }: GridShape,
  isCentered: boolean,
) {
  const height = box.clientHeight - headerHeight
  const y = line * lineHeight
  if (line !== headerLine) {
    if (isCentered) box.scrollTop = y - height / 2 + lineHeight
    else if (y < box.scrollTop) box.scrollTop = y
    else if (y + lineHeight > box.scrollTop + height) box.scrollTop = y + lineHeight - height
  }
  const frozen = gutter + (nameColumn >= 0 && col > nameColumn ? (offsets[nameColumn + 1] ?? 0) - (offsets[nameColumn] ?? 0) : 0)
  const x = gutter + (offsets[col] ?? 0)
  const end = gutter + (offsets[col + 1] ?? 0)
  if (x < box.scrollLeft + frozen) box.scrollLeft = x - frozen
  else if (end > box.scrollLeft + box.clientWidth) box.scrollLeft = Math.min(x - frozen, end - box.clientWidth)
  if (isCentered) box.closest('section')?.scrollIntoView({ block: 'nearest' })
  box.querySelector<HTMLElement>('[data-cursor]')?.focus({ preventScroll: true })
}

/** The cursor: arrow keys, the mouse and jumps move it; focus and scroll position follow. */
export function useGridCursor(
  shape: GridShape,
  frame: RefObject<HTMLElement | null>,
  merges: readonly MergedArea[],
  target: GridTarget | null,
) {
  const { lines, columns } = shape
  const [cursor, setCursor] = useState<GridCellPosition & { cause: 'start' | 'focus' | 'key' | 'jump' }>({
    line: headerLine,
    col: 0,
    cause: 'start',
  })
  const [lastTarget, setLastTarget] = useState<GridTarget | null>(null)
  // A cell was requested by the address or by a message above.
  if (target !== lastTarget) {
    setLastTarget(target)
    const line = target && target.row !== null ? lines.getLineOfRow(target.row) : headerLine
    if (target) setCursor({ line, col: Math.max(0, Math.min(target.col, columns - 1)), cause: 'jump' })
  }
  const toArea = (merge: MergedArea): CellArea => ({
    top: lines.getLineOfRow(merge.top),
    bottom: lines.getLineOfRow(merge.bottom),
    left: merge.left - 1,
    right: merge.right - 1,
  })
  /** Returns the area of a cell: itself, or its merged area. */
  const getCellArea = ({ line, col }: GridCellPosition): CellArea => {
    const cellArea = { top: line, bottom: line, left: col, right: col }
    if (line === headerLine) return cellArea
    const { row } = lines.getLine(line)
    if (row === null) return { ...cellArea, left: 0, right: columns - 1 }
    const merge = merges.find((area) => row >= area.top && row <= area.bottom && col >= area.left - 1 && col < area.right)
    return merge ? toArea(merge) : cellArea
  }
  const onKeyDown = (event: KeyboardEvent<HTMLElement>) => {
    if (event.altKey || event.shiftKey || event.target instanceof HTMLSelectElement) return
    if (cursor.line === headerLine && (event.key === 'Enter' || event.key === ' ' || event.key === 'F2')) {
      const role = event.target instanceof HTMLElement && event.target.querySelector('select')
      if (!role) return
      event.preventDefault()
      role.focus()
      // Browsers without `showPicker` still change the value with arrow keys.
      role.showPicker?.()
      return
    }
    const page = Math.max(1, Math.floor((event.currentTarget.clientHeight - shape.headerHeight) / lineHeight) - 1)
    const nextCell = moveCell(
      event.key,
      event.ctrlKey || event.metaKey,
      cursor,
      { lines: lines.count, columns, page },
      getCellArea(cursor),
    )
    if (!nextCell) return
    event.preventDefault()
    setCursor({ ...nextCell, cause: 'key' })
  }
  const onFocus = (event: FocusEvent<HTMLElement>) => {
    const { line, col } = event.target.closest<HTMLElement>('[data-line]')?.dataset ?? {}
    if (line === undefined || col === undefined) return
    const nextCell = { line: Number(line), col: Number(col) }
    if (!containsCell(getCellArea(nextCell), cursor)) setCursor({ ...nextCell, cause: 'focus' })
  }
  const focusCursor = useEffectEvent(({ cause, ...cell }: typeof cursor) => {
    if (frame.current && (cause === 'key' || cause === 'jump')) scrollToCell(frame.current, cell, shape, cause === 'jump')
  })
  // Scrolling and focusing are possible only after the cell was rendered.
  useLayoutEffect(() => focusCursor(cursor), [cursor])
  return { cursor, getArea: toArea, areaAt: getCellArea, onKeyDown, onFocus }
}
