import { type KeyboardEvent, type ReactNode, useEffect, useRef, useState } from 'react'
import { type FieldDefinition, type FieldError, toInputAttributes } from './field.ts'
import { captureFocus } from './focus.ts'
import styles from './light-form.module.css'
import type { LightFieldState } from './use-light-form.ts'

type LightFormProps = {
  error?: FieldError | null
  onSubmit: () => void
  /** The class of the form; by default its fields stand below each other. */
  className?: string | undefined
  /** The id of the form, if its button is outside and refers to it. */
  id?: string
  children: ReactNode
}

/**
 * A form without a library, for pages that do not load antd and for rows with one field. It focuses its invalid field,
 * so that screen readers announce it and the user can correct it at once, unless the user has continued typing
 * meanwhile.
 */
export function LightForm({ error = null, onSubmit, className = styles.root, id, children }: LightFormProps) {
  const form = useRef<HTMLFormElement>(null)
  const hasMovedFocus = useRef<(() => boolean) | null>(null)
  // React does not manage the focus.
  useEffect(() => {
    if (!error) return
    if (!hasMovedFocus.current?.()) form.current?.querySelector<HTMLInputElement>(`[name="${error.field}"]`)?.focus()
    hasMovedFocus.current = null
  }, [error])
  return (
    <form
      ref={form}
      id={id}
      className={className}
      noValidate
      onSubmit={(event) => {
        event.preventDefault()
        // React sends events of a portal on to the form around it.
        if (event.target !== event.currentTarget) return
        hasMovedFocus.current = captureFocus()
        onSubmit()
      }}
    >
      {children}
    </form>
  )
}

export type LightFieldProps = FieldDefinition &
  LightFieldState & {
    autoFocus?: boolean
    /** The content at the end of the field. */
    after?: ReactNode
  }

/** A labelled field. Space for one line is always reserved below it, so that nothing moves when a message appears. */
export function LightField(props: LightFieldProps) {
  const { name, label, kind, value, onChange, clean, error, help, after, autoFocus = false } = props
  const [isRevealed, setRevealed] = useState(false)
  const [isCapsLock, setCapsLock] = useState(false)
  const errorText = error?.field === name ? error.text : null
  const isPassword = kind === 'password'
  const detectCapsLock = (event: KeyboardEvent) => setCapsLock(event.getModifierState('CapsLock'))
  const message = errorText ?? (isPassword && isCapsLock ? '大写锁定已打开' : help)
  return (
    <div className={styles.field}>
      <label htmlFor={name}>{label}</label>
      <div className={styles.input} data-wrong={errorText ? true : undefined}>
        <input
          id={name}
          name={name}
          type={isPassword && !isRevealed ? 'password' : kind === 'tel' ? 'tel' : 'text'}
          value={value}
          onChange={({ target }) => onChange(clean ? clean(target.value) : target.value)}
          autoCapitalize="off"
          spellCheck={false}
          autoFocus={autoFocus}
          aria-invalid={errorText ? true : undefined}
          aria-describedby={message ? `${name}-message` : undefined}
          {...(isPassword ? { onKeyDown: detectCapsLock, onKeyUp: detectCapsLock, onBlur: () => setCapsLock(false) } : {})}
          {...toInputAttributes(props)}
        />
        {isPassword && (
          <button
            type="button"
            className={styles.word}
            aria-label={isRevealed ? '隐藏密码' : '显示密码'}
            onClick={() => setRevealed(!isRevealed)}
          >
            {isRevealed ? '隐藏' : '显示'}
          </button>
        )}
        {after}
      </div>
      <div className={styles.message} id={`${name}-message`}>
        {errorText ? <p role="alert">{errorText}</p> : message && <div>{message}</div>}
      </div>
    </div>
  )
}

/** An error that belongs to no visible field; its space is reserved. */
export const FormErrorText = ({ error, fields }: { error: FieldError | null; fields: readonly string[] }) => (
  <div className={`${styles.message} ${styles.formMessage}`}>
    {error && !fields.includes(error.field) && <p role="alert">{error.text}</p>}
  </div>
)

/** Stays focusable while busy; the form ignores a second press. */
export function SubmitButton({ busy, text, busyText = text }: { busy: boolean; text: string; busyText?: string }) {
  return (
    <button type="submit" className={styles.submit} aria-disabled={busy || undefined}>
      {busy ? busyText : text}
    </button>
  )
}
