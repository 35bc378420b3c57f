import { Input } from 'antd'
import { useState } from 'react'
import { Icon } from '../icon.tsx'

/** A search box. Searches on Enter or on its icon, never while typing; clearing it searches with undefined. */
export function SearchBox(props: {
  value: string | undefined
  onSearch: (text: string | undefined) => void
  placeholder: string
  width?: number | string
}) {
  const [text, setText] = useState(props.value ?? '')
  const [lastValue, setLastValue] = useState(props.value)
  // The address bar can change the filter as well (back button, a removed tag).
  if (lastValue !== props.value) {
    setLastValue(props.value)
    setText(props.value ?? '')
  }
  const submit = (value: string) => props.onSearch(value.trim() || undefined)
  return (
    <Input
      className="ui-search"
      value={text}
      aria-label={props.placeholder}
      placeholder={props.placeholder}
      style={{ width: props.width ?? 240 }}
      allowClear
      onChange={(event) => {
        setText(event.target.value)
        if (event.type === 'click') submit('')
      }}
      onPressEnter={(event) => {
        // In a dialog's form Enter would submit the form as well.
        event.preventDefault()
        submit(text)
      }}
      suffix={
        <button type="button" className="ui-icon-button" aria-label="搜索" onClick={() => submit(text)}>
          <Icon name="search" />
        </button>
      }
    />
  )
}
