/** Starts the routed app: everything except the product page and the sign-in page. */
import { QueryClientProvider } from '@tanstack/react-query'
import { createRouter, RouterProvider } from '@tanstack/react-router'
import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import type { CallAccess } from '../../server/contract/access.ts'
import { queryClient } from '../api.ts'
import { installPolyfills } from '../app/polyfills.ts'
import { registerWindowEvents } from '../app/window-events.ts'
import type { routeTree } from './routes.gen.ts'
import '../theme.css'

/** The menu section of a page (spec §2, section highlighting). */
export type MenuSection = 'wage' | 'member' | 'chart' | 'role' | 'message' | 'none'

const createAppRouter = (tree: typeof routeTree) =>
  createRouter({
    routeTree: tree,
    // `/companyList` and `/CompanyList` are the same page.
    caseSensitive: false,
    defaultPreload: false,
    scrollRestoration: true,
    scrollToTopSelectors: ['#page'],
    defaultStructuralSharing: true,
    // A loader starts queries when a page is entered; the query cache stores and refreshes their results.
    defaultStaleTime: Number.POSITIVE_INFINITY,
    defaultGcTime: 0,
  })

declare module '@tanstack/react-router' {
  interface Register {
    router: ReturnType<typeof createAppRouter>
  }
  /** The single source for menu, guard, highlighting and window title, so that they cannot disagree. */
  interface StaticDataRouteOption {
    title?: string
    section?: MenuSection
    /** The access that the page requires; the desktop guard checks it. Pages outside the desktop app guard themselves. */
    who?: CallAccess
  }
}

/** Starts the app with all pages (`app.tsx`), or with those of /m only (`mobile.tsx`). */
export function startApp(tree: typeof routeTree): void {
  installPolyfills()
  const root = document.getElementById('root')
  if (!root) return
  const router = createAppRouter(tree)
  const reactRoot = createRoot(root)
  registerWindowEvents(() => reactRoot.unmount())
  // The page's own placeholder stays until the route has loaded, which reports errors itself.
  void router.load().finally(() =>
    reactRoot.render(
      <StrictMode>
        <QueryClientProvider client={queryClient}>
          <RouterProvider router={router} />
        </QueryClientProvider>
      </StrictMode>,
    ),
  )
}
