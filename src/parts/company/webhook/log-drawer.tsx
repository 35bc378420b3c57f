import { useQuery } from '@tanstack/react-query'
import { Button } from 'antd'
import { useState } from 'react'
import type { OutputOf } from '../../../../server/contract/call.ts'
import { getWebhookLog, redeliverWebhook } from '../../../../server/contract/wage/webhook.ts'
import { intent, query, useCall } from '../../../api.ts'
import { ReturnFocus } from '../../../ui/over/dialogs.tsx'
import { Drawer } from '../../../ui/over/layers.tsx'
import { toast } from '../../../ui/over/toast.ts'
import { type Columns, DataTable } from '../../../ui/table/data-table.tsx'
import { dayAndTime, shortTime } from '../../../ui/value/dates.ts'
import { StatusDot } from '../../../ui/value/status-dot.tsx'
import styles from './webhook.module.css'
import { answerWords, eventWords, toldWords } from './words.ts'

type Line = OutputOf<typeof getWebhookLog>['list'][number]

const isOnItsWay = ({ status, tries }: Line): boolean => status === 'leased' || (status === 'waiting' && tries === 0)

const columns: Columns<Line> = [
  { title: '发生时间', dataIndex: 'at', className: 'ui-nowrap', render: (at: string) => dayAndTime(at) },
  {
    title: '事件',
    dataIndex: 'event',
    className: 'ui-nowrap',
    card: 'line',
    render: (event: Line['event']) => (event === 'webhook.test' ? '测试' : eventWords[event]),
  },
  {
    title: '状态',
    key: 'status',
    card: 'end',
    render: (_, { status, due_at }) => (
      <>
        <StatusDot {...toldWords[status]} />
        {due_at && <small className="ui-hint"> {shortTime(due_at)} 再试</small>}
      </>
    ),
  },
  { title: '答复', dataIndex: 'answer', card: 'line', render: answerWords },
  { title: '次数', dataIndex: 'tries', align: 'right', card: 'named' },
  { title: <span className="sr-only">操作</span>, key: 'again', render: (_, line) => <Again {...line} /> },
]

/** What an address was told, and what it answered. */
export function LogDrawer({ webhook_id, onClose }: { webhook_id: string; onClose: () => void }) {
  return (
    <Drawer open title="通知记录" size="min(960px, 100vw)" onClose={onClose}>
      <ReturnFocus />
      <Log webhook_id={webhook_id} />
    </Drawer>
  )
}

function Log({ webhook_id }: { webhook_id: string }) {
  const [{ page, pagesize }, turn] = useState({ page: 1, pagesize: 20 })
  const asked = useQuery({
    ...query(getWebhookLog, { webhook_id, page, pagesize }),
    // What is just on its way has an answer soon.
    refetchInterval: ({ state }) => (state.data?.list.some(isOnItsWay) ? 2_000 : false),
  })
  return (
    <DataTable
      asked={asked}
      columns={columns}
      rowKey="event_id"
      label="通知记录"
      onPage={(page, pagesize) => turn({ page, pagesize })}
      empty={{ drawing: 'letter', text: '最近 30 天没有通知。点「测试」发一条试试。' }}
    />
  )
}

function Again(line: Line) {
  const [key, setKey] = useState(intent)
  const again = useCall(redeliverWebhook, {
    key,
    onSuccess: () => {
      toast.done('已重新发送')
      setKey(intent())
    },
  })
  if (isOnItsWay(line)) return null
  return (
    <Button className={styles.act} loading={again.isPending} onClick={() => again.mutate({ event_id: line.event_id })}>
      重发
    </Button>
  )
}
