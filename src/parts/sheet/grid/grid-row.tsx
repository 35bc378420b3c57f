import { memo } from 'react'
import { moneyRoles } from '../../../../server/contract/sheet/column-roles.ts'
import type { Column } from '../../../../server/contract/sheet/sheet.ts'
import { rows_a_part } from '../../../../server/contract/words/words.ts'
import { isAmount } from '../../../ui/value/money.tsx'
import { lineHeight } from './geometry.ts'
import styles from './grid.module.css'
import { type GridView, placeOf } from './grid-head.tsx'
import type { Row } from './use-rows.ts'

/** Merged cells, in lines and columns from 0; drawn by the line `host`. */
export type Block = { top: number; bottom: number; left: number; right: number; text: string; host: number }
const calloutWidth = 376
type Goal = { col: number; text: string | undefined }

const isOfMoney = ({ kind, role }: Column) => kind === 'money' || moneyRoles.has(role)

/** One line of the sheet, or the name of the sheet that begins here. */
export const GridRow = memo(function GridRow(props: {
  line: number
  row: number | null
  sheet: string
  /** Undefined while it is on its way. */
  data: Row | undefined
  why: string | undefined
  blocks: readonly Block[]
  view: GridView
  goal: Goal | null
}) {
  const { line, row, data, why, view } = props
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
  const reason = data?.as === 'header' ? '表头' : data?.as === 'skipped' ? '已跳过' : why
  return (
    // oxlint-disable-next-line jsx-a11y/interactive-supports-focus -- its cells have the focus
    <div
      role="row"
      aria-rowindex={line + 2}
      aria-busy={data === undefined || undefined}
      className={styles.line}
      data-as={data?.as}
      data-hidden={data?.hidden || undefined}
      style={style}
    >
      <div role="rowheader" aria-colindex={1} className={styles.no} style={{ width: view.gutter }} title={reason}>
        {((row - 1) % rows_a_part) + 1}
        {reason && <small>{reason}</small>}
        {data?.hidden && <small>隐藏行</small>}
      </div>
      {view.cols.map((col) => {
        const block = props.blocks.find(({ left, right }) => col >= left && col <= right)
        if (!block) return <GridCell key={col} {...props} line={line} col={col} text={data?.cells[col] ?? ''} />
        const drawnAt = Math.max(block.left, view.cols.find((one) => one >= block.left) ?? block.left)
        if (block.host !== line || drawnAt !== col) return null
        return <GridCell key={`${col}m`} {...props} line={line} col={block.left} text={block.text} block={block} />
      })}
    </div>
  )
})

function GridCell(props: {
  line: number
  col: number
  text: string
  block?: Block
  data: Row | undefined
  view: GridView
  goal: Goal | null
}) {
  const { line, col, text, block, data, view, goal } = props
  const column = view.byIndex.get(col)
  const { cursor } = view
  const isCursor = block
    ? cursor.line >= block.top && cursor.line <= block.bottom && cursor.col >= block.left && cursor.col <= block.right
    : cursor.line === line && cursor.col === col
  const right = block?.right ?? col
  const isName = col === view.name && right === col
  const isGoal = goal !== null && goal.col >= col && goal.col <= right
  // What is said beside a cell at the right edge opens to the left.
  const isFarRight =
    (view.offsets[col] ?? 0) > calloutWidth && (view.offsets[view.columns] ?? 0) - (view.offsets[col] ?? 0) < calloutWidth
  const tall = block && {
    [isName ? 'marginTop' : 'top']: (block.top - line) * lineHeight,
    height: (block.bottom - block.top + 1) * lineHeight,
    '--head': `${view.head}px`,
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
      data-money={(column && isOfMoney(column) && (data?.as === 'person' || isAmount(text))) || undefined}
      data-off={column?.role === 'ignore' || undefined}
      data-mark={column && view.marks.get(column.key)}
      data-goal={isGoal || undefined}
      className={isName ? `${styles.cell} ${styles.name}` : styles.cell}
      style={{ ...placeOf(view, col, right), ...tall }}
    >
      {data || text ? <span>{text}</span> : <span className={styles.wait} />}
      {isGoal && goal?.text && (
        <p className={styles.callout} role="note" data-left={isFarRight || undefined}>
          {goal.text}
        </p>
      )}
    </div>
  )
}
