import { Switch } from 'antd'
import type { ReactNode } from 'react'
import styles from './setting.module.css'

/** A group of settings under one title. */
export const SettingGroup = ({ title, children }: { title: string; children: ReactNode }) => (
  <section className={`ui-card ${styles.settings}`}>
    <h2>{title}</h2>
    <ul>{children}</ul>
  </section>
)

/** One setting: what it is called, what it means for employees, and the control, which saves by itself. */
export function SettingRow(props: { title: string; id?: string; children?: ReactNode; meaning: ReactNode }) {
  const { title, id, meaning, children } = props
  return (
    <li>
      <div className={styles.words}>
        {id ? <label htmlFor={id}>{title}</label> : <h3>{title}</h3>}
        <p id={id && `${id}-meaning`}>{meaning}</p>
      </div>
      <div className={styles.control}>{children}</div>
    </li>
  )
}

/** A setting that is on or off. `cannot` says why it cannot be changed. */
export function SwitchRow(props: {
  id: string
  title: string
  meaning: ReactNode
  value: boolean
  busy: boolean
  cannot?: string | undefined
  onChange: (value: boolean) => void
}) {
  const { id, title, meaning, value, busy, cannot, onChange } = props
  return (
    <SettingRow
      id={id}
      title={title}
      meaning={
        <>
          {meaning}
          {cannot && <span className={styles.cannot}>{cannot}</span>}
        </>
      }
    >
      <Switch
        id={id}
        checked={value}
        loading={busy}
        // Left to the page around it where nothing is against it.
        {...(cannot === undefined ? {} : { disabled: true })}
        aria-describedby={`${id}-meaning`}
        onChange={onChange}
      />
    </SettingRow>
  )
}
