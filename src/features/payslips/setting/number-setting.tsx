import { Button, InputNumber } from 'antd'
import { useState } from 'react'
import { LightForm } from '../../../components/form/light-form.tsx'
import styles from './setting.module.css'
import { SettingRow } from './setting-row.tsx'
import { useUnsavedSetting } from './unsaved.tsx'

/** A numeric setting; 0 is off. Saved with Enter or its button, which appears after a change. */
export function NumberSettingRow(props: {
  id: string
  title: string
  meaning: string
  value: number
  max: number
  unit: string
  busy: boolean
  onSave: (value: number) => void
}) {
  const { id, title, meaning: description, value, max, unit, busy, onSave } = props
  const [draft, setDraft] = useState<number | null>(null)
  const [savedValue, setSavedValue] = useState(value)
  // The settings were saved, or changed by another user.
  if (savedValue !== value) {
    setSavedValue(value)
    setDraft(null)
  }
  const isChanged = draft !== null && draft !== value
  useUnsavedSetting(id, isChanged ? `${title}：${value} → ${draft} ${unit}` : null, () => draft !== null && onSave(draft))
  return (
    <SettingRow id={id} title={title} meaning={description}>
      <LightForm className={`ui-row ${styles.wide}`} onSubmit={() => isChanged && !busy && onSave(draft)}>
        <InputNumber
          id={id}
          aria-describedby={`${id}-meaning`}
          min={0}
          max={max}
          precision={0}
          suffix={unit}
          style={{ width: 130 }}
          value={draft ?? value}
          onChange={(next) => setDraft(next ?? 0)}
        />
        {isChanged && (
          <Button type="primary" htmlType="submit" loading={busy}>
            保存
          </Button>
        )}
      </LightForm>
    </SettingRow>
  )
}

/** Formats minutes in the largest unit that divides them evenly. */
export const formatMinutes = (minutes: number) =>
  minutes % 1440 === 0 ? `${minutes / 1440} 天` : minutes % 60 === 0 ? `${minutes / 60} 小时` : `${minutes} 分钟`
