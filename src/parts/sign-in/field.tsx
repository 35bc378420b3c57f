import {
  type HTMLAttributes,
  type KeyboardEvent,
  lazy,
  type ReactNode,
  type RefObject,
  Suspense,
  useEffect,
  useRef,
  useState,
} from 'react'
import { noteHand } from '../../ui/form/hand.ts'
import { SmsButton } from '../../ui/form/sms-button.tsx'
import styles from './sign-in.module.css'
import type { Trouble } from './sign-in.ts'

type FieldProps = {
  name: string
  label: string
  value: string
  onChange: (typed: string) => void
  trouble: Trouble | null
  autoComplete: string
  type?: 'text' | 'tel' | 'password'
  inputMode?: HTMLAttributes<HTMLInputElement>['inputMode']
  maxLength?: number
  autoFocus?: boolean
  /** Stands where a problem would: what to enter. */
  hint?: ReactNode
  /** At the end of the line. */
  after?: ReactNode
}

/** A labelled line. Under it is always room for one sentence, so that nothing moves when there is something to say. */
export function Field({ name, label, value, onChange, trouble, hint, after, type = 'text', ...rest }: FieldProps) {
  const [shown, setShown] = useState(false)
  const [caps, setCaps] = useState(false)
  const wrong = trouble?.field === name ? trouble.text : null
  const secret = type === 'password'
  const watchCaps = (event: KeyboardEvent) => setCaps(event.getModifierState('CapsLock'))
  const said = wrong ?? (secret && caps ? '大写锁定已打开' : hint)
  return (
    <div className={styles.field}>
      <label htmlFor={name}>{label}</label>
      <div className={styles.input} data-wrong={wrong ? true : undefined}>
        <input
          id={name}
          name={name}
          type={secret && shown ? 'text' : type}
          value={value}
          onChange={(event) => onChange(event.target.value)}
          autoCapitalize="off"
          spellCheck={false}
          aria-invalid={wrong ? true : undefined}
          aria-describedby={said ? `${name}-said` : undefined}
          {...(secret ? { onKeyDown: watchCaps, onKeyUp: watchCaps, onBlur: () => setCaps(false) } : {})}
          {...rest}
        />
        {secret && (
          <button
            type="button"
            className={styles.word}
            aria-label={shown ? '隐藏密码' : '显示密码'}
            aria-pressed={shown}
            onClick={() => setShown(!shown)}
          >
            {shown ? '隐藏' : '显示'}
          </button>
        )}
        {after}
      </div>
      <div className={styles.said} id={`${name}-said`}>
        {wrong ? <p role="alert">{wrong}</p> : said && <div>{said}</div>}
      </div>
    </div>
  )
}

export function PhoneField(props: Pick<FieldProps, 'value' | 'onChange' | 'trouble' | 'autoFocus'>) {
  return <Field name="phone" label="手机号" type="tel" autoComplete="username" {...props} />
}

/** A code by SMS, with the button that asks for it. No limit of length: what is pasted is cleaned first. */
export function CodeField(
  props: Pick<FieldProps, 'value' | 'onChange' | 'trouble' | 'hint'> & { onSend: () => Promise<boolean> },
) {
  const { onSend, ...rest } = props
  return (
    <Field
      name="code"
      label="短信验证码"
      inputMode="numeric"
      autoComplete="one-time-code"
      {...rest}
      after={<SmsButton onSend={onSend} className={`${styles.word} ${styles.send}`} />}
    />
  )
}

/** What belongs to no field that is on view; room for it is kept. */
export function FormTrouble(props: {
  trouble: Trouble | null
  fields: readonly string[]
  /** What the next holder of a phone presses, where its account may be somebody else's. */
  onNext?: () => void
}) {
  const { trouble, fields, onNext } = props
  return (
    <>
      <div className={`${styles.said} ${styles.formSaid}`}>
        {trouble && !fields.includes(trouble.field) && <p role="alert">{trouble.text}</p>}
      </div>
      {trouble?.holder && onNext && <NextHolder onNext={onNext} />}
    </>
  )
}

/** Stays focusable while it works; a second press is ignored by the act itself. */
export function Submit({ busy, text, doing }: { busy: boolean; text: string; doing: string }) {
  return (
    <button type="submit" className={styles.submit} aria-disabled={busy || undefined}>
      {busy ? doing : text}
    </button>
  )
}

/** A form whose wrong field gets the focus, so that it is heard and corrected at once: unless he who waited for the answer has gone on typing. */
export function Form(props: { trouble: Trouble | null; onSubmit: () => void; children: ReactNode }) {
  const { trouble, onSubmit, children } = props
  const form: RefObject<HTMLFormElement | null> = useRef(null)
  const wentOn = useRef<(() => boolean) | null>(null)
  // The focus is the browser's, not React's.
  useEffect(() => {
    if (!trouble) return
    if (!wentOn.current?.()) form.current?.querySelector<HTMLInputElement>(`input[name="${trouble.field}"]`)?.focus()
    wentOn.current = null
  }, [trouble])
  return (
    <form
      ref={form}
      className={styles.form}
      noValidate
      onSubmit={(event) => {
        event.preventDefault()
        wentOn.current = noteHand()
        onSubmit()
      }}
    >
      {children}
    </form>
  )
}

/** Few phones pass on: what is asked then comes when it is needed. */
export const NextHolder = (props: { onNext: () => void }) => (
  <Suspense fallback={null}>
    <NextHolderStep {...props} />
  </Suspense>
)
const NextHolderStep = lazy(() => import('./next-holder.tsx'))

/** What the company calls the person of the account that a phone has already. */
export const HolderName = (props: Pick<FieldProps, 'value' | 'onChange' | 'trouble' | 'autoFocus'>) => (
  <Field name="holder_name" label="您的姓名" autoComplete="name" maxLength={30} {...props} />
)

/** Whatever a phone's account wants of its person, by the field of the trouble; nothing where it belongs to no field. */
export function HolderProof(props: {
  field: string
  fields: { readonly password: string; readonly holder_name?: string | undefined }
  change: (name: 'password' | 'holder_name', typed: string) => void
  trouble: Trouble | null
}) {
  const { field, fields, change, trouble } = props
  const to = (name: 'password' | 'holder_name') => (typed: string) => change(name, typed)
  if (field === 'password') return <OldPassword value={fields.password} onChange={to('password')} trouble={trouble} />
  if (field !== 'holder_name') return null
  return <HolderName value={fields.holder_name ?? ''} onChange={to('holder_name')} trouble={trouble} />
}

/** The password of the account that a phone has already. */
export const OldPassword = (props: Pick<FieldProps, 'value' | 'onChange' | 'trouble' | 'autoFocus'>) => (
  <Field name="password" label="原来的登录密码" type="password" autoComplete="current-password" maxLength={64} {...props} />
)
