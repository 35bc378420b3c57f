import { setEarlyPassword, updatePassword } from '../../../../../server/contract/auth/sign-in.ts'
import { ApiError, useCallMutation } from '../../../../api.ts'
import { PasswordStrengthMeter } from '../../../../components/form/password-strength.tsx'
import { toast } from '../../../../components/overlay/toast.ts'
import {
  accountMessages,
  passwordHint,
  redirectSeconds,
  validateEarlyPassword,
  validatePasswordChange,
} from '../../../auth/account/messages.ts'
import { signOutAfter } from '../../../auth/account/sign-out.ts'
import { BottomSheet } from '../bottom-sheet.tsx'
import { FormField, toErrorAtField, useMobileForm } from '../form.tsx'
import styles from '../m.module.css'

const emptyFields = { old_password: '', password: '', confirm_password: '' }
/** The desktop dialogs show the same messages (spec §5); the server decides how long a password must be. */
const options = { skipValidation: true, handles: () => true }

/** Change password (修改密码), or set the first one if there is none. */
export function PasswordSheet({ first: isFirstPassword, onClose }: { first: boolean; onClose: () => void }) {
  const change = useCallMutation(updatePassword, options)
  const setPassword = useCallMutation(setEarlyPassword, options)
  const {
    typed: values,
    busy,
    form,
    field,
  } = useMobileForm(emptyFields, {
    validate: (fields) => (isFirstPassword ? validateEarlyPassword(fields) : validatePasswordChange(fields)),
    submit: async ({ old_password, ...newPassword }) => {
      if (isFirstPassword) await setPassword.mutateAsync(newPassword)
      else await change.mutateAsync({ old_password, ...newPassword })
      toast.success(isFirstPassword ? accountMessages.earlyPassword.done : accountMessages.passwordChange.done)
      if (!isFirstPassword) signOutAfter(redirectSeconds)
      onClose()
    },
    toFieldError: toPasswordError,
  })
  const label = isFirstPassword ? '登录密码' : '新密码'
  const inputProps = { type: 'password', maxLength: 64 }
  return (
    <BottomSheet open title={isFirstPassword ? '设置登录密码' : '修改密码'} onClose={onClose}>
      <form {...form}>
        {!isFirstPassword && (
          <FormField label="原密码" autoComplete="current-password" {...inputProps} {...field('old_password')} />
        )}
        <FormField label={label} autoComplete="new-password" {...inputProps} {...field('password')} />
        <PasswordStrengthMeter password={values.password} hint={passwordHint} />
        <FormField label={`确认${label}`} autoComplete="new-password" {...inputProps} {...field('confirm_password')} />
        {!isFirstPassword && <p className="ui-hint">修改后，您在其他设备上的登录会失效，并需要用新密码重新登录。</p>}
        <div className={styles.sheetActions}>
          <button type="button" className={`ui-button ${styles.button}`} onClick={onClose}>
            取消
          </button>
          <button type="submit" className={`ui-button ${styles.button} ${styles.primary}`} disabled={busy}>
            {isFirstPassword ? '设置密码' : '修改密码'}
          </button>
        </div>
      </form>
    </BottomSheet>
  )
}

/** Maps an error to its field; errors without a field, and network errors, go below the last field. */
function toPasswordError(error: unknown) {
  const errorField = error instanceof ApiError ? error.field : undefined
  return toErrorAtField(errorField === 'old_password' || errorField === 'password' ? errorField : 'confirm_password', error)
}
