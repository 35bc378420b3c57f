import { type ReactNode, useState } from 'react'
import type { CallOutput } from '../../../server/contract/call.ts'
import { acceptInvite, type getInvite } from '../../../server/contract/invites/invite.ts'
import { ApiError, sendRequest, session } from '../../api-core.ts'
import { FormErrorText, LightField, LightForm, SubmitButton } from '../../components/form/light-form.tsx'
import { PasswordStrengthMeter } from '../../components/form/password-strength.tsx'
import { LightCodeField } from '../../components/form/sms-code.tsx'
import { type LightFieldState, useLightForm } from '../../components/form/use-light-form.ts'
import { EmptyState } from '../../components/state/empty-state.tsx'
import { accountFields } from '../auth/account/account-fields.ts'
import { passwordHint, validateNewPassword, validatePhoneAndCode } from '../auth/account/messages.ts'
import { CompanyList } from '../auth/sign-in/companies.tsx'
import { SecondFactorForm } from '../auth/sign-in/factor.tsx'
import { CodeSentNote } from '../auth/sign-in/form.tsx'
import { NextOwnerOption } from '../auth/sign-in/owner-fields.tsx'
import styles from '../auth/sign-in/sign-in.module.css'
import {
  codeNotSentError,
  loadSignInSteps,
  type SignInSteps,
  toSignInError,
  useSignIn,
  useSignInCode,
} from '../auth/sign-in/sign-in.ts'
import type { FormError } from '../auth/sign-in/types.ts'
import employeeStyles from '../payslips/employee/m.module.css'

type JoinFields = { phone: string; code: string; name: string; password: string; confirm_password: string }
const emptyFields: JoinFields = { phone: '', code: '', name: '', password: '', confirm_password: '' }
/**
 * `phone` verifies the phone, `holder` asks whose account it is, `password` only if there is none yet; the others are
 * final states.
 */
type JoinStep = 'phone' | 'holder' | 'password' | 'waiting' | 'joined' | 'in' | 'dead'

type Invite = CallOutput<typeof getInvite>

/** The current step of joining, the input, and the actions. */
function useJoinCompany(code: string, invite: Invite) {
  const { corp_name, phone_masked } = invite
  const [step, setStep] = useState<JoinStep>('phone')
  // The user has stated that the account of this phone belongs to someone else.
  const [isNextOwner, setIsNextOwner] = useState(false)
  const [asksPassword, setAsksPassword] = useState(true)
  const signIn = useSignIn(() => setStep('in'))
  const form = useLightForm<JoinFields, FormError>(emptyFields, {
    validate: (values) =>
      validatePhoneAndCode(values) ??
      validateName(phone_masked, values) ??
      (step === 'password' ? validateNewPassword(values) : null) ??
      (verifyCode.getChallenge(values.phone) ? null : codeNotSentError),
    submit: async (values) => {
      try {
        await join(values)
      } catch (error) {
        handleJoinError(error)
      }
    },
    toFieldError: toSignInError,
  })
  const verifyCode = useSignInCode('invite', form.setError)
  const visibleError = signIn.forbidden ? { field: 'form', text: signIn.forbidden } : (form.error ?? signIn.formError)

  const join = async ({ phone, code: verify_code, name, password }: JoinFields) => {
    const calls = await loadSignInSteps()
    const result = await sendRequest(acceptInvite, {
      code,
      phone,
      verify_code,
      sms: verifyCode.getChallenge(phone),
      ...(phone_masked === null ? { name } : {}),
      ...(step === 'password' ? { password, next_holder: isNextOwner } : step === 'holder' && password ? { password } : {}),
    })
    if (result.waiting) setStep('waiting')
    else signIn.handleResult(await selectInvitingCompany(calls, result, corp_name))
  }
  const startAsNextOwner = () => {
    setIsNextOwner(true)
    form.setValues({ ...form.values, password: '', confirm_password: '' })
    form.setError(null)
    setStep('password')
  }
  /** Moves to the step that an error requires; errors of a visible field are rethrown. */
  const handleJoinError = (error: unknown) => {
    if (!(error instanceof ApiError)) throw error
    if (error.is('not_found')) return setStep('dead')
    if (error.is('wrong_state')) return setStep('joined')
    if (error.is('other_holder')) {
      setAsksPassword(error.field === 'password')
      setStep('holder')
    }
    if (step === 'phone' && error.field === 'password' && !error.is('other_holder')) return setStep('password')
    // The code is valid for five minutes: a user who takes longer to choose a password verifies the phone again.
    if (step !== 'phone' && error.is('wrong_code')) setStep('phone')
    throw error
  }
  return {
    step,
    fields: form.values,
    field: (name: keyof JoinFields) => ({ ...form.field(name), error: visibleError }),
    verifyCode,
    signIn,
    error: visibleError,
    busy: form.busy,
    asksPassword,
    submit: () => !signIn.forbidden && form.submitValues(),
    startAsNextOwner,
  }
}

const stepTitles: Partial<Record<JoinStep, string>> = { password: '设置登录密码', holder: '这是您的账号吗？' }
type JoinState = ReturnType<typeof useJoinCompany>

