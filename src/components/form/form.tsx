import { Form, type FormInstance } from 'antd'
import { type CSSProperties, type ReactNode, useRef, useState } from 'react'
import { toast } from '../overlay/toast.ts'
import { captureFocus } from './focus.ts'
import { useSubmit } from './use-submit.ts'

/** The part of a form that error handling needs, independent of its fields. */
type ErrorTarget = {
  getFieldsValue(): object
  setFields(fields: { name: unknown; errors?: string[] }[]): void
  scrollToField(name: unknown, how: { focus: boolean; block: 'center' | 'nearest' }): void
}

/** Returns the field error of an error that names a field, as ApiError does. */
const toFieldError = (error: unknown) =>
  error instanceof Error && 'field' in error && typeof error.field === 'string'
    ? { field: error.field, text: error.message }
    : null
const clearFieldErrors = (form: ErrorTarget, names: readonly string[]) =>
  form.setFields(names.map((name) => ({ name, errors: [] })))

/** Shows an error at its field and focuses it; null clears all field errors. Returns false if the form has no such field. */
function showFieldError(form: ErrorTarget, fieldError: { field: string; text: string } | null, focus = true): boolean {
  const names = Object.keys(form.getFieldsValue())
  if (!fieldError) clearFieldErrors(form, names)
  if (!fieldError || !names.includes(fieldError.field)) return false
  form.setFields([{ name: fieldError.field, errors: [fieldError.text] }])
  form.scrollToField(fieldError.field, { focus, block: focus ? 'center' : 'nearest' })
  return true
}

export type FormController<V extends object> = {
  readonly form: FormInstance<V>
  readonly busy: boolean
  /** The last submission did not reach the server. */
  readonly isLost: boolean
  readonly setFieldError: (wrong: { field: string; text: string } | null) => boolean
  /** Resolves to true on success. Errors go to their field; ignored while the previous submission is running. */
  readonly submit: (work: () => Promise<unknown>) => Promise<boolean>
}

/** What every desktop form has: fields, one submission at a time, errors at fields. `onBusy` is for buttons elsewhere. */
export function useFormController<V extends object>(onBusy?: (busy: boolean) => void): FormController<V> {
  const [form] = Form.useForm<V>()
  const [isLost, setLost] = useState(false)
  const hasMovedOn = useRef<(() => boolean) | null>(null)
  const { busy, attempt: submit } = useSubmit((error) => {
    setLost(error instanceof Error && error.name === 'NetworkError')
    // Errors without a field were already shown in a toast; an error for a field that is not in the form would be
    // visible nowhere.
    const fieldError = toFieldError(error)
    if (fieldError && !showFieldError(form, fieldError, !hasMovedOn.current?.())) toast.error(fieldError.text, '失败')
  }, onBusy)
  return {
    form,
    busy,
    isLost,
    submit: (work) =>
      submit(() => {
        setLost(false)
        showFieldError(form, null)
        hasMovedOn.current = captureFocus()
        return work()
      }),
    setFieldError: (wrong) => showFieldError(form, wrong),
  }
}

/**
 * The fields of a form: antd `Form.Item`s named like the fields of the call. Enter submits. `onSubmit` throws (as
 * mutateAsync does): an error with a field goes to that field. Give the call `handles: (error) => error.field !==
 * undefined` so that it shows no toast as well.
 */
export function ControlledForm<V extends object>(props: {
  kit: FormController<V>
  onSubmit: (typed: V) => Promise<unknown>
  onDone?: () => void
  onValuesChange?: ((typed: V) => void) | undefined
  initial?: Partial<V> | undefined
  /** The id of the form, if its button is outside and refers to it. */
  id?: string
  /** Hides the required marks in forms where everything is required. */
  unmarked?: boolean
  style?: CSSProperties
  children: ReactNode
}) {
  const { kit: controller, onSubmit, onDone, onValuesChange, initial, id, unmarked: hideRequiredMark, style } = props
  const submit = async (values: V) => {
    if (await controller.submit(() => onSubmit(values))) onDone?.()
  }
  return (
    <Form<V>
      {...(id ? { id } : {})}
      {...(initial ? { initialValues: initial } : {})}
      {...(hideRequiredMark ? { requiredMark: false } : {})}
      {...(style ? { style } : {})}
      form={controller.form}
      layout="vertical"
      // A field's error is cleared as soon as the field changes.
      onValuesChange={(changed, values) => {
        clearFieldErrors(controller.form, Object.keys(changed))
        onValuesChange?.(values)
      }}
      onFinish={(values) => void submit(values)}
      scrollToFirstError={{ focus: true }}
    >
      {props.children}
      {/* The toast is gone after three seconds. */}
      {controller.isLost && (
        <p role="alert" className="ui-error">
          网络断开，没有提交。填写的内容还在。{' '}
          <button type="button" className="ui-link" onClick={() => controller.form.submit()}>
            重试
          </button>
        </p>
      )}
      {/* Without a submit button in the form, Enter would do nothing. */}
      {!id && <button type="submit" hidden tabIndex={-1} aria-hidden="true" />}
    </Form>
  )
}
