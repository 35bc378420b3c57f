import { Icon, type IconName } from '../icon.tsx'
import styles from './lock-screen-preview.module.css'

/** What an app shows of a message on a locked phone; without a title the text is everything. */
export type LockScreenNotification = {
  readonly key: string
  readonly app: string
  readonly icon: IconName
  readonly title: string
  readonly text: string
  /** Shown next to the preview, not on the phone. */
  readonly note?: string
}

/** Notifications as a locked phone shows them. */
export const LockScreenPreview = ({ items }: { items: readonly LockScreenNotification[] }) => (
  <ul className={styles.root}>
    {items.map(({ key, app, icon, title, text, note }) => (
      <li key={key}>
        <div className={styles.card}>
          <p className={styles.app}>
            <Icon name={icon} size={16} />
            <span>{app}</span>
            <span>现在</span>
          </p>
          {title && <p className={styles.title}>{title}</p>}
          <p className={styles.text}>{text}</p>
        </div>
        {note && <p className="ui-hint">{note}</p>}
      </li>
    ))}
  </ul>
)
