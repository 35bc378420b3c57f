import { setEarlyPassword, updatePassword } from '../../../server/contract/auth/sign-in.ts'
import { useCallMutation } from '../../api.ts'
import { FormField } from '../../components/form/desktop-field.tsx'
import { FormDialog } from '../../components/overlay/dialogs.tsx'
import { toast } from '../../components/overlay/toast.ts'
import { accountFields } from '../../features/auth/account/account-fields.ts'
import { changeMessages, validateEarlyPassword, validatePasswordChange } from '../../features/auth/account/change-messages.ts'
import { createFieldError } from '../../features/auth/account/field-errors.ts'
import { redirectSeconds } from '../../features/auth/account/messages.ts'
import { emptyPasswords, NewPasswordFields } from '../../features/auth/account/new-password.tsx'
import { signOutAfter } from '../../features/auth/account/sign-out.ts'

type EarlyPasswordForm = { password: string; confirm_password: string }
type PasswordChangeForm = EarlyPasswordForm & { old_password: string }

/** Change password (修改密码). The server decides the required length; here it is a hint (spec §5). */
export function PasswordDialog({ open, onClose }: { open: boolean; onClose: () => void }) {
  const change = useCallMutation(updatePassword, {
    skipValidation: true,
    handles: (error) => error.field !== undefined,
    onSuccess: () => {
      toast.success(changeMessages.passwordChange.done)
      signOutAfter(redirectSeconds)
    },
  })
  const submit = async (values: PasswordChangeForm) => {
    const fieldError = validatePasswordChange(values)
    if (fieldError) throw createFieldError(fieldError)
    await change.mutateAsync(values)
  }
  return (
    <FormDialog<PasswordChangeForm>
      open={open}
      title="修改密码"
      action="修改密码"
      initial={{ old_password: '', ...emptyPasswords }}
      onSubmit={submit}
      onClose={onClose}
    >
      <FormField name="old_password" {...accountFields.oldPassword} autoFocus />
      <NewPasswordFields label="新密码" />
      <p className="ui-hint">修改后，您在其他设备上的登录会失效，并需要用新密码重新登录。</p>
    </FormDialog>
  )
}

/** The first password, while pass_status is 10: opens by itself. */
export function EarlyPasswordDialog({ open, onClose }: { open: boolean; onClose: () => void }) {
  const set = useCallMutation(setEarlyPassword, {
    skipValidation: true,
    handles: (error) => error.field !== undefined,
    onSuccess: () => toast.success(changeMessages.earlyPassword.done),
  })
  const submit = async (values: EarlyPasswordForm) => {
    const fieldError = validateEarlyPassword(values)
    if (fieldError) throw createFieldError(fieldError)
    await set.mutateAsync(values)
  }
  return (
    <FormDialog<EarlyPasswordForm>
      open={open}
      title="设置登录密码"
      action="设置密码"
      initial={emptyPasswords}
      onSubmit={submit}
      onClose={onClose}
    >
      <NewPasswordFields label="登录密码" autoFocus />
    </FormDialog>
  )
}
