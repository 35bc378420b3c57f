import type { ReactNode } from 'react'
import styles from './detail-list.module.css'

/** A list of named details, in as many columns as fit. */
export const DetailList = ({ children }: { children: ReactNode }) => <dl className={styles.root}>{children}</dl>

/**
 * One detail, shown as “—” if there is no value. `wide`: long values take a line of their own; `long`: only on a phone.
 */
export const DetailItem = (props: { name: string; wide?: boolean; long?: boolean; children: ReactNode }) => (
  <div className={props.wide ? styles.factsWide : props.long ? styles.factsLong : undefined}>
    <dt>{props.name}</dt>
    <dd>{props.children || '—'}</dd>
  </div>
)
