import type { ReactNode } from 'react'
import styles from './facts.module.css'

/** What is known of something, named: as many beside one another as there is room for. */
export const Facts = ({ children }: { children: ReactNode }) => <dl className={styles.root}>{children}</dl>

/** One of them; — where nothing is known. `wide`: what is long has a line of its own. */
export const Fact = ({ name, wide = false, children }: { name: string; wide?: boolean; children: ReactNode }) => (
  <div {...(wide ? { className: styles.factsWide } : {})}>
    <dt>{name}</dt>
    <dd>{children || '—'}</dd>
  </div>
)
