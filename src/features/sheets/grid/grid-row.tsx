import { memo } from 'react'
import { rowsPerSheet } from '../../../../server/contract/shared/schemas.ts'
import { isIgnored, moneyRoles } from '../../../../server/contract/sheets/column-roles.ts'
import type { Column } from '../../../../server/contract/sheets/sheet.ts'
import { isAmountText } from '../../../components/value/money.tsx'
import { lineHeight } from './geometry.ts'
import styles from './grid.module.css'
import { type GridView, getCellStyle } from './grid-head.tsx'
import type { GridRowData } from './use-rows.ts'

/** A merged cell, in lines and columns from 0; rendered by the line `hostLine`. */
export type MergedBlock = { top: number; bottom: number; left: number; right: number; text: string; hostLine: number }
const calloutWidth = 376
type TargetCell = { col: number; text: string | undefined }

const isMoneyColumn = ({ kind, role }: Column) => kind === 'money' || moneyRoles.has(role)

/** One line of the wage sheet, or the name of the sheet that starts here. */
export const GridRow = memo(function GridRow(props: {
  line: number
  row: number | null
  sheet: string
  /** Undefined while loading. */
  data: GridRowData | undefined
  why: string | undefined
  blocks: readonly MergedBlock[]
  view: GridView
  goal: TargetCell | null
}) {
  const { line, row, data, why: ignoredReason, view } = props
  const style = { top: line * lineHeight, height: lineHeight, width: view.width }
  if (row === null) {
    const isCursor = view.cursor.line === line
    return (
      // oxlint-disable-next-line jsx-a11y/interactive-supports-focus -- its cell has the focus
      <div role="row" aria-rowindex={line + 2} className={`${styles.line} ${styles.part}`} style={style}>
        <div
          role="gridcell"
          aria-colindex={1}
          aria-colspan={view.columns + 1}
          tabIndex={isCursor ? 0 : -1}
          data-line={line}
          data-col={0}
          data-cursor={isCursor || undefined}
        >
          工作表「{props.sheet}」
        </div>
      </div>
    )
  }
  const reason = data?.kind === 'header' ? '表头' : data?.kind === 'skipped' ? '已跳过' : ignoredReason
  return (
    // oxlint-disable-next-line jsx-a11y/interactive-supports-focus -- its cells have the focus
    <div
      role="row"
      aria-rowindex={line + 2}
      aria-busy={data === undefined || undefined}
      className={styles.line}
      data-as={data?.kind}
      data-hidden={data?.hidden || undefined}
      style={style}
    >
      <div role="rowheader" aria-colindex={1} className={styles.no} style={{ width: view.gutter }} title={reason}>
        {((row - 1) % rowsPerSheet) + 1}
        {reason && <small>{reason}</small>}
        {data?.hidden && <small>隐藏行</small>}
      </div>
      {view.cols.map((col) => {
        const block = props.blocks.find(({ left, right }) => col >= left && col <= right)
        if (!block) return <GridCell key={col} {...props} line={line} col={col} text={data?.cells[col] ?? ''} />
        const startColumn = Math.max(block.left, view.cols.find((column) => column >= block.left) ?? block.left)
        if (block.hostLine !== line || startColumn !== col) return null
        return <GridCell key={`${col}m`} {...props} line={line} col={block.left} text={block.text} block={block} />
      })}
    </div>
  )
})

function GridCell(props: {
  line: number
  col: number
  text: string
  block?: MergedBlock
  data: GridRowData | undefined
  view: GridView
  goal: TargetCell | null
}) {
  const { line, col, text, block, data, view, goal: target } = props
  const column = view.byIndex.get(col)
  const { cursor } = view
  const isCursor = block
    ? cursor.line >= block.top && cursor.line <= block.bottom && cursor.col >= block.left && cursor.col <= block.right
    : cursor.line === line && cursor.col === col
  const right = block?.right ?? col
  const isName = col === view.nameColumn && right === col
  const isTarget = target !== null && target.col >= col && target.col <= right
  // A callout at the right edge opens to the left.
  const opensLeft =
    (view.offsets[col] ?? 0) > calloutWidth && (view.offsets[view.columns] ?? 0) - (view.offsets[col] ?? 0) < calloutWidth
  const mergedStyle = block && {
    [isName ? 'marginTop' : 'top']: (block.top - line) * lineHeight,
    height: (block.bottom - block.top + 1) * lineHeight,
    '--head': `${view.headerHeight}px`,
  }
  return (
    <div
      role="gridcell"
      aria-colindex={col + 2}
      aria-colspan={block ? right - col + 1 : undefined}
      aria-rowspan={block ? block.bottom - block.top + 1 : undefined}
      tabIndex={isCursor ? 0 : -1}
      data-line={block ? block.top : line}
      data-col={col}
      data-cursor={isCursor || undefined}
      data-merged={block ? (block.bottom - block.top < 4 ? 'short' : 'tall') : undefined}
      data-money={(column && isMoneyColumn(column) && (data?.kind === 'person' || isAmountText(text))) || undefined}
      data-off={isIgnored(column?.role) || undefined}
      data-mark={column && view.marks.get(column.key)}
      data-goal={isTarget || undefined}
      className={isName ? `${styles.cell} ${styles.name}` : styles.cell}
      style={{ ...getCellStyle(view, col, right), ...mergedStyle }}
    >
      {data || text ? <span>{text}</span> : <span className={styles.wait} />}
      {isTarget && target?.text && (
        <p className={styles.callout} role="note" data-left={opensLeft || undefined}>
          {target.text}
        </p>
      )}
    </div>
  )
}
