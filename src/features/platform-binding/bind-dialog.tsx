import { useRef, useState } from 'react'
import type { CallRequest } from '../../../server/contract/call.ts'
import { bindPlatform } from '../../../server/contract/platform-binding/binding.ts'
import { type ChatProvider, providerLabels } from '../../../server/contract/shared/providers.ts'
import { ApiError, useCallMutation } from '../../api.ts'
import { FormField } from '../../components/form/desktop-field.tsx'
import { ConfirmDialog, FormDialog } from '../../components/overlay/dialogs.tsx'
import { toast } from '../../components/overlay/toast.ts'
import styles from '../directory/member.module.css'
import { BindProblem } from './bind-problem.tsx'
import { DemoAppHint } from './demo-app.tsx'
import { useChatConsole } from './use-chat-console.ts'

type BindForm = Omit<CallRequest<typeof bindPlatform>, 'provider' | 'mode'>
export type BoundApp = { readonly corp_id: string; readonly app_id: string; readonly agent_id: string }

/**
 * Binds an application with the values from the platform's console, which are tested on submission. `boundApp`: the
 * current binding; its secret is replaced only if a new one is typed.
 */
export function BindDialog(props: { provider: ChatProvider; stored?: BoundApp; onDone: () => void; onClose: () => void }) {
  const { provider, stored: boundApp, onDone, onClose } = props
  // The dialog shows why the platform refuses: the user has to go elsewhere to correct it.
  const bind = useCallMutation(bindPlatform, {
    handles: (error) => error.field !== undefined || error.is('platform_refused') || error.is('wrong_state'),
  })
  const problem = bind.error instanceof ApiError && bind.error.field === undefined ? bind.error : undefined
  const chatConsole = useChatConsole(provider)
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
  // The page prefetches these texts.
  if (!chatConsole) return null
  const { fields: labels, callbackFields: callbackLabels } = chatConsole
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
      <p className="ui-hint">保存前会用这些信息连接一次平台。密钥加密保存，之后不再显示。</p>
      {!boundApp && <DemoAppHint provider={provider} labels={labels} />}
      {problem && <BindProblem error={problem} />}
      <FormField
        name="corp_id"
        label={labels.corp_id}
        required={`请填写 ${labels.corp_id}`}
        {...(boundApp || !labels.corp_id_hint ? {} : { help: labels.corp_id_hint })}
        maxLength={128}
        disabled={boundApp !== undefined}
      />
      {labels.app_id && <FormField name="app_id" label={labels.app_id} required={`请填写 ${labels.app_id}`} maxLength={128} />}
      {labels.agent_id && (
        <FormField name="agent_id" label={labels.agent_id} kind="digits" required={`请填写 ${labels.agent_id}`} maxLength={128} />
      )}
      <FormField
        name="secret"
        label={labels.secret}
        kind="password"
        required={boundApp ? undefined : `请填写 ${labels.secret}`}
        {...(boundApp ? { help: '不填则不更换' } : {})}
        maxLength={200}
        autoComplete="new-password"
      />
      {boundApp && (
        <div className={styles.pair}>
          <FormField
            name="token"
            label={callbackLabels.token}
            kind="password"
            help="事件回调用；不填则不更换"
            maxLength={64}
            autoComplete="new-password"
          />
          <FormField name="aes_key" label={callbackLabels.aes_key} kind="password" maxLength={128} autoComplete="new-password" />
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
