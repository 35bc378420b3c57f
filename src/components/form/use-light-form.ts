import { useState } from 'react'
import type { FieldError } from './field.ts'
import { useSubmit } from './use-submit.ts'

type LightFormOptions<V, E extends FieldError> = {
  /** Returns what prevents submission, or null. */
  validate?: (values: V) => E | null
  submit: (values: V) => Promise<unknown>
  /** Maps an error to the field where it is shown. */
  toFieldError: (error: unknown) => E | Promise<E>
  onChange?: (values: V, previous: V) => void
}

/** The state of one field, as `LightField` takes it. */
export type LightFieldState = { name: string; value: string; error: FieldError | null; onChange: (text: string) => void }

/** The values of a form of text fields, one submission at a time, and one error, shown at its field until the user types. */
export function useLightForm<V extends Partial<Record<string, string>>, E extends FieldError = FieldError>(
  initialValues: V,
  { validate, submit, toFieldError, onChange }: LightFormOptions<V, E>,
) {
  const [values, setValues] = useState(initialValues)
  const [error, setError] = useState<E | null>(null)
  const { busy, attempt } = useSubmit(async (failure) => setError(await toFieldError(failure)))
  const submitValues = (next = values, work = submit): void => {
    if (busy) return
    const invalid = validate?.(next) ?? null
    setError(invalid)
    if (!invalid) void attempt(() => work(next))
  }
  /** Runs another action of the page as a submission of this form. */
  const run = (work: () => Promise<unknown>): void => {
    if (busy) return
    setError(null)
    void attempt(work)
  }
  return {
    values,
    setValues,
    busy,
    error,
    setError,
    /** Submits these values, or by another way than the form's own. */
    submitValues,
    run,
    /** The props of `LightForm`. */
    form: { error, onSubmit: () => submitValues() },
    /** The props of a `LightField`. */
    field: (name: keyof V & string): LightFieldState => ({
      name,
      value: values[name] ?? '',
      error,
      onChange: (text: string) => {
        const next = { ...values, [name]: text }
        setValues(next)
        setError(null)
        onChange?.(next, values)
      },
    }),
  }
}

/** Builds the error for a field, including the message for a lost network. */
export const toErrorAtField = (field: string, error: unknown): FieldError => ({
  field,
  text: error instanceof Error ? error.message : String(error),
})
