import { Checkbox, Input, type InputProps } from 'antd'
import type { ReactNode } from 'react'

/** A single-line text field with the limit of its call; autocomplete is off: the browser's suggestions would cover ours. */
export const TextInput = ({ limit, ...rest }: InputProps & { limit?: number }) => (
  <Input autoComplete="off" {...(limit ? { maxLength: limit } : {})} {...rest} />
)

type CheckboxFieldProps = {
  checked?: boolean
  onChange?: (checked: boolean) => void
  disabled?: boolean
  indeterminate?: boolean
  children: ReactNode
}
/** A checkbox; in a form: `<Form.Item valuePropName="checked">`. `indeterminate`: some of its members are checked. */
export const CheckboxField = ({ checked = false, onChange, indeterminate = false, ...rest }: CheckboxFieldProps) => (
  <Checkbox {...rest} checked={checked} indeterminate={indeterminate} onChange={(event) => onChange?.(event.target.checked)} />
)
