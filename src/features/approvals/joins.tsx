import { useQuery } from '@tanstack/react-query'
import { Button } from 'antd'
import { useState } from 'react'
import { getJoinRequestList } from '../../../server/contract/invites/invite.ts'
import { callQuery } from '../../api.ts'
import { ActionButton } from '../../components/action-button.tsx'
import { lazyDialog } from '../../components/lazy.tsx'
import { useIsNarrow } from '../../components/media.ts'
import { type Columns, DataTable } from '../../components/table/data-table.tsx'
import { formatDateTime } from '../../components/value/dates.ts'
import { useCanAccess } from '../../session.ts'
import { narrowWidth } from '../../theme.ts'
import { createActionsColumn } from './actions-column.tsx'
import styles from './approval.module.css'
import type { JoinRequest } from './labels.ts'

type JoinDecision = { join: JoinRequest; status: 1 | 2 }

const JoinRequestDialog = lazyDialog(async () => (await import('./join-dialog.tsx')).JoinRequestDialog)

/**
 * Join requests by QR code, each with its decision. Renders nothing if there are none or the user may not edit the
 * roster.
 */
export function JoinRequests() {
  return useCanAccess()(getJoinRequestList.access) ? <PendingJoinRequests /> : null
}

function PendingJoinRequests() {
  const [pagination, setPagination] = useState({ page: 1, pagesize: 10 })
  const joins = useQuery(callQuery(getJoinRequestList, pagination))
  const isNarrow = useIsNarrow(narrowWidth)
  const [decision, setDecision] = useState<JoinDecision | null>(null)
  if (!decision && joins.data?.page.total === 0) return null
  return (
    <section className="ui-card" aria-labelledby="todo-joins">
      <h2 id="todo-joins">扫码申请加入的人</h2>
      <DataTable
        requested={joins}
        columns={createColumns(setDecision, isNarrow)}
        rowKey="join_id"
        unit="人"
        label="扫码申请加入的人"
        empty={{ illustration: 'letter', text: '没有等待加入的人' }}
        onPage={(page, pagesize) => setPagination({ page, pagesize })}
      />
      {decision && (
        <>
          <JoinRequestDialog {...decision} onClose={() => setDecision(null)} />
        </>
      )}
    </section>
  )
}

/** On a phone the decision buttons are below the applicant. */
const createColumns = (decide: (deciding: JoinDecision) => void, isNarrow: boolean): Columns<JoinRequest> => [
  {
    title: '姓名',
    dataIndex: 'name',
    render: (name: string, join) => (
      <div className={styles.text}>
        <span>{name}</span>
        <small>{join.mobile}</small>
        {isNarrow && <JoinActions join={join} decide={decide} />}
      </div>
    ),
  },
  { title: '申请时间', dataIndex: 'created_at', width: 150, className: 'ui-nowrap', card: 'named', render: formatDateTime },
  ...createActionsColumn<JoinRequest>(isNarrow, (join) => <JoinActions join={join} decide={decide} />),
]

const JoinActions = ({ join, decide }: { join: JoinRequest; decide: (deciding: JoinDecision) => void }) => (
  <span className={`ui-row ${styles.acts}`}>
    <Button size="small" type="primary" aria-label={`同意 ${join.name} 加入`} onClick={() => decide({ join, status: 1 })}>
      同意
    </Button>
    <ActionButton
      size="small"
      aria-label={`拒绝 ${join.name} 加入`}
      allowed={join.can_reject || '您只管理部分部门；不是您部门的人，请由管理全公司的管理员处理'}
      onClick={() => decide({ join, status: 2 })}
    >
      拒绝
    </ActionButton>
  </span>
)
