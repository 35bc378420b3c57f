import { signInByLink } from '../../../../server/contract/auth/sign-in.ts'
import { sendRequest } from '../../../api-core.ts'
import { FormErrorText, LightField, LightForm, SubmitButton } from '../../../components/form/light-form.tsx'
import { useLightForm } from '../../../components/form/use-light-form.ts'
import { accountFields } from '../account/account-fields.ts'
import { type NewPasswordForm, passwordHint, validateNewPassword } from '../account/messages.ts'
import styles from './sign-in.module.css'
import { clearHashStep, type SignInState, toSignInError } from './sign-in.ts'
import type { FormError } from './types.ts'

/** The first administrator of a new company opens the link from an operator, sets a password and is signed in. */
export function FirstPasswordForm({ signIn, token }: { signIn: SignInState; token: string }) {
  const {
    field,
    submitValues,
    busy,
    error: formError,
  } = useLightForm<NewPasswordForm, FormError>(
    { password: '', confirm_password: '' },
    {
      validate: validateNewPassword,
      submit: async (values) => {
        const result = await sendRequest(signInByLink, { ...values, token })
        // The address no longer contains the used link.
        clearHashStep()
        signIn.handleResult(result)
      },
      toFieldError: async (failure) => {
        const { field: name, ...error } = await toSignInError(failure)
        return { ...error, field: name === 'code' ? 'form' : name }
      },
    },
  )
  const error = signIn.forbidden ? { field: 'form', text: signIn.forbidden } : (formError ?? signIn.formError)
  return (
    <LightForm error={error} onSubmit={() => !signIn.forbidden && submitValues()}>
      <p className={styles.text}>您是这家企业的第一位管理员。设置密码后立即登录；以后用手机号和这个密码登录。</p>
      <LightField
        {...accountFields.newPassword}
        label="登录密码"
        {...field('password')}
        error={error}
        help={passwordHint}
        autoFocus
      />
      <LightField {...accountFields.confirmPassword} label="确认登录密码" {...field('confirm_password')} error={error} />
      <FormErrorText error={error} fields={['password', 'confirm_password']} />
      <SubmitButton busy={busy || signIn.busy} text="设置密码并登录" busyText="正在登录…" />
    </LightForm>
  )
}
