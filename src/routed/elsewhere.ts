import { createRoute } from '@tanstack/react-router'
import { Route as root } from '../pages/__root.tsx'

/** Matches every address outside /m in the app of /m: the window loads that page from the server. */
export const ElsewhereRoute = createRoute({
  getParentRoute: () => root,
  path: '$',
  // The address is updated only after this function. Until the window navigates, the previous page stays.
  beforeLoad: () => new Promise<never>(() => setTimeout(() => location.reload())),
})
