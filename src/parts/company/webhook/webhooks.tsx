import { useQuery } from '@tanstack/react-query'
import { Button } from 'antd'
import { useState } from 'react'
import type { OutputOf } from '../../../../server/contract/call.ts'
import {
  dropWebhook,
  getWebhooks,
  most_webhooks,
  rotateWebhookSecret,
  testWebhook,
} from '../../../../server/contract/wage/webhook.ts'
import { intent, query, useCall } from '../../../api.ts'
import { ConfirmDialog } from '../../../ui/over/dialogs.tsx'
import { toast } from '../../../ui/over/toast.ts'
import { ErrorState } from '../../../ui/state/error-state.tsx'
import { Skeleton } from '../../../ui/state/skeleton.tsx'
import { dayAndTime } from '../../../ui/value/dates.ts'
import { StatusDot } from '../../../ui/value/status-dot.tsx'
import accountStyles from '../../account/account.module.css'
import { LogDrawer } from './log-drawer.tsx'
import { SecretDialog } from './secret-dialog.tsx'
import styles from './webhook.module.css'
import { WebhookDialog } from './webhook-dialog.tsx'
import { eventWords, webhookWords } from './words.ts'

export type KeptWebhook = OutputOf<typeof getWebhooks>['list'][number]
type Open =
  | { is: 'edit'; kept: KeptWebhook | null }
  | { is: 'log' | 'rotate' | 'drop'; kept: KeptWebhook }
  | { is: 'secret'; secret: string; note: string }

/** The company's own systems that are told what happens to slips. */
export function Webhooks() {
  const asked = useQuery(query(getWebhooks, {}))
  const [open, setOpen] = useState<Open>()
  const close = () => setOpen(undefined)
  const list = asked.data?.list
  const full = (list?.length ?? 0) >= most_webhooks
  return (
    <section className={`ui-card ${accountStyles.card}`} aria-labelledby="webhooks">
      <h2 id="webhooks">事件通知</h2>
      <p className="ui-hint">
        工资条发送、查看、确认、有疑问或撤回时，通知您自己的系统（Webhook，按 Standard Webhooks
        签名）。通知里只有编号，没有姓名和金额。
      </p>
      {list ? (
        <ul className={styles.list}>
          {list.map((kept) => (
            <Address key={kept.webhook_id} kept={kept} onOpen={setOpen} />
          ))}
        </ul>
      ) : asked.error ? (
        <ErrorState error={asked.error} retry={() => void asked.refetch()} />
      ) : (
        <Skeleton rows={2} />
      )}
      {list && !full && (
        <Button className={styles.act} onClick={() => setOpen({ is: 'edit', kept: null })}>
          添加接收地址
        </Button>
      )}
      {full && <p className="ui-hint">最多 {most_webhooks} 个接收地址。</p>}
      {open?.is === 'edit' && (
        <WebhookDialog
          kept={open.kept}
          // The dialog closes itself when it is done: the secret comes after it.
          onSecret={(secret) =>
            setTimeout(() =>
              setOpen({ is: 'secret', secret, note: '请现在保存，关闭后不再显示。接收方用它核对每条通知的签名。' }),
            )
          }
          onClose={close}
        />
      )}
      {open?.is === 'secret' && <SecretDialog secret={open.secret} note={open.note} onClose={close} />}
      {open?.is === 'log' && <LogDrawer webhook_id={open.kept.webhook_id} onClose={close} />}
      {open?.is === 'rotate' && (
        <RotateDialog
          kept={open.kept}
          onSecret={(secret, until) =>
            setOpen({
              is: 'secret',
              secret,
              note: `请现在保存，关闭后不再显示。到 ${dayAndTime(until)} 为止，新旧密钥同时签名。`,
            })
          }
          onClose={close}
        />
      )}
      {open?.is === 'drop' && <DropDialog kept={open.kept} onClose={close} />}
    </section>
  )
}

function Address({ kept, onOpen }: { kept: KeptWebhook; onOpen: (open: Open) => void }) {
  const [key, setKey] = useState(intent)
  const test = useCall(testWebhook, {
    key,
    onSuccess: () => {
      setKey(intent())
      onOpen({ is: 'log', kept })
    },
  })
  const failing = kept.failing_since && kept.status === 'active'
  return (
    <li>
      <div className={styles.what}>
        <strong>{kept.url}</strong>
        <span>{kept.events.map((event) => eventWords[event]).join('、')}</span>
        <span>
          <StatusDot {...webhookWords[kept.status]} />
          {failing && <span className={styles.failing}>从 {dayAndTime(kept.failing_since)} 起没有收到，仍在重试</span>}
          {kept.status === 'gone' && '对方一直没有收到，或答复不再接收；修好后点「修改」重新启用'}
          {kept.waiting > 0 && ` ${kept.waiting} 条等待发送`}
        </span>
      </div>
      <div className={styles.acts}>
        <Button aria-label={`记录：${kept.url}`} onClick={() => onOpen({ is: 'log', kept })}>
          记录
        </Button>
        <Button
          aria-label={`测试：${kept.url}`}
          disabled={kept.status !== 'active'}
          loading={test.isPending}
          onClick={() => test.mutate({ webhook_id: kept.webhook_id })}
        >
          测试
        </Button>
        <Button aria-label={`修改：${kept.url}`} onClick={() => onOpen({ is: 'edit', kept })}>
          修改
        </Button>
        <Button aria-label={`更换密钥：${kept.url}`} onClick={() => onOpen({ is: 'rotate', kept })}>
          更换密钥
        </Button>
        <Button danger type="text" aria-label={`删除：${kept.url}`} onClick={() => onOpen({ is: 'drop', kept })}>
          删除
        </Button>
      </div>
    </li>
  )
}

type Asking = { kept: KeptWebhook; onClose: () => void }

function RotateDialog({ kept, onSecret, onClose }: Asking & { onSecret: (secret: string, until: string) => void }) {
  const [key] = useState(intent)
  const rotate = useCall(rotateWebhookSecret, { key, onSuccess: ({ secret, former_until }) => onSecret(secret, former_until) })
  return (
    <ConfirmDialog
      open
      title="更换签名密钥？"
      action="更换密钥"
      busy={rotate.isPending}
      onConfirm={() => rotate.mutate({ webhook_id: kept.webhook_id })}
      onClose={onClose}
    >
      <p>一天之内新旧密钥同时签名，请在此期间更新接收方；之后只用新密钥。</p>
    </ConfirmDialog>
  )
}

function DropDialog({ kept, onClose }: Asking) {
  const drop = useCall(dropWebhook, {
    onSuccess: () => {
      toast.done('已删除接收地址')
      onClose()
    },
  })
  return (
    <ConfirmDialog
      open
      danger
      title="删除接收地址？"
      action="删除地址"
      busy={drop.isPending}
      onConfirm={() => drop.mutate({ webhook_id: kept.webhook_id })}
      onClose={onClose}
    >
      <p>「{kept.url}」不再收到通知，通知记录一并删除。工资条不受影响。</p>
    </ConfirmDialog>
  )
}
