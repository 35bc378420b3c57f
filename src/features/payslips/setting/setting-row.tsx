import { Switch } from 'antd'
import type { ReactNode } from 'react'
import styles from './setting.module.css'

export const SettingsGroup = ({ id, title, children }: { id?: string; title: string; children: ReactNode }) => (
  <section id={id} className={`ui-card ${styles.settings}`}>
    <h2>{title}</h2>
    <ul>{children}</ul>
  </section>
)

/** One setting: its name, its meaning for employees, and its control, which saves by itself. */
export function SettingRow(props: { title: string; id?: string; children?: ReactNode; meaning: ReactNode }) {
  const { title, id, meaning: description, children } = props
  return (
    <li>
      <div className={styles.words}>
        {id ? <label htmlFor={id}>{title}</label> : <h3>{title}</h3>}
        <p id={id && `${id}-meaning`}>{description}</p>
      </div>
      <div className={styles.control}>{children}</div>
    </li>
  )
}

/** A setting that is on or off. `disabledReason` states why it cannot be changed. */
export function SwitchSettingRow(props: {
  id: string
  title: string
  meaning: ReactNode
  value: boolean
  busy: boolean
  cannot?: string | undefined
  onChange: (value: boolean) => void
}) {
  const { id, title, meaning: description, value, busy, cannot: disabledReason, onChange } = props
  return (
    <SettingRow
      id={id}
      title={title}
      meaning={
        <>
          {description}
          {disabledReason && <span className={styles.cannot}>{disabledReason}</span>}
        </>
      }
    >
      <Switch
        id={id}
        checked={value}
        loading={busy}
        // Without a reason, the surrounding page decides whether it is disabled.
        {...(disabledReason === undefined ? {} : { disabled: true })}
        aria-describedby={`${id}-meaning`}
        onChange={onChange}
      />
    </SettingRow>
  )
}
