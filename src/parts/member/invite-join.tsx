import { type ReactNode, useState } from 'react'
import type { OutputOf } from '../../../server/contract/call.ts'
import { acceptInvite, type getInvite } from '../../../server/contract/people/invite.ts'
import { ApiError, send, session } from '../../api-core.ts'
import { PasswordStrength } from '../../ui/form/password-strength.tsx'
import { Empty } from '../../ui/state/empty.tsx'
import { messages, newPasswordProblem, passwordHint, verifyProblem } from '../account/messages.ts'
import employeeStyles from '../employee/m.module.css'
import { Companies } from '../sign-in/companies.tsx'
import { Factor } from '../sign-in/factor.tsx'
import { CodeField, Field, Form, FormTrouble, NextHolder, OldPassword, PhoneField, Submit } from '../sign-in/field.tsx'
import { Sent } from '../sign-in/form.tsx'
import styles from '../sign-in/sign-in.module.css'
import { clean, type Later, useAct, useCode, useSignIn } from '../sign-in/sign-in.ts'

type Typed = { phone: string; code: string; name: string; password: string; confirm_password: string }
const empty: Typed = { phone: '', code: '', name: '', password: '', confirm_password: '' }
/** `phone` proves the phone, `holder` asks whose account it is, `password` only where there is none yet; the others are ends. */
type Step = 'phone' | 'holder' | 'password' | 'waiting' | 'joined' | 'in' | 'dead'

type Invite = OutputOf<typeof getInvite>

/** How far somebody has come in joining, what he has typed, and what leads on. */
function useJoining(code: string, invite: Invite) {
  const { corp_name, phone_masked } = invite
  const [step, setStep] = useState<Step>('phone')
  const [typed, setTyped] = useState(empty)
  // He has said that the account of this phone is not his.
  const [next_holder, setNext] = useState(false)
  const [shows, setShows] = useState(true)
  const signIn = useSignIn(() => setStep('in'))
  const { busy, trouble, setTrouble, act } = useAct()
  const asked = useCode('invite', setTrouble)
  const blocked = signIn.forbidden ? { field: 'form', text: signIn.forbidden } : (trouble ?? signIn.trouble)

  const field = (name: keyof Typed) => ({
    value: typed[name],
    trouble: blocked,
    onChange: (text: string) => {
      setTyped({ ...typed, [name]: clean(name, typed[name], text, asked.pairFor(typed.phone)).value })
      setTrouble(null)
    },
  })
  const submit = () => {
    if (signIn.forbidden) return
    const wrong =
      verifyProblem(typed) ?? nameProblem(phone_masked, typed) ?? (step === 'password' ? newPasswordProblem(typed) : null)
    if (wrong) return setTrouble(wrong)
    const sms = asked.smsFor(typed.phone)
    if (!sms) return setTrouble({ field: 'code', text: messages.signIn.no_code })
    return void act(async (calls) => {
      try {
        const { phone, code: verify_code, name, password } = typed
        const into = await send(acceptInvite, {
          code,
          phone,
          verify_code,
          sms,
          ...(phone_masked === null ? { name } : {}),
          ...(step === 'password' ? { password, next_holder } : step === 'holder' && password ? { password } : {}),
        })
        if (into.waiting) setStep('waiting')
        else signIn.arrive(await chosen(calls, into, corp_name))
      } catch (error) {
        refused(error)
      }
    })
  }
  const startAnew = () => {
    setNext(true)
    setTyped({ ...typed, password: '', confirm_password: '' })
    setTrouble(null)
    setStep('password')
  }
  /** What a refusal leads to; those that belong to a field on view are thrown on. */
  const refused = (error: unknown) => {
    if (!(error instanceof ApiError)) throw error
    if (error.is('not_found')) return setStep('dead')
    if (error.is('wrong_state')) return setStep('joined')
    if (error.is('other_holder')) {
      setShows(error.field === 'password')
      setStep('holder')
    }
    if (step === 'phone' && error.field === 'password' && !error.is('other_holder')) return setStep('password')
    // The code lives for five minutes: whoever thinks longer about his password proves his phone anew.
    if (step !== 'phone' && error.is('wrong_code')) setStep('phone')
    throw error
  }
  return { step, typed, field, asked, signIn, blocked, busy, shows, submit, startAnew }
}

const titles: Partial<Record<Step, string>> = { password: '设置登录密码', holder: '这是您的账号吗？' }
type Joining = ReturnType<typeof useJoining>

/** Joining a company: the phone is proven first, what else is needed is asked for afterwards. */
export function Join({ code, invite, dead }: { code: string; invite: Invite; dead: ReactNode }) {
  const joining = useJoining(code, invite)
  const { step, signIn } = joining
  const { corp_name } = invite
  if (step === 'dead') return dead
  if (step === 'waiting')
    return (
      <End
        title="已通知管理员"
        text={`您的手机号不在 ${corp_name} 的花名册中。管理员核对并添加您之后，用这个手机号登录就能查看工资条。`}
      />
    )
  if (step === 'joined')
    return <End title="您已经加入" text={`这个手机号已经加入 ${corp_name}，请直接登录。`} to="/m/login" action="去登录" />
  if (step === 'in')
    return (
      <End
        title={`已加入 ${corp_name}`}
        text="以后用这个手机号登录。公司发工资条时，您会收到通知。"
        to="/m/slips"
        action="查看工资条"
      />
    )
  return (
    <div className={styles.root}>
      <h1>{signIn.factor_token ? '两步验证' : signIn.corps ? '进入哪家企业？' : (titles[step] ?? `加入 ${corp_name}`)}</h1>
      {signIn.factor_token ? (
        <Factor signIn={signIn} />
      ) : signIn.corps ? (
        <Companies signIn={signIn} />
      ) : (
        <Steps joining={joining} invite={invite} />
      )}
    </div>
  )
}

