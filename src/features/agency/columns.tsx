import { Button } from 'antd'
import { enterCorp, type getCorpList, type serviceStatuses } from '../../../server/contract/agency/agency.ts'
import type { CallOutput } from '../../../server/contract/call.ts'
import { useCallMutation } from '../../api.ts'
import type { Columns } from '../../components/table/data-table.tsx'
import { formatDate } from '../../components/value/dates.ts'
import { StatusDot } from '../../components/value/status-dot.tsx'
import type { StatusColor } from '../../theme.ts'
import styles from './agency.module.css'
import { switchSession } from './switch-session.ts'

type ServedCompany = CallOutput<typeof getCorpList>['list'][number]
type ServiceStatus = (typeof serviceStatuses)[number]

export const serviceStatusLabels: Readonly<Record<ServiceStatus, { label: string; color: StatusColor }>> = {
  waiting: { label: '等待对方同意', color: 'warn' },
  active: { label: '服务中', color: 'ok' },
  refused: { label: '对方未同意', color: 'danger' },
  ended: { label: '已结束', color: 'ink3' },
  expired: { label: '已到期', color: 'ink3' },
}
const alertLabels: Readonly<Record<ServedCompany['overdue'][number], { label: string; color: StatusColor }>> = {
  unsent: { label: '本月还没发', color: 'danger' },
  failed: { label: '有发送失败', color: 'danger' },
  feedback: { label: '有反馈未回', color: 'warn' },
  unviewed: { label: '过半未查看', color: 'warn' },
  ending: { label: '授权快到期', color: 'warn' },
}

export const servedCompanyColumns: Columns<ServedCompany> = [
  {
    title: '企业名称',
    dataIndex: 'name',
    render: (name: string, { corp_id, status }) =>
      corp_id && status === 'active' ? <EnterCompanyButton corp_id={corp_id} name={name} /> : name,
  },
  {
    title: '状态',
    dataIndex: 'status',
    width: 150,
    card: 'side',
    render: (status: ServiceStatus) => <StatusDot {...serviceStatusLabels[status]} />,
  },
  {
    title: '本月（我方发放）',
    key: 'glance',
    render: (_, { monthly_summary, status }) => <MonthSummary glance={monthly_summary} isOpen={status === 'active'} />,
  },
  {
    title: '要处理',
    dataIndex: 'overdue',
    width: 150,
    render: (late: ServedCompany['overdue']) =>
      late.length === 0 ? '—' : late.map((one) => <div key={one}>{<StatusDot {...alertLabels[one]} />}</div>),
  },
  {
    title: '授权至',
    dataIndex: 'until',
    width: 120,
    className: 'ui-nowrap',
    card: 'named',
    render: (until: string | null) => until ?? '—',
  },
  { title: '申请日期', dataIndex: 'since', width: 120, className: 'ui-nowrap', card: 'named', render: formatDate },
]

function MonthSummary({ glance, isOpen }: { glance: ServedCompany['monthly_summary']; isOpen: boolean }) {
  if (!glance) return isOpen ? <span className="ui-hint">进入后可见</span> : '—'
  return (
    <span className={styles.glance}>
      <span>
        在职 <strong>{glance.people}</strong>
      </span>
      <span>
        批次 <strong>{glance.batches}</strong>
      </span>
      <span>
        已发 <strong>{glance.sent}</strong>
      </span>
      <span>
        已查看 <strong>{glance.viewed}</strong>
      </span>
    </span>
  )
}

/** The name of a company opens it, as everywhere in lists. */
function EnterCompanyButton({ corp_id, name }: { corp_id: string; name: string }) {
  const enter = useCallMutation(enterCorp, { onSuccess: ({ token }) => switchSession(token, '/landing') })
  return (
    <Button
      type="link"
      className={styles.enter}
      aria-label={`进入 ${name}`}
      loading={enter.isPending}
      onClick={() => enter.mutate({ corp_id })}
    >
      {name}
    </Button>
  )
}
