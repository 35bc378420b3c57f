import { stopTotp } from '../../../../../server/contract/auth/profile.ts'
import type { CallRequest } from '../../../../../server/contract/call.ts'
import { ApiError, useCallMutation } from '../../../../api.ts'
import { FormField } from '../../../../components/form/desktop-field.tsx'
import { FormDialog } from '../../../../components/overlay/dialogs.tsx'
import { toast } from '../../../../components/overlay/toast.ts'
import { accountFields } from '../account-fields.ts'
import { assignErrorToField, createFieldError, isFieldLevelError } from '../field-errors.ts'
import { accountMessages } from '../messages.ts'

type DisableTwoFactorForm = CallRequest<typeof stopTotp>

/** Disables two-factor authentication: requires the password and a code once more. */
export function DisableTwoFactorDialog({ open, onClose }: { open: boolean; onClose: () => void }) {
  const stop = useCallMutation(stopTotp, {
    handles: (error) => error.field !== undefined || isFieldLevelError(error),
    onSuccess: () => toast.success('两步验证已关闭'),
  })
  const submit = async (values: DisableTwoFactorForm) => {
    if (values.password === '') throw createFieldError({ field: 'password', text: accountMessages.signIn.password })
    if (values.code.trim() === '') throw createFieldError({ field: 'code', text: '请输入动态码或恢复码' })
    const request = stop.mutateAsync({ ...values, code: values.code.trim().toLowerCase() })
    await request.catch((error) =>
      assignErrorToField(error instanceof ApiError && error.is('wrong_password') ? 'password' : 'code', Promise.reject(error)),
    )
  }
  return (
    <FormDialog<DisableTwoFactorForm>
      open={open}
      title="关闭两步验证"
      action="关闭两步验证"
      initial={{ password: '', code: '' }}
      onSubmit={submit}
      onClose={onClose}
    >
      <FormField name="password" {...accountFields.password} autoFocus />
      <FormField
        name="code"
        label="动态码或恢复码"
        help="验证器 App 上的 6 位动态码，或一个没用过的恢复码"
        autoComplete="one-time-code"
        maxLength={20}
      />
    </FormDialog>
  )
}
