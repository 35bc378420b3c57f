import { Button } from 'antd'
import { useState } from 'react'
import { resolveUnknownDeliveries, sendBatch, sendSingle } from '../../../../server/contract/payslips/send.ts'
import { createIdempotencyKey, useCallMutation } from '../../../api.ts'
import { Icon } from '../../../components/icon.tsx'
import { toast } from '../../../components/overlay/toast.ts'
import { StatisticCards } from '../../../components/page/statistic-cards.tsx'
import { SegmentedBar } from '../../../components/state/progress.tsx'
import type { Columns } from '../../../components/table/data-table.tsx'
import { SmallTable } from '../../../components/table/small-table.tsx'
import { formatCount } from '../../../components/value/counts.ts'
import { channelDescriptions } from '../labels.ts'
import styles from '../send.module.css'
import type { SendInfo } from './send-progress.tsx'

/** The counts, and one bar with the status of all payslips. */
export function SendStatistics({ info }: { info: SendInfo }) {
  const viewedCount = info.viewed
  const segments = [
    { label: '已确认', value: info.confirmed, color: 'ok' },
    { label: '已查看，未确认', value: Math.max(0, viewedCount - info.confirmed), color: 'info' },
    { label: '未查看', value: Math.max(0, info.sent - viewedCount), color: 'track' },
    { label: '失败', value: info.failed, color: 'danger' },
    ...(info.unknown > 0 ? [{ label: '结果未知', value: info.unknown, color: 'warn' } as const] : []),
  ] as const
  return (
    <>
      <StatisticCards
        items={[
          // Payslips with an unknown delivery are sent all the same: the same counting as in the list.
          { key: 'sent', label: '已发送', value: formatCount(info.sent + info.unknown) },
          { key: 'failed', label: '失败', value: formatCount(info.failed), color: info.failed ? 'danger' : 'ink' },
          { key: 'viewed', label: '已查看', value: formatCount(info.viewed), color: info.viewed ? 'info' : 'ink' },
          { key: 'confirmed', label: '已确认', value: formatCount(info.confirmed), color: info.confirmed ? 'ok' : 'ink' },
        ]}
      />
      <section className="ui-card ui-stack" aria-label="按方式">
        <SegmentedBar sections={segments} total={info.total} labels />
        <ul className={styles.ways}>
          {info.by_channel.map((channelCount) => (
            <li key={channelCount.channel}>
              {channelDescriptions[channelCount.channel].name} <b>{formatCount(channelCount.count)}</b> 人
              {channelCount.channel === 'sms' && info.delivered > 0 && `，已送达手机 ${formatCount(info.delivered)}`}
              {channelCount.failed > 0 && <span className={styles.fieldError}>，失败 {formatCount(channelCount.failed)}</span>}
            </li>
          ))}
        </ul>
        {info.unknown > 0 && (
          <p className="ui-hint">
            {formatCount(info.unknown)} 人的结果平台没有答复：可能已经收到。为免重复打扰，不会自动再发，请在上面选择怎么处理。
          </p>
        )}
      </section>
    </>
  )
}

/** Failed deliveries with their reasons; resend one or all. */
export function FailedDeliveries({ batch_id, info }: { batch_id: string; info: SendInfo }) {
  // Pressing twice is one intent; another round of failures is another one.
  const [key, setKey] = useState(createIdempotencyKey)
  const resendAll = useCallMutation(sendBatch, {
    key,
    onSuccess: ({ queued, skipped }) =>
      toast.success(`重新发送 ${formatCount(queued)} 人${skipped ? `，${formatCount(skipped)} 人跳过` : ''}`),
    onSettled: () => setKey(createIdempotencyKey()),
  })
  const resendOne = useCallMutation(sendSingle, { onSuccess: () => toast.success('已重新发送') })
  const failed = info.failures.filter(({ status }) => status === 'failed')
  if (info.failed === 0) return null
  const columns: Columns<SendInfo['failures'][number]> = [
    { title: '姓名', dataIndex: 'name' },
    {
      title: '方式',
      dataIndex: 'channel',
      card: 'line',
      render: (channel: SendInfo['failures'][number]['channel']) => channelDescriptions[channel].name,
    },
    {
      title: '原因',
      dataIndex: 'message',
      card: 'wide',
      // The error code is for support requests to the provider.
      render: (message: string, row) => <span title={row.code}>{message}</span>,
    },
    {
      title: '',
      key: 'act',
      align: 'right',
      render: (_, row) => (
        <Button
          size="small"
          aria-label={`重发给${row.name}`}
          loading={resendOne.isPending && resendOne.variables?.salary_id === row.salary_id}
          disabled={resendAll.isPending}
          onClick={() => resendOne.mutate({ salary_id: row.salary_id })}
        >
          重发
        </Button>
      ),
    },
  ]
  return (
    <section className="ui-card ui-stack" aria-label="发送失败的人">
      <div className="ui-row">
        <h2 className="ui-grow">{formatCount(info.failed)} 人没有发到</h2>
        <Button loading={resendAll.isPending} onClick={() => resendAll.mutate({ batch_id, only: 'failed' })}>
          重发失败的 {formatCount(info.failed)} 人
        </Button>
      </div>
      <SmallTable rowKey="salary_id" columns={columns} rows={failed} label="发送失败" />
      {failed.length < info.failed && <p className="ui-hint">先列出 {formatCount(failed.length)} 人，全部在明细里</p>}
    </section>
  )
}

