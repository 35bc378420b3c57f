import { useQuery } from '@tanstack/react-query'
import { Button } from 'antd'
import { useState } from 'react'
import type { CallOutput } from '../../../server/contract/call.ts'
import {
  deactivateOperator,
  getOperatorList,
  getOperatorLog,
  inviteOperator,
} from '../../../server/contract/operator/operators.ts'
import { callQuery, useCallMutation } from '../../api.ts'
import { ConfirmDialog, Dialog } from '../../components/overlay/dialogs.tsx'
import { toast } from '../../components/overlay/toast.ts'
import { type Columns, DataTable } from '../../components/table/data-table.tsx'
import { formatDateTime } from '../../components/value/dates.ts'
import { StatusDot } from '../../components/value/status-dot.tsx'
import orderStyles from '../billing/order.module.css'
import { formatLogDetails, operatorActionLabels } from './labels.ts'
import { type OperatorSearch, useOperatorNavigate } from './navigation.ts'
import styles from './ops.module.css'

type Operator = CallOutput<typeof getOperatorList>['list'][number]
type OperatorLogEntry = CallOutput<typeof getOperatorLog>['list'][number]
const createOperatorColumns = (end: (one: Operator) => void): Columns<Operator> => [
  { title: '用户名', dataIndex: 'name', render: (name: string, { is_me }) => (is_me ? `${name}（我）` : name) },
  { title: '启用', dataIndex: 'created_at', width: 150, className: 'ui-nowrap', card: 'named', render: formatDateTime },
  {
    title: '最近使用',
    dataIndex: 'last_active_at',
    width: 150,
    className: 'ui-nowrap',
    card: 'named',
    render: (at: string | null) => (at ? formatDateTime(at) : '—'),
  },
  {
    title: '状态',
    dataIndex: 'ended_at',
    width: 110,
    card: 'side',
    render: (at: string | null) => (
      <StatusDot {...(at ? ({ label: '已停用', color: 'ink3' } as const) : ({ label: '使用中', color: 'ok' } as const))} />
    ),
  },
  {
    title: <span className="sr-only">操作</span>,
    key: 'acts',
    width: 100,
    render: (_, one) =>
      one.is_me || one.ended_at ? null : (
        <Button aria-label={`停用 ${one.name}`} onClick={() => end(one)}>
          停用
        </Button>
      ),
  },
]
const logColumns: Columns<OperatorLogEntry> = [
  { title: '时间', dataIndex: 'at', width: 150, className: 'ui-nowrap', render: formatDateTime },
  { title: '人员', dataIndex: 'name', width: 130, card: 'line' },
  {
    title: '操作',
    dataIndex: 'call',
    width: 150,
    card: 'line',
    render: (call: string) => operatorActionLabels[call.split('/').at(-1) ?? ''] ?? call,
  },
  {
    title: '结果',
    dataIndex: 'outcome',
    width: 110,
    card: 'side',
    render: (outcome: string) => (
      <StatusDot
        {...(outcome === 'done' ? ({ label: '完成', color: 'ok' } as const) : ({ label: '被拒绝', color: 'danger' } as const))}
      />
    ),
  },
  {
    title: '内容',
    dataIndex: 'details',
    card: 'wide',
    render: (about: string) => <small className={styles.about}>{formatLogDetails(about)}</small>,
  },
  { title: '来自', dataIndex: 'address', width: 140, card: 'line' },
]

export function OperatorTable({ page, pagesize }: OperatorSearch) {
  const operators = useQuery(callQuery(getOperatorList, {}))
  const log = useQuery(callQuery(getOperatorLog, { page, pagesize }))
  const navigate = useOperatorNavigate()
  const [deactivated, setDeactivated] = useState<Operator>()
  const invite = useCallMutation(inviteOperator)
  const end = useCallMutation(deactivateOperator, {
    onSuccess: () => {
      toast.success('已停用')
      setDeactivated(undefined)
    },
  })
  return (
    <div className={styles.two}>
      <section className="ui-card ui-stack">
        <div className="ui-row">
          <Button type="primary" loading={invite.isPending} onClick={() => invite.mutate({})}>
            邀请运营人员
          </Button>
        </div>
        <DataTable
          requested={operators}
          columns={createOperatorColumns(setDeactivated)}
          rowKey="operator_id"
          label="运营人员"
          empty={{ text: '没有运营人员。' }}
        />
      </section>
      <section className="ui-card">
        <h2>操作日志</h2>
        <DataTable
          onPage={(to, size) => navigate({ view: 'people', page: to, pagesize: size })}
          requested={log}
          columns={logColumns}
          rowKey="id"
          label="操作日志"
          empty={{ text: '还没有记录。' }}
        />
      </section>
      {invite.data && (
        <Dialog open title="邀请密钥" result={{ text: '我已转交', onPress: invite.reset }} onClose={invite.reset}>
          <p>请当面或通过可信渠道交给对方；只显示这一次，到 {formatDateTime(invite.data.expires_at)} 有效，只能用一次。</p>
          <p className={orderStyles.payNo}>{invite.data.key}</p>
          <p className="ui-hint">对方打开 {location.origin}/ops，选择「首次使用，我有密钥」。</p>
        </Dialog>
      )}
      {deactivated && (
        <ConfirmDialog
          open
          danger
          title={`停用 ${deactivated.name}？`}
          action="停用"
          busy={end.isPending}
          onConfirm={() => end.mutate({ operator_id: deactivated.operator_id })}
          onClose={() => setDeactivated(undefined)}
        >
          对方立即退出，并且不能再登录。
        </ConfirmDialog>
      )}
    </div>
  )
}
