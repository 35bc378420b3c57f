/** What happens to the window as a whole: errors nobody caught, another tab that signs in or out, coming back to a left page. */
import { queryClient, redirectToSignIn } from '../api.ts'
import { session } from '../api-core.ts'
import { tokenStorageKey } from '../browser.ts'
import { reportError } from './report/report-error.ts'

/** `clearPage` takes everything off the page. */
export function registerWindowEvents(clearPage: () => void) {
  addEventListener('error', ({ error }) => error && reportError(error))
  addEventListener('unhandledrejection', ({ reason }) => reportError(reason))
  // The token is shared by all tabs: signing out ends them all, and another sign-in or company begins them anew.
  addEventListener('storage', ({ key, newValue, oldValue }) => {
    if (key !== tokenStorageKey && key !== null) return
    if (!session.token) redirectToSignIn()
    else if (oldValue && newValue !== oldValue) location.replace(/^\/m(\/|$)/i.test(location.pathname) ? '/m/slips' : '/landing')
  })
  // The browser may bring a left page back as it was, after somebody has signed out or somebody else has signed in: whoever is
  // signed out leaves an empty page behind, and a page that comes back is not seen before it has asked for everything anew.
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
    // The skeletons are drawn by then.
    setTimeout(() => {
      style.visibility = ''
    }, 60)
  })
}
