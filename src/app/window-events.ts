/** Handlers for window events: uncaught errors, another tab that signs in or out, and returning to a left page. */
import { queryClient, redirectToSignIn } from '../api.ts'
import { session } from '../api-core.ts'
import { tokenStorageKey } from '../browser.ts'
import { reportError } from './report/report-error.ts'

/** Registers the handlers. `clearPage` unmounts everything on the page. */
export function registerWindowEvents(clearPage: () => void) {
  addEventListener('error', ({ error }) => error && reportError(error))
  addEventListener('unhandledrejection', ({ reason }) => reportError(reason))
  // All tabs share the token: signing out ends them all, and another sign-in or company restarts them.
  addEventListener('storage', ({ key, newValue, oldValue }) => {
    if (key !== tokenStorageKey && key !== null) return
    if (!session.token) redirectToSignIn()
    else if (oldValue && newValue !== oldValue) location.replace(/^\/m(\/|$)/i.test(location.pathname) ? '/m/slips' : '/landing')
  })
  // The browser may restore a left page after the user signed out or another user signed in: without a session the page
  // is emptied when it is left, and a restored page stays hidden until everything is refetched.
  const { style } = document.documentElement
  let tokenOnLeave: string | null = null
  addEventListener('pagehide', () => {
    tokenOnLeave = session.token
    if (!tokenOnLeave) clearPage()
    style.visibility = 'hidden'
  })
  addEventListener('pageshow', ({ persisted }) => {
    if (!persisted) return
    if (!session.token) return redirectToSignIn()
    if (session.token !== tokenOnLeave) return location.reload()
    void queryClient.resetQueries()
    // The skeletons are rendered by then.
    setTimeout(() => {
      style.visibility = ''
    }, 60)
  })
}
