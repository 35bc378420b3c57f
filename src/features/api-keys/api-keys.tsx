import { useQuery } from '@tanstack/react-query'
import { Button } from 'antd'
import { useState } from 'react'
import { getApiKeys, revokeApiKey } from '../../../server/contract/api-keys/api-keys.ts'
import type { CallOutput } from '../../../server/contract/call.ts'
import { callQuery, useCallMutation } from '../../api.ts'
import { ConfirmDialog } from '../../components/overlay/dialogs.tsx'
import { SecretDialog } from '../../components/overlay/secret-dialog.tsx'
import { toast } from '../../components/overlay/toast.ts'
import { ErrorState } from '../../components/state/error-state.tsx'
import { Skeleton } from '../../components/state/skeleton.tsx'
import { formatDate, formatDateTime } from '../../components/value/dates.ts'
import { StatusDot } from '../../components/value/status-dot.tsx'
import accountStyles from '../auth/account/account.module.css'
import styles from '../webhooks/webhook.module.css'
import { ApiKeyDialog } from './api-key-dialog.tsx'
import { apiKeyScopeLabels, apiKeyStatusLabels } from './labels.ts'

type ApiKey = CallOutput<typeof getApiKeys>['list'][number]
type OpenDialog = { kind: 'create' } | { kind: 'key'; key: string } | { kind: 'revoke'; apiKey: ApiKey }

/** The keys with which the company's own programs sign in. */
export function ApiKeySettings() {
  const keys = useQuery(callQuery(getApiKeys, {}))
  const [open, setOpen] = useState<OpenDialog>()
  const close = () => setOpen(undefined)
  return (
    <section className={`ui-card ${accountStyles.card}`} aria-labelledby="api-keys">
      <h2 id="api-keys">接口密钥</h2>
      <p className="ui-hint">
        您自己的系统用密钥调用接口，不用登录。密钥只能做勾选的事；发送工资条仍要抽查，需要审批的仍由另一位管理员审批。接口说明见{' '}
        <a href="/api/reference">接口参考</a>。
      </p>
      {keys.data ? (
        <ul className={styles.list}>
          {keys.data.list.map((apiKey) => (
            <ApiKeyItem key={apiKey.key_id} apiKey={apiKey} onRevoke={() => setOpen({ kind: 'revoke', apiKey })} />
          ))}
        </ul>
      ) : keys.error ? (
        <ErrorState error={keys.error} retry={() => void keys.refetch()} />
      ) : (
        <Skeleton rows={2} />
      )}
      <Button className={styles.act} onClick={() => setOpen({ kind: 'create' })}>
        创建密钥
      </Button>
      {open?.kind === 'create' && (
        // The dialog closes itself first; the key is shown afterwards.
        <ApiKeyDialog onKey={(key) => setTimeout(() => setOpen({ kind: 'key', key }))} onClose={close} />
      )}
      {open?.kind === 'key' && (
        <SecretDialog
          title="接口密钥"
          kind="密钥"
          done="我已保存"
          secret={open.key}
          note="请现在复制并保存到您的系统，关闭后不再显示。不要发给别人，也不要放在网页里。"
          onClose={close}
        />
      )}
      {open?.kind === 'revoke' && <RevokeDialog apiKey={open.apiKey} onClose={close} />}
    </section>
  )
}

function ApiKeyItem({ apiKey, onRevoke }: { apiKey: ApiKey; onRevoke: () => void }) {
  const { name, hint, scopes, addresses, status, created_by, created_at, expires_at, last_used_at } = apiKey
  return (
    <li>
      <div className={styles.what}>
        <strong>
          {name}（xh_live_…{hint}）
        </strong>
        <span>{scopes.map((scope) => apiKeyScopeLabels[scope]).join('、')}</span>
        <span>
          <StatusDot {...apiKeyStatusLabels[status]} /> {created_by} {formatDate(created_at)} 创建，{formatDate(expires_at)}{' '}
          到期，
          {last_used_at ? `${formatDateTime(last_used_at)} 用过` : '还没有用过'}
        </span>
        {addresses.length > 0 && <span>只允许 {addresses.join('、')}</span>}
      </div>
      {(status === 'active' || status === 'creator_left') && (
        <div className={styles.acts}>
          <Button danger type="text" aria-label={`停用：${name}`} onClick={onRevoke}>
            停用
          </Button>
        </div>
      )}
    </li>
  )
}

function RevokeDialog({ apiKey, onClose }: { apiKey: ApiKey; onClose: () => void }) {
  const revoke = useCallMutation(revokeApiKey, {
    onSuccess: () => {
      toast.success('已停用密钥')
      onClose()
    },
  })
  return (
    <ConfirmDialog
      open
      danger
      title="停用接口密钥？"
      action="停用密钥"
      busy={revoke.isPending}
      onConfirm={() => revoke.mutate({ key_id: apiKey.key_id })}
      onClose={onClose}
    >
      <p>使用「{apiKey.name}」的系统马上不能再调用接口，停用后不能恢复；需要时请创建新密钥。已发送的工资条不受影响。</p>
    </ConfirmDialog>
  )
}
