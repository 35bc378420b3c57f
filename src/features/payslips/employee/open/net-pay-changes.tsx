import { useQuery } from '@tanstack/react-query'
import { getSlipChanges } from '../../../../../server/contract/payslips/employee-data.ts'
import { callQuery } from '../../../../api.ts'
import { ErrorState } from '../../../../components/state/error-state.tsx'
import { Skeleton } from '../../../../components/state/skeleton.tsx'
import { AmountChange } from '../../../../components/value/money.tsx'
import { BottomSheet } from '../bottom-sheet.tsx'
import employeeStyles from '../m.module.css'
import { noCacheOptions } from '../queries.ts'
import styles from './open.module.css'

/** Explains why the net pay differs from the previous one: one sentence per item; the items add up to the difference. */
export function NetPayChanges({ slip_id, onClose }: { slip_id: string; onClose: () => void }) {
  const changes = useQuery({ ...callQuery(getSlipChanges, { slip_id }), ...noCacheOptions })
  const { data } = changes
  return (
    <BottomSheet open title={data?.compared_to ? `和${data.compared_to}相比` : '和上次相比'} onClose={onClose}>
      {changes.error && <ErrorState error={changes.error} retry={() => void changes.refetch()} />}
      {changes.isPending && <Skeleton rows={4} />}
      {data && (data.changes.length > 0 ? <ChangeList {...data} /> : <p>{formatNoChanges(data.compared_to)}</p>)}
      <div className={employeeStyles.sheetActions}>
        <button type="button" className={`ui-button ${employeeStyles.button}`} onClick={onClose}>
          关闭
        </button>
      </div>
    </BottomSheet>
  )
}

const formatNoChanges = (since: string | null): string =>
  since ? `每一项都和${since}相同。` : '以前的工资条现在不能查看，无法比较。'

type NetPayChangeList = {
  difference_fen: number
  changes: readonly { kind: string; label: string; effect_fen: number; text: string }[]
}
const ChangeList = ({ difference_fen, changes }: NetPayChangeList) => (
  <>
    <p>
      实发 <AmountChange value={difference_fen} />
      ，其中：
    </p>
    <ol className={styles.why}>
      {changes.map(({ kind, label, effect_fen, text }) => (
        <li key={`${kind} ${label}`}>
          <span>{text}</span>
          <AmountChange value={effect_fen} />
        </li>
      ))}
    </ol>
  </>
)
