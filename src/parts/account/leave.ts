import { logout } from '../../../server/contract/account/account.ts'
import { ask, endHere, toSignIn } from '../../api.ts'

/** How much longer than that the answer to the log-out is waited for: a server that is full keeps nobody on a page that is over. */
const patience_ms = 2_000

/**
 * After a new password (spec §9): to the sign-in page in so many seconds; the old session does not stay behind on the server. It is told at once: where it is
 * turned away there is time to tell it again.
 */
export function leaveIn(seconds: number) {
  endHere()
  const told = ask(logout, {}, { keepalive: true }).catch(() => undefined)
  setTimeout(() => {
    const late = new Promise((come) => setTimeout(come, patience_ms))
    void Promise.race([told, late]).then(() => toSignIn({ back: false }))
  }, seconds * 1000)
}
