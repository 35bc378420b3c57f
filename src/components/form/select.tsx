import { Select } from 'antd'

/** The value of a dropdown's default option (spec §2, §9): nothing is selected. */
export const noSelection = -1
export type NoSelection = typeof noSelection

type Option<V extends string | number> = { value: V; label: string; disabled?: boolean }
type DropdownProps<V extends string | number> = {
  options: readonly Option<V>[]
  /** The label of the default option, for example 「全部状态」; without it there is none. */
  allLabel?: string
  value?: V | NoSelection | undefined
  onChange?: (value: V | NoSelection) => void
  label?: string
  id?: string
  width?: number | string
}

/** A dropdown. With `allLabel` its first option stands for no selection and has the value -1. */
export function Dropdown<V extends string | number>({
  options,
  allLabel,
  value,
  onChange,
  label,
  width,
  ...rest
}: DropdownProps<V>) {
  const allOptions: Option<V | NoSelection>[] = allLabel ? [{ value: noSelection, label: allLabel }, ...options] : [...options]
  return (
    <Select<V | NoSelection>
      {...rest}
      {...(label ? { 'aria-label': label } : {})}
      style={{ width: width ?? 140 }}
      value={value ?? (allLabel ? noSelection : null)}
      options={allOptions}
      {...(onChange ? { onChange: (next: V | NoSelection) => onChange(next) } : {})}
    />
  )
}

type MultiSelectProps<V extends string | number> = {
  options: readonly Option<V>[]
  value?: V[]
  onChange?: (values: V[]) => void
  placeholder?: string
  id?: string
}

/** A multi-select whose options are searched by a part of their labels. */
export const MultiSelect = <V extends string | number>({ options, value, onChange, placeholder, id }: MultiSelectProps<V>) => (
  <Select<V[]>
    mode="multiple"
    {...(id ? { id } : { 'aria-label': placeholder })}
    style={{ width: '100%' }}
    value={value ?? []}
    options={[...options]}
    placeholder={placeholder}
    showSearch={{ optionFilterProp: 'label' }}
    maxTagCount="responsive"
    allowClear
    {...(onChange ? { onChange: (next: V[]) => onChange(next) } : {})}
  />
)
