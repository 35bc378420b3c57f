import { useQuery } from '@tanstack/react-query'
import { Button } from 'antd'
import { useState } from 'react'
import type { CallOutput } from '../../../../server/contract/call.ts'
import { getMemberEvents } from '../../../../server/contract/directory/member-history.ts'
import { getInviteList } from '../../../../server/contract/invites/invite.ts'
import { getMemberSlips } from '../../../../server/contract/payslips/send.ts'
import { providerLabels } from '../../../../server/contract/shared/providers.ts'
import type { PayslipStatus } from '../../../../server/contract/shared/schemas.ts'
import { callQuery } from '../../../api.ts'
import { type Columns, DataTable } from '../../../components/table/data-table.tsx'
import { formatDateTime, formatMonth } from '../../../components/value/dates.ts'
import { Money } from '../../../components/value/money.tsx'
import { StatusDot } from '../../../components/value/status-dot.tsx'
import { ExportBar } from '../../payslips/batch/export-bar.tsx'
import { EvidenceDialog } from '../../payslips/list/evidence-dialog.tsx'
import styles from './file.module.css'
import { formatFieldChange, inviteStatusLabels, memberEventLabels } from './labels.ts'

/** The pagination state of one list; a member file has three lists. */
function usePagination() {
  const [pagination, setPagination] = useState({ page: 1, pagesize: 10 })
  return { at: pagination, onPage: (page: number, pagesize: number) => setPagination({ page, pagesize }) }
}

type MemberPayslip = CallOutput<typeof getMemberSlips>['list'][number]
const createPayslipColumns = (onOpen: (salary_id: string) => void): Columns<MemberPayslip> => [
  {
    title: '月份',
    dataIndex: 'month',
    className: 'ui-nowrap',
    fixed: 'left',
    render: (month: string | null) => formatMonth(month),
  },
  { title: '工资批次', dataIndex: 'title', card: 'line' },
  { title: '状态', dataIndex: 'status', card: 'end', render: (status: PayslipStatus) => <StatusDot salary={status} /> },
  {
    title: '发送时间',
    dataIndex: 'sent_at',
    className: 'ui-nowrap',
    // The card shows only the later event, which implies the earlier one.
    card: ({ viewed_at }) => (viewed_at ? 'none' : 'named'),
    render: (at: string | null) => formatDateTime(at),
  },
  {
    title: '查看时间',
    dataIndex: 'viewed_at',
    className: 'ui-nowrap',
    card: 'named',
    render: (at: string | null) => formatDateTime(at),
  },
  { title: '实发', dataIndex: 'net_fen', align: 'right', card: 'side', render: (fen: number | null) => <Money fen={fen} /> },
  {
    title: '操作',
    key: 'act',
    fixed: 'right',
    render: (_, { salary_id, month }) => (
      <Button
        type="link"
        className={styles.show}
        aria-label={`查看 ${formatMonth(month)} 的工资条`}
        onClick={() => onOpen(salary_id)}
      >
        查看
      </Button>
    ),
  },
]

/** Payslips from batches that the current user may see; each opens as the employee sees it. */
export function MemberPayslips({
  member_id,
  name,
  onOpen,
}: {
  member_id: string
  name: string
  onOpen: (salary_id: string) => void
}) {
  const { at: pagination, onPage } = usePagination()
  const [isExportOpen, setExportOpen] = useState(false)
  const payslips = useQuery({ ...callQuery(getMemberSlips, { member_id, ...pagination }), gcTime: 0 })
  return (
    <section className="ui-card" aria-labelledby="file-slips">
      <div className={styles.head}>
        <h2 id="file-slips">工资条</h2>
        {(payslips.data?.page.total ?? 0) > 0 && <Button onClick={() => setExportOpen(true)}>导出证据</Button>}
      </div>
      <div className={styles.exports}>
        <ExportBar />
      </div>
      {isExportOpen && <EvidenceDialog of={{ member_id, name }} onClose={() => setExportOpen(false)} />}
      <DataTable
        requested={payslips}
        columns={createPayslipColumns(onOpen)}
        rowKey="salary_id"
        label="工资条"
        unit="张"
        onPage={onPage}
        empty={{ illustration: 'letter', text: '您负责的工资批次里还没有这个人的工资条。' }}
      />
    </section>
  )
}