/** Deliveries with an unknown result: an administrator can record it, or send again. */
export function UnknownDeliveries({ batch_id, info }: { batch_id: string; info: SendInfo }) {
  const [key, setKey] = useState(createIdempotencyKey)
  const resolveUnknown = useCallMutation(resolveUnknownDeliveries, {
    key,
    onSuccess: ({ count: done }, { resolution }) =>
      toast.success(resolution === 'sent' ? `${formatCount(done)} 人按已发送处理` : `重新发送 ${formatCount(done)} 人`),
    onSettled: () => setKey(createIdempotencyKey()),
  })
  if (info.unknown === 0) return null
  const rows = info.failures.filter(({ status }) => status === 'unknown')
  const isBusy = (as: 'sent' | 'again', salary_id?: string) =>
    resolveUnknown.isPending &&
    resolveUnknown.variables?.resolution === as &&
    resolveUnknown.variables.salary_ids?.[0] === salary_id
  const renderActions = (name: string, row?: SendInfo['failures'][number]) => (
    <span className="ui-row">
      <Button
        size={row ? 'small' : 'middle'}
        aria-label={`${name}按已发送处理`}
        loading={isBusy('sent', row?.salary_id)}
        disabled={resolveUnknown.isPending}
        onClick={() => resolveUnknown.mutate({ batch_id, resolution: 'sent', ...(row ? { salary_ids: [row.salary_id] } : {}) })}
      >
        按已发送处理
      </Button>
      {!row?.is_viewed && (
        <Button
          size={row ? 'small' : 'middle'}
          aria-label={`${name}重发`}
          loading={isBusy('again', row?.salary_id)}
          disabled={resolveUnknown.isPending}
          onClick={() =>
            resolveUnknown.mutate({ batch_id, resolution: 'again', ...(row ? { salary_ids: [row.salary_id] } : {}) })
          }
        >
          重发
        </Button>
      )}
    </span>
  )
  const columns: Columns<SendInfo['failures'][number]> = [
    { title: '姓名', dataIndex: 'name' },
    {
      title: '方式',
      dataIndex: 'channel',
      card: 'line',
      render: (channel: SendInfo['failures'][number]['channel']) => channelDescriptions[channel].name,
    },
    {
      title: '情况',
      key: 'seen',
      card: 'wide',
      render: (_, { is_viewed, message }) => (is_viewed ? '本人已经看过，不用重发' : message),
    },
    { title: '', key: 'acts', align: 'right', render: (_, row) => renderActions(row.name, row) },
  ]
  return (
    <section className="ui-card ui-stack" aria-label="结果未知的人">
      <div className="ui-row">
        <h2 className="ui-grow">{formatCount(info.unknown)} 人不确定有没有收到</h2>
        {renderActions('全部')}
      </div>
      <p className="ui-hint">
        对方的服务器没有答复。可以问一下本人；重发可能让他收到两条，短信再计一次费，已经看过的人不会重发。
      </p>
      <SmallTable rowKey="salary_id" columns={columns} rows={rows} label="结果未知" />
    </section>
  )
}

/** Deliveries that failed on one channel and continued on another: nothing to do, except for those with only the link. */
export function FallbackDeliveries({ info }: { info: SendInfo }) {
  if (info.fallback_count === 0) return null
  // A recipient may have fallen back twice.
  const rows = info.fallbacks.map((fallback) => ({ ...fallback, key: `${fallback.salary_id}${fallback.from}` }))
  const columns: Columns<(typeof rows)[number]> = [
    { title: '姓名', dataIndex: 'name' },
    {
      title: '原因',
      dataIndex: 'message',
      card: 'wide',
      render: (message: string, { from }) => `${channelDescriptions[from].name}没有送到：${message}`,
    },
    {
      title: '改用',
      dataIndex: 'to',
      card: 'side',
      render: (to: SendInfo['fallbacks'][number]['to']) => channelDescriptions[to].name,
    },
  ]
  const hasLinkOnly = info.fallbacks.some(({ to }) => to === 'link')
  return (
    <section className="ui-card ui-stack" aria-label="改用其他方式的人">
      <h2>{formatCount(info.fallback_count)} 人自动改用了后面的方式</h2>
      {hasLinkOnly && <p className="ui-hint">改用链接的人没有收到消息，请把下面的查看链接转发给他们。</p>}
      <SmallTable rowKey="key" columns={columns} rows={rows} label="改用其他方式" />
      {info.fallbacks.length < info.fallback_count && (
        <p className="ui-hint">先列出 {formatCount(info.fallbacks.length)} 人，全部在明细里</p>
      )}
    </section>
  )
}

/** Copies the link that employees open, for administrators who are asked for it. */
export function CopyEmployeeLink({ link }: { link: string }) {
  const [copied, setCopied] = useState(false)
  if (!link) return null
  const fullUrl = new URL(link, location.origin).href
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(fullUrl)
      setCopied(true)
      setTimeout(() => setCopied(false), 3000)
    } catch {
      toast.info('浏览器不允许自动复制，请选中链接后复制')
    }
  }
  return (
    <section className="ui-card ui-row" aria-label="查看链接">
      <span>员工查看链接</span>
      <code className={`${styles.link} ui-grow`}>{fullUrl}</code>
      <Button icon={<Icon name={copied ? 'check' : 'copy'} />} onClick={() => void copy()}>
        {copied ? '已复制' : '复制链接'}
      </Button>
      <p className={`ui-hint ${styles.whole}`}>可以转发到群里：每个人要登录才能打开，只看得到自己的工资条</p>
    </section>
  )
}
