import type { ReactNode } from 'react'
import styles from './detail-list.module.css'

/** What is known of something, named: as many beside one another as there is room for. */
export const DetailList = ({ children }: { children: ReactNode }) => <dl className={styles.root}>{children}</dl>

/** One of them; — where nothing is known. `wide`: what is long has a line of its own; `long`: on a phone it has. */
export const DetailItem = (props: { name: string; wide?: boolean; long?: boolean; children: ReactNode }) => (
  <div className={props.wide ? styles.factsWide : props.long ? styles.factsLong : undefined}>
    <dt>{props.name}</dt>
    <dd>{props.children || '—'}</dd>
  </div>
)
