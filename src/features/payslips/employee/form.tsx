import { type FormEvent, type InputHTMLAttributes, type ReactNode, useId, useState } from 'react'
import { useSubmit } from '../../../components/form/use-submit.ts'
import styles from './m.module.css'

/** A labelled form field with its error below. */
export function FormField(
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

type FieldError = { field: string; text: string }
type PhoneFormOptions<Name extends string> = {
  /** Returns what prevents submission, or null. */
  validate?: (typed: Readonly<Record<Name, string>>) => FieldError | null
  submit: (typed: Readonly<Record<Name, string>>) => Promise<unknown>
  /** Maps an error to the field where it is shown. */
  toFieldError: (error: unknown) => FieldError
}
const identity = (text: string) => text

/**
 * The form hook of the mobile pages: one submission at a time, and one error, shown at its field until the user types.
 * Works like the desktop one (`ui/form/form.tsx`) but without antd's Form, which is too large for the payslip page.
 */
export function useMobileForm<Name extends string>(
  initialValues: Readonly<Record<Name, string>>,
  { validate, submit, toFieldError }: PhoneFormOptions<Name>,
) {
  const [values, setValues] = useState(initialValues)
  const [fieldError, setFieldError] = useState<FieldError | null>(null)
  const { busy, attempt: runSubmit } = useSubmit((error) => setFieldError(toFieldError(error)))
  return {
    typed: values,
    busy,
    format: setFieldError,
    form: {
      noValidate: true,
      onSubmit: (event: FormEvent) => {
        event.preventDefault()
        const wrong = validate?.(values) ?? null
        setFieldError(wrong)
        if (!wrong) void runSubmit(() => submit(values))
      },
    },
    field: (name: Name, clean = identity) => ({
      value: values[name],
      error: fieldError?.field === name ? fieldError.text : undefined,
      onChange: (event: { target: { value: string } }) => {
        setValues({ ...values, [name]: clean(event.target.value) })
        setFieldError(null)
      },
    }),
  }
}

/** Builds the error for a field, including the message for a lost network. */
export const toErrorAtField = (field: string, error: unknown): FieldError => ({
  field,
  text: error instanceof Error ? error.message : String(error),
})
