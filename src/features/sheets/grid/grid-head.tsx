import { type CSSProperties, memo } from 'react'
import { type ColumnRole, columnRoleNames } from '../../../../server/contract/shared/enums.ts'
import { columnRoles } from '../../../../server/contract/sheets/column-roles.ts'
import type { Column } from '../../../../server/contract/sheets/sheet.ts'
import { Icon } from '../../../components/icon.tsx'
import { columnRoleGroups, getColumnName } from '../labels.ts'
import { formatColumnLetters, type GridCellPosition, headerLine } from './geometry.ts'
import styles from './grid.module.css'

/** How columns take part in the highlighted formula, by key. */
export type FormulaMarks = ReadonlyMap<string, 'plus' | 'minus' | 'equals'>
export type GridView = {
  columns: number
  /** The rendered columns, from the left. */
  cols: readonly number[]
  offsets: readonly number[]
  /** The width of the row numbers. */
  gutter: number
  headerHeight: number
  width: number
  /** The sticky name column, or -1 if there is none. */
  nameColumn: number
  byIndex: ReadonlyMap<number, Column>
  marks: FormulaMarks
  /** Columns with open questions. */
  questionedKeys: ReadonlySet<string>
  cursor: GridCellPosition
}

export const signSymbols = { plus: '+', minus: '−', equals: '=' } as const
const signLabels = { plus: '加', minus: '减', equals: '等于' } as const

/**
 * Returns the style that positions a cell in its line. The name column is in the flow so that it can stick; everything
 * else is positioned absolutely.
 */
export function getCellStyle(view: GridView, col: number, right = col): CSSProperties {
  const left = view.offsets[col] ?? 0
  const width = (view.offsets[right + 1] ?? 0) - left
  if (col === view.nameColumn && right === col) return { marginLeft: left, left: view.gutter, width }
  return { left: view.gutter + left, width }
}

export const formatRoleReason = ({ reason }: Column) => reason || '按表头和内容识别'

/** Letters, names and roles: the sheet's name of a column, and its recognized role. */
export const GridHeader = memo(function GridHead({
  view,
  onRole,
}: {
  view: GridView
  onRole: (column: Column, role: ColumnRole) => void
}) {
  return (
    // oxlint-disable-next-line jsx-a11y/prefer-tag-over-role -- part of the grid beside it
    <div role="rowgroup" className={styles.head} style={{ width: view.width, height: view.headerHeight }}>
      {/* oxlint-disable-next-line jsx-a11y/interactive-supports-focus -- its cells have the focus */}
      <div role="row" aria-rowindex={1} className={styles.line}>
        <div role="columnheader" aria-colindex={1} className={styles.no} style={{ width: view.gutter }}>
          <span className="sr-only">行号</span>
        </div>
        {view.cols.map((index) => (
          <HeaderCell key={index} at={index} column={view.byIndex.get(index)} view={view} onRole={onRole} />
        ))}
      </div>
    </div>
  )
})

function HeaderCell(props: {
  at: number
  column: Column | undefined
  view: GridView
  onRole: (column: Column, role: ColumnRole) => void
}) {
  const { at: index, column, view, onRole } = props
  const isCursor = view.cursor.line === headerLine && view.cursor.col === index
  const mark = column && view.marks.get(column.key)
  const isQuestioned = column !== undefined && view.questionedKeys.has(column.key)
  const label = column ? getColumnName(column) : ''
  return (
    <div
      role="columnheader"
      aria-colindex={index + 2}
      tabIndex={isCursor ? 0 : -1}
      data-line={headerLine}
      data-col={index}
      data-cursor={isCursor || undefined}
      data-unsure={isQuestioned || undefined}
      data-hidden={column?.hidden || undefined}
      data-mark={mark}
      className={index === view.nameColumn ? `${styles.cell} ${styles.name}` : styles.cell}
      style={getCellStyle(view, index)}
      title={column ? `${column.path.join(' › ')}\n${formatRoleReason(column)}` : undefined}
    >
      <div className={styles.col}>
        <b>{formatColumnLetters(index)}</b>
        <span>{label}</span>
        {mark && (
          <i>
            <span aria-hidden="true">{signSymbols[mark]}</span>
            <span className="sr-only">{signLabels[mark]}</span>
          </i>
        )}
        {column?.hidden && <em>隐藏</em>}
      </div>
      {column && (
        <>
          <select
            value={column.role}
            tabIndex={-1}
            aria-label={`${column.col} 列「${label}」的用途`}
            onChange={(event) => {
              const role = columnRoleNames.find((one) => one === event.target.value)
              if (role) onRole(column, role)
            }}
            onKeyDown={(event) => {
              if (event.key !== 'Escape') return
              event.currentTarget.closest<HTMLElement>('[data-line]')?.focus()
            }}
          >
            {columnRoleGroups.map((group) => (
              <optgroup key={group.name} label={group.name}>
                {group.roles.map((role) => (
                  <option key={role} value={role}>
                    {columnRoles[role].label}
                  </option>
                ))}
              </optgroup>
            ))}
          </select>
          {isQuestioned && (
            <small>
              <Icon name="warn" size={12} />
              <span>请在上方确认</span>
            </small>
          )}
        </>
      )}
    </div>
  )
}
