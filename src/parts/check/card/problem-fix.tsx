import type { Column, Problem } from '../../../../server/contract/sheet/sheet.ts'
import type { Fix } from '../../../../server/contract/words/words.ts'
import styles from './card.module.css'
import { MemberPicker } from './member-picker.tsx'
import { RowCells } from './row-cells.tsx'

/** `row` and `column`: another cell than the problem's own. */
export type Deal = { problem_id: string; fix: Fix; member_id?: string; value?: string; row?: number; column?: string }
/** A problem is opened to correct its cell, to look somebody up, or only to see its row. */
export type Opened = 'edit' | 'match' | 'look'
export const openedBy = ({ fix, column }: Problem): Opened =>
  fix.includes('edit') && column !== null ? 'edit' : fix.includes('match') ? 'match' : 'look'

/** A problem opened: its row, any cell of which can be corrected, and who is looked up for it. */
export function ProblemFix(props: {
  batch_id: string
  problem: Problem
  columns: readonly Column[]
  on: Opened
  busy: boolean
  wrong: string | null
  onDeal: (deal: Deal) => void
  onClose: () => void
}) {
  const { batch_id, problem, columns, on, busy, onDeal, onClose } = props
  const isOwn = (column: string) => column === problem.column && problem.fix.includes('edit')
  return (
    <div className={styles.checkFix}>
      {problem.row > 0 && (
        <RowCells
          batch_id={batch_id}
          row={problem.row}
          columns={columns}
          marked={problem.column}
          begin={on === 'edit' ? problem.column : null}
          busy={busy}
          wrong={props.wrong}
          onSave={(column, value) =>
            onDeal({
              problem_id: problem.id,
              fix: 'edit',
              value,
              ...(isOwn(column) ? {} : { row: problem.row, column }),
            })
          }
          onClose={onClose}
        />
      )}
      {on === 'match' && (
        <MemberPicker onPick={(member_id) => onDeal({ problem_id: problem.id, fix: 'match', member_id })} onClose={onClose} />
      )}
    </div>
  )
}
