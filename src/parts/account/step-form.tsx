import { Form, type FormInstance } from 'antd'
import { type ReactNode, useState } from 'react'
import { ApiError } from '../../api.ts'
import { showOnField } from '../../ui/dialogs.tsx'

type Steps<V extends object> = { form: FormInstance<V>; busy: boolean; attempt: (work: () => Promise<unknown>) => Promise<void> }

/** One step of a dialog with several. `attempt` puts what is refused on its field, and is deaf while the last one is under way. */
export function useStep<V extends object>(): Steps<V> {
  const [form] = Form.useForm<V>()
  const [busy, setBusy] = useState(false)
  const attempt = async (work: () => Promise<unknown>) => {
    if (busy) return
    setBusy(true)
    clear(form as FormInstance, Object.keys(form.getFieldsValue() as object))
    try {
      await work()
    } catch (error) {
      // What has no field was said in a toast already.
      if (error instanceof ApiError) showOnField(form as FormInstance, error)
    } finally {
      setBusy(false)
    }
  }
  return { form, busy, attempt }
}

const clear = (form: FormInstance, names: string[]) => form.setFields(names.map((name) => ({ name, errors: [] })))

/** The fields of a step; Enter goes on. */
export function StepForm<V extends object>(props: {
  step: Pick<Steps<V>, 'form'>
  initial: V
  onSubmit: (typed: V) => void
  children: ReactNode
}) {
  const form = props.step.form
  return (
    <Form<V>
      form={form}
      layout="vertical"
      initialValues={props.initial}
      onValuesChange={(changed) => clear(form as FormInstance, Object.keys(changed))}
      onFinish={props.onSubmit}
    >
      {props.children}
      {/* The visible button stands in the dialog's footer; without one in the form Enter would do nothing. */}
      <button type="submit" hidden tabIndex={-1} aria-hidden="true" />
    </Form>
  )
}
