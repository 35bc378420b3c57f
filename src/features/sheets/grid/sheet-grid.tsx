import { useMemo } from 'react'
import type { ColumnRole } from '../../../../server/contract/shared/schemas.ts'
import { isLeadingName } from '../../../../server/contract/sheets/column-roles.ts'
import type { Column, WageSheetInfo } from '../../../../server/contract/sheets/sheet.ts'
import { useIsNarrow } from '../../../components/media.ts'
import { formatCount } from '../../../components/value/counts.ts'
import { getColumnName, getQuestionedColumns } from '../labels.ts'
import { CellBar } from './cell-bar.tsx'
import { createGridLines, getColumnWidth, getOffsets, getRowWindow, getRowWindows, headerLine, lineHeight } from './geometry.ts'
import styles from './grid.module.css'
import { type FormulaMarks, GridHeader } from './grid-head.tsx'
import { GridRow, type MergedBlock } from './grid-row.tsx'
import { containsCell, type GridShape, type GridTarget, useGridCursor, useVisibleRange } from './use-grid.ts'
import { useGridRows } from './use-rows.ts'

/** Height of the space below the last line, for the callout of a cell there. */
const calloutHeight = 96
const noMarks: FormulaMarks = new Map()
const noBlocks: readonly MergedBlock[] = []

function useGridShape(info: WageSheetInfo) {
  const narrow = useIsNarrow(800)
  const { parts: sections, columns: sheetColumns } = info
  const questionedKeys = useMemo(() => getQuestionedColumns(info), [info])
  const lines = useMemo(() => createGridLines(sections), [sections])
  const byIndex = useMemo(() => new Map(sheetColumns.map((column) => [Number(column.key.slice(1)), column])), [sheetColumns])
  const columns = Math.max(1, ...[...byIndex.keys()].map((index) => index + 1))
  const nameMatch = sheetColumns.find(({ role }) => isLeadingName(role))
  const nameColumn = nameMatch ? Number(nameMatch.key.slice(1)) : -1
  const offsets = useMemo(
    () =>
      getOffsets(
        Array.from({ length: columns }, (_, index) => {
          const column = byIndex.get(index)
          const width = getColumnWidth(column ? [`${column.col} ${getColumnName(column)}`, ...column.samples] : [])
          if (column && questionedKeys.has(column.key)) return Math.max(128, width)
          return index === nameColumn && narrow ? Math.min(104, width) : width
        }),
      ),
    [columns, byIndex, nameColumn, narrow, questionedKeys],
  )
  const shape: GridShape = {
    lines,
    offsets,
    columns,
    gutter: narrow ? 64 : 124,
    headerHeight: questionedKeys.size > 0 ? 88 : 66,
    nameColumn,
  }
  return { shape, byIndex, requested: questionedKeys }
}

/** The rows and merged cells in view. The text of a merged cell is in its first row, which may be far above. */
function useVisibleRows(info: WageSheetInfo, { lines, columns }: GridShape, from: number, to: number) {
  const { batch_id, parts: sections } = info
  const visible = useGridRows(
    batch_id,
    useMemo(() => getRowWindows(lines, sections, from, to), [lines, sections, from, to]),
  )
  const merges = useMemo(
    () =>
      visible.merges.filter(({ left }) => left <= columns).map((merge) => ({ ...merge, right: Math.min(merge.right, columns) })),
    [visible.merges, columns],
  )
  const tops = useMemo(() => {
    const windows = merges
      .filter(({ top }) => !visible.rows.has(top))
      .map(({ top }) => getRowWindow(top, sections[lines.getLine(lines.getLineOfRow(top)).sheetIndex]?.last_row ?? top))
    return [...new Map(windows.map((window) => [window.from, window])).values()]
  }, [merges, visible.rows, sections, lines])
  const mergeTopRows = useGridRows(batch_id, tops)
  return { merges, rendered: visible, rowAt: (row: number) => visible.rows.get(row) ?? mergeTopRows.rows.get(row) }
}

type SheetGridProps = {
  info: WageSheetInfo
  /** The wage sheet is being read again with another sheet or another role. */
  busy: boolean
  /** The columns of the highlighted formula. */
  marks?: FormulaMarks
  target?: GridTarget | null
  /** The issue of the target cell. */
  note?: string | undefined
  onRole: (column: Column, role: ColumnRole) => void
}

