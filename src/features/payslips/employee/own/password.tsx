import { setEarlyPassword, updatePassword } from '../../../../../server/contract/auth/sign-in.ts'
import { ApiError, useCallMutation } from '../../../../api.ts'
import { LightField, LightForm, SubmitButton } from '../../../../components/form/light-form.tsx'
import { PasswordStrengthMeter } from '../../../../components/form/password-strength.tsx'
import { toErrorAtField, useLightForm } from '../../../../components/form/use-light-form.ts'
import { toast } from '../../../../components/overlay/toast.ts'
import { accountFields } from '../../../auth/account/account-fields.ts'
import { changeMessages, validateEarlyPassword, validatePasswordChange } from '../../../auth/account/change-messages.ts'
import { passwordHint, redirectSeconds } from '../../../auth/account/messages.ts'
import { signOutAfter } from '../../../auth/account/sign-out.ts'
import { BottomSheet } from '../bottom-sheet.tsx'
import styles from '../m.module.css'

const emptyFields = { old_password: '', password: '', confirm_password: '' }
/** The desktop dialogs show the same messages (spec §5); the server decides how long a password must be. */
const options = { skipValidation: true, handles: () => true }

/** Changes the password (修改密码), or sets the first one if there is none. */
export function PasswordSheet({ first: isFirstPassword, onClose }: { first: boolean; onClose: () => void }) {
  const change = useCallMutation(updatePassword, options)
  const setPassword = useCallMutation(setEarlyPassword, options)
  const { values, busy, form, field } = useLightForm(emptyFields, {
    validate: (fields) => (isFirstPassword ? validateEarlyPassword(fields) : validatePasswordChange(fields)),
    submit: async ({ old_password, ...newPassword }) => {
      if (isFirstPassword) await setPassword.mutateAsync(newPassword)
      else await change.mutateAsync({ old_password, ...newPassword })
      toast.success(isFirstPassword ? changeMessages.earlyPassword.done : changeMessages.passwordChange.done)
      if (!isFirstPassword) signOutAfter(redirectSeconds)
      onClose()
    },
    toFieldError: toPasswordError,
  })
  const label = isFirstPassword ? '登录密码' : '新密码'
  return (
    <BottomSheet open title={isFirstPassword ? '设置登录密码' : '修改密码'} onClose={onClose}>
      <LightForm {...form}>
        <div>
          {!isFirstPassword && <LightField {...accountFields.oldPassword} {...field('old_password')} />}
          <LightField {...accountFields.newPassword} label={label} {...field('password')} />
          <PasswordStrengthMeter password={values.password} hint={passwordHint} />
          <LightField {...accountFields.confirmPassword} label={`确认${label}`} {...field('confirm_password')} />
        </div>
        {!isFirstPassword && <p className="ui-hint">修改后，您在其他设备上的登录会失效，并需要用新密码重新登录。</p>}
        <div className={styles.sheetActions}>
          <button type="button" className={`ui-button ${styles.button}`} onClick={onClose}>
            取消
          </button>
          <SubmitButton busy={busy} text={isFirstPassword ? '设置密码' : '修改密码'} />
        </div>
      </LightForm>
    </BottomSheet>
  )
}

/** Maps an error to its field; errors without a field, and network errors, go below the last field. */
function toPasswordError(error: unknown) {
  const errorField = error instanceof ApiError ? error.field : undefined
  return toErrorAtField(errorField === 'old_password' || errorField === 'password' ? errorField : 'confirm_password', error)
}
