import { lazy, Suspense } from 'react'
import { FormErrorText, LightField, LightForm, SubmitButton } from '../../../components/form/light-form.tsx'
import { LightCodeField } from '../../../components/form/sms-code.tsx'
import { useLightForm } from '../../../components/form/use-light-form.ts'
import { accountFields } from '../account/account-fields.ts'
import { passwordHint, type Registration, validateRegistration } from '../account/messages.ts'
import type { PublicInfo } from './calls.ts'
import { CodeSentNote } from './form.tsx'
import styles from './sign-in.module.css'
import { codeNotSentError, loadSignInSteps, type SignInState, toSignInError, useSignInCode } from './sign-in.ts'
import type { FormError } from './types.ts'

/** Users who only sign in never load it. */
const PasswordStrength = lazy(async () => ({
  default: (await import('../../../components/form/password-strength.tsx')).PasswordStrengthMeter,
}))

const emptyFields: Registration = { corp_name: '', user_name: '', phone: '', code: '', password: '' }
const fieldNames = Object.keys(emptyFields)

/** Registers a company: the registering user becomes its system manager and tries the advanced edition for thirty days. */
export function RegisterForm({ signIn, info }: { signIn: SignInState; info: PublicInfo | null }) {
  const registration = useLightForm<Registration, FormError>(
    { ...emptyFields, phone: signIn.fields.phone },
    {
      validate: (values) => validateRegistration(values) ?? (getChallenge(values.phone) ? null : codeNotSentError),
      submit: async (values) => {
        const calls = await loadSignInSteps()
        signIn.handleResult(await calls.registerCompany({ ...values, sms: getChallenge(values.phone) }))
      },
      toFieldError: toSignInError,
    },
  )
  const { values: fields, busy } = registration
  const { sendCode, getChallenge, needsTwoCodes } = useSignInCode('register', registration.setError)
  const error = signIn.forbidden ? { field: 'form', text: signIn.forbidden } : (registration.error ?? signIn.formError)
  const field = (name: keyof Registration) => ({ ...registration.field(name), error })
  const isPair = needsTwoCodes(fields.phone)
  return (
    <LightForm error={error} onSubmit={() => !signIn.forbidden && registration.submitValues()}>
      <p className={styles.text}>高级版免费试用 30 天，到期自动转为免费版。您将是企业的系统管理员。</p>
      <div>
        <LightField
          label="企业名称"
          autoComplete="organization"
          maxLength={50}
          {...field('corp_name')}
          help="与营业执照一致，将显示在工资条上"
          autoFocus
        />
        <LightField {...accountFields.userName} {...field('user_name')} />
        <LightField {...accountFields.phone} {...field('phone')} />
        <LightCodeField
          {...(isPair ? accountFields.twoCodes : accountFields.code)}
          {...field('code')}
          help={getChallenge(fields.phone) && <CodeSentNote phone={fields.phone} needsTwoCodes={isPair} info={info} anybody />}
          onSend={() => sendCode(fields.phone)}
        />
        <LightField
          {...accountFields.newPassword}
          label="登录密码"
          {...field('password')}
          help="这个手机号已有薪函账号时，请输入原来的密码"
        />
        <Suspense fallback={null}>
          <PasswordStrength password={fields.password} about={[fields.phone, fields.corp_name]} hint={passwordHint} />
        </Suspense>
      </div>
      <FormErrorText error={error} fields={fieldNames} />
      <SubmitButton busy={busy} text="注册并开始试用" busyText="正在注册…" />
    </LightForm>
  )
}

/** Whom to ask where companies are created by the operator only. */
const RegistrationClosed = ({ info: { service_phone, service_hours } }: { info: PublicInfo }) => (
  <>
    <p className={styles.text}>这里不开放自行注册企业。</p>
    <p className={styles.text}>
      您的企业已在使用：请企业管理员邀请您加入。要开通新企业：请联系这套系统的运维人员
      {service_phone && `，电话 ${service_phone}（${service_hours}）`}。
    </p>
  </>
)

/** The form, or whom to ask instead. */
export const RegisterStep = ({ signIn, info }: { signIn: SignInState; info: PublicInfo | null }) =>
  info?.registration_open === false ? <RegistrationClosed info={info} /> : <RegisterForm signIn={signIn} info={info} />
