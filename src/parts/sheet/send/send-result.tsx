import { Button } from 'antd'
import { useState } from 'react'
import { sendBatch, sendSingle, settleUnknown } from '../../../../server/contract/slip/slip.ts'
import { intent, useCall } from '../../../api.ts'
import { Icon } from '../../../ui/icon.tsx'
import { toast } from '../../../ui/over/toast.ts'
import { Numbers } from '../../../ui/page/numbers.tsx'
import { PartsBar } from '../../../ui/state/progress.tsx'
import type { Columns } from '../../../ui/table/data-table.tsx'
import { FewRows } from '../../../ui/table/few-rows.tsx'
import styles from '../send.module.css'
import { channelWords } from '../words.ts'
import type { Info } from './send-progress.tsx'

const count = (value: number) => value.toLocaleString('zh-CN')

/** The figures, and one bar for what became of everybody. */
export function SendNumbers({ info }: { info: Info }) {
  const seen = info.viewed
  const parts = [
    { label: '已确认', value: info.confirmed, tone: 'ok' },
    { label: '已查看，未确认', value: Math.max(0, seen - info.confirmed), tone: 'info' },
    { label: '未查看', value: Math.max(0, info.sent - seen), tone: 'ink3' },
    { label: '失败', value: info.failed, tone: 'danger' },
    ...(info.unknown > 0 ? [{ label: '结果未知', value: info.unknown, tone: 'warn' } as const] : []),
  ] as const
  return (
    <>
      <Numbers
        items={[
          // Whose message may not have arrived has his slip all the same: as on the list.
          { key: 'sent', label: '已发送', value: count(info.sent + info.unknown) },
          { key: 'failed', label: '失败', value: count(info.failed), tone: info.failed ? 'danger' : 'ink' },
          { key: 'viewed', label: '已查看', value: count(info.viewed), tone: info.viewed ? 'info' : 'ink' },
          { key: 'confirmed', label: '已确认', value: count(info.confirmed), tone: info.confirmed ? 'ok' : 'ink' },
        ]}
      />
      <section className="ui-card ui-stack" aria-label="按方式">
        <PartsBar parts={parts} total={info.total} words />
        <ul className={styles.ways}>
          {info.by_channel.map((way) => (
            <li key={way.channel}>
              {channelWords[way.channel].name} <b>{count(way.count)}</b> 人
              {way.channel === 'sms' && info.delivered > 0 && `，已送达手机 ${count(info.delivered)}`}
              {way.failed > 0 && <span className={styles.fieldError}>，失败 {count(way.failed)}</span>}
            </li>
          ))}
        </ul>
        {info.unknown > 0 && (
          <p className="ui-hint">
            {info.unknown} 人的结果平台没有答复：可能已经收到。为免重复打扰，不会自动再发，请在上面选择怎么处理。
          </p>
        )}
      </section>
    </>
  )
}

/** Whom it did not reach and why; again for one, or for all who failed. */
export function Failures({ batch_id, info }: { batch_id: string; info: Info }) {
  // The same press twice is one intent; another round of failures is another one.
  const [key, setKey] = useState(intent)
  const all = useCall(sendBatch, {
    key,
    onSuccess: ({ queued, skipped }) => toast.done(`重新发送 ${queued} 人${skipped ? `，${skipped} 人跳过` : ''}`),
    onSettled: () => setKey(intent()),
  })
  const one = useCall(sendSingle, { onSuccess: () => toast.done('已重新发送') })
  const failed = info.failures.filter(({ status }) => status === 'failed')
  if (info.failed === 0) return null
  const columns: Columns<Info['failures'][number]> = [
    { title: '姓名', dataIndex: 'name' },
    {
      title: '方式',
      dataIndex: 'channel',
      card: 'line',
      render: (channel: Info['failures'][number]['channel']) => channelWords[channel].name,
    },
    {
      title: '原因',
      dataIndex: 'message',
      card: 'wide',
      // The code is for whoever asks the provider.
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
          loading={one.isPending && one.variables?.salary_id === row.salary_id}
          disabled={all.isPending}
          onClick={() => one.mutate({ salary_id: row.salary_id })}
        >
          重发
        </Button>
      ),
    },
  ]
  return (
    <section className="ui-card ui-stack" aria-label="发送失败的人">
      <div className="ui-row">
        <h2 className="ui-grow">{count(info.failed)} 人没有发到</h2>
        <Button loading={all.isPending} onClick={() => all.mutate({ batch_id, only: 'failed' })}>
          重发失败的 {count(info.failed)} 人
        </Button>
      </div>
      <FewRows rowKey="salary_id" columns={columns} rows={failed} label="发送失败" />
      {failed.length < info.failed && <p className="ui-hint">先列出 {failed.length} 人，全部在明细里</p>}
    </section>
  )
}

