import { useQuery } from '@tanstack/react-query'
import { Alert, Button } from 'antd'
import { useState } from 'react'
import type { CallOutput } from '../../../server/contract/call.ts'
import { getOpsHealth, resumeSending } from '../../../server/contract/operator/billing.ts'
import { callQuery, useCallMutation } from '../../api.ts'
import { ConfirmDialog } from '../../components/overlay/dialogs.tsx'
import { toast } from '../../components/overlay/toast.ts'
import { StatisticCards } from '../../components/page/statistic-cards.tsx'
import { ErrorState } from '../../components/state/error-state.tsx'
import { Skeleton } from '../../components/state/skeleton.tsx'
import { type Columns, DataTable } from '../../components/table/data-table.tsx'
import { formatDateTime } from '../../components/value/dates.ts'
import { Money } from '../../components/value/money.tsx'
import { payTypeLabels } from '../billing/labels.ts'
import styles from './ops.module.css'

type OperationsHealth = CallOutput<typeof getOpsHealth>
const refreshIntervalMs = 10_000
/** The names of the frequent queues; a rare one is shown by its identifier, which is in the logs as well. */
const queueLabels: Readonly<Record<string, string>> = {
  send: '发送工资条',
  export: '导出文件',
  care: '每日提醒',
  bounces: '邮件退信',
  notices: '管理员通知',
  webhook: '事件推送',
  'pay-ask': '查询支付结果',
  'pay-refund': '支付退款',
  'order-refund': '订单退款',
  'invoice-told': '发票通知',
  spell: '姓名拼音索引',
  phone_changed: '手机号变更',
  phone_passed_on: '手机号转移',
}
const rightAligned = { align: 'right', width: 110, card: 'named' } as const
const queueColumns: Columns<OperationsHealth['queue'][number]> = [
  { title: '任务', dataIndex: 'name', render: (name: string) => queueLabels[name] ?? name },
  { title: '等待', dataIndex: 'waiting', ...rightAligned },
  { title: '进行中', dataIndex: 'active', ...rightAligned },
  { title: '失败', dataIndex: 'failed', ...rightAligned },
  {
    title: '最久等待',
    dataIndex: 'oldest_s',
    ...rightAligned,
    render: (seconds: number) => (seconds > 0 ? `${seconds} 秒` : '—'),
  },
]
const statementColumns: Columns<OperationsHealth['statements'][number]> = [
  { title: '日期', dataIndex: 'day', width: 130, className: 'ui-nowrap' },
  { title: '渠道', dataIndex: 'provider', render: (name: 'alipay' | 'wechat') => payTypeLabels[name] },
  { title: '收款', dataIndex: 'paid_fen', ...rightAligned, render: (fen: number) => <Money fen={fen} /> },
  { title: '退款', dataIndex: 'refunded_fen', ...rightAligned, render: (fen: number) => <Money fen={fen} /> },
  { title: '补记', dataIndex: 'found', ...rightAligned },
  { title: '差异', dataIndex: 'differences', ...rightAligned },
]
/** Adapts a complete list to the query shape of a table. */
const toListQuery = <T,>(list: T[], { isFetching, refetch }: { isFetching: boolean; refetch: () => unknown }) => {
  return { data: { list }, error: null, isFetching, refetch }
}

/** After a restore nothing is sent until an operator confirms that the old installation is stopped. */
function PausedSending({ since }: { since: string }) {
  const [isAsking, setAsking] = useState(false)
  const resume = useCallMutation(resumeSending, {
    onSuccess: () => {
      toast.success('几秒后继续发送')
      setAsking(false)
    },
  })
  return (
    <>
      <Alert
        type="warning"
        showIcon
        title="从备份恢复后，发送和其他后台任务已暂停"
        description={`恢复于 ${formatDateTime(since)}。请先确认旧的服务已经停止，否则同一条消息可能由两边各发一次。`}
        action={<Button onClick={() => setAsking(true)}>继续发送</Button>}
      />
      <ConfirmDialog
        open={isAsking}
        title="继续发送？"
        action="旧的服务已停止，继续发送"
        busy={resume.isPending}
        onClose={() => setAsking(false)}
        onConfirm={() => resume.mutate({})}
      >
        备份之后可能已经发出的消息会先向渠道查询，查不到的标为「未知」，不会自动重发。
      </ConfirmDialog>
    </>
  )
}

export function HealthView() {
  const health = useQuery({ ...callQuery(getOpsHealth, {}), refetchInterval: refreshIntervalMs })
  const { data } = health
  if (!data)
    return (
      <section className="ui-card">
        {health.error ? <ErrorState error={health.error} retry={() => void health.refetch()} /> : <Skeleton />}
      </section>
    )
  const failedCount = data.queue.reduce((sum, item) => sum + item.failed, 0)
  const differenceCount = data.statements.reduce((sum, item) => sum + item.differences, 0)
  const disk = data.disk_free_mb
  return (
    <div className={styles.two}>
      {data.paused_since !== null && <PausedSending since={data.paused_since} />}
      {data.disk_state === 'full' && (
        <Alert type="error" showIcon title="磁盘空间不足，新的上传和修改已被拒绝，请尽快清理或扩容" />
      )}
      {differenceCount > 0 && (
        <Alert type="warning" showIcon title={`与支付渠道的对账有 ${differenceCount} 处差异，明细在服务器日志里`} />
      )}
      <section aria-label="运行状态">
        <StatisticCards
          items={[
            { key: 'companies', label: '企业', value: data.companies.toLocaleString('zh-CN') },
            { key: 'memory', label: '内存（MB）', value: data.memory_mb.toLocaleString('zh-CN') },
            {
              key: 'disk',
              label: '磁盘剩余（GB）',
              value: disk === null ? '未知' : (disk / 1024).toFixed(1),
              color: data.disk_state === 'full' ? 'danger' : 'ink',
              note: disk === null ? '数据库在别的服务器上，请在那里监控磁盘' : undefined,
            },
            { key: 'failed', label: '失败的任务', value: failedCount, color: failedCount > 0 ? 'danger' : 'ink' },
          ]}
        />
        <p className="ui-hint">启动于 {formatDateTime(data.started_at)}，每 10 秒更新</p>
      </section>
      <section className="ui-card">
        <h2>任务队列</h2>
        <DataTable
          requested={toListQuery(data.queue, health)}
          columns={queueColumns}
          rowKey="name"
          label="任务队列"
          empty={{ text: '队列是空的。' }}
        />
      </section>
      <section className="ui-card">
        <h2>支付渠道对账</h2>
        <DataTable
          requested={toListQuery(data.statements, health)}
          columns={statementColumns}
          rowKey="day"
          label="支付渠道对账"
          empty={{ text: '还没有对账单；每天 9:40 下载前一天的。' }}
        />
      </section>
    </div>
  )
}
