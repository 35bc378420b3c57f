import { type FormEvent, useState } from 'react'
import { setEarlyPassword, updatePassword } from '../../../server/contract/account.ts'
import { ApiError, useCall } from '../../api.ts'
import { PasswordStrength } from '../../ui/password-strength.tsx'
import { toast } from '../../ui/toast.ts'
import { passwordHint } from '../account/messages.ts'
import { errorOf, Field } from './field.tsx'
import { Sheet } from './sheet.tsx'

const handles = () => true
const empty = { old_password: '', password: '', confirm_password: '' }

/** 修改密码, or the first one while there is none. */
export function PasswordSheet({ first, onClose }: { first: boolean; onClose: () => void }) {
  const [typed, setTyped] = useState(empty)
  const [differ, setDiffer] = useState(false)
  const onSuccess = () => {
    toast.done(first ? '设置成功！' : '密码修改成功！')
    onClose()
  }
  const change = useCall(updatePassword, { handles, onSuccess })
  const set = useCall(setEarlyPassword, { handles, onSuccess })
  const { error, isPending } = first ? set : change
  const { old_password, password, confirm_password } = typed
  const submit = (event: FormEvent) => {
    event.preventDefault()
    setDiffer(password !== confirm_password)
    if (password !== confirm_password) return
    if (first) set.mutate({ password, confirm_password })
    else change.mutate({ old_password, password, confirm_password })
  }
  const field = (name: keyof typeof empty, label: string, autoComplete: string) => ({
    label,
    type: 'password',
    autoComplete,
    maxLength: 64,
    value: typed[name],
    onChange: (event: { target: { value: string } }) => setTyped({ ...typed, [name]: event.target.value }),
  })
  const lost = error && !(error instanceof ApiError) ? error.message : undefined
  return (
    <Sheet open title={first ? '设置登录密码' : '修改密码'} onClose={onClose}>
      <form onSubmit={submit} noValidate>
        {!first && (
          <Field {...field('old_password', '原密码', 'current-password')} error={errorOf(error, 'old_password', true)} />
        )}
        <Field {...field('password', '新密码', 'new-password')} error={errorOf(error, 'password', first)} />
        <PasswordStrength password={password} hint={passwordHint} />
        <Field
          {...field('confirm_password', '确认新密码', 'new-password')}
          error={differ ? '两次输入的新密码不一致，请重新输入' : (errorOf(error, 'confirm_password') ?? lost)}
        />
        {!first && <p className="ui-hint">修改后，其他设备上的登录会失效。</p>}
        <div className="sheet-actions">
          <button type="button" className="ui-button m-button" onClick={onClose}>
            取消
          </button>
          <button type="submit" className="ui-button m-button m-primary" disabled={isPending}>
            {first ? '设置密码' : '修改密码'}
          </button>
        </div>
      </form>
    </Sheet>
  )
}
