import { useQuery } from '@tanstack/react-query'
import { Button } from 'antd'
import { useState } from 'react'
import { type ApprovalStatus, getApprovalList } from '../../../server/contract/approvals/approvals.ts'
import { callQuery } from '../../api.ts'
import { Icon } from '../../components/icon.tsx'
import { useIsNarrow } from '../../components/media.ts'
import type { PageParams } from '../../components/search-params.ts'
import { type Columns, DataTable } from '../../components/table/data-table.tsx'
import { formatDateTime } from '../../components/value/dates.ts'
import { StatusDot } from '../../components/value/status-dot.tsx'
import { narrowWidth } from '../../theme.ts'
import { ApproveServiceDialog } from '../agency/serving-dialog.tsx'
import { createActionsColumn } from './actions-column.tsx'
import styles from './approval.module.css'
import { type ApprovalDecision, ApprovalDecisionDialog } from './decide-dialog.tsx'
import { type Approval, approvalKindLabels, approvalStatusLabels } from './labels.ts'
import todosStyles from './todos.module.css'

/** Applications that the current user may decide on, and the user's own. `isCompact`: an empty list takes one line. */
export function ApprovalTable(
  props: PageParams & { status: ApprovalStatus | undefined; label: string; empty: string; calm?: boolean },
) {
  const { status, page, pagesize, label, empty, calm: isCompact = false } = props
  const approvals = useQuery(callQuery(getApprovalList, { status, page, pagesize }))
  const isNarrow = useIsNarrow(narrowWidth)
  const [decision, setDecision] = useState<ApprovalDecision | null>(null)
  if (isCompact && approvals.data?.page.total === 0)
    return (
      <p className={todosStyles.todoCalm}>
        <Icon name="check" />
        {empty}
      </p>
    )
  return (
    <>
      <DataTable
        requested={approvals}
        columns={createColumns(setDecision, isNarrow)}
        rowKey="approval_no"
        unit="份"
        label={label}
        empty={{ illustration: 'letter', text: empty }}
      />
      {decision?.status === 1 && decision.approval.kind === 'join_agency' ? (
        <ApproveServiceDialog
          approval_no={decision.approval.approval_no}
          text={decision.approval.summary}
          by={decision.approval.applicant}
          onClose={() => setDecision(null)}
        />
      ) : (
        decision && <ApprovalDecisionDialog {...decision} onClose={() => setDecision(null)} />
      )}
    </>
  )
}

/** On a phone the decision buttons are below the request instead of beyond the screen edge. */
const createColumns = (decide: (decision: ApprovalDecision) => void, isNarrow: boolean): Columns<Approval> => [
  {
    title: '申请',
    dataIndex: 'summary',
    render: (text: string, approval) => (
      <div className={styles.text}>
        <span>{text}</span>
        <small>
          {approvalKindLabels[approval.kind]} · {approval.is_own ? '我的申请' : approval.applicant}
        </small>
        {isNarrow && approval.status === 0 && <ApprovalActions approval={approval} decide={decide} />}
      </div>
    ),
  },
  { title: '申请时间', dataIndex: 'created_at', width: 150, className: 'ui-nowrap', card: 'line', render: formatDateTime },
  {
    title: '状态',
    dataIndex: 'status',
    width: 300,
    render: (status: ApprovalStatus, { decided_by, decided_at, reason }) => (
      <div className={styles.text}>
        <StatusDot {...approvalStatusLabels[status]} />
        {status === 0 && reason && <small>{reason}</small>}
        {status !== 0 && decided_at && (
          <small>{[decided_by, formatDateTime(decided_at), reason && `原因：${reason}`].filter(Boolean).join(' · ')}</small>
        )}
      </div>
    ),
  },
  ...createActionsColumn<Approval>(isNarrow, (approval) => <ApprovalActions approval={approval} decide={decide} />),
]

function ApprovalActions({ approval, decide }: { approval: Approval; decide: (decision: ApprovalDecision) => void }) {
  const { status, is_own: isOwn, can_decide, summary } = approval
  if (status !== 0) return '—'
  if (isOwn)
    return (
      <Button size="small" aria-label={`撤回申请：${summary}`} onClick={() => decide({ approval, status: 3 })}>
        撤回申请
      </Button>
    )
  if (!can_decide) return <span className="ui-hint">等待系统管理员</span>
  return (
    <span className={`ui-row ${styles.acts}`}>
      <Button size="small" type="primary" aria-label={`同意：${summary}`} onClick={() => decide({ approval, status: 1 })}>
        同意
      </Button>
      <Button size="small" aria-label={`驳回：${summary}`} onClick={() => decide({ approval, status: 2 })}>
        驳回
      </Button>
    </span>
  )
}