/** Of whom nobody knows whether he was reached: who knows says so, or has it sent once more. */
export function Unknown({ batch_id, info }: { batch_id: string; info: Info }) {
  const [key, setKey] = useState(intent)
  const settle = useCall(settleUnknown, {
    key,
    onSuccess: ({ count: done }, { as }) => toast.done(as === 'sent' ? `${done} 人按已发送处理` : `重新发送 ${done} 人`),
    onSettled: () => setKey(intent()),
  })
  if (info.unknown === 0) return null
  const rows = info.failures.filter(({ status }) => status === 'unknown')
  const busy = (as: 'sent' | 'again', salary_id?: string) =>
    settle.isPending && settle.variables?.as === as && settle.variables.salary_ids?.[0] === salary_id
  const acts = (name: string, row?: Info['failures'][number]) => (
    <span className="ui-row">
      <Button
        size={row ? 'small' : 'middle'}
        aria-label={`${name}按已发送处理`}
        loading={busy('sent', row?.salary_id)}
        disabled={settle.isPending}
        onClick={() => settle.mutate({ batch_id, as: 'sent', ...(row ? { salary_ids: [row.salary_id] } : {}) })}
      >
        按已发送处理
      </Button>
      {!row?.seen && (
        <Button
          size={row ? 'small' : 'middle'}
          aria-label={`${name}重发`}
          loading={busy('again', row?.salary_id)}
          disabled={settle.isPending}
          onClick={() => settle.mutate({ batch_id, as: 'again', ...(row ? { salary_ids: [row.salary_id] } : {}) })}
        >
          重发
        </Button>
      )}
    </span>
  )
  const columns: Columns<Info['failures'][number]> = [
    { title: '姓名', dataIndex: 'name' },
    {
      title: '方式',
      dataIndex: 'channel',
      card: 'line',
      render: (channel: Info['failures'][number]['channel']) => channelWords[channel].name,
    },
    { title: '情况', key: 'seen', card: 'wide', render: (_, { seen, message }) => (seen ? '本人已经看过，不用重发' : message) },
    { title: '', key: 'acts', align: 'right', render: (_, row) => acts(row.name, row) },
  ]
  return (
    <section className="ui-card ui-stack" aria-label="结果未知的人">
      <div className="ui-row">
        <h2 className="ui-grow">{count(info.unknown)} 人不确定有没有收到</h2>
        {acts('全部')}
      </div>
      <p className="ui-hint">
        对方的服务器没有答复。可以问一下本人；重发可能让他收到两条，短信再计一次费，已经看过的人不会重发。
      </p>
      <FewRows rowKey="salary_id" columns={columns} rows={rows} label="结果未知" />
    </section>
  )
}

/** Who was not reached by one way and went on by another: nothing has to be done, but for those who only have the link now. */
export function OtherWays({ info }: { info: Info }) {
  if (info.fell_back_count === 0) return null
  // Somebody may have gone on twice.
  const steps = info.fell_back.map((one) => ({ ...one, key: `${one.salary_id}${one.from}` }))
  const columns: Columns<(typeof steps)[number]> = [
    { title: '姓名', dataIndex: 'name' },
    {
      title: '原因',
      dataIndex: 'message',
      card: 'wide',
      render: (message: string, { from }) => `${channelWords[from].name}没有送到：${message}`,
    },
    { title: '改用', dataIndex: 'to', card: 'side', render: (to: Info['fell_back'][number]['to']) => channelWords[to].name },
  ]
  const links = info.fell_back.some(({ to }) => to === 'link')
  return (
    <section className="ui-card ui-stack" aria-label="改用其他方式的人">
      <h2>{count(info.fell_back_count)} 人自动改用了后面的方式</h2>
      {links && <p className="ui-hint">改用链接的人没有收到消息，请把下面的查看链接转发给他们。</p>}
      <FewRows rowKey="key" columns={columns} rows={steps} label="改用其他方式" />
      {info.fell_back.length < info.fell_back_count && <p className="ui-hint">先列出 {info.fell_back.length} 人，全部在明细里</p>}
    </section>
  )
}

/** The link that employees open; for whoever asks where it is. */
export function CopyLink({ link }: { link: string }) {
  const [copied, setCopied] = useState(false)
  if (!link) return null
  const whole = new URL(link, location.origin).href
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(whole)
      setCopied(true)
      setTimeout(() => setCopied(false), 3000)
    } catch {
      toast.info('浏览器不允许自动复制，请选中链接后复制')
    }
  }
  return (
    <section className="ui-card ui-row" aria-label="查看链接">
      <span>员工查看链接</span>
      <code className={`${styles.link} ui-grow`}>{whole}</code>
      <Button icon={<Icon name={copied ? 'check' : 'copy'} />} onClick={() => void copy()}>
        {copied ? '已复制' : '复制链接'}
      </Button>
      <p className={`ui-hint ${styles.whole}`}>可以转发到群里：每个人要登录才能打开，只看得到自己的工资条</p>
    </section>
  )
}
