import { createRoute } from '@tanstack/react-router'
import { Route as root } from '../pages/__root.tsx'

/** Every address that is not of /m, in the app of /m: it is the window's, which fetches its page from the server. */
export const ElsewhereRoute = createRoute({
  getParentRoute: () => root,
  path: '$',
  // The address is written after this turn. Until the window has gone, the page before it stays.
  beforeLoad: () => new Promise<never>(() => setTimeout(() => location.reload())),
})
