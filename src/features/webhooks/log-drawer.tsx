import { useQuery } from '@tanstack/react-query'
import { Button } from 'antd'
import { useState } from 'react'
import type { CallOutput } from '../../../server/contract/call.ts'
import { getWebhookLog, redeliverWebhook } from '../../../server/contract/webhooks/webhooks.ts'
import { callQuery, createIdempotencyKey, useCallMutation } from '../../api.ts'
import { RestoreFocus } from '../../components/overlay/dialogs.tsx'
import { Drawer } from '../../components/overlay/layers.tsx'
import { toast } from '../../components/overlay/toast.ts'
import { type Columns, DataTable } from '../../components/table/data-table.tsx'
import { formatDateTime, formatShortDateTime } from '../../components/value/dates.ts'
import { StatusDot } from '../../components/value/status-dot.tsx'
import { formatWebhookResponse, webhookEventLabels, webhookEventStatusLabels } from './labels.ts'
import styles from './webhook.module.css'

type WebhookLogEntry = CallOutput<typeof getWebhookLog>['list'][number]

const isInFlight = ({ status, attempts }: WebhookLogEntry): boolean =>
  status === 'leased' || (status === 'waiting' && attempts === 0)

const logColumns: Columns<WebhookLogEntry> = [
  { title: '发生时间', dataIndex: 'at', className: 'ui-nowrap', render: (at: string) => formatDateTime(at) },
  {
    title: '事件',
    dataIndex: 'event',
    className: 'ui-nowrap',
    card: 'line',
    render: (event: WebhookLogEntry['event']) => (event === 'webhook.test' ? '测试' : webhookEventLabels[event]),
  },
  {
    title: '状态',
    key: 'status',
    card: 'end',
    render: (_, { status, due_at }) => (
      <>
        <StatusDot {...webhookEventStatusLabels[status]} />
        {due_at && <small className="ui-hint"> {formatShortDateTime(due_at)} 再试</small>}
      </>
    ),
  },
  { title: '答复', dataIndex: 'response', card: 'line', render: formatWebhookResponse },
  { title: '次数', dataIndex: 'attempts', align: 'right', card: 'named' },
  { title: <span className="sr-only">操作</span>, key: 'again', render: (_, line) => <RedeliverButton {...line} /> },
]

/** The events sent to a webhook address and their responses. */
export function WebhookLogDrawer({ webhook_id, onClose }: { webhook_id: string; onClose: () => void }) {
  return (
    <Drawer open title="通知记录" size="min(960px, 100vw)" onClose={onClose}>
      <RestoreFocus />
      <WebhookLog webhook_id={webhook_id} />
    </Drawer>
  )
}

function WebhookLog({ webhook_id }: { webhook_id: string }) {
  const [{ page, pagesize }, setPagination] = useState({ page: 1, pagesize: 20 })
  const log = useQuery({
    ...callQuery(getWebhookLog, { webhook_id, page, pagesize }),
    // Requests in flight will have a response soon.
    refetchInterval: ({ state }) => (state.data?.list.some(isInFlight) ? 2_000 : false),
  })
  return (
    <DataTable
      requested={log}
      columns={logColumns}
      rowKey="event_id"
      label="通知记录"
      onPage={(page, pagesize) => setPagination({ page, pagesize })}
      empty={{ illustration: 'letter', text: '最近 30 天没有通知。点「测试」发一条试试。' }}
    />
  )
}

function RedeliverButton(entry: WebhookLogEntry) {
  const [key, setKey] = useState(createIdempotencyKey)
  const redeliver = useCallMutation(redeliverWebhook, {
    key,
    onSuccess: () => {
      toast.success('已重新发送')
      setKey(createIdempotencyKey())
    },
  })
  if (isInFlight(entry)) return null
  return (
    <Button className={styles.act} loading={redeliver.isPending} onClick={() => redeliver.mutate({ event_id: entry.event_id })}>
      重发
    </Button>
  )
}
