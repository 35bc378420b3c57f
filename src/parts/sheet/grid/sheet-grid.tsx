import { useMemo } from 'react'
import type { Column, SheetInfo } from '../../../../server/contract/sheet/sheet.ts'
import type { ColumnRole } from '../../../../server/contract/words/words.ts'
import { useNarrow } from '../../../ui/media.ts'
import { askedColumns, columnName } from '../words.ts'
import { CellBar } from './cell-bar.tsx'
import { columnWidth, headLine, lineHeight, linesOf, offsetsOf, windowOf, windowsOf } from './geometry.ts'
import styles from './grid.module.css'
import { GridHead, type Marks } from './grid-head.tsx'
import { type Block, GridRow } from './grid-row.tsx'
import { covers, type Shape, type Target, useCursor, useSeen } from './use-grid.ts'
import { useRows } from './use-rows.ts'

/** Below the last line, for a sentence about a cell there. */
const calloutRoom = 96
const noMarks: Marks = new Map()
const noBlocks: readonly Block[] = []

function useShape(info: SheetInfo) {
  const narrow = useNarrow(800)
  const { parts, columns: known } = info
  const asked = useMemo(() => askedColumns(info), [info])
  const lines = useMemo(() => linesOf(parts), [parts])
  const byIndex = useMemo(() => new Map(known.map((column) => [Number(column.key.slice(1)), column])), [known])
  const columns = Math.max(1, ...[...byIndex.keys()].map((at) => at + 1))
  const found = known.find(({ role }) => role === 'name' || role === 'last_name')
  const name = found ? Number(found.key.slice(1)) : -1
  const offsets = useMemo(
    () =>
      offsetsOf(
        Array.from({ length: columns }, (_, at) => {
          const column = byIndex.get(at)
          const wide = columnWidth(column ? [`${column.col} ${columnName(column)}`, ...column.samples] : [])
          if (column && asked.has(column.key)) return Math.max(128, wide)
          return at === name && narrow ? Math.min(104, wide) : wide
        }),
      ),
    [columns, byIndex, name, narrow, asked],
  )
  const shape: Shape = { lines, offsets, columns, gutter: narrow ? 64 : 124, head: asked.size > 0 ? 88 : 66, name }
  return { shape, byIndex, asked }
}

/** Rows and merges of what is seen. The words of a merge stand in its first row, which may be far above. */
function useDrawing(info: SheetInfo, { lines, columns }: Shape, from: number, to: number) {
  const { batch_id, parts } = info
  const drawn = useRows(
    batch_id,
    useMemo(() => windowsOf(lines, parts, from, to), [lines, parts, from, to]),
  )
  const merges = useMemo(
    () =>
      drawn.merges.filter(({ left }) => left <= columns).map((merge) => ({ ...merge, right: Math.min(merge.right, columns) })),
    [drawn.merges, columns],
  )
  const tops = useMemo(() => {
    const windows = merges
      .filter(({ top }) => !drawn.rows.has(top))
      .map(({ top }) => windowOf(top, parts[lines.at(lines.of(top)).part]?.last_row ?? top))
    return [...new Map(windows.map((window) => [window.from, window])).values()]
  }, [merges, drawn.rows, parts, lines])
  const above = useRows(batch_id, tops)
  return { merges, drawn, rowAt: (row: number) => drawn.rows.get(row) ?? above.rows.get(row) }
}

type GridProps = {
  info: SheetInfo
  /** Being read anew: another sheet, another role. */
  busy: boolean
  /** The columns of the sum that is pointed at. */
  marks?: Marks
  target?: Target | null
  /** What is wrong with the cell one was sent to. */
  note?: string | undefined
  onRole: (column: Column, role: ColumnRole) => void
}

