import { Link } from '@tanstack/react-router'
import { providerNames } from '../../../../server/contract/people/providers.ts'
import { useFrame } from '../../entry/use-frame.ts'
import employeeStyles from '../m.module.css'
import styles from './open.module.css'

/** In a chat client, below a slip that was opened from its card: back to the chat when nothing is left to do, and the way to the other slips. */
export function Leave({ done }: { done: boolean }) {
  const frame = useFrame()
  if (!frame) return null
  return (
    <nav className={`${styles.leave} no-print`} aria-label="看完以后">
      {done && (
        <button
          type="button"
          className={`ui-button ${employeeStyles.button}`}
          onClick={() => void import('../../entry/frame.ts').then(({ shut }) => shut(frame))}
        >
          返回{providerNames[frame.kind]}
        </button>
      )}
      <Link to="/m/slips" replace className={`ui-button ${employeeStyles.button}`}>
        全部工资条
      </Link>
    </nav>
  )
}
