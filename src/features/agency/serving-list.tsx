import { useQuery } from '@tanstack/react-query'
import { Button } from 'antd'
import { useState } from 'react'
import { endService, getServiceList } from '../../../server/contract/agency/agency.ts'
import type { CallOutput } from '../../../server/contract/call.ts'
import { callQuery, createIdempotencyKey, useCallMutation } from '../../api.ts'
import { ConfirmDialog } from '../../components/overlay/dialogs.tsx'
import { toast } from '../../components/overlay/toast.ts'
import { type Columns, DataTable } from '../../components/table/data-table.tsx'
import { formatDate } from '../../components/value/dates.ts'
import { StatusDot } from '../../components/value/status-dot.tsx'
import styles from './agency.module.css'
import { serviceStatusLabels } from './columns.tsx'

type Service = CallOutput<typeof getServiceList>['list'][number]

/** The agencies that serve this company; renders nothing if there never was one. */
export function AgencyServices() {
  const services = useQuery(callQuery(getServiceList, {}))
  const [ending, setEnding] = useState<Service>()
  if (services.data?.list.length === 0) return null
  return (
    <section className="ui-card" aria-labelledby="services">
      <h2 id="services">代理服务</h2>
      <DataTable
        requested={services}
        columns={createColumns(setEnding)}
        rowKey="service_id"
        label="代理服务"
        empty={{ text: '没有代理企业。' }}
      />
      {ending && <EndServiceDialog service={ending} onClose={() => setEnding(undefined)} />}
    </section>
  )
}

const createColumns = (onEnd: (service: Service) => void): Columns<Service> => [
  { title: '代理企业', dataIndex: 'agency' },
  { title: '范围', dataIndex: 'scope', card: 'line' },
  {
    title: '开始',
    dataIndex: 'since',
    width: 120,
    className: 'ui-nowrap',
    card: 'named',
    render: (since: string | null) => (since ? formatDate(since) : '—'),
  },
  { title: '授权至', dataIndex: 'until', width: 120, className: 'ui-nowrap', card: 'named' },
  {
    title: '状态',
    dataIndex: 'status',
    width: 110,
    card: 'side',
    render: (status: Service['status']) => <StatusDot {...serviceStatusLabels[status]} />,
  },
  {
    title: <span className="sr-only">操作</span>,
    key: 'acts',
    width: 110,
    render: (_, service) =>
      service.status === 'active' ? (
        <Button danger className={styles.end} aria-label={`结束 ${service.agency} 的代理`} onClick={() => onEnd(service)}>
          结束代理
        </Button>
      ) : null,
  },
]

function EndServiceDialog({ service, onClose }: { service: Service; onClose: () => void }) {
  const [key] = useState(createIdempotencyKey)
  const onEnd = useCallMutation(endService, {
    key,
    onSuccess: ({ ended }) => {
      toast.success(ended > 0 ? `已结束代理，${ended} 个登录已下线` : '已结束代理')
      onClose()
    },
  })
  return (
    <ConfirmDialog
      open
      danger
      title="结束代理？"
      action="结束代理"
      busy={onEnd.isPending}
      onConfirm={() => onEnd.mutate({ service_id: service.service_id })}
      onClose={onClose}
    >
      <p>「{service.agency}」的人员立即下线，不能再进入。他们已经发出的工资条不受影响，由系统管理员在「角色管理」移交。</p>
    </ConfirmDialog>
  )
}
