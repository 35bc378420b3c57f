import { Link } from '@tanstack/react-router'
import { providerNames } from '../../../../server/contract/people/providers.ts'
import { useFrame } from '../../entry/use-frame.ts'

/** In a chat client, below a slip that was opened from its card: back to the chat when nothing is left to do, and the way to the other slips. */
export function Leave({ done }: { done: boolean }) {
  const frame = useFrame()
  if (!frame) return null
  return (
    <nav className="m-leave no-print" aria-label="看完以后">
      {done && (
        <button
          type="button"
          className="ui-button m-button"
          onClick={() => void import('../../entry/frame.ts').then(({ shut }) => shut(frame))}
        >
          返回{providerNames[frame.kind]}
        </button>
      )}
      <Link to="/m/slips" replace className="ui-button m-button">
        全部工资条
      </Link>
    </nav>
  )
}
