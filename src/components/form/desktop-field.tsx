import { Form, type FormItemProps, Input, type InputProps } from 'antd'
import type { TextAreaProps } from 'antd/es/input'
import type { ChangeEvent } from 'react'
import { type FieldDefinition, toInputAttributes } from './field.ts'

type FormFieldProps = FieldDefinition & {
  name: NonNullable<FormItemProps['name']>
  /** The message for an empty field; true marks the field and leaves the message to the server. */
  required?: string | true | undefined
  /** Further rules, checked after `required`. */
  rules?: NonNullable<FormItemProps['rules']>
  tooltip?: string
} & Pick<InputProps, 'autoFocus' | 'disabled'> &
  Pick<TextAreaProps, 'rows' | 'showCount'>

/** A text field in a `ControlledForm`; other controls are children of antd's `Form.Item`. */
export function FormField(props: FormFieldProps) {
  const { name, label, kind = 'text', help, clean, required, rules = [], tooltip, rows, showCount, ...rest } = props
  const { autoComplete: _, maxLength: __, placeholder: ___, ...controlProps } = rest
  const attributes = { ...toInputAttributes(props), ...controlProps }
  const requiredRules =
    typeof required === 'string' ? [{ required: true, whitespace: kind !== 'password', message: required }] : []
  return (
    <Form.Item
      name={name}
      label={label}
      rules={[...requiredRules, ...rules]}
      {...(required === true && { required })}
      {...(help !== undefined && { extra: help })}
      {...(tooltip !== undefined && { tooltip })}
      {...(clean && { getValueFromEvent: (event: ChangeEvent<HTMLInputElement>) => clean(event.target.value) })}
    >
      {kind === 'password' ? (
        <Input.Password {...attributes} />
      ) : kind === 'multiline' ? (
        <Input.TextArea {...attributes} {...(rows && { rows })} {...(showCount && { showCount })} />
      ) : (
        <Input {...attributes} />
      )}
    </Form.Item>
  )
}
