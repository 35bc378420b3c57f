import { useQuery } from '@tanstack/react-query'
import { Button, Radio, Select } from 'antd'
import { useEffect, useState } from 'react'
import type { CallOutput } from '../../../../server/contract/call.ts'
import { getTestSendList, maxTesters, sendTest } from '../../../../server/contract/payslips/test-send.ts'
import type { Channel } from '../../../../server/contract/shared/schemas.ts'
import { getPreviewMember } from '../../../../server/contract/sheets/sheet.ts'
import { callQuery, createIdempotencyKey, useCallMutation } from '../../../api.ts'
import { Dialog } from '../../../components/overlay/dialogs.tsx'
import { toast } from '../../../components/overlay/toast.ts'
import { formatCount } from '../../../components/value/counts.ts'
import { formatShortDateTime } from '../../../components/value/dates.ts'
import { StatusDot } from '../../../components/value/status-dot.tsx'
import { MemberPicker, type SelectedMember } from '../../directory/member-picker.tsx'
import { channelDescriptions } from '../labels.ts'
import styles from '../send.module.css'

type TestSend = CallOutput<typeof getTestSendList>['list'][number]
const isPending = ({ deliveries }: TestSend) => deliveries.some(({ status }) => status === 'queued' || status === 'leased')

/** Test send (试发) before the send: to oneself and a few others, with the result. `saveOptions` resolves when stored. */
export function TestSendSection(props: { batch_id: string; channels: readonly Channel[]; ready: () => Promise<boolean> }) {
  const { batch_id, channels, ready: saveOptions } = props
  const [isDialogOpen, setDialogOpen] = useState(false)
  const testSends = useQuery({
    ...callQuery(getTestSendList, { batch_id }),
    refetchInterval: ({ state }) => (state.data?.list.some(isPending) ? 1500 : false),
  })
  const list = testSends.data?.list ?? []
  return (
    <section className="ui-card ui-stack" aria-labelledby="rehearse">
      <div className="ui-row">
        <div className="ui-grow">
          <h2 id="rehearse">试发</h2>
          <p className="ui-hint">收到的消息和工资条都标着「试发」。不扣短信，不算已发送，员工看不到。</p>
        </div>
        <Button onClick={() => void saveOptions().then((ok) => ok && setDialogOpen(true))} disabled={channels.length === 0}>
          试发
        </Button>
      </div>
      {list.length > 0 && (
        <ul className={styles.tried} aria-label="试发的结果" aria-live="polite">
          {list.map((testSend) => (
            <li key={testSend.test_send_id}>
              <TestSendResult one={testSend} />
            </li>
          ))}
        </ul>
      )}
      {isDialogOpen && <TestSendDialog {...{ batch_id, channels }} onClose={() => setDialogOpen(false)} />}
    </section>
  )
}

const deliveryStatusLabels = {
  queued: { label: '发送中', color: 'info' },
  leased: { label: '发送中', color: 'info' },
  accepted: { label: '已发出', color: 'ok' },
  failed: { label: '没有发出', color: 'danger' },
  unknown: { label: '结果未知', color: 'warn' },
  cancelled: { label: '没有发出', color: 'ink3' },
} as const

function TestSendResult({ one: { name, is_own: isOwn, is_sample, at, opened_at, deliveries, link } }: { one: TestSend }) {
  return (
    <>
      <span className="ui-grow">
        <strong>{isOwn ? '我自己' : name}</strong>
        <small>
          {formatShortDateTime(at)} · {is_sample ? '示例数字' : '真实数字'} ·{' '}
          {opened_at ? `${formatShortDateTime(opened_at)} 打开` : '还没有打开'}
        </small>
        {deliveries.map(
          ({ channel, message }) => message && <small key={channel}>{`${channelDescriptions[channel].name}：${message}`}</small>,
        )}
      </span>
      {deliveries.map(({ channel, status }) => (
        <span key={channel} className="ui-nowrap">
          {channelDescriptions[channel].name} <StatusDot {...deliveryStatusLabels[status]} />
        </span>
      ))}
      {isOwn && (
        <a href={link} target="_blank" rel="noreferrer">
          打开
        </a>
      )}
    </>
  )
}

