import { Form, Input } from 'antd'
import type { AskOf } from '../../../../server/contract/call.ts'
import { bindPlatform } from '../../../../server/contract/people/binding.ts'
import { providerNames } from '../../../../server/contract/people/providers.ts'
import type { ChatPlatform } from '../../../../server/contract/words.ts'
import { useCall } from '../../../api.ts'
import { FormDialog } from '../../../ui/dialogs.tsx'
import { toast } from '../../../ui/toast.ts'
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
  const submit = async (values: Values) => {
    // What was left empty stays as it is.
    const { corp_id, app_id, agent_id, secret, token, aes_key } = values
    const said = <T extends object>(value: string | undefined, field: T) => (value ? field : {})
    const { problems } = await bind.mutateAsync({
      provider,
      corp_id,
      ...said(app_id, { app_id }),
      ...said(agent_id, { agent_id }),
      ...said(secret, { secret }),
      ...said(token, { token }),
      ...said(aes_key, { aes_key }),
    })
    const missing = problems.length > 0 ? `，还有 ${problems.length} 项权限可以补充` : ''
    toast.done(kept ? `已检测通过并保存${missing}` : `绑定成功，正在读取通讯录${missing}`)
    onDone()
  }
  return (
    <FormDialog<Values>
      open
      title={kept ? `修改${providerNames[provider]}应用` : `绑定${providerNames[provider]}`}
      action={kept ? '检测并保存' : '检测并绑定'}
      initial={kept ? { corp_id: kept.corp_id, app_id: kept.app_id, agent_id: kept.agent_id } : {}}
      onSubmit={submit}
      onClose={onClose}
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