type MemberInvite = CallOutput<typeof getInviteList>['list'][number]
const inviteColumns: Columns<MemberInvite> = [
  {
    title: '邀请时间',
    dataIndex: 'created_at',
    className: 'ui-nowrap',
    fixed: 'left',
    render: (at: string) => formatDateTime(at),
  },
  {
    title: '方式',
    dataIndex: 'channel',
    card: 'line',
    render: (channel: MemberInvite['channel'], { mobile }) => (channel === 'sms' ? `短信 ${mobile}` : '办公平台'),
  },
  {
    title: '状态',
    dataIndex: 'state',
    card: ({ reason }) => (reason ? 'pair' : 'side'),
    render: (state: MemberInvite['state'], { reason }) => (
      <>
        <StatusDot {...inviteStatusLabels[state]} />
        {reason && <div className="ui-hint">{reason}</div>}
      </>
    ),
  },
  {
    title: '打开时间',
    dataIndex: 'opened_at',
    className: 'ui-nowrap',
    card: 'named',
    render: (at: string | null) => formatDateTime(at),
  },
  {
    title: '有效期至',
    dataIndex: 'expires_at',
    className: 'ui-nowrap',
    card: 'named',
    render: (at: string) => formatDateTime(at),
  },
]

/** The invites sent to the member, and whether the chat platform knows them. */
export function MemberInvites({ member_id, joined }: { member_id: string; joined: boolean }) {
  const { at: pagination, onPage } = usePagination()
  const invites = useQuery(callQuery(getInviteList, { member_id, ...pagination }))
  const platform = invites.data?.platform
  return (
    <section className="ui-card" aria-labelledby="file-invites">
      <h2 id="file-invites">邀请与平台</h2>
      {platform && (
        <p className={styles.platform}>
          {providerLabels[platform.provider]}：
          <StatusDot {...(platform.linked ? { label: '已关联', color: 'ok' } : { label: '没有关联', color: 'ink3' })} />
        </p>
      )}
      <DataTable
        requested={invites}
        columns={inviteColumns}
        rowKey="invite_id"
        label="邀请"
        onPage={onPage}
        empty={{ illustration: 'letter', text: joined ? '没有邀请过，本人用手机号登录加入。' : '还没有邀请过。' }}
      />
    </section>
  )
}

type MemberEvent = CallOutput<typeof getMemberEvents>['list'][number]
const eventColumns: Columns<MemberEvent> = [
  { title: '时间', dataIndex: 'at', className: 'ui-nowrap', fixed: 'left', render: (at: string) => formatDateTime(at) },
  {
    title: '操作',
    dataIndex: 'kind',
    className: 'ui-nowrap',
    card: 'side',
    render: (kind: MemberEvent['kind']) => memberEventLabels[kind],
  },
  {
    title: '内容',
    dataIndex: 'changes',
    card: 'wide',
    render: (changes: MemberEvent['changes']) => (
      <ul className={styles.changes}>
        {changes.map((one) => (
          <li key={one.field}>{formatFieldChange(one)}</li>
        ))}
      </ul>
    ),
  },
  { title: '操作人', dataIndex: 'by', className: 'ui-nowrap', card: 'named' },
]

/** Entries cannot be changed or deleted. */
export function MemberEvents({ id }: { id: string }) {
  const { at: pagination, onPage } = usePagination()
  const events = useQuery(callQuery(getMemberEvents, { id, ...pagination }))
  return (
    <section className="ui-card" aria-labelledby="file-events">
      <h2 id="file-events">变更记录</h2>
      <DataTable
        requested={events}
        columns={eventColumns}
        rowKey="event_id"
        label="变更记录"
        onPage={onPage}
        empty={{ illustration: 'sheet', text: '还没有改过。修改资料、换部门、离职、查看身份证号，都会在这里留下一条。' }}
      />
    </section>
  )
}
