import { useQuery } from '@tanstack/react-query'
import { Button, Radio, Select } from 'antd'
import { useEffect, useState } from 'react'
import type { OutputOf } from '../../../../server/contract/call.ts'
import { getPreviewMember } from '../../../../server/contract/sheet/sheet.ts'
import { getRehearsalList, most_testers, rehearse } from '../../../../server/contract/wage/send/rehearsal.ts'
import type { Channel } from '../../../../server/contract/words/words.ts'
import { intent, query, useCall } from '../../../api.ts'
import { Dialog } from '../../../ui/over/dialogs.tsx'
import { toast } from '../../../ui/over/toast.ts'
import { shortTime } from '../../../ui/value/dates.ts'
import { StatusDot } from '../../../ui/value/status-dot.tsx'
import { MemberPicker, type PickedPerson } from '../../member/member-picker.tsx'
import styles from '../send.module.css'
import { channelWords } from '../words.ts'

type Rehearsal = OutputOf<typeof getRehearsalList>['list'][number]
const isOpen = ({ ways }: Rehearsal) => ways.some(({ status }) => status === 'queued' || status === 'leased')

/** 试发 before the sending: to oneself and a few others, and what became of it. `ready`: what is chosen has been kept. */
export function Rehearse(props: { batch_id: string; channels: readonly Channel[]; ready: () => Promise<boolean> }) {
  const { batch_id, channels, ready } = props
  const [asking, setAsking] = useState(false)
  const told = useQuery({
    ...query(getRehearsalList, { batch_id }),
    refetchInterval: ({ state }) => (state.data?.list.some(isOpen) ? 1500 : false),
  })
  const list = told.data?.list ?? []
  return (
    <section className="ui-card ui-stack" aria-labelledby="rehearse">
      <div className="ui-row">
        <div className="ui-grow">
          <h2 id="rehearse">先试发看看</h2>
          <p className="ui-hint">收到的消息和工资条都标着「试发」。不扣短信，不算已发送，员工看不到。</p>
        </div>
        <Button onClick={() => void ready().then((ok) => ok && setAsking(true))} disabled={channels.length === 0}>
          试发
        </Button>
      </div>
      {list.length > 0 && (
        <ul className={styles.tried} aria-label="试发的结果" aria-live="polite">
          {list.map((one) => (
            <li key={one.rehearsal_id}>
              <Tried one={one} />
            </li>
          ))}
        </ul>
      )}
      {asking && <RehearseDialog {...{ batch_id, channels }} onClose={() => setAsking(false)} />}
    </section>
  )
}

const wayWords = {
  queued: { word: '发送中', tone: 'info' },
  leased: { word: '发送中', tone: 'info' },
  accepted: { word: '已发出', tone: 'ok' },
  failed: { word: '没有发出', tone: 'danger' },
  unknown: { word: '结果未知', tone: 'warn' },
  cancelled: { word: '没有发出', tone: 'ink3' },
} as const

function Tried({ one: { name, mine, sample, at, opened_at, ways, link } }: { one: Rehearsal }) {
  return (
    <>
      <span className="ui-grow">
        <strong>{mine ? '我自己' : name}</strong>
        <small>
          {shortTime(at)} · {sample ? '示例数字' : '真实数字'} · {opened_at ? `${shortTime(opened_at)} 打开` : '还没有打开'}
        </small>
        {ways.map(
          ({ channel, message }) => message && <small key={channel}>{`${channelWords[channel].name}：${message}`}</small>,
        )}
      </span>
      {ways.map(({ channel, status }) => (
        <span key={channel} className="ui-nowrap">
          {channelWords[channel].name} <StatusDot {...wayWords[status]} />
        </span>
      ))}
      {mine && (
        <a href={link} target="_blank" rel="noreferrer">
          打开
        </a>
      )}
    </>
  )
}

function RehearseDialog(props: { batch_id: string; channels: readonly Channel[]; onClose: () => void }) {
  const { batch_id, channels, onClose } = props
  const [key] = useState(intent)
  const [row, setRow] = useState<number | null>(null)
  const [real, setReal] = useState(false)
  const [people, setPeople] = useState<PickedPerson[]>([])
  const first = useQuery(query(getPreviewMember, { batch_id, page: 1, pagesize: 1 })).data?.list[0]?.row
  const shown = real ? (row ?? first) : undefined
  const messages = channels.filter((channel) => channel !== 'link')
  const send = useCall(rehearse, {
    key,
    onSuccess: ({ list }) => {
      toast.done(list.some(isOpen) ? '正在试发，稍后看手机' : '试发好了，点「打开」看工资条')
      onClose()
    },
  })
  return (
    <Dialog
      open
      width={600}
      title="试发"
      action={people.length > 0 ? `试发给我和 ${people.length} 人` : '试发给我自己'}
      busy={send.isPending}
      verdict={people.length > most_testers ? `最多再选 ${most_testers} 个人` : true}
      onConfirm={() =>
        send.mutate({
          batch_id,
          channels: [...channels],
          member_ids: people.map(({ ID }) => ID),
          ...(shown === undefined ? {} : { row: shown }),
        })
      }
      onClose={onClose}
    >
      <div className="ui-stack">
        <p>
          {messages.length > 0
            ? `用${messages.map((channel) => channelWords[channel].name).join('、')}各发一条，能收到的方式都会试。`
            : '只选了链接，没有消息；试发后在这里点「打开」。'}
        </p>
        <Radio.Group aria-label="我看到的数字" value={real} onChange={(event) => setReal(event.target.value === true)}>
          <Radio value={false}>我看示例数字</Radio>
          <Radio value>我看某个人的真实工资条</Radio>
        </Radio.Group>
        {real && <RowPicker batch_id={batch_id} row={shown} onRow={setRow} />}
        <div>
          <p className="ui-label">也发给别人看（选填，最多 {most_testers} 人）</p>
          <MemberPicker multiple label="也发给" value={people} onChange={setPeople} endless={false} />
          <p className="ui-hint">他们只看到示例数字，看不到任何人的工资。</p>
        </div>
      </div>
    </Dialog>
  )
}

/** One person of a sheet, found by name. */
function RowPicker({ batch_id, row, onRow }: { batch_id: string; row: number | undefined; onRow: (row: number) => void }) {
  const [text, setText] = useState('')
  const [name, setName] = useState('')
  // Asks when the typing rests.
  useEffect(() => {
    const timer = setTimeout(() => setName(text.trim()), 300)
    return () => clearTimeout(timer)
  }, [text])
  const found = useQuery({
    ...query(getPreviewMember, { batch_id, page: 1, pagesize: 20, ...(name ? { name } : {}) }),
    placeholderData: (old) => old,
  })
  return (
    <Select
      aria-label="谁的工资条"
      value={row ?? null}
      options={(found.data?.list ?? []).map((one) => ({
        value: one.row,
        label: [one.name || `第 ${one.row} 行`, one.department].filter(Boolean).join(' · '),
      }))}
      showSearch={{ filterOption: false, searchValue: text, onSearch: setText }}
      loading={found.isFetching}
      notFoundContent="这批工资条里没有这个人"
      placeholder="搜索姓名"
      onSelect={(next: number | null) => {
        setText('')
        if (next !== null) onRow(next)
      }}
    />
  )
}
