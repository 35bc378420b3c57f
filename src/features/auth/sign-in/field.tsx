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
import { captureFocus } from '../../../components/form/focus.ts'
import { SmsCodeButton } from '../../../components/form/sms-code.tsx'
import styles from './sign-in.module.css'
import type { FormError } from './types.ts'

type SignInFieldProps = {
  name: string
  label: string
  value: string
  onChange: (typed: string) => void
  error: FormError | null
  autoComplete: string
  type?: 'text' | 'tel' | 'password'
  inputMode?: HTMLAttributes<HTMLInputElement>['inputMode']
  maxLength?: number
  autoFocus?: boolean
  /** A hint that is shown where an error would be. */
  hint?: ReactNode
  /** Content at the end of the field. */
  after?: ReactNode
}

/** A labelled field. Space for one line is always reserved below it, so that nothing moves when a message appears. */
export function SignInField({ name, label, value, onChange, error, hint, after, type = 'text', ...rest }: SignInFieldProps) {
  const [isRevealed, setRevealed] = useState(false)
  const [isCapsLock, setCapsLock] = useState(false)
  const errorText = error?.field === name ? error.text : null
  const isPassword = type === 'password'
  const detectCapsLock = (event: KeyboardEvent) => setCapsLock(event.getModifierState('CapsLock'))
  const message = errorText ?? (isPassword && isCapsLock ? '大写锁定已打开' : hint)
  return (
    <div className={styles.field}>
      <label htmlFor={name}>{label}</label>
      <div className={styles.input} data-wrong={errorText ? true : undefined}>
        <input
          id={name}
          name={name}
          type={isPassword && isRevealed ? 'text' : type}
          value={value}
          onChange={(event) => onChange(event.target.value)}
          autoCapitalize="off"
          spellCheck={false}
          aria-invalid={errorText ? true : undefined}
          aria-describedby={message ? `${name}-said` : undefined}
          {...(isPassword ? { onKeyDown: detectCapsLock, onKeyUp: detectCapsLock, onBlur: () => setCapsLock(false) } : {})}
          {...rest}
        />
        {isPassword && (
          <button
            type="button"
            className={styles.word}
            aria-label={isRevealed ? '隐藏密码' : '显示密码'}
            aria-pressed={isRevealed}
            onClick={() => setRevealed(!isRevealed)}
          >
            {isRevealed ? '隐藏' : '显示'}
          </button>
        )}
        {after}
      </div>
      <div className={styles.said} id={`${name}-said`}>
        {errorText ? <p role="alert">{errorText}</p> : message && <div>{message}</div>}
      </div>
    </div>
  )
}

export function PhoneField(props: Pick<SignInFieldProps, 'value' | 'onChange' | 'error' | 'autoFocus'>) {
  return <SignInField name="phone" label="手机号" type="tel" autoComplete="username" {...props} />
}

/** A field for an SMS code, with the button that requests it. No maximum length, because pasted text is cleaned first. */
export function CodeField(
  props: Pick<SignInFieldProps, 'value' | 'onChange' | 'error' | 'hint'> & { onSend: () => Promise<boolean> },
) {
  const { onSend, ...rest } = props
  return (
    <SignInField
      name="code"
      label="短信验证码"
      inputMode="numeric"
      autoComplete="one-time-code"
      {...rest}
      after={<SmsCodeButton onSend={onSend} className={`${styles.word} ${styles.send}`} />}
    />
  )
}

/** An error that belongs to no visible field; its space is reserved. */
export function FormErrorText(props: {
  error: FormError | null
  fields: readonly string[]
  /**
   * Called when the user states that they are the new owner of the phone; shown if the account may belong to someone
   * else.
   */
  onNext?: () => void
}) {
  const { error, fields, onNext } = props
  return (
    <>
      <div className={`${styles.said} ${styles.formSaid}`}>
        {error && !fields.includes(error.field) && <p role="alert">{error.text}</p>}
      </div>
      {error?.isOwnerUnclear && onNext && <NextOwnerOption onNext={onNext} />}
    </>
  )
}

/** Stays focusable while busy; the submit function ignores a second press. */
export function SubmitButton({ busy, text, doing: busyText }: { busy: boolean; text: string; doing: string }) {
  return (
    <button type="submit" className={styles.submit} aria-disabled={busy || undefined}>
      {busy ? busyText : text}
    </button>
  )
}

/**
 * A form that focuses its invalid field, so that screen readers announce it and the user can correct it at once, unless
 * the user has continued typing meanwhile.
 */
export function SignInFormLayout(props: { error: FormError | null; onSubmit: () => void; children: ReactNode }) {
  const { error, onSubmit, children } = props
  const form: RefObject<HTMLFormElement | null> = useRef(null)
  const hasMovedFocus = useRef<(() => boolean) | null>(null)
  // The focus lives outside React.
  useEffect(() => {
    if (!error) return
    if (!hasMovedFocus.current?.()) form.current?.querySelector<HTMLInputElement>(`input[name="${error.field}"]`)?.focus()
    hasMovedFocus.current = null
  }, [error])
  return (
    <form
      ref={form}
      className={styles.form}
      noValidate
      onSubmit={(event) => {
        event.preventDefault()
        hasMovedFocus.current = captureFocus()
        onSubmit()
      }}
    >
      {children}
    </form>
  )
}

/** Few phone numbers change owners, so this step loads on demand. */
export const NextOwnerOption = (props: { onNext: () => void }) => (
  <Suspense fallback={null}>
    <NextOwnerStep {...props} />
  </Suspense>
)
const NextOwnerStep = lazy(() => import('./next-owner.tsx'))

/** The company's name for the owner of the phone's existing account. */
export const OwnerNameField = (props: Pick<SignInFieldProps, 'value' | 'onChange' | 'error' | 'autoFocus'>) => (
  <SignInField name="holder_name" label="您的姓名" autoComplete="name" maxLength={30} {...props} />
)

/**
 * The field for the proof that a phone's account requires, selected by the field of the error; renders nothing if the
 * error has no field.
 */
export function OwnerProofField(props: {
  field: string
  fields: { readonly password: string; readonly holder_name?: string | undefined }
  change: (name: 'password' | 'holder_name', typed: string) => void
  error: FormError | null
}) {
  const { field, fields, change, error } = props
  const createChangeHandler = (name: 'password' | 'holder_name') => (text: string) => change(name, text)
  if (field === 'password')
    return <OldPasswordField value={fields.password} onChange={createChangeHandler('password')} error={error} />
  if (field !== 'holder_name') return null
  return <OwnerNameField value={fields.holder_name ?? ''} onChange={createChangeHandler('holder_name')} error={error} />
}

/** The password of the phone's existing account. */
export const OldPasswordField = (props: Pick<SignInFieldProps, 'value' | 'onChange' | 'error' | 'autoFocus'>) => (
  <SignInField name="password" label="原来的登录密码" type="password" autoComplete="current-password" maxLength={64} {...props} />
)
