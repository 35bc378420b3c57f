import { useQuery } from '@tanstack/react-query'
import { Button } from 'antd'
import { useState } from 'react'
import type { CallOutput } from '../../../server/contract/call.ts'
import { getRetention, retentionKinds } from '../../../server/contract/retention/retention.ts'
import { callQuery } from '../../api.ts'
import { DetailItem, DetailList } from '../../components/details/detail-list.tsx'
import { ErrorState } from '../../components/state/error-state.tsx'
import { Skeleton } from '../../components/state/skeleton.tsx'
import { formatDate, formatDateTime } from '../../components/value/dates.ts'
import accountStyles from '../auth/account/account.module.css'
import { formatMonths, retentionLabels } from './labels.ts'
import { RetentionDialog } from './retention-dialog.tsx'

type Retention = CallOutput<typeof getRetention>

/** How long the company stores its data, and what was deleted by these rules. */
export function RetentionSettings() {
  const retention = useQuery(callQuery(getRetention, {}))
  // The rules as of when the dialog was opened: somebody else's change in the meantime is refused by its revision.
  const [edited, setEdited] = useState<Retention>()
  const refresh = () => void retention.refetch()
  return (
    <section className={`ui-card ${accountStyles.card}`} aria-labelledby="retention">
      <h2 id="retention">保存期限</h2>
      <p className="ui-hint">
        到期的数据每天凌晨自动删除，删除后不能恢复。没有设置期限的一直保存；在职员工的档案和个税计算结果不会到期删除。
      </p>
      {retention.data ? (
        <div className="ui-stack">
          <RetentionDetails retention={retention.data} />
          <div>
            <Button onClick={() => setEdited(retention.data)}>修改保存期限</Button>
          </div>
        </div>
      ) : retention.error ? (
        <ErrorState error={retention.error} retry={refresh} />
      ) : (
        <Skeleton rows={4} />
      )}
      {edited && <RetentionDialog retention={edited} onSettled={refresh} onClose={() => setEdited(undefined)} />}
    </section>
  )
}

const RetentionDetails = ({ retention }: { retention: Retention }) => (
  <>
    <DetailList>
      {retentionKinds.map((kind) => (
        <DetailItem key={kind} name={retentionLabels[kind]}>
          {formatMonths(retention.rules[kind])}
        </DetailItem>
      ))}
      <DetailItem name="暂停删除" wide>
        {retention.legal_hold ? `已暂停：${retention.hold_reason}` : '没有暂停'}
      </DetailItem>
    </DetailList>
    {retention.deletions.length > 0 && (
      <details>
        <summary>删除记录</summary>
        <ul>
          {retention.deletions.map(({ at, kind, months, before, count }) => (
            <li key={`${kind} ${at} ${before} ${count}`}>
              {`${formatDateTime(at)} 删除 ${formatDate(before)} 之前的${retentionLabels[kind]} ${count} 条（规则：保存${formatMonths(months)}）`}
            </li>
          ))}
        </ul>
      </details>
    )}
  </>
)
