import { Form, Input } from 'antd'
import { useRef, useState } from 'react'
import type { AskOf } from '../../../../server/contract/call.ts'
import { bindPlatform } from '../../../../server/contract/people/binding.ts'
import { providerNames } from '../../../../server/contract/people/providers.ts'
import type { ChatPlatform } from '../../../../server/contract/words/words.ts'
import { useCall } from '../../../api.ts'
import { ConfirmDialog, FormDialog } from '../../../ui/over/dialogs.tsx'
import { toast } from '../../../ui/over/toast.ts'
import styles from '../../member/member.module.css'
import { callbackWords, fieldWords } from './words.ts'

type Values = Omit<AskOf<typeof bindPlatform>, 'provider' | 'mode'>
export type KeptApp = { readonly corp_id: string; readonly app_id: string; readonly agent_id: string }

/** What the console shows, tried as soon as it is sent. `kept`: what is bound; its secret is replaced only where one is typed. */
export function BindDialog(props: { provider: ChatPlatform; kept?: KeptApp; onDone: () => void; onClose: () => void }) {
  const { provider, kept, onDone, onClose } = props
  const bind = useCall(bindPlatform, { handles: (error) => error.field !== undefined })
  const words = fieldWords[provider]
  const callback = callbackWords[provider]
  const needed = (name: string) => ({ required: true, whitespace: true, message: `请填写 ${name}` })
  const [proof, setProof] = useState<string>()
  // A form that was taken closes its dialog; this one has another behind it.
  const goesOn = useRef(false)
  const submit = async (values: Values) => {
    // What was left empty stays as it is.
    const { corp_id, app_id, agent_id, secret, token, aes_key } = values
    const said = <T extends object>(value: string | undefined, field: T) => (value ? field : {})
    const { problems, prove } = await bind.mutateAsync({
      provider,
      corp_id,
      ...said(app_id, { app_id }),
      ...said(agent_id, { agent_id }),
      ...said(secret, { secret }),
      ...said(token, { token }),
      ...said(aes_key, { aes_key }),
    })
    goesOn.current = prove !== null
    if (prove) return setProof(prove)
    const missing = problems.length > 0 ? `，还有 ${problems.length} 项权限可以补充` : ''
    toast.done(kept ? `已检测通过并保存${missing}` : `绑定成功，正在读取通讯录${missing}`)
    onDone()
  }
  const name = providerNames[provider]
  if (proof) return <ProveDialog name={name} url={proof} onClose={onClose} />
  return (
    <FormDialog<Values>
      open
      title={kept ? `修改${name}应用` : `绑定${name}`}
      action={kept ? '检测并保存' : '检测并绑定'}
      initial={kept ? { corp_id: kept.corp_id, app_id: kept.app_id, agent_id: kept.agent_id } : {}}
      onSubmit={submit}
      onClose={() => goesOn.current || onClose()}
    >
      <p className="ui-hint">保存前会立即用它们访问一次平台。密钥加密保存，之后不再显示。</p>
      <Form.Item
        name="corp_id"
        label={words.corp_id}
        rules={[needed(words.corp_id)]}
        {...(kept || !words.corp_id_hint ? {} : { extra: words.corp_id_hint })}
      >
        <Input maxLength={128} autoComplete="off" disabled={kept !== undefined} />
      </Form.Item>
      {words.app_id && (
        <Form.Item name="app_id" label={words.app_id} rules={[needed(words.app_id)]}>
          <Input maxLength={128} autoComplete="off" />
        </Form.Item>
      )}
      {words.agent_id && (
        <Form.Item name="agent_id" label={words.agent_id} rules={[needed(words.agent_id)]}>
          <Input maxLength={128} autoComplete="off" inputMode="numeric" />
        </Form.Item>
      )}
      <Form.Item
        name="secret"
        label={words.secret}
        rules={kept ? [] : [needed(words.secret)]}
        {...(kept ? { extra: '不填则不更换' } : {})}
      >
        <Input.Password maxLength={200} autoComplete="new-password" />
      </Form.Item>
      {kept && (
        <div className={styles.pair}>
          <Form.Item name="token" label={callback.token} extra="事件回调用；不填则不更换">
            <Input.Password maxLength={64} autoComplete="new-password" />
          </Form.Item>
          <Form.Item name="aes_key" label={callback.aes_key}>
            <Input.Password maxLength={128} autoComplete="new-password" />
          </Form.Item>
        </div>
      )}
    </FormDialog>
  )
}

/** Somebody else has typed this company's key and cannot prove it. */
function ProveDialog({ name, url, onClose }: { name: string; url: string; onClose: () => void }) {
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
