import { type FormEvent, type InputHTMLAttributes, type ReactNode, useId, useState } from 'react'
import { useAttempt } from '../../ui/form/attempt.ts'
import styles from './m.module.css'

/** A labelled line of a form, its refusal under it. */
export function Field(
  props: InputHTMLAttributes<HTMLInputElement> & { label: string; error?: string | undefined; after?: ReactNode },
) {
  const { label, error, after, ...rest } = props
  const id = useId()
  return (
    <div className={styles.field}>
      <label htmlFor={id}>{label}</label>
      <div className={styles.fieldLine}>
        <input id={id} {...rest} aria-invalid={error ? true : undefined} aria-describedby={error ? `${id}-error` : undefined} />
        {after}
      </div>
      {error && (
        <p id={`${id}-error`} role="alert" className={styles.fieldError}>
          {error}
        </p>
      )}
    </div>
  )
}

type Problem = { field: string; text: string }
type Form<Name extends string> = {
  /** What keeps it from being sent. */
  check?: (typed: Readonly<Record<Name, string>>) => Problem | null
  send: (typed: Readonly<Record<Name, string>>) => Promise<unknown>
  /** Where a refusal is said. */
  refused: (error: unknown) => Problem
}
const asTyped = (text: string) => text

/**
 * The form kit of phones: one submission at a time, one thing that is wrong, said at its field until something is typed. As the desk's
 * (`ui/form/form.tsx`), without antd's Form, which weighs more than a slip may.
 */
export function usePhoneForm<Name extends string>(empty: Readonly<Record<Name, string>>, { check, send, refused }: Form<Name>) {
  const [typed, setTyped] = useState(empty)
  const [problem, say] = useState<Problem | null>(null)
  const { busy, attempt } = useAttempt((error) => say(refused(error)))
  return {
    typed,
    busy,
    say,
    form: {
      noValidate: true,
      onSubmit: (event: FormEvent) => {
        event.preventDefault()
        const wrong = check?.(typed) ?? null
        say(wrong)
        if (!wrong) void attempt(() => send(typed))
      },
    },
    field: (name: Name, clean = asTyped) => ({
      value: typed[name],
      error: problem?.field === name ? problem.text : undefined,
      onChange: (event: { target: { value: string } }) => {
        setTyped({ ...typed, [name]: clean(event.target.value) })
        say(null)
      },
    }),
  }
}

/** What went wrong, at the field; a lost network's sentence too. */
export const problemAt = (field: string, error: unknown): Problem => ({
  field,
  text: error instanceof Error ? error.message : String(error),
})
