import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { moneyRoles } from '../../../server/contract/sheet/column-roles.ts'
import { checkWageData, getSheetRow, type Problem, type SheetInfo } from '../../../server/contract/sheet/sheet.ts'
import { formatFen, parseFen } from '../../../server/contract/words/money.ts'
import { type ColumnRole, rows_a_part } from '../../../server/contract/words/words.ts'

import { query } from '../../api.ts'
import { Icon } from '../../ui/icon.tsx'
import { columnLetters, columnNamed } from './grid/geometry.ts'
import type { CellSearch } from './search.ts'
import styles from './send.module.css'
import { columnName } from './words.ts'

/** The problems of the cell that another page sent one to. */
export function useProblemsAt({ batch_id, row, col }: CellSearch): readonly Problem[] {
  const asked = useQuery({
    ...query(checkWageData, { batch_id: batch_id ?? '' }),
    // What the page of problems has just shown: a check of the whole sheet is not asked for again for one sentence.
    staleTime: Number.POSITIVE_INFINITY,
    enabled: batch_id !== undefined && row !== undefined,
  })
  const at = col === undefined ? null : columnNamed(col)
  return (asked.data?.problems ?? []).filter(
    (one) => one.row === row && (at === null || one.column === null || one.column === `c${at}`),
  )
}

/** Whoever came from the problems sees what was wrong, and finds the way back to them. */
export function LookAt({ search, problems, info }: { search: CellSearch; problems: readonly Problem[]; info: SheetInfo }) {
  const { batch_id, row, col } = search
  const at = col === undefined ? null : columnNamed(col)
  const [first] = problems
  return (
    <section className={styles.look} aria-label="要看的单元格">
      <Icon name="eye" />
      <p className="ui-grow">
        <b>
          {at !== null && `${columnLetters(at)} 列`}
          {row !== undefined && `第 ${((row - 1) % rows_a_part) + 1} 行`}
          {at === null && row === undefined && '看完或改好后，可以回到核对'}
        </b>
        {row !== undefined && <Whose row={row} info={info} />}
        {problems.length > 0 && (
          // Beside its cell the sentence stands as well, where there is room for it.
          <span {...(row === undefined || at === null ? {} : { className: styles.lookTwice })}>
            ：{problems.map(({ message }) => message).join('；')}
          </span>
        )}
      </p>
      <Link className="ui-button" to="/check" search={{ batch_id, ...(first ? { kind: first.kind, level: first.level } : {}) }}>
        回到核对
      </Link>
    </section>
  )
}

const shown: readonly ColumnRole[] = ['name', 'last_name', 'first_name', 'department', 'gross', 'net']
/** Whose row it is and what it pays: those columns may stand far from the cell one was sent to. */
function Whose({ row, info }: { row: number; info: SheetInfo }) {
  const asked = useQuery(query(getSheetRow, { batch_id: info.batch_id, row }))
  const told = shown.flatMap((role) => {
    const column = info.columns.find((one) => one.role === role)
    const text = column && asked.data?.cells[column.key]
    return text ? [moneyRoles.has(role) ? `${columnName(column)} ${amountText(text)}` : text] : []
  })
  return told.length > 0 && <span> {told.join(' · ')}</span>
}

/** As every amount is written; what is none stays as it stands. */
function amountText(text: string): string {
  const fen = parseFen(text.replaceAll(',', ''))
  return fen === null ? text : formatFen(fen)
}
