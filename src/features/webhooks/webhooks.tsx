import { useQuery } from '@tanstack/react-query'
import { Button } from 'antd'
import { useState } from 'react'
import {
  deleteWebhook,
  getWebhooks,
  maxWebhooks,
  rotateWebhookSecret,
  testWebhook,
} from '../../../server/contract/webhooks/webhooks.ts'
import { callQuery, createIdempotencyKey, useCallMutation } from '../../api.ts'
import { ConfirmDialog } from '../../components/overlay/dialogs.tsx'
import { SecretDialog } from '../../components/overlay/secret-dialog.tsx'
import { toast } from '../../components/overlay/toast.ts'
import { ErrorState } from '../../components/state/error-state.tsx'
import { Skeleton } from '../../components/state/skeleton.tsx'
import { formatDateTime } from '../../components/value/dates.ts'
import { StatusDot } from '../../components/value/status-dot.tsx'
import accountStyles from '../auth/account/account.module.css'
import { webhookEventLabels, webhookStatusLabels } from './labels.ts'
import { WebhookLogDrawer } from './log-drawer.tsx'
import { ReplayDialog } from './replay-dialog.tsx'
import styles from './webhook.module.css'
import { type Webhook, WebhookDialog } from './webhook-dialog.tsx'

type OpenDialog =
  | { kind: 'edit'; webhook: Webhook | null }
  | { kind: 'log' | 'replay' | 'rotate' | 'drop'; webhook: Webhook }
  | { kind: 'secret'; secret: string; note: string }

/** The company's own systems that receive events. */
export function WebhookSettings() {
  const webhooks = useQuery(callQuery(getWebhooks, {}))
  const [open, setOpen] = useState<OpenDialog>()
  const close = () => setOpen(undefined)
  const list = webhooks.data?.list
  const isFull = (list?.length ?? 0) >= maxWebhooks
  return (
    <section className={`ui-card ${accountStyles.card}`} aria-labelledby="webhooks">
      <h2 id="webhooks">事件通知</h2>
      <p className="ui-hint">
        工资条发送、查看、确认、有疑问或撤回，批次发送完成，员工离职时，通知您自己的系统（Webhook，按 Standard Webhooks
        签名）。通知里只有编号和工号，没有姓名和金额。
      </p>
      {list ? (
        <ul className={styles.list}>
          {list.map((webhook) => (
            <WebhookItem key={webhook.webhook_id} stored={webhook} onOpen={setOpen} />
          ))}
        </ul>
      ) : webhooks.error ? (
        <ErrorState error={webhooks.error} retry={() => void webhooks.refetch()} />
      ) : (
        <Skeleton rows={2} />
      )}
      {list && !isFull && (
        <Button className={styles.act} onClick={() => setOpen({ kind: 'edit', webhook: null })}>
          添加接收地址
        </Button>
      )}
      {isFull && <p className="ui-hint">最多 {maxWebhooks} 个接收地址。</p>}
      {open?.kind === 'edit' && (
        <WebhookDialog
          stored={open.webhook}
          // The dialog closes itself first; the secret is shown afterwards.
          onSecret={(secret) =>
            setTimeout(() =>
              setOpen({ kind: 'secret', secret, note: '请现在保存，关闭后不再显示。接收方用它核对每条通知的签名。' }),
            )
          }
          onClose={close}
        />
      )}
      {open?.kind === 'secret' && (
        <SecretDialog title="签名密钥" kind="密钥" secret={open.secret} note={open.note} done="我已保存" onClose={close} />
      )}
      {open?.kind === 'log' && <WebhookLogDrawer webhook_id={open.webhook.webhook_id} onClose={close} />}
      {open?.kind === 'replay' && <ReplayDialog {...open.webhook} onClose={close} />}
      {open?.kind === 'rotate' && (
        <RotateSecretDialog
          webhook={open.webhook}
          onSecret={(secret, until) =>
            setOpen({
              kind: 'secret',
              secret,
              note: `请现在保存，关闭后不再显示。到 ${formatDateTime(until)} 为止，新旧密钥同时签名。`,
            })
          }
          onClose={close}
        />
      )}
      {open?.kind === 'drop' && <DeleteWebhookDialog webhook={open.webhook} onClose={close} />}
    </section>
  )
}

