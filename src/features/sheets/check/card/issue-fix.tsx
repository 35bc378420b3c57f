import type { IssueFix } from '../../../../../server/contract/shared/schemas.ts'
import type { Column, Issue } from '../../../../../server/contract/sheets/sheet.ts'
import styles from './card.module.css'
import { MemberSelect } from './member-select.tsx'
import { RowCells } from './row-cells.tsx'

/** `row` and `column` identify a cell other than the issue's own. */
export type FixRequest = { problem_id: string; fix: IssueFix; member_id?: string; value?: string; row?: number; column?: string }
/** Why an issue is opened: to correct its cell, to look up a member, or only to see its row. */
export type OpenMode = 'edit' | 'match' | 'look'
export const getOpenMode = ({ fix, column }: Issue): OpenMode =>
  fix.includes('edit') && column !== null ? 'edit' : fix.includes('match') ? 'match' : 'look'

/** An opened issue: its row, in which any cell can be corrected, and a member search. */
export function IssueFixPanel(props: {
  batch_id: string
  problem: Issue
  columns: readonly Column[]
  on: OpenMode
  busy: boolean
  wrong: string | null
  onDeal: (deal: FixRequest) => void
  onClose: () => void
}) {
  const { batch_id, problem: issue, columns, on: mode, busy, onDeal: onFix, onClose } = props
  const isIssueCell = (column: string) => column === issue.column && issue.fix.includes('edit')
  return (
    <div className={styles.checkFix}>
      {issue.row > 0 && (
        <RowCells
          batch_id={batch_id}
          row={issue.row}
          columns={columns}
          marked={issue.column}
          begin={mode === 'edit' ? issue.column : null}
          busy={busy}
          wrong={props.wrong}
          onSave={(column, value) =>
            onFix({
              problem_id: issue.id,
              fix: 'edit',
              value,
              ...(isIssueCell(column) ? {} : { row: issue.row, column }),
            })
          }
          onClose={onClose}
        />
      )}
      {mode === 'match' && (
        <MemberSelect onPick={(member_id) => onFix({ problem_id: issue.id, fix: 'match', member_id })} onClose={onClose} />
      )}
    </div>
  )
}
