import { useQuery } from '@tanstack/react-query'
import { Button } from 'antd'
import { useState } from 'react'
import { type ApprovalStatus, getApprovalList } from '../../../server/contract/corp/approval.ts'
import { query } from '../../api.ts'
import { narrow } from '../../theme.ts'
import { Icon } from '../../ui/icon.tsx'
import { useNarrow } from '../../ui/media.ts'
import type { PageSearch } from '../../ui/search.ts'
import { type Columns, DataTable } from '../../ui/table/data-table.tsx'
import { dayAndTime } from '../../ui/value/dates.ts'
import { StatusDot } from '../../ui/value/status-dot.tsx'
import { ServingDialog } from '../company/agency/serving-dialog.tsx'
import { actsColumn } from './acts-column.tsx'
import styles from './approval.module.css'
import { DecideDialog, type Decision } from './decide-dialog.tsx'
import todosStyles from './todos.module.css'
import { type Approval, approvalWords, statusWords } from './words.ts'

/** Applications: those I may decide, and my own. `calm`: that there is none takes one line. */
export function Approvals(
  props: PageSearch & { status: ApprovalStatus | undefined; label: string; empty: string; calm?: boolean },
) {
  const { status, page, pagesize, label, empty, calm = false } = props
  const approvals = useQuery(query(getApprovalList, { status, page, pagesize }))
  const isNarrow = useNarrow(narrow)
  const [deciding, setDeciding] = useState<Decision | null>(null)
  if (calm && approvals.data?.page.total === 0)
    return (
      <p className={todosStyles.todoCalm}>
        <Icon name="check" />
        {empty}
      </p>
    )
  return (
    <>
      <DataTable
        asked={approvals}
        columns={columns(setDeciding, isNarrow)}
        rowKey="approval_no"
        unit="份"
        label={label}
        empty={{ drawing: 'letter', text: empty }}
      />
      {deciding?.to === 1 && deciding.approval.kind === 'join_agency' ? (
        <ServingDialog
          approval_no={deciding.approval.approval_no}
          text={deciding.approval.text}
          by={deciding.approval.applicant}
          onClose={() => setDeciding(null)}
        />
      ) : (
        deciding && <DecideDialog {...deciding} onClose={() => setDeciding(null)} />
      )}
    </>
  )
}

/** On a phone the decision stands under what is asked, not beyond the edge. */
const columns = (decide: (decision: Decision) => void, isNarrow: boolean): Columns<Approval> => [
  {
    title: '申请',
    dataIndex: 'text',
    render: (text: string, approval) => (
      <div className={styles.text}>
        <span>{text}</span>
        <small>
          {approvalWords[approval.kind]} · {approval.mine ? '我的申请' : approval.applicant}
        </small>
        {isNarrow && approval.status === 0 && <Acts approval={approval} decide={decide} />}
      </div>
    ),
  },
  { title: '申请时间', dataIndex: 'created_at', width: 150, className: 'ui-nowrap', card: 'line', render: dayAndTime },
  {
    title: '状态',
    dataIndex: 'status',
    width: 300,
    render: (status: ApprovalStatus, { decided_by, decided_at, reason }) => (
      <div className={styles.text}>
        <StatusDot {...statusWords[status]} />
        {status !== 0 && decided_at && (
          <small>{[decided_by, dayAndTime(decided_at), reason && `原因：${reason}`].filter(Boolean).join(' · ')}</small>
        )}
      </div>
    ),
  },
  ...actsColumn<Approval>(isNarrow, (approval) => <Acts approval={approval} decide={decide} />),
]

function Acts({ approval, decide }: { approval: Approval; decide: (decision: Decision) => void }) {
  const { status, mine, may_decide, text } = approval
  if (status !== 0) return '—'
  if (mine)
    return (
      <Button size="small" aria-label={`撤回申请：${text}`} onClick={() => decide({ approval, to: 3 })}>
        撤回申请
      </Button>
    )
  if (!may_decide) return <span className="ui-hint">等待系统管理员</span>
  return (
    <span className={`ui-row ${styles.acts}`}>
      <Button size="small" type="primary" aria-label={`同意：${text}`} onClick={() => decide({ approval, to: 1 })}>
        同意
      </Button>
      <Button size="small" aria-label={`驳回：${text}`} onClick={() => decide({ approval, to: 2 })}>
        驳回
      </Button>
    </span>
  )
}