function WebhookItem({ stored: webhook, onOpen }: { stored: Webhook; onOpen: (open: OpenDialog) => void }) {
  const [key, setKey] = useState(createIdempotencyKey)
  const test = useCallMutation(testWebhook, {
    key,
    onSuccess: () => {
      setKey(createIdempotencyKey())
      onOpen({ kind: 'log', webhook })
    },
  })
  const failing = webhook.failing_since && webhook.status === 'active'
  return (
    <li>
      <div className={styles.what}>
        <strong>{webhook.url}</strong>
        <span>{webhook.events.map((event) => webhookEventLabels[event]).join('、')}</span>
        <span>
          <StatusDot {...webhookStatusLabels[webhook.status]} />
          {failing && <span className={styles.failing}>从 {formatDateTime(webhook.failing_since)} 起没有收到，仍在重试</span>}
          {webhook.status === 'gone' && '对方一直没有收到，或答复不再接收；修好后点「修改」重新启用'}
          {webhook.waiting > 0 && ` ${webhook.waiting} 条等待发送`}
        </span>
      </div>
      <div className={styles.acts}>
        <Button aria-label={`记录：${webhook.url}`} onClick={() => onOpen({ kind: 'log', webhook })}>
          记录
        </Button>
        <Button
          aria-label={`测试：${webhook.url}`}
          disabled={webhook.status !== 'active'}
          loading={test.isPending}
          onClick={() => test.mutate({ webhook_id: webhook.webhook_id })}
        >
          测试
        </Button>
        <Button
          aria-label={`补发：${webhook.url}`}
          disabled={webhook.status !== 'active'}
          onClick={() => onOpen({ kind: 'replay', webhook })}
        >
          补发
        </Button>
        <Button aria-label={`修改：${webhook.url}`} onClick={() => onOpen({ kind: 'edit', webhook })}>
          修改
        </Button>
        <Button aria-label={`更换密钥：${webhook.url}`} onClick={() => onOpen({ kind: 'rotate', webhook })}>
          更换密钥
        </Button>
        <Button danger type="text" aria-label={`删除：${webhook.url}`} onClick={() => onOpen({ kind: 'drop', webhook })}>
          删除
        </Button>
      </div>
    </li>
  )
}

type WebhookDialogProps = { webhook: Webhook; onClose: () => void }

function RotateSecretDialog({
  webhook,
  onSecret,
  onClose,
}: WebhookDialogProps & { onSecret: (secret: string, until: string) => void }) {
  const [key] = useState(createIdempotencyKey)
  const rotate = useCallMutation(rotateWebhookSecret, {
    key,
    onSuccess: ({ secret, old_secret_until }) => onSecret(secret, old_secret_until),
  })
  return (
    <ConfirmDialog
      open
      title="更换签名密钥？"
      action="更换密钥"
      busy={rotate.isPending}
      onConfirm={() => rotate.mutate({ webhook_id: webhook.webhook_id })}
      onClose={onClose}
    >
      <p>一天之内新旧密钥同时签名，请在此期间更新接收方；之后只用新密钥。</p>
    </ConfirmDialog>
  )
}

function DeleteWebhookDialog({ webhook, onClose }: WebhookDialogProps) {
  const deleteHook = useCallMutation(deleteWebhook, {
    onSuccess: () => {
      toast.success('已删除接收地址')
      onClose()
    },
  })
  return (
    <ConfirmDialog
      open
      danger
      title="删除接收地址？"
      action="删除地址"
      busy={deleteHook.isPending}
      onConfirm={() => deleteHook.mutate({ webhook_id: webhook.webhook_id })}
      onClose={onClose}
    >
      <p>「{webhook.url}」不再收到通知，通知记录一并删除。工资条不受影响。</p>
    </ConfirmDialog>
  )
}
