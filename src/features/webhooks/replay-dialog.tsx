import { DatePicker, Form } from 'antd'
import zhCN from 'antd/locale/zh_CN'
import type { Dayjs } from 'dayjs'
import { useState } from 'react'
import { maxReplayedEvents, replayWebhookEvents } from '../../../server/contract/webhooks/webhooks.ts'
import { createIdempotencyKey, useCallMutation } from '../../api.ts'
import { FormDialog } from '../../components/overlay/dialogs.tsx'
import { toast } from '../../components/overlay/toast.ts'
import { getShanghaiNow, toInstant, wallClockFormat } from '../../components/value/wall-clock.ts'

type ReplayForm = { from: Dayjs; to: Dayjs }

const formatInstant = (time: Dayjs) => toInstant(time.format(wallClockFormat))

/** Repeats the events of a time range, after the receiver lost them. By default those of the last 24 hours. */
export function ReplayDialog({ webhook_id, url, onClose }: { webhook_id: string; url: string; onClose: () => void }) {
  const [key] = useState(createIdempotencyKey)
  const [now] = useState(getShanghaiNow)
  const bounds = { minDate: now.subtract(30, 'day'), maxDate: now.add(1, 'day') }
  const replay = useCallMutation(replayWebhookEvents, {
    key,
    onSuccess: ({ count }) =>
      count > 0 ? toast.success(`正在补发 ${count} 条通知`) : toast.info('这段时间没有可以补发的通知，请换一段时间'),
  })
  return (
    <FormDialog<ReplayForm>
      open
      title="补发一段时间的通知？"
      action="补发"
      initial={{ from: now.subtract(1, 'day'), to: now.add(1, 'minute') }}
      onSubmit={({ from, to }) => replay.mutateAsync({ webhook_id, from: formatInstant(from), to: formatInstant(to) })}
      onClose={onClose}
    >
      <p className="ui-hint" style={{ overflowWrap: 'anywhere' }}>
        把这段时间里发生的事件再发一次给「{url}」，编号（webhook-id）不变，接收方要按编号去重。最近 30 天之内，一次最多{' '}
        {maxReplayedEvents} 条。
      </p>
      <TimeItem name="from" label="从（北京时间）" bounds={bounds} />
      <TimeItem name="to" label="到（北京时间）" bounds={bounds} />
    </FormDialog>
  )
}

const TimeItem = ({
  name,
  label,
  bounds,
}: {
  name: keyof ReplayForm
  label: string
  bounds: { minDate: Dayjs; maxDate: Dayjs }
}) => (
  <Form.Item
    name={name}
    label={label}
    {...(name === 'to' && { dependencies: ['from'] })}
    rules={[
      { required: true, message: '请选择时间' },
      ({ getFieldValue }) => ({
        validator: (_, value: Dayjs | null) =>
          name === 'from' || !value || value.isAfter(getFieldValue('from') as Dayjs)
            ? Promise.resolve()
            : Promise.reject(new Error('结束时间应晚于开始时间')),
      }),
    ]}
  >
    <DatePicker
      showTime={{ format: 'HH:mm' }}
      format="YYYY-MM-DD HH:mm"
      {...(zhCN.DatePicker ? { locale: zhCN.DatePicker } : {})}
      allowClear={false}
      {...bounds}
      style={{ width: '100%' }}
    />
  </Form.Item>
)
