import { logout } from '../../../../server/contract/auth/sign-in.ts'
import { callApi, markSessionEnded, redirectToSignIn } from '../../../api.ts'

/** How much longer to wait for the logout response: an overloaded server must not keep the user when the session is over. */
const logoutTimeoutMs = 2_000

/**
 * Signs out after a new password (spec §9): goes to the sign-in page after the given seconds and ends the old session
 * on the server. The logout is sent at once, which leaves time for retries when the server sheds load.
 */
export function signOutAfter(seconds: number) {
  markSessionEnded()
  const logoutRequest = callApi(logout, {}, { keepalive: true }).catch(() => undefined)
  setTimeout(() => {
    const timeout = new Promise((resolve) => setTimeout(resolve, logoutTimeoutMs))
    void Promise.race([logoutRequest, timeout]).then(() => redirectToSignIn({ back: false }))
  }, seconds * 1000)
}
