import { useQuery } from '@tanstack/react-query'
import { Alert } from 'antd'
import type { OutputOf } from '../../../../server/contract/call.ts'
import { getOpsHealth } from '../../../../server/contract/corp/ops-shop.ts'
import { query } from '../../../api.ts'
import { Numbers } from '../../../ui/page/numbers.tsx'
import { ErrorState } from '../../../ui/state/error-state.tsx'
import { Skeleton } from '../../../ui/state/skeleton.tsx'
import { type Columns, DataTable } from '../../../ui/table/data-table.tsx'
import { dayAndTime } from '../../../ui/value/dates.ts'
import { Money } from '../../../ui/value/money.tsx'
import { payWords } from '../order/words.ts'
import styles from './ops.module.css'

type State = OutputOf<typeof getOpsHealth>
const every_ms = 10_000
const right = { align: 'right', width: 110, card: 'named' } as const
const queues: Columns<State['queue'][number]> = [
  { title: '任务', dataIndex: 'name' },
  { title: '等待', dataIndex: 'waiting', ...right },
  { title: '进行中', dataIndex: 'active', ...right },
  { title: '失败', dataIndex: 'failed', ...right },
  { title: '最久等待', dataIndex: 'oldest_s', ...right, render: (seconds: number) => (seconds > 0 ? `${seconds} 秒` : '—') },
]
const statements: Columns<State['statements'][number]> = [
  { title: '日期', dataIndex: 'day', width: 130, className: 'ui-nowrap' },
  { title: '渠道', dataIndex: 'provider', render: (name: 'alipay' | 'wechat') => payWords[name] },
  { title: '收款', dataIndex: 'paid_fen', ...right, render: (fen: number) => <Money fen={fen} /> },
  { title: '退款', dataIndex: 'refunded_fen', ...right, render: (fen: number) => <Money fen={fen} /> },
  { title: '补记', dataIndex: 'found', ...right },
  { title: '差异', dataIndex: 'differences', ...right },
]
/** A table of what came whole. */
const whole = <T,>(list: T[], { isFetching, refetch }: { isFetching: boolean; refetch: () => unknown }) => {
  return { data: { list }, error: null, isFetching, refetch }
}

export function Health() {
  const asked = useQuery({ ...query(getOpsHealth, {}), refetchInterval: every_ms })
  const { data } = asked
  if (!data)
    return (
      <section className="ui-card">
        {asked.error ? <ErrorState error={asked.error} retry={() => void asked.refetch()} /> : <Skeleton />}
      </section>
    )
  const failed = data.queue.reduce((sum, one) => sum + one.failed, 0)
  const different = data.statements.reduce((sum, one) => sum + one.differences, 0)
  const disk = data.disk_free_mb
  return (
    <div className={styles.two}>
      {data.disk_state === 'full' && (
        <Alert type="error" showIcon title="磁盘空间不足，新的上传和修改已被拒绝，请尽快清理或扩容" />
      )}
      {different > 0 && <Alert type="warning" showIcon title={`与支付渠道的对账有 ${different} 处差异，明细在服务器日志里`} />}
      <section className="ui-card" aria-label="运行状态">
        <Numbers
          items={[
            { key: 'companies', label: '企业', value: data.companies.toLocaleString('zh-CN') },
            { key: 'memory', label: '内存（MB）', value: data.memory_mb.toLocaleString('zh-CN') },
            {
              key: 'disk',
              label: '磁盘剩余（GB）',
              value: disk === null ? '—' : (disk / 1024).toFixed(1),
              tone: data.disk_state === 'full' ? 'danger' : 'ink',
              note: disk === null ? '数据库在别的服务器上' : undefined,
            },
            { key: 'failed', label: '失败的任务', value: failed, tone: failed > 0 ? 'danger' : 'ink' },
          ]}
        />
        <p className="ui-hint">启动于 {dayAndTime(data.started_at)}，每 10 秒更新</p>
      </section>
      <section className="ui-card">
        <h2>任务队列</h2>
        <DataTable
          asked={whole(data.queue, asked)}
          columns={queues}
          rowKey="name"
          label="任务队列"
          empty={{ text: '队列是空的。' }}
        />
      </section>
      <section className="ui-card">
        <h2>支付渠道对账</h2>
        <DataTable
          asked={whole(data.statements, asked)}
          columns={statements}
          rowKey="day"
          label="支付渠道对账"
          empty={{ text: '还没有对账单；每天 9:40 下载前一天的。' }}
        />
      </section>
    </div>
  )
}
