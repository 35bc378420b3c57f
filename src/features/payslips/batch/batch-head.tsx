import { Link, useNavigate } from '@tanstack/react-router'
import { Button } from 'antd'
import type { BatchStatus } from '../../../../server/contract/shared/schemas.ts'
import { can } from '../../../../server/contract/shared/statuses.ts'
import { ActionButton } from '../../../components/action-button.tsx'
import { Icon } from '../../../components/icon.tsx'
import type { Statistic } from '../../../components/page/statistic-cards.tsx'
import { EmptyState } from '../../../components/state/empty-state.tsx'
import { ActionMenu } from '../../../components/table/action-menu.tsx'
import { formatCount } from '../../../components/value/counts.ts'
import type { BatchDetail, BatchListSearch, DetailStatus } from '../labels.ts'
import styles from './batch.module.css'
import { type ExportChoice, exportChoiceLabels } from './export-jobs.ts'

/** The tiles of a batch: filters of its payslips, and the recipients who have none yet. */
export type BatchStatisticKey = DetailStatus | 'unsent'

export const detailStatusLabels: Record<DetailStatus, string> = {
  waiting: '待发送',
  queued: '还没发出',
  sent: '未查看',
  viewed: '已查看，未确认',
  confirmed: '已确认',
  feedback: '有反馈待回复',
  failed: '发送失败',
  withdrawn: '已撤回',
}

/** Each count equals exactly the number of rows that its filter shows. */
export function getBatchStatistics({
  counts,
  status,
  delivered,
}: Pick<BatchDetail['batch'], 'counts' | 'status' | 'delivered'>): Statistic<BatchStatisticKey>[] {
  const share = counts.total > 0 ? Math.round((counts.confirmed / counts.total) * 100) : 0
  const statistics: Statistic<BatchStatisticKey>[] = [
    {
      key: 'sent',
      label: '未查看',
      value: counts.sent,
      note: delivered > 0 ? `其中 ${formatCount(delivered)} 人已送达` : '已发出，还没打开',
    },
    { key: 'viewed', label: '已查看，未确认', value: counts.viewed, color: 'info', note: '还没点确认' },
    { key: 'confirmed', label: '已确认', value: counts.confirmed, color: 'ok', note: `占 ${share}%` },
    { key: 'feedback', label: '反馈', value: counts.feedback, color: counts.feedback ? 'warn' : 'ink', note: '等待回复' },
    { key: 'failed', label: '失败', value: counts.failed, color: counts.failed ? 'danger' : 'ink', note: '没有送达' },
    { key: 'withdrawn', label: '已撤回', value: counts.withdrawn, color: 'ink3', note: '不能再看' },
  ]
  const queuedText = status === 'scheduled' ? { label: '待发送', note: '到时间发出' } : { label: '发送中', note: '还没发出' }
  return [
    ...(counts.unsent
      ? [{ key: 'unsent', label: '未发送', value: counts.unsent, color: 'warn', note: '还在这一批里' } as const]
      : []),
    ...(counts.queued ? [{ key: 'queued', value: counts.queued, color: 'info', ...queuedText } as const] : []),
    ...statistics,
  ]
}

const exportKinds = [
  'detail',
  'status',
  'receipts',
  'receipt_pages',
  'log',
  'evidence',
  'paper',
] as const satisfies readonly ExportChoice[]
/** The actions for the whole batch. The next one comes last, with its number; withdrawing is neither first nor last. */
export function BatchActions(props: {
  batch_id: string
  batch: BatchDetail['batch']
  onExport: (what: ExportChoice) => void
  onAgain: (only: 'failed' | 'unviewed' | 'withdrawn', count: number) => void
  onWithdraw: (people: number) => void
}) {
  const { batch_id, batch, onExport, onAgain: onResend, onWithdraw } = props
  const { status, counts, remindable } = batch
  const people = counts.total - counts.withdrawn
  return (
    <>
      <ActionMenu
        items={exportKinds.map((key) => ({ key, label: exportChoiceLabels[key] }))}
        onChoose={(key) => onExport(exportKinds.find((kind) => kind === key) ?? 'detail')}
      >
        {(trigger) => (
          <Button ref={trigger} aria-haspopup="menu">
            导出 <Icon name="down" size={14} />
          </Button>
        )}
      </ActionMenu>
      {status !== 'withdrawn' && (
        <ActionButton allowed={people > 0 ? can.withdrawBatch(status) : '这一批已经全部撤回'} onClick={() => onWithdraw(people)}>
          撤回全部
        </ActionButton>
      )}
      {counts.failed > 0 && status !== 'withdrawn' && (
        <Button onClick={() => onResend('failed', counts.failed)}>重发失败 {counts.failed}</Button>
      )}
      {status === 'withdrawn' ? (
        <>
          <Link to="/wageSend1" search={{}} className="ui-button">
            上传改好的表
          </Link>
          <Button type="primary" onClick={() => onResend('withdrawn', counts.withdrawn)}>
            重新发送 {formatCount(counts.withdrawn)} 人
          </Button>
        </>
      ) : (
        <ActionButton
          type={counts.unsent > 0 ? 'default' : 'primary'}
          allowed={
            remindable > 0 ||
            (counts.sent > 0
              ? `${formatCount(counts.sent)} 人没有查看，都没有消息渠道，请把查看链接转发给他们`
              : '没有未查看的人，不需要提醒')
          }
          onClick={() => onResend('unviewed', remindable)}
        >
          提醒未读 {remindable}
        </ActionButton>
      )}
      {counts.unsent > 0 && <SendRestButton batch_id={batch_id} status={status} count={counts.unsent} />}
    </>
  )
}

/** Leads to step 4 with the recipients who have no payslip yet; while the batch is being sent it says what to wait for. */
export function SendRestButton({ batch_id, status, count }: { batch_id: string; status: BatchStatus; count: number }) {
  const navigate = useNavigate()
  const reason = status === 'scheduled' ? '请等定时的发出后，或先取消定时' : '请等正在发送的发完'
  return (
    <ActionButton
      type="primary"
      allowed={can.send(status, count) === true || reason}
      onClick={() => void navigate({ to: '/wageSend3', search: { batch_id } })}
    >
      发给其余 {formatCount(count)} 人
    </ActionButton>
  )
}

export const BatchNotFound = () => (
  <EmptyState
    illustration="search"
    text="地址里没有指明是哪一批工资条，请从列表里打开。"
    action={
      <Link to="/wageAdmin" search={{}} className="ui-button">
        工资条管理
      </Link>
    }
  />
)
export const BatchNotSent = ({ batch_id, status }: { batch_id: string; status: BatchStatus }) => (
  <EmptyState
    illustration="letter"
    text={status === 'checked' ? '这一批还没有发送。' : '这一批还没有发送，核对和排版之后才会有工资条。'}
    action={
      <Link to={status === 'checked' ? '/wageSend3' : '/check'} search={{ batch_id }} className="ui-button">
        {status === 'checked' ? '去发送' : '继续核对'}
      </Link>
    }
  />
)

export const BatchBackLink = ({ list, children }: { list: BatchListSearch | undefined; children: string }) => (
  <span className={styles.name}>
    <Link to="/wageAdmin" search={list ?? {}} className="ui-back" aria-label="返回工资条管理">
      <Icon name="back" size={20} />
    </Link>
    {children}
  </span>
)
