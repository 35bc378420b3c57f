import { useQuery } from '@tanstack/react-query'
import { getSlipChanges } from '../../../../server/contract/own/own.ts'
import { query } from '../../../api.ts'
import { ErrorState } from '../../../ui/state/error-state.tsx'
import { Skeleton } from '../../../ui/state/skeleton.tsx'
import { Difference } from '../../../ui/value/money.tsx'
import employeeStyles from '../m.module.css'
import { neverKept } from '../queries.ts'
import { Sheet } from '../sheet.tsx'
import styles from './open.module.css'

/** Why the net pay is another one than before: a sentence an item, which add up to the difference. */
export function Why({ slip_id, onClose }: { slip_id: string; onClose: () => void }) {
  const asked = useQuery({ ...query(getSlipChanges, { slip_id }), ...neverKept })
  const { data } = asked
  return (
    <Sheet open title={data?.since ? `和${data.since}相比` : '和上次相比'} onClose={onClose}>
      {asked.error && <ErrorState error={asked.error} retry={() => void asked.refetch()} />}
      {asked.isPending && <Skeleton rows={4} />}
      {data && (data.lines.length > 0 ? <Lines {...data} /> : <p>{nothing(data.since)}</p>)}
      <div className={employeeStyles.sheetActions}>
        <button type="button" className={`ui-button ${employeeStyles.button}`} onClick={onClose}>
          关闭
        </button>
      </div>
    </Sheet>
  )
}

const nothing = (since: string | null): string => (since ? `每一项都和${since}相同。` : '以前的工资条现在不能查看，无法比较。')

type Told = { difference_fen: number; lines: readonly { kind: string; label: string; effect_fen: number; text: string }[] }
const Lines = ({ difference_fen, lines }: Told) => (
  <>
    <p>
      实发 <Difference value={difference_fen} />
      ，其中：
    </p>
    <ol className={styles.why}>
      {lines.map(({ kind, label, effect_fen, text }) => (
        <li key={`${kind} ${label}`}>
          <span>{text}</span>
          <Difference value={effect_fen} />
        </li>
      ))}
    </ol>
  </>
)
