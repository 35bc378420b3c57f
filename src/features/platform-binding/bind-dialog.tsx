import { Form, Input } from 'antd'
import { useRef, useState } from 'react'
import type { CallRequest } from '../../../server/contract/call.ts'
import { bindPlatform } from '../../../server/contract/platform-binding/binding.ts'
import { providerLabels } from '../../../server/contract/shared/providers.ts'
import type { ChatProvider } from '../../../server/contract/shared/schemas.ts'
import { useCallMutation } from '../../api.ts'
import { ConfirmDialog, FormDialog } from '../../components/overlay/dialogs.tsx'
import { toast } from '../../components/overlay/toast.ts'
import styles from '../directory/member.module.css'
import { bindFieldLabels, callbackFieldLabels } from './labels.ts'

type BindForm = Omit<CallRequest<typeof bindPlatform>, 'provider' | 'mode'>
export type BoundApp = { readonly corp_id: string; readonly app_id: string; readonly agent_id: string }

/**
 * Binds an application with the values from the platform's console, which are tested on submission. `boundApp`: the
 * current binding; its secret is replaced only if a new one is typed.
 */
export function BindDialog(props: { provider: ChatProvider; stored?: BoundApp; onDone: () => void; onClose: () => void }) {
  const { provider, stored: boundApp, onDone, onClose } = props
  const bind = useCallMutation(bindPlatform, { handles: (error) => error.field !== undefined })
  const labels = bindFieldLabels[provider]
  const callbackLabels = callbackFieldLabels[provider]
  const createRequiredRule = (name: string) => ({ required: true, whitespace: true, message: `请填写 ${name}` })
  const [proofUrl, setProofUrl] = useState<string>()
  // A successful form closes its dialog; this one is followed by another dialog.
  const needsProof = useRef(false)
  const submit = async (values: BindForm) => {
    // Empty fields keep their stored values.
    const { corp_id, app_id, agent_id, secret, token, aes_key } = values
    const includeIfSet = <T extends object>(value: string | undefined, field: T) => (value ? field : {})
    const { issues, proof_url: newProofUrl } = await bind.mutateAsync({
      provider,
      corp_id,
      ...includeIfSet(app_id, { app_id }),
      ...includeIfSet(agent_id, { agent_id }),
      ...includeIfSet(secret, { secret }),
      ...includeIfSet(token, { token }),
      ...includeIfSet(aes_key, { aes_key }),
    })
    needsProof.current = newProofUrl !== null
    if (newProofUrl) return setProofUrl(newProofUrl)
    const missing = issues.length > 0 ? `，还有 ${issues.length} 项权限可以补充` : ''
    toast.success(boundApp ? `已检测通过并保存${missing}` : `绑定成功，正在读取通讯录${missing}`)
    onDone()
  }
  const name = providerLabels[provider]
  if (proofUrl) return <ProveOwnershipDialog name={name} url={proofUrl} onClose={onClose} />
  return (
    <FormDialog<BindForm>
      open
      title={boundApp ? `修改${name}应用` : `绑定${name}`}
      action={boundApp ? '检测并保存' : '检测并绑定'}
      initial={boundApp ? { corp_id: boundApp.corp_id, app_id: boundApp.app_id, agent_id: boundApp.agent_id } : {}}
      onSubmit={submit}
      onClose={() => needsProof.current || onClose()}
    >
      <p className="ui-hint">保存前会立即用它们访问一次平台。密钥加密保存，之后不再显示。</p>
      <Form.Item
        name="corp_id"
        label={labels.corp_id}
        rules={[createRequiredRule(labels.corp_id)]}
        {...(boundApp || !labels.corp_id_hint ? {} : { extra: labels.corp_id_hint })}
      >
        <Input maxLength={128} autoComplete="off" disabled={boundApp !== undefined} />
      </Form.Item>
      {labels.app_id && (
        <Form.Item name="app_id" label={labels.app_id} rules={[createRequiredRule(labels.app_id)]}>
          <Input maxLength={128} autoComplete="off" />
        </Form.Item>
      )}
      {labels.agent_id && (
        <Form.Item name="agent_id" label={labels.agent_id} rules={[createRequiredRule(labels.agent_id)]}>
          <Input maxLength={128} autoComplete="off" inputMode="numeric" />
        </Form.Item>
      )}
      <Form.Item
        name="secret"
        label={labels.secret}
        rules={boundApp ? [] : [createRequiredRule(labels.secret)]}
        {...(boundApp ? { extra: '不填则不更换' } : {})}
      >
        <Input.Password maxLength={200} autoComplete="new-password" />
      </Form.Item>
      {boundApp && (
        <div className={styles.pair}>
          <Form.Item name="token" label={callbackLabels.token} extra="事件回调用；不填则不更换">
            <Input.Password maxLength={64} autoComplete="new-password" />
          </Form.Item>
          <Form.Item name="aes_key" label={callbackLabels.aes_key}>
            <Input.Password maxLength={128} autoComplete="new-password" />
          </Form.Item>
        </div>
      )}
    </FormDialog>
  )
}

/** Another company has already entered this company's key, without a proof of ownership. */
function ProveOwnershipDialog({ name, url, onClose }: { name: string; url: string; onClose: () => void }) {
  return (
    <ConfirmDialog
      open
      title="这个企业标识已被另一家公司占用"
      action={`去${name}登录证实`}
      onConfirm={() => location.assign(url)}
      onClose={onClose}
    >
      <div className="ui-stack">
        <p>{`对方没有证实过它是自己的。请贵公司任何一位成员用${name}登录一次，证实后立即绑定到本公司，对方的绑定随即结束。`}</p>
        <p className="ui-hint">{`先在开放平台把 ${location.origin}/companyThird 也加入应用的重定向 URL。20 分钟内有效。`}</p>
      </div>
    </ConfirmDialog>
  )
}
