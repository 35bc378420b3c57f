import { logout } from '../../../server/contract/account/account.ts'
import { ask, endHere, toSignIn } from '../../api.ts'

/** After a new password (spec §9): to the sign-in page in so many seconds; the old session does not stay behind on the server. */
export function leaveIn(seconds: number) {
  endHere()
  setTimeout(() => {
    const go = () => toSignIn({ back: false })
    ask(logout, {}).then(go, go)
  }, seconds * 1000)
}
