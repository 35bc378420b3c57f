/** What both skins of the form kit share: `desktop-field.tsx` draws fields with antd, `light-form.tsx` without a library. */
import type { HTMLAttributes, ReactNode } from 'react'

export type FieldKind = 'text' | 'tel' | 'email' | 'url' | 'digits' | 'decimal' | 'code' | 'password' | 'multiline'

/** One field of a form; a definition that several forms use has a name, such as `accountFields.password`. */
export type FieldDefinition = {
  label: string
  kind?: FieldKind
  /** Off unless stated, because the browser's suggestions would cover ours. */
  autoComplete?: string
  /** The limit of the call. */
  maxLength?: number
  placeholder?: string
  /** What the user needs to know before typing. */
  help?: ReactNode
  /** Cleans typed or pasted text. */
  clean?: (text: string) => string
}

/** An error with the name of its field, as the server reports it; a field that is not in the form means the whole form. */
export type FieldError = { field: string; text: string }

const inputModes: Partial<Record<FieldKind, HTMLAttributes<HTMLInputElement>['inputMode']>> = {
  tel: 'tel',
  email: 'email',
  url: 'url',
  digits: 'numeric',
  decimal: 'decimal',
  code: 'numeric',
}

/** Returns the attributes that the input of a field has in both skins. */
export function toInputAttributes({ kind = 'text', autoComplete, maxLength, placeholder }: Omit<FieldDefinition, 'label'>) {
  const inputMode = inputModes[kind]
  return {
    autoComplete: autoComplete ?? (kind === 'code' ? 'one-time-code' : 'off'),
    ...(inputMode && { inputMode }),
    ...(maxLength !== undefined && { maxLength }),
    ...(placeholder !== undefined && { placeholder }),
  }
}
