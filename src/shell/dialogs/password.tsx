import { Form, Input } from 'antd'
import { setEarlyPassword, updatePassword } from '../../../server/contract/account/account.ts'
import { useCall } from '../../api.ts'
import { leaveIn } from '../../parts/account/leave.ts'
import { earlyProblem, messages, redirectSeconds, resetProblem } from '../../parts/account/messages.ts'
import { NewPasswordFields, nothingTyped } from '../../parts/account/new-password.tsx'
import { wrong } from '../../parts/account/wrong.ts'
import { FormDialog } from '../../ui/over/dialogs.tsx'
import { toast } from '../../ui/over/toast.ts'

type First = { password: string; confirm_password: string }
type Change = First & { old_password: string }

/** 修改密码. How long a password must be is the server's to say; here it is a hint (spec §5). */
export function PasswordDialog({ open, onClose }: { open: boolean; onClose: () => void }) {
  const change = useCall(updatePassword, {
    unchecked: true,
    handles: (error) => error.field !== undefined,
    onSuccess: () => {
      toast.done(messages.reset.done)
      leaveIn(redirectSeconds)
    },
  })
  const submit = async (typed: Change) => {
    const problem = resetProblem(typed)
    if (problem) throw wrong(problem)
    await change.mutateAsync(typed)
  }
  return (
    <FormDialog<Change>
      open={open}
      title="修改密码"
      action="修改密码"
      initial={{ old_password: '', ...nothingTyped }}
      onSubmit={submit}
      onClose={onClose}
    >
      <Form.Item name="old_password" label="原密码">
        <Input.Password autoComplete="current-password" autoFocus maxLength={64} />
      </Form.Item>
      <NewPasswordFields label="新密码" />
      <p className="ui-hint">修改后，您在其他设备上的登录会失效，并需要用新密码重新登录。</p>
    </FormDialog>
  )
}

/** The first password, while pass_status is 10: opens by itself. */
export function EarlyPasswordDialog({ open, onClose }: { open: boolean; onClose: () => void }) {
  const set = useCall(setEarlyPassword, {
    unchecked: true,
    handles: (error) => error.field !== undefined,
    onSuccess: () => toast.done(messages.early.done),
  })
  const submit = async (typed: First) => {
    const problem = earlyProblem(typed)
    if (problem) throw wrong(problem)
    await set.mutateAsync(typed)
  }
  return (
    <FormDialog<First>
      open={open}
      title="设置登录密码"
      action="设置密码"
      initial={nothingTyped}
      onSubmit={submit}
      onClose={onClose}
    >
      <NewPasswordFields label="登录密码" autoFocus />
    </FormDialog>
  )
}