/** Joining a company: the phone is verified first, further questions follow. */
export function JoinCompany({ code, invite, dead: invalidContent }: { code: string; invite: Invite; dead: ReactNode }) {
  const state = useJoinCompany(code, invite)
  const { step, signIn } = state
  const { corp_name } = invite
  if (step === 'dead') return invalidContent
  if (step === 'waiting')
    return (
      <JoinResult
        title="已通知管理员"
        text={`您的手机号不在 ${corp_name} 的花名册中。管理员核对并添加您之后，用这个手机号登录就能查看工资条。`}
      />
    )
  if (step === 'joined')
    return <JoinResult title="您已经加入" text={`这个手机号已经加入 ${corp_name}，请直接登录。`} to="/m/login" action="去登录" />
  if (step === 'in')
    return (
      <JoinResult
        title={`已加入 ${corp_name}`}
        text="以后用这个手机号登录。公司发工资条时，您会收到通知。"
        to="/m/slips"
        action="查看工资条"
      />
    )
  return (
    <div className={styles.root}>
      <h1>
        {signIn.factor_token ? '两步验证' : signIn.companies ? '进入哪家企业？' : (stepTitles[step] ?? `加入 ${corp_name}`)}
      </h1>
      {signIn.factor_token ? (
        <SecondFactorForm signIn={signIn} />
      ) : signIn.companies ? (
        <CompanyList signIn={signIn} />
      ) : (
        <JoinSteps joining={state} invite={invite} />
      )}
    </div>
  )
}

/** The current step. */
function JoinSteps({ joining: state, invite }: { joining: JoinState; invite: Invite }) {
  const { step, fields, field, error, busy } = state
  return (
    <LightForm error={error} onSubmit={state.submit}>
      {step === 'phone' ? (
        <>
          <PhoneStep invite={invite} field={field} phone={fields.phone} verifyCode={state.verifyCode} />
          <FormErrorText error={error} fields={['phone', 'name', 'code']} />
          <SubmitButton busy={busy} text="下一步" busyText="正在验证…" />
        </>
      ) : step === 'holder' ? (
        <OwnerStep field={field('password')} shows={state.asksPassword} busy={busy} onNext={state.startAsNextOwner} />
      ) : (
        <>
          <p className={styles.text}>手机号已验证。设置一个只有您知道的密码，下次可以用它登录。</p>
          {/* Identifies the account to password managers. */}
          <input type="text" autoComplete="username" value={fields.phone} readOnly hidden />
          <div>
            <LightField {...accountFields.newPassword} label="登录密码" {...field('password')} autoFocus />
            <PasswordStrengthMeter password={fields.password} about={[fields.phone, invite.corp_name]} hint={passwordHint} />
            <LightField {...accountFields.confirmPassword} label="确认密码" {...field('confirm_password')} />
          </div>
          <FormErrorText error={error} fields={['password', 'confirm_password']} />
          <SubmitButton busy={busy} text="加入企业" busyText="正在加入…" />
        </>
      )}
    </LightForm>
  )
}

/** The join code requires a name: administrators see it if the phone is on no roster. */
const validateName = (phone_masked: string | null, { name }: JoinFields) =>
  phone_masked === null && name.trim() === '' ? { field: 'name', text: '请填写您的姓名' } : null

/** Selects the company that sent the invite among several, if its name is unique. */
async function selectInvitingCompany(
  calls: SignInSteps,
  result: CallOutput<typeof acceptInvite>,
  corp_name: string,
): Promise<CallOutput<typeof acceptInvite>> {
  const [company, otherCompany] = result.corps.filter(({ name }) => name === corp_name)
  if (result.token === null || result.corp_id !== null || !company || otherCompany || !session.setToken(result.token))
    return result
  return { ...result, token: await calls.selectCompany(company.corp_id), corp_id: company.corp_id }
}

/** The phone, the name, and the code sent to the phone. */
function PhoneStep(props: {
  invite: CallOutput<typeof getInvite>
  field: (name: keyof JoinFields) => LightFieldState
  phone: string
  verifyCode: ReturnType<typeof useSignInCode>
}) {
  const { field, phone, verifyCode } = props
  const isPair = verifyCode.needsTwoCodes(phone)
  const { corp_name, phone_masked } = props.invite
  return (
    <>
      <p className={styles.text}>
        {phone_masked
          ? `${corp_name} 邀请您用薪函查看工资条。请验证收到邀请的手机号 ${phone_masked}。`
          : `${corp_name} 用薪函发放工资条。请验证您在公司登记的手机号。`}
      </p>
      <div>
        <LightField {...accountFields.phone} {...field('phone')} autoFocus />
        {phone_masked === null && (
          <LightField {...accountFields.userName} {...field('name')} help="手机号不在花名册中时，供管理员核对" />
        )}
        <LightCodeField
          {...(isPair ? accountFields.twoCodes : accountFields.code)}
          {...field('code')}
          help={verifyCode.getChallenge(phone) && <CodeSentNote phone={phone} needsTwoCodes={isPair} info={null} anybody />}
          onSend={() => verifyCode.sendCode(phone)}
        />
      </div>
    </>
  )
}

/** The phone already has an account: the user proves that it is theirs, if there is a proof, or states that it is not. */
const OwnerStep = (props: { field: LightFieldState; shows: boolean; busy: boolean; onNext: () => void }) => (
  <>
    <div>{props.shows && <LightField {...accountFields.previousPassword} {...props.field} autoFocus />}</div>
    <FormErrorText error={props.field.error} fields={['password']} />
    {props.shows && <SubmitButton busy={props.busy} text="加入企业" busyText="正在加入…" />}
    <NextOwnerOption onNext={props.onNext} />
  </>
)

/** Navigates the whole window: data cached before signing in, or for another user, must not be shown to the new one. */
function JoinResult({ title, text, to, action }: { title: string; text: string; to?: string; action?: string }) {
  return (
    <div className={styles.root} role="status">
      <h1>{title}</h1>
      <EmptyState
        illustration={to ? 'sheet' : 'bell'}
        text={text}
        action={
          to && (
            <button
              type="button"
              className={`ui-button ${employeeStyles.button} ${employeeStyles.primary}`}
              onClick={() => location.replace(to)}
              autoFocus
            >
              {action}
            </button>
          )
        }
      />
    </div>
  )
}
