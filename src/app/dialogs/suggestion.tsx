import { useQuery } from '@tanstack/react-query'
import { Form, Radio } from 'antd'
import { useState } from 'react'
import { getPublicInfo, sendSuggestion } from '../../../server/contract/auth/sign-in.ts'
import type { CallRequest } from '../../../server/contract/call.ts'
import { callQuery, useCallMutation } from '../../api.ts'
import { FormField } from '../../components/form/desktop-field.tsx'
import { Icon } from '../../components/icon.tsx'
import { FormDialog } from '../../components/overlay/dialogs.tsx'
import { toast } from '../../components/overlay/toast.ts'
import { changeMessages } from '../../features/auth/account/change-messages.ts'
import { useCurrentUser } from '../../session.ts'
import styles from '../desktop/shell.module.css'

type Suggestion = CallRequest<typeof sendSuggestion>
const kinds: { value: Suggestion['type']; label: string }[] = [
  { value: '1', label: '报表需求' },
  { value: '2', label: '功能需求' },
  { value: '3', label: '其他需求' },
]
const debounceMs = 200
const maxNameLength = 10

/** Suggestions (建议反馈). A click on the mask does not close it (spec §2). */
export function SuggestionDialog({ open, onClose }: { open: boolean; onClose: () => void }) {
  // Spec §4: after cancel or submit only the content is cleared; the rest is stored for the next time.
  const [savedValues, setSavedValues] = useState<Partial<Suggestion>>({ type: '1' })
  const user = useCurrentUser()
  const close = () => {
    setSavedValues((last) => ({ ...last, content: '' }))
    onClose()
  }
  const info = useQuery({ ...callQuery(getPublicInfo, {}), enabled: open, staleTime: Number.POSITIVE_INFINITY }).data
  const send = useCallMutation(sendSuggestion, { handles: (error) => error.field !== undefined })
  const submit = async (values: Suggestion) => {
    await new Promise((resolve) => setTimeout(resolve, debounceMs))
    await send.mutateAsync(values)
    toast.success(changeMessages.suggestion.done)
  }
  return (
    <FormDialog<Suggestion>
      open={open}
      title="建议反馈"
      action="提交"
      initial={{ contact_name: user?.user.user_name.slice(0, maxNameLength) ?? '', ...savedValues }}
      onValuesChange={setSavedValues}
      onSubmit={submit}
      onClose={close}
      maskCloses={false}
    >
      {info && (
        <div className={styles.suggestService}>
          <div>
            {info.service_phone && (
              <p>
                <Icon name="phone" size={16} />
                服务电话 <strong>{info.service_phone}</strong>
              </p>
            )}
            <p className="ui-hint">服务时间：{info.service_hours || '工作日 9:00-18:00'}</p>
          </div>
          {info.chat_qr && <img src={info.chat_qr} alt="在线客服二维码，请扫码联系" width={88} height={88} />}
        </div>
      )}
      <FormField name="contact_name" label="姓名" required maxLength={maxNameLength} autoComplete="name" />
      <FormField name="contact_tel" label="手机号" kind="tel" required maxLength={20} autoComplete="tel" />
      <Form.Item name="type" label="类型">
        <Radio.Group options={kinds} />
      </Form.Item>
      <FormField
        name="content"
        label="需求描述"
        kind="multiline"
        required
        maxLength={200}
        rows={4}
        showCount={{ formatter: ({ count, maxLength = 0 }) => `${count}/${maxLength}` }}
      />
    </FormDialog>
  )
}
