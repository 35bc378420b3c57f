import { type Power, powerLabels } from '../../../server/contract/access.ts'
import { Icon } from '../../components/icon.tsx'
import { useIsAgency } from '../../session.ts'
import { agencyPowerDescriptions, powerDescriptions } from './rights.ts'
import styles from './role.module.css'

export function PowerDescriptions({ powers }: { powers: readonly Power[] }) {
  const descriptions = useIsAgency() ? agencyPowerDescriptions : powerDescriptions
  return (
    <aside className={`ui-card ${styles.about}`} aria-label="权限说明">
      {powers.map((power) => (
        <section key={power} aria-labelledby={`role-about-${power}`}>
          <h2 id={`role-about-${power}`}>{powerLabels[power]}能做什么</h2>
          <ul>
            {descriptions[power].allowed.map((text) => (
              <PowerDescriptionLine key={text} text={text} />
            ))}
            {descriptions[power].denied.map((text) => (
              <PowerDescriptionLine key={text} text={text} not />
            ))}
          </ul>
        </section>
      ))}
    </aside>
  )
}

const PowerDescriptionLine = ({ text, not: isDenied = false }: { text: string; not?: boolean }) => (
  <li data-not={isDenied || undefined}>
    <Icon name={isDenied ? 'close' : 'check'} size={16} />
    <span>
      <span className="sr-only">{isDenied ? '不能：' : '可以：'}</span>
      {text}
    </span>
  </li>
)
