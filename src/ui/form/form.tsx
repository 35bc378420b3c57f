import { Form, type FormInstance } from 'antd'
import { type CSSProperties, type ReactNode, useRef } from 'react'
import { toast } from '../overlay/toast.ts'
import { captureFocus } from './focus.ts'
import { useSubmit } from './use-submit.ts'

/** What of a form a refusal needs, whatever stands in its fields. */
type ErrorTarget = {
  getFieldsValue(): object
  setFields(fields: { name: unknown; errors?: string[] }[]): void
  scrollToField(name: unknown, how: { focus: boolean; block: 'center' | 'nearest' }): void
}

/** An error that names a field, as ApiError does. */
const toFieldError = (error: unknown) =>
  error instanceof Error && 'field' in error && typeof error.field === 'string'
    ? { field: error.field, text: error.message }
    : null
const clearFieldErrors = (form: ErrorTarget, names: readonly string[]) =>
  form.setFields(names.map((name) => ({ name, errors: [] })))

/** Says at its field what is wrong with it, and goes there; null takes every such sentence away. False when the form has no such field. */
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
  readonly setFieldError: (wrong: { field: string; text: string } | null) => boolean
  /** True when it was done. What is refused goes to its field, and is deaf while the last one is under way. */
  readonly submit: (work: () => Promise<unknown>) => Promise<boolean>
}

/** What every form at a desk has: its fields, one submission at a time, refusals at their fields. `onBusy` for whoever draws the button elsewhere. */
export function useFormController<V extends object>(onBusy?: (busy: boolean) => void): FormController<V> {
  const [form] = Form.useForm<V>()
  const hasMovedOn = useRef<(() => boolean) | null>(null)
  const { busy, attempt: submit } = useSubmit((error) => {
    // What names no field was said in a toast already; named for a field that is not here, it would be seen nowhere.
    const fieldError = toFieldError(error)
    if (fieldError && !showFieldError(form, fieldError, !hasMovedOn.current?.())) toast.error(fieldError.text, '失败')
  }, onBusy)
  return {
    form,
    busy,
    submit: (work) =>
      submit(() => {
        showFieldError(form, null)
        hasMovedOn.current = captureFocus()
        return work()
      }),
    setFieldError: (wrong) => showFieldError(form, wrong),
  }
}

/**
 * The fields of a form, antd `Form.Item`s named as the call's fields. Enter submits. `onSubmit` throws (mutateAsync does): a refusal with a field
 * goes to that field. Give the call `handles: (error) => error.field !== undefined` so that it is not toasted as well.
 */
export function ControlledForm<V extends object>(props: {
  kit: FormController<V>
  onSubmit: (typed: V) => Promise<unknown>
  onDone?: () => void
  onValuesChange?: ((typed: V) => void) | undefined
  initial?: Partial<V> | undefined
  /** Of a form whose button stands elsewhere and names it. */
  id?: string
  /** Where everything is asked for anyway. */
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
      // A field that was refused is innocent again as soon as it changes.
      onValuesChange={(changed, values) => {
        clearFieldErrors(controller.form, Object.keys(changed))
        onValuesChange?.(values)
      }}
      onFinish={(values) => void submit(values)}
      scrollToFirstError={{ focus: true }}
    >
      {props.children}
      {/* Where no button names it: without one in the form Enter would do nothing. */}
      {!id && <button type="submit" hidden tabIndex={-1} aria-hidden="true" />}
    </Form>
  )
}