/** What is drawn of it, and where one stands in it. */
function useGrid({ info, marks = noMarks, target = null, note }: GridProps) {
  const { parts } = info
  const { shape, byIndex, asked } = useShape(info)
  const { lines, columns, offsets, gutter, head, name } = shape
  const width = gutter + (offsets[columns] ?? 0)
  const why = useMemo(() => new Map(info.ignored.map((ignored) => [ignored.row, ignored.why])), [info.ignored])
  const { frame, range, look } = useSeen(shape)
  const from = Math.min(range.from, lines.count)
  const to = Math.min(range.to, lines.count)
  const { drawn, merges, rowAt } = useDrawing(info, shape, from, to)
  const { cursor, areaOf, areaAt, onKeyDown, onFocus } = useCursor(shape, frame, merges, target)
  const textAt = (row: number, col: number) => rowAt(row)?.cells[col] ?? ''

  const shown = Array.from({ length: to - from }, (_, at) => from + at)
  // What has the focus stays drawn, else the focus would be lost.
  if (cursor.line !== headLine && cursor.line < lines.count && !shown.includes(cursor.line))
    shown[cursor.line < from ? 'unshift' : 'push'](cursor.line)
  const cols = useMemo(() => {
    const wanted = new Set([name, cursor.col].filter((col) => col >= 0 && col < columns))
    for (let col = range.left; col < Math.min(range.right, columns); col++) wanted.add(col)
    return [...wanted].toSorted((a, b) => a - b)
  }, [name, cursor.col, columns, range.left, range.right])
  // The same as long as one scrolls up or down: only lines that come into sight are drawn then.
  const view = useMemo(
    () => ({ columns, cols, offsets, gutter, head, width, name, byIndex, marks, asked, cursor }),
    [columns, cols, offsets, gutter, head, width, name, byIndex, marks, asked, cursor],
  )
  const blocks = merges.map((merge) => {
    const area = areaOf(merge)
    return {
      ...area,
      text: textAt(merge.top, merge.left - 1),
      host: covers(area, cursor) ? cursor.line : Math.max(area.top, from),
    }
  })
  const goal = target && target.row !== null ? { line: lines.of(target.row), col: target.col, text: note } : null
  const below = goal?.text ? calloutRoom : 0
  const at = cursor.line === headLine ? null : lines.at(cursor.line)
  const area = areaAt(cursor)
  const cell = {
    column: byIndex.get(cursor.col),
    col: area.left,
    row: at,
    sheet: at && at.row === null ? (parts[at.part]?.sheet ?? '') : '',
    text: at?.row ? textAt(lines.at(area.top).row ?? at.row, area.left) : '',
    why: at?.row ? why.get(at.row) : undefined,
  }
  return { shape, width, below, frame, look, onKeyDown, onFocus, drawn, rowAt, why, shown, view, blocks, goal, cell }
}

/**
 * The sheet as it is, with what was understood laid over it. Only what is seen is drawn, and only those rows are asked for; letters
 * and roles above, row numbers and names at the left stay while one scrolls. One cell is in the tab order; arrows move it.
 */
export function SheetGrid(props: GridProps) {
  const { info, busy } = props
  const { shape, width, below, frame, look, onKeyDown, onFocus, drawn, rowAt, why, shown, view, blocks, goal, cell } =
    useGrid(props)
  const { lines, columns, head } = shape
  return (
    <section className={styles.root} aria-label="工资表" data-busy={busy || undefined}>
      <CellBar {...cell} />
      {drawn.error && (
        <p className={styles.broken} role="alert">
          这几行没有取到：{drawn.error.message}
          <button type="button" className="ui-button" onClick={drawn.retry}>
            重试
          </button>
        </p>
      )}
      {/* oxlint-disable-next-line jsx-a11y/interactive-supports-focus -- one of its cells has the focus, not the grid */}
      <div
        ref={frame}
        className={styles.frame}
        role="grid"
        aria-label={`工资表，${lines.count} 行 ${columns} 列`}
        aria-rowcount={lines.count + 1}
        aria-colcount={columns + 1}
        aria-readonly="true"
        aria-busy={busy}
        style={{ maxHeight: head + lines.count * lineHeight + below + 18 }}
        onScroll={(event) => look(event.currentTarget)}
        onKeyDown={onKeyDown}
        onFocus={onFocus}
      >
        <GridHead view={view} onRole={props.onRole} />
        {/* oxlint-disable-next-line jsx-a11y/prefer-tag-over-role -- rows stand where they belong; a table would lay them out */}
        <div role="rowgroup" className={styles.body} style={{ width, height: lines.count * lineHeight + below }}>
          {shown.map((line) => {
            const { part, row } = lines.at(line)
            const own = blocks.filter(({ top, bottom }) => line >= top && line <= bottom)
            return (
              <GridRow
                key={line}
                line={line}
                row={row}
                sheet={row === null ? (info.parts[part]?.sheet ?? '') : ''}
                data={row === null ? undefined : rowAt(row)}
                why={row === null ? undefined : why.get(row)}
                blocks={own.length > 0 ? own : noBlocks}
                view={view}
                goal={goal?.line === line ? goal : null}
              />
            )
          })}
        </div>
      </div>
    </section>
  )
}
