import { logout } from '../../../server/contract/auth/sign-in.ts'
import { callApi, markSessionEnded, redirectToSignIn } from '../../api.ts'

/** How much longer than that the answer to the log-out is waited for: a server that is full keeps nobody on a page that is over. */
const logoutTimeoutMs = 2_000

/**
 * After a new password (spec §9): to the sign-in page in so many seconds; the old session does not stay behind on the server. It is told at once: where it is
 * turned away there is time to tell it again.
 */
export function signOutAfter(seconds: number) {
  markSessionEnded()
  const logoutRequest = callApi(logout, {}, { keepalive: true }).catch(() => undefined)
  setTimeout(() => {
    const timeout = new Promise((resolve) => setTimeout(resolve, logoutTimeoutMs))
    void Promise.race([logoutRequest, timeout]).then(() => redirectToSignIn({ back: false }))
  }, seconds * 1000)
}
