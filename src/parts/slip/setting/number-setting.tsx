import { Button, InputNumber } from 'antd'
import { type FormEvent, useState } from 'react'
import styles from './setting.module.css'
import { SettingRow } from './setting-row.tsx'

/** A setting that is a number; 0 is off. Saved with Enter or its button, which is there when something was changed. */
export function NumberRow(props: {
  id: string
  title: string
  meaning: string
  value: number
  max: number
  unit: string
  busy: boolean
  onSave: (value: number) => void
}) {
  const { id, title, meaning, value, max, unit, busy, onSave } = props
  const [typed, setTyped] = useState<number | null>(null)
  const [given, setGiven] = useState(value)
  // Saved, or changed by somebody else.
  if (given !== value) {
    setGiven(value)
    setTyped(null)
  }
  const changed = typed !== null && typed !== value
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (changed && !busy) onSave(typed)
  }
  return (
    <SettingRow id={id} title={title} meaning={meaning}>
      <form className={`ui-row ${styles.wide}`} onSubmit={submit}>
        <InputNumber
          id={id}
          aria-describedby={`${id}-meaning`}
          min={0}
          max={max}
          precision={0}
          suffix={unit}
          style={{ width: 130 }}
          value={typed ?? value}
          onChange={(next) => setTyped(next ?? 0)}
        />
        {changed && (
          <Button type="primary" htmlType="submit" loading={busy}>
            保存
          </Button>
        )}
      </form>
    </SettingRow>
  )
}

/** So many minutes, in the largest unit in which they are whole. */
export const span = (minutes: number) =>
  minutes % 1440 === 0 ? `${minutes / 1440} 天` : minutes % 60 === 0 ? `${minutes / 60} 小时` : `${minutes} 分钟`