function TestSendDialog(props: { batch_id: string; channels: readonly Channel[]; onClose: () => void }) {
  const { batch_id, channels, onClose } = props
  const [key] = useState(createIdempotencyKey)
  const [row, setRow] = useState<number | null>(null)
  const [usesRealRow, setUsesRealRow] = useState(false)
  const [people, setPeople] = useState<SelectedMember[]>([])
  const firstRow = useQuery(callQuery(getPreviewMember, { batch_id, page: 1, pagesize: 1 })).data?.list[0]?.row
  const selectedRow = usesRealRow ? (row ?? firstRow) : undefined
  const messageChannels = channels.filter((channel) => channel !== 'link')
  const send = useCallMutation(sendTest, {
    key,
    onSuccess: ({ list }) => {
      toast.success(list.some(isPending) ? '正在试发，稍后看手机' : '试发好了，点「打开」看工资条')
      onClose()
    },
  })
  return (
    <Dialog
      open
      width={600}
      title="试发"
      action={people.length > 0 ? `试发给我和 ${formatCount(people.length)} 人` : '试发给我自己'}
      busy={send.isPending}
      allowed={people.length > maxTesters ? `最多再选 ${formatCount(maxTesters)} 个人` : true}
      onConfirm={() =>
        send.mutate({
          batch_id,
          channels: [...channels],
          member_ids: people.map(({ ID }) => ID),
          ...(selectedRow === undefined ? {} : { row: selectedRow }),
        })
      }
      onClose={onClose}
    >
      <div className="ui-stack">
        <p>
          {messageChannels.length > 0
            ? `用${messageChannels.map((channel) => channelDescriptions[channel].name).join('、')}各发一条，能收到的方式都会试。`
            : '只选了链接，没有消息；试发后在这里点「打开」。'}
        </p>
        <Radio.Group
          aria-label="我看到的数字"
          value={usesRealRow}
          onChange={(event) => setUsesRealRow(event.target.value === true)}
        >
          <Radio value={false}>使用示例数据</Radio>
          <Radio value>使用真实工资条</Radio>
        </Radio.Group>
        {usesRealRow && <PreviewRowSelect batch_id={batch_id} row={selectedRow} onRow={setRow} />}
        <div>
          <p className="ui-label">也发给别人看（选填，最多 {formatCount(maxTesters)} 人）</p>
          <MemberPicker multiple label="也发给" value={people} onChange={setPeople} listsAll={false} />
          <p className="ui-hint">他们只看到示例数字，看不到任何人的工资。</p>
        </div>
      </div>
    </Dialog>
  )
}

/** Selects one employee of a wage sheet by name. */
function PreviewRowSelect({ batch_id, row, onRow }: { batch_id: string; row: number | undefined; onRow: (row: number) => void }) {
  const [text, setText] = useState('')
  const [name, setName] = useState('')
  // Searches when typing pauses.
  useEffect(() => {
    const timer = setTimeout(() => setName(text.trim()), 300)
    return () => clearTimeout(timer)
  }, [text])
  const members = useQuery({
    ...callQuery(getPreviewMember, { batch_id, page: 1, pagesize: 20, ...(name ? { name } : {}) }),
    placeholderData: (old) => old,
  })
  return (
    <Select
      aria-label="谁的工资条"
      value={row ?? null}
      options={(members.data?.list ?? []).map((member) => ({
        value: member.row,
        label: [member.name || `第 ${member.row} 行`, member.department].filter(Boolean).join(' · '),
      }))}
      showSearch={{ filterOption: false, searchValue: text, onSearch: setText }}
      loading={members.isFetching}
      notFoundContent="这批工资条里没有这个人"
      placeholder="搜索姓名"
      onSelect={(next: number | null) => {
        setText('')
        if (next !== null) onRow(next)
      }}
    />
  )
}
