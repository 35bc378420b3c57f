import { Link } from '@tanstack/react-router'
import { providerLabels } from '../../../../../server/contract/shared/providers.ts'
import { useChatFrame } from '../../../auth/entry/use-frame.ts'
import employeeStyles from '../m.module.css'
import styles from './open.module.css'

/**
 * Links shown in a chat client below a payslip that was opened from its card: a button back to the chat when nothing is
 * left to do, and a link to the other payslips.
 */
export function ChatExitLinks({ done: isDone }: { done: boolean }) {
  const frame = useChatFrame()
  if (!frame) return null
  return (
    <nav className={`${styles.leave} no-print`} aria-label="看完以后">
      {isDone && (
        <button
          type="button"
          className={`ui-button ${employeeStyles.button}`}
          onClick={() => void import('../../../auth/entry/frame.ts').then(({ closeFrame }) => closeFrame(frame))}
        >
          返回{providerLabels[frame.kind]}
        </button>
      )}
      <Link to="/m/slips" replace className={`ui-button ${employeeStyles.button}`}>
        全部工资条
      </Link>
    </nav>
  )
}
