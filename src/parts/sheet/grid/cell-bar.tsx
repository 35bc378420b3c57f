import type { Column } from '../../../../server/contract/sheet/sheet.ts'
import { rows_a_part } from '../../../../server/contract/words/words.ts'
import { columnName, roleWords } from '../words.ts'
import { columnLetters, type Line } from './geometry.ts'
import styles from './grid.module.css'
import { reasonOf } from './grid-head.tsx'

/** The whole of the cell one is in, as the bar above a sheet has it: cells cut what is too long for them. */
export function CellBar(props: {
  column: Column | undefined
  col: number
  /** Null in the head of a column. */
  row: Line | null
  sheet: string
  text: string
  why: string | undefined
}) {
  const { column, row } = props
  const place = `${columnLetters(props.col)}${row?.row ? ((row.row - 1) % rows_a_part) + 1 : ''}`
  const name = column && columnName(column)
  return (
    <p className={styles.bar}>
      <b>{place}</b>
      {props.sheet ? (
        <span>工作表「{props.sheet}」从这里开始</span>
      ) : row ? (
        <>
          <span className={styles.barText}>{props.text}</span>
          <small>{props.why ?? (column && [...new Set([name, roleWords[column.role]])].join(' · '))}</small>
        </>
      ) : (
        <>
          <span className={styles.barText}>{column && `「${name}」作${roleWords[column.role]}：${reasonOf(column)}`}</span>
          <small>方向键移动，回车改用途</small>
        </>
      )}
    </p>
  )
}
