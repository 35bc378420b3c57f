import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { formatFen, parseFen } from '../../../server/contract/shared/money.ts'
import { rowsPerSheet } from '../../../server/contract/shared/schemas.ts'
import {
  isDepartment,
  isFirstName,
  isGross,
  isLastName,
  isName,
  isNet,
  moneyRoles,
} from '../../../server/contract/sheets/column-roles.ts'
import { checkWageData, getSheetRow, type Issue, type WageSheetInfo } from '../../../server/contract/sheets/sheet.ts'

import { callQuery } from '../../api.ts'
import { Icon } from '../../components/icon.tsx'
import { formatColumnLetters, parseColumnKey } from './grid/geometry.ts'
import { getColumnName } from './labels.ts'
import type { CellSearch } from './search.ts'
import styles from './send.module.css'

/** Returns the issues of the cell that another page linked to. */
export function useCellIssues({ batch_id, row, col }: CellSearch): readonly Issue[] {
  const checkResult = useQuery({
    ...callQuery(checkWageData, { batch_id: batch_id ?? '' }),
    // The issue page has just loaded these: one message does not justify another check of the whole wage sheet.
    staleTime: Number.POSITIVE_INFINITY,
    enabled: batch_id !== undefined && row !== undefined,
  })
  const columnIndex = col === undefined ? null : parseColumnKey(col)
  return (checkResult.data?.problems ?? []).filter(
    (issue) => issue.row === row && (columnIndex === null || issue.column === null || issue.column === `c${columnIndex}`),
  )
}

/** Shows the issue to users who come from the check page, with a link back. */
export function CellIssueNote({
  search,
  problems: issues,
  info,
}: {
  search: CellSearch
  problems: readonly Issue[]
  info: WageSheetInfo
}) {
  const { batch_id, row, col } = search
  const columnIndex = col === undefined ? null : parseColumnKey(col)
  const [first] = issues
  return (
    <section className={styles.look} aria-label="要看的单元格">
      <Icon name="eye" />
      <p className="ui-grow">
        <b>
          {columnIndex !== null && `${formatColumnLetters(columnIndex)} 列`}
          {row !== undefined && `第 ${((row - 1) % rowsPerSheet) + 1} 行`}
          {columnIndex === null && row === undefined && '看完或改好后，可以回到核对'}
        </b>
        {row !== undefined && <RowSummary row={row} info={info} />}
        {issues.length > 0 && (
          // Where there is space, the message is also shown next to its cell.
          <span {...(row === undefined || columnIndex === null ? {} : { className: styles.lookTwice })}>
            ：{issues.map(({ message }) => message).join('；')}
          </span>
        )}
      </p>
      <Link className="ui-button" to="/check" search={{ batch_id, ...(first ? { kind: first.kind, level: first.level } : {}) }}>
        回到核对
      </Link>
    </section>
  )
}

const visibleRoles = [isName, isLastName, isFirstName, isDepartment, isGross, isNet]
/** The employee and the pay of a row: those columns may be far from the cell that the link leads to. */
function RowSummary({ row, info }: { row: number; info: WageSheetInfo }) {
  const sheetRow = useQuery(callQuery(getSheetRow, { batch_id: info.batch_id, row }))
  const texts = visibleRoles.flatMap((matches) => {
    const column = info.columns.find(({ role }) => matches(role))
    const text = column && sheetRow.data?.cells[column.key]
    return text ? [moneyRoles.has(column.role) ? `${getColumnName(column)} ${formatAmountText(text)}` : text] : []
  })
  return texts.length > 0 && <span> {texts.join(' · ')}</span>
}

/** Formats text as an amount; text that is no amount stays unchanged. */
function formatAmountText(text: string): string {
  const fen = parseFen(text.replaceAll(',', ''))
  return fen === null ? text : formatFen(fen)
}
