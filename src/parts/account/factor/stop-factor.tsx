import { Form, Input } from 'antd'
import { stopTotp } from '../../../../server/contract/account/profile.ts'
import type { AskOf } from '../../../../server/contract/call.ts'
import { ApiError, useCall } from '../../../api.ts'
import { FormDialog } from '../../../ui/over/dialogs.tsx'
import { toast } from '../../../ui/over/toast.ts'
import { messages } from '../messages.ts'
import { isTold, toField, wrong } from '../wrong.ts'

type Stop = AskOf<typeof stopTotp>

/** Turning the second factor off: what it protects asks for both halves once more. */
export function StopFactorDialog({ open, onClose }: { open: boolean; onClose: () => void }) {
  const stop = useCall(stopTotp, {
    handles: (error) => error.field !== undefined || isTold(error),
    onSuccess: () => toast.done('两步验证已关闭'),
  })
  const submit = async (typed: Stop) => {
    if (typed.password === '') throw wrong({ field: 'password', text: messages.signIn.password })
    if (typed.code.trim() === '') throw wrong({ field: 'code', text: '请输入动态码或恢复码' })
    const asked = stop.mutateAsync({ ...typed, code: typed.code.trim().toLowerCase() })
    await asked.catch((error) =>
      toField(error instanceof ApiError && error.is('wrong_password') ? 'password' : 'code', Promise.reject(error)),
    )
  }
  return (
    <FormDialog<Stop>
      open={open}
      title="关闭两步验证"
      action="关闭两步验证"
      initial={{ password: '', code: '' }}
      onSubmit={submit}
      onClose={onClose}
    >
      <Form.Item name="password" label="登录密码">
        <Input.Password autoComplete="current-password" autoFocus maxLength={64} />
      </Form.Item>
      <Form.Item name="code" label="动态码或恢复码" extra="验证器 App 上的 6 位动态码，或一个没用过的恢复码">
        <Input autoComplete="one-time-code" maxLength={20} />
      </Form.Item>
    </FormDialog>
  )
}
