import { Checkbox, Form } from 'antd'
import { useState } from 'react'
import type { CallOutput } from '../../../server/contract/call.ts'
import { type getWebhooks, saveWebhook, type WebhookEvent, webhookEvents } from '../../../server/contract/webhooks/webhooks.ts'
import { createIdempotencyKey, useCallMutation } from '../../api.ts'
import { FormField } from '../../components/form/desktop-field.tsx'
import { FormDialog } from '../../components/overlay/dialogs.tsx'
import { toast } from '../../components/overlay/toast.ts'
import { webhookEventLabels } from './labels.ts'
import styles from './webhook.module.css'

type WebhookForm = { url: string; events: WebhookEvent[]; active: boolean }
const eventOptions = webhookEvents.map((value) => ({ value, label: webhookEventLabels[value] }))

/** Creates a webhook or edits its events. A new one has a secret, which is shown once. */
export function WebhookDialog(props: { stored: Webhook | null; onSecret: (secret: string) => void; onClose: () => void }) {
  const { stored: webhook, onSecret, onClose } = props
  const [key] = useState(createIdempotencyKey)
  const save = useCallMutation(saveWebhook, {
    key,
    handles: (error) => error.field !== undefined,
    onSuccess: ({ secret }) => (secret ? onSecret(secret) : toast.success('已保存')),
  })
  const initial: WebhookForm = webhook
    ? { url: webhook.url, events: webhook.events, active: webhook.status === 'active' }
    : { url: '', events: [...webhookEvents], active: true }
  return (
    <FormDialog<WebhookForm>
      open
      title={webhook ? '修改接收地址' : '添加接收地址'}
      action={webhook ? '保存' : '添加'}
      initial={initial}
      onSubmit={(values) => save.mutateAsync({ ...values, ...(webhook ? { webhook_id: webhook.webhook_id } : {}) })}
      onClose={onClose}
    >
      <FormField
        name="url"
        label="接收地址"
        kind="url"
        help="您自己的系统里接收通知的网址，15 秒内答复 2xx 就算收到"
        required="请填写接收地址"
        maxLength={500}
        placeholder="https://hr.example.com/webhook"
      />
      <Form.Item name="events" label="通知哪些事件" rules={[{ type: 'array', min: 1, message: '请至少选择一种事件' }]}>
        <Checkbox.Group options={eventOptions} className={styles.events} />
      </Form.Item>
      <Form.Item name="active" valuePropName="checked">
        <Checkbox>启用</Checkbox>
      </Form.Item>
    </FormDialog>
  )
}

export type Webhook = CallOutput<typeof getWebhooks>['list'][number]
