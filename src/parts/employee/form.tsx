import { type InputHTMLAttributes, type ReactNode, useId } from 'react'
import { ApiError } from '../../api.ts'
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

/** The sentence of a refusal that belongs to this field. A refusal without a field belongs to the one named by `orElse`. */
export const errorOf = (error: unknown, field: string, orElse = false) =>
  error instanceof ApiError && (error.field === field || (orElse && error.field === undefined)) ? error.message : undefined
