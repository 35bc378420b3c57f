import { Checkbox, Input, type InputProps } from 'antd'
import type { ReactNode } from 'react'

/** One line of text, with the limit that its call names; the browser's own suggestions would cover ours. */
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
/** In a form: `<Form.Item valuePropName="checked">`. `indeterminate`: some of what it stands for are checked. */
export const CheckboxField = ({ checked = false, onChange, indeterminate = false, ...rest }: CheckboxFieldProps) => (
  <Checkbox {...rest} checked={checked} indeterminate={indeterminate} onChange={(event) => onChange?.(event.target.checked)} />
)
