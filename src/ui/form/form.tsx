import { Form, type FormInstance } from 'antd'
import { type CSSProperties, type ReactNode, useRef } from 'react'
import { toast } from '../over/toast.ts'
import { useAttempt } from './attempt.ts'
import { noteHand } from './hand.ts'

/** What of a form a refusal needs, whatever stands in its fields. */
type Refusable = {
  getFieldsValue(): object
  setFields(fields: { name: unknown; errors?: string[] }[]): void
  scrollToField(name: unknown, how: { focus: boolean; block: 'center' | 'nearest' }): void
}

/** An error that names a field, as ApiError does. */
const fieldOf = (error: unknown) =>
  error instanceof Error && 'field' in error && typeof error.field === 'string'
    ? { field: error.field, text: error.message }
    : null
const forgive = (form: Refusable, names: readonly string[]) => form.setFields(names.map((name) => ({ name, errors: [] })))

/** Says at its field what is wrong with it, and goes there; null takes every such sentence away. False when the form has no such field. */
function sayIn(form: Refusable, wrong: { field: string; text: string } | null, focus = true): boolean {
  const names = Object.keys(form.getFieldsValue())
  if (!wrong) forgive(form, names)
  if (!wrong || !names.includes(wrong.field)) return false
  form.setFields([{ name: wrong.field, errors: [wrong.text] }])
  form.scrollToField(wrong.field, { focus, block: focus ? 'center' : 'nearest' })
  return true
}

export type FormKit<V extends object> = {
  readonly form: FormInstance<V>
  readonly busy: boolean
  readonly say: (wrong: { field: string; text: string } | null) => boolean
  /** True when it was done. What is refused goes to its field, and is deaf while the last one is under way. */
  readonly attempt: (work: () => Promise<unknown>) => Promise<boolean>
}

/** What every form at a desk has: its fields, one submission at a time, refusals at their fields. `onBusy` for whoever draws the button elsewhere. */
export function useFormKit<V extends object>(onBusy?: (busy: boolean) => void): FormKit<V> {
  const [form] = Form.useForm<V>()
  const wentOn = useRef<(() => boolean) | null>(null)
  const { busy, attempt } = useAttempt((error) => {
    // What names no field was said in a toast already; named for a field that is not here, it would be seen nowhere.
    const wrong = fieldOf(error)
    if (wrong && !sayIn(form, wrong, !wentOn.current?.())) toast.fail(wrong.text, '失败')
  }, onBusy)
  return {
    form,
    busy,
    attempt: (work) =>
      attempt(() => {
        sayIn(form, null)
        wentOn.current = noteHand()
        return work()
      }),
    say: (wrong) => sayIn(form, wrong),
  }
}

/**
 * The fields of a form, antd `Form.Item`s named as the call's fields. Enter submits. `onSubmit` throws (mutateAsync does): a refusal with a field
 * goes to that field. Give the call `handles: (error) => error.field !== undefined` so that it is not toasted as well.
 */
export function KitForm<V extends object>(props: {
  kit: FormKit<V>
  onSubmit: (typed: V) => Promise<unknown>
  onDone?: () => void
  onTyped?: ((typed: V) => void) | undefined
  initial?: Partial<V> | undefined
  /** Of a form whose button stands elsewhere and names it. */
  id?: string
  /** Where everything is asked for anyway. */
  unmarked?: boolean
  style?: CSSProperties
  children: ReactNode
}) {
  const { kit, onSubmit, onDone, onTyped, initial, id, unmarked, style } = props
  const submit = async (typed: V) => {
    if (await kit.attempt(() => onSubmit(typed))) onDone?.()
  }
  return (
    <Form<V>
      {...(id ? { id } : {})}
      {...(initial ? { initialValues: initial } : {})}
      {...(unmarked ? { requiredMark: false } : {})}
      {...(style ? { style } : {})}
      form={kit.form}
      layout="vertical"
      // A field that was refused is innocent again as soon as it changes.
      onValuesChange={(changed, typed) => {
        forgive(kit.form, Object.keys(changed))
        onTyped?.(typed)
      }}
      onFinish={(typed) => void submit(typed)}
      scrollToFirstError={{ focus: true }}
    >
      {props.children}
      {/* Where no button names it: without one in the form Enter would do nothing. */}
      {!id && <button type="submit" hidden tabIndex={-1} aria-hidden="true" />}
    </Form>
  )
}
