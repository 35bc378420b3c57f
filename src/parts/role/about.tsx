import { type Power, powerWords } from '../../../server/contract/who.ts'
import { Icon } from '../../ui/icon.tsx'
import { about } from './rights.ts'
import styles from './role.module.css'

/** In place: what a power may do and what not. */
export function About({ powers }: { powers: readonly Power[] }) {
  return (
    <aside className={`ui-card ${styles.about}`} aria-label="权限说明">
      {powers.map((power) => (
        <section key={power} aria-labelledby={`role-about-${power}`}>
          <h2 id={`role-about-${power}`}>{powerWords[power]}能做什么</h2>
          <ul>
            {about[power].may.map((text) => (
              <Line key={text} text={text} />
            ))}
            {about[power].mayNot.map((text) => (
              <Line key={text} text={text} not />
            ))}
          </ul>
        </section>
      ))}
    </aside>
  )
}

const Line = ({ text, not = false }: { text: string; not?: boolean }) => (
  <li data-not={not || undefined}>
    <Icon name={not ? 'close' : 'check'} size={16} />
    <span>
      <span className="sr-only">{not ? '不能：' : '可以：'}</span>
      {text}
    </span>
  </li>
)
