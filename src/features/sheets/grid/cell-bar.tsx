import { rowsPerSheet } from '../../../../server/contract/shared/schemas.ts'
import { columnRoles } from '../../../../server/contract/sheets/column-roles.ts'
import type { Column } from '../../../../server/contract/sheets/sheet.ts'
import { getColumnName } from '../labels.ts'
import { formatColumnLetters, type GridLine } from './geometry.ts'
import styles from './grid.module.css'
import { formatRoleReason } from './grid-head.tsx'

/** The full text of the current cell, as in a spreadsheet's formula bar: cells truncate long text. */
export function CellBar(props: {
  column: Column | undefined
  col: number
  /** The value is null in the header of a column. */
  row: GridLine | null
  sheet: string
  text: string
  why: string | undefined
}) {
  const { column, row } = props
  const position = `${formatColumnLetters(props.col)}${row?.row ? ((row.row - 1) % rowsPerSheet) + 1 : ''}`
  const name = column && getColumnName(column)
  return (
    <p className={styles.bar}>
      <b>{position}</b>
      {props.sheet ? (
        <span>工作表「{props.sheet}」从这里开始</span>
      ) : row ? (
        <>
          <span className={styles.barText}>{props.text}</span>
          <small>{props.why ?? (column && [...new Set([name, columnRoles[column.role].label])].join(' · '))}</small>
        </>
      ) : (
        <>
          <span className={styles.barText}>
            {column && `「${name}」作${columnRoles[column.role].label}：${formatRoleReason(column)}`}
          </span>
          <small>方向键移动，回车改用途</small>
        </>
      )}
    </p>
  )
}
