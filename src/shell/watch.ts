/** What happens to the window as a whole: errors nobody caught, another tab that signs in or out, coming back to a left page. */
import { cache, toSignIn } from '../api.ts'
import { session } from '../api-core.ts'
import { tokenKey } from '../browser.ts'
import { report } from './report/number.ts'

/** `empty` takes everything off the page. */
export function watchWindow(empty: () => void) {
  addEventListener('error', ({ error }) => error && report(error))
  addEventListener('unhandledrejection', ({ reason }) => report(reason))
  // The token is shared by all tabs: signing out ends them all, and another sign-in or company begins them anew.
  addEventListener('storage', ({ key, newValue, oldValue }) => {
    if (key !== tokenKey && key !== null) return
    if (!session.token) toSignIn()
    else if (oldValue && newValue !== oldValue) location.replace(/^\/m(\/|$)/i.test(location.pathname) ? '/m/slips' : '/landing')
  })
  // The browser may bring a left page back as it was, after somebody has signed out or somebody else has signed in: whoever is
  // signed out leaves an empty page behind, and a page that comes back is not seen before it has asked for everything anew.
  const { style } = document.documentElement
  let left: string | null = null
  addEventListener('pagehide', () => {
    left = session.token
    if (!left) empty()
    style.visibility = 'hidden'
  })
  addEventListener('pageshow', ({ persisted }) => {
    if (!persisted) return
    if (!session.token) return toSignIn()
    if (session.token !== left) return location.reload()
    void cache.resetQueries()
    // The skeletons are drawn by then.
    setTimeout(() => {
      style.visibility = ''
    }, 60)
  })
}