/** The rendered part of the grid, and the cursor position. */
function useSheetGrid({ info, marks = noMarks, target = null, note }: SheetGridProps) {
  const { parts: sections } = info
  const { shape, byIndex, requested: questionedKeys } = useGridShape(info)
  const { lines, columns, offsets, gutter, headerHeight, nameColumn } = shape
  const width = gutter + (offsets[columns] ?? 0)
  const ignoredReasons = useMemo(() => new Map(info.ignored.map((ignored) => [ignored.row, ignored.why])), [info.ignored])
  const { frame, range, view: updateRange } = useVisibleRange(shape)
  const from = Math.min(range.from, lines.count)
  const to = Math.min(range.to, lines.count)
  const { rendered: visible, merges, rowAt: getRow } = useVisibleRows(info, shape, from, to)
  const { cursor, getArea: toArea, areaAt: getCellArea, onKeyDown, onFocus } = useGridCursor(shape, frame, merges, target)
  const getCellText = (row: number, col: number) => getRow(row)?.cells[col] ?? ''

  const visibleLines = Array.from({ length: to - from }, (_, cursorLine) => from + cursorLine)
  // The focused cell stays rendered; otherwise the focus would be lost.
  if (cursor.line !== headerLine && cursor.line < lines.count && !visibleLines.includes(cursor.line))
    visibleLines[cursor.line < from ? 'unshift' : 'push'](cursor.line)
  const cols = useMemo(() => {
    const columnSet = new Set([nameColumn, cursor.col].filter((col) => col >= 0 && col < columns))
    for (let col = range.left; col < Math.min(range.right, columns); col++) columnSet.add(col)
    return [...columnSet].toSorted((a, b) => a - b)
  }, [nameColumn, cursor.col, columns, range.left, range.right])
  // Unchanged while scrolling vertically: only lines that come into view render then.
  const view = useMemo(
    () => ({
      columns,
      cols,
      offsets,
      gutter,
      headerHeight,
      width,
      nameColumn,
      byIndex,
      marks,
      questionedKeys,
      cursor,
    }),
    [columns, cols, offsets, gutter, headerHeight, width, nameColumn, byIndex, marks, questionedKeys, cursor],
  )
  const blocks = merges.map((merge) => {
    const area = toArea(merge)
    return {
      ...area,
      text: getCellText(merge.top, merge.left - 1),
      hostLine: containsCell(area, cursor) ? cursor.line : Math.max(area.top, from),
    }
  })
  const targetCell = target && target.row !== null ? { line: lines.getLineOfRow(target.row), col: target.col, text: note } : null
  const bottomPadding = targetCell?.text ? calloutHeight : 0
  const cursorLine = cursor.line === headerLine ? null : lines.getLine(cursor.line)
  const area = getCellArea(cursor)
  const cell = {
    column: byIndex.get(cursor.col),
    col: area.left,
    row: cursorLine,
    sheet: cursorLine && cursorLine.row === null ? (sections[cursorLine.sheetIndex]?.sheet ?? '') : '',
    text: cursorLine?.row ? getCellText(lines.getLine(area.top).row ?? cursorLine.row, area.left) : '',
    why: cursorLine?.row ? ignoredReasons.get(cursorLine.row) : undefined,
  }
  return {
    shape,
    width,
    below: bottomPadding,
    frame,
    inspect: updateRange,
    onKeyDown,
    onFocus,
    rendered: visible,
    rowAt: getRow,
    why: ignoredReasons,
    visible: visibleLines,
    view,
    blocks,
    goal: targetCell,
    cell,
  }
}

/**
 * The wage sheet as it is, with the recognition result on top. Only the visible part is rendered, and only its rows are
 * requested; letters and roles above, row numbers and names at the left stay while scrolling. One cell is in the tab
 * order; arrow keys move it.
 */
export function SheetGrid(props: SheetGridProps) {
  const { info, busy } = props
  const {
    shape,
    width,
    below: bottomPadding,
    frame,
    inspect: updateRange,
    onKeyDown,
    onFocus,
    rendered: visible,
    rowAt: getRow,
    why: ignoredReasons,
    visible: visibleLines,
    view,
    blocks,
    goal: targetCell,
    cell,
  } = useSheetGrid(props)
  const { lines, columns, headerHeight } = shape
  return (
    <section className={styles.root} aria-label="工资表" data-busy={busy || undefined}>
      <CellBar {...cell} />
      {visible.error && (
        <p className={styles.broken} role="alert">
          这几行没有取到：{visible.error.message}
          <button type="button" className="ui-button" onClick={visible.retry}>
            重试
          </button>
        </p>
      )}
      {/* oxlint-disable-next-line jsx-a11y/interactive-supports-focus -- one of its cells has the focus, not the grid */}
      <div
        ref={frame}
        className={styles.frame}
        role="grid"
        aria-label={`工资表，${formatCount(lines.count)} 行 ${columns} 列`}
        aria-rowcount={lines.count + 1}
        aria-colcount={columns + 1}
        aria-readonly="true"
        aria-busy={busy}
        style={{ maxHeight: headerHeight + lines.count * lineHeight + bottomPadding + 18 }}
        onScroll={(event) => updateRange(event.currentTarget)}
        onKeyDown={onKeyDown}
        onFocus={onFocus}
      >
        <GridHeader view={view} onRole={props.onRole} />
        {/* oxlint-disable-next-line jsx-a11y/prefer-tag-over-role -- rows stand where they belong; a table would lay them out */}
        <div role="rowgroup" className={styles.body} style={{ width, height: lines.count * lineHeight + bottomPadding }}>
          {visibleLines.map((line) => {
            const { sheetIndex, row } = lines.getLine(line)
            const lineBlocks = blocks.filter(({ top, bottom }) => line >= top && line <= bottom)
            return (
              <GridRow
                key={line}
                line={line}
                row={row}
                sheet={row === null ? (info.parts[sheetIndex]?.sheet ?? '') : ''}
                data={row === null ? undefined : getRow(row)}
                why={row === null ? undefined : ignoredReasons.get(row)}
                blocks={lineBlocks.length > 0 ? lineBlocks : noBlocks}
                view={view}
                goal={targetCell?.line === line ? targetCell : null}
              />
            )
          })}
        </div>
      </div>
    </section>
  )
}