/** What is asked now. */
function Steps({ joining, invite }: { joining: Joining; invite: Invite }) {
  const { step, typed, field, asked, blocked, busy, shows, submit, startAnew } = joining
  return (
    <Form trouble={blocked} onSubmit={submit}>
      {step === 'phone' ? (
        <>
          <Prove invite={invite} field={field} phone={typed.phone} asked={asked} />
          <FormTrouble trouble={blocked} fields={['phone', 'name', 'code']} />
          <Submit busy={busy} text="下一步" doing="正在验证…" />
        </>
      ) : step === 'holder' ? (
        <Whose field={field('password')} shows={shows} busy={busy} onNext={startAnew} />
      ) : (
        <>
          <p className={styles.text}>手机号已验证。设置一个只有您知道的密码，下次可以用它登录。</p>
          {/* Tells a password manager whose password this is. */}
          <input type="text" autoComplete="username" value={typed.phone} readOnly hidden />
          <div>
            <NewPassword name="password" label="登录密码" {...field('password')} autoFocus />
            <PasswordStrength password={typed.password} about={[typed.phone, invite.corp_name]} hint={passwordHint} />
            <NewPassword name="confirm_password" label="确认密码" {...field('confirm_password')} />
          </div>
          <FormTrouble trouble={blocked} fields={['password', 'confirm_password']} />
          <Submit busy={busy} text="加入企业" doing="正在加入…" />
        </>
      )}
    </Form>
  )
}

/** By the join code a name is needed: the administrators read it where the phone is on no roster. */
const nameProblem = (phone_masked: string | null, { name }: Typed) =>
  phone_masked === null && name.trim() === '' ? { field: 'name', text: '请填写您的姓名' } : null

/** Of several companies the one that invited, where its name is the only one of its kind. */
async function chosen(
  calls: Later,
  into: OutputOf<typeof acceptInvite>,
  corp_name: string,
): Promise<OutputOf<typeof acceptInvite>> {
  const [corp, another] = into.corps.filter(({ name }) => name === corp_name)
  if (into.token === null || into.corp_id !== null || !corp || another || !session.keep(into.token)) return into
  return { ...into, token: await calls.enterCorp(corp.corp_id), corp_id: corp.corp_id }
}

/** Which phone, whose, and the code that was sent to it. */
function Prove(props: {
  invite: OutputOf<typeof getInvite>
  field: (name: keyof Typed) => Parameters<typeof OldPassword>[0]
  phone: string
  asked: ReturnType<typeof useCode>
}) {
  const { field, phone, asked } = props
  const { corp_name, phone_masked } = props.invite
  return (
    <>
      <p className={styles.text}>
        {phone_masked
          ? `${corp_name} 邀请您用薪函查看工资条。请验证收到邀请的手机号 ${phone_masked}。`
          : `${corp_name} 用薪函发放工资条。请验证您在公司登记的手机号。`}
      </p>
      <div>
        <PhoneField {...field('phone')} autoFocus />
        {phone_masked === null && (
          <Field
            name="name"
            label="您的姓名"
            autoComplete="name"
            maxLength={30}
            {...field('name')}
            hint="手机号不在花名册中时，供管理员核对"
          />
        )}
        <CodeField
          {...field('code')}
          hint={asked.smsFor(phone) && <Sent phone={phone} pair={asked.pairFor(phone)} info={null} anybody />}
          onSend={() => asked.sendCode(phone)}
        />
      </div>
    </>
  )
}

/** The phone has an account already: he shows that it is his, where it has something to show, or that it is not. */
const Whose = (props: { field: Parameters<typeof OldPassword>[0]; shows: boolean; busy: boolean; onNext: () => void }) => (
  <>
    <div>{props.shows && <OldPassword {...props.field} autoFocus />}</div>
    <FormTrouble trouble={props.field.trouble} fields={['password']} />
    {props.shows && <Submit busy={props.busy} text="加入企业" doing="正在加入…" />}
    <NextHolder onNext={props.onNext} />
  </>
)

const NewPassword = (props: Omit<Parameters<typeof Field>[0], 'type' | 'autoComplete'>) => (
  <Field type="password" autoComplete="new-password" maxLength={64} {...props} />
)

/** The whole window goes on: what was cached for nobody, or for somebody else, is not shown to who is in now. */
function End({ title, text, to, action }: { title: string; text: string; to?: string; action?: string }) {
  return (
    <div className={styles.root} role="status">
      <h1>{title}</h1>
      <Empty
        drawing={to ? 'sheet' : 'bell'}
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
