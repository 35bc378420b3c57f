/** The routed app begins: everything except the product page and the sign-in page. */
import { QueryClientProvider } from '@tanstack/react-query'
import { createRouter, RouterProvider } from '@tanstack/react-router'
import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import type { CallAccess } from '../../server/contract/access.ts'
import { queryClient } from '../api.ts'
import { installPolyfills } from '../shell/polyfills.ts'
import { registerWindowEvents } from '../shell/window-events.ts'
import type { routeTree } from './routes.gen.ts'
import '../theme.css'

/** The section of the menu that a page belongs to (spec §2, section highlighting). */
export type MenuSection = 'wage' | 'member' | 'chart' | 'role' | 'message' | 'none'

const createAppRouter = (tree: typeof routeTree) =>
  createRouter({
    routeTree: tree,
    // `/companyList` and `/CompanyList` are one page.
    caseSensitive: false,
    defaultPreload: false,
    scrollRestoration: true,
    scrollToTopSelectors: ['#page'],
    defaultStructuralSharing: true,
    // A loader begins questions when a page is entered; what came of them the query cache keeps, and asks again.
    defaultStaleTime: Number.POSITIVE_INFINITY,
    defaultGcTime: 0,
  })

declare module '@tanstack/react-router' {
  interface Register {
    router: ReturnType<typeof createAppRouter>
  }
  /** Feeds menu, guard, highlight and the window's title, so that they cannot disagree. */
  interface StaticDataRouteOption {
    title?: string
    section?: MenuSection
    /** Who may open the page; the desk's guard asks it. Pages outside the desk guard themselves. */
    who?: CallAccess
  }
}

/** With every page (`app.tsx`), or with those of /m alone (`pocket.tsx`). */
export function startApp(tree: typeof routeTree): void {
  installPolyfills()
  const root = document.getElementById('root')
  if (!root) return
  const router = createAppRouter(tree)
  const reactRoot = createRoot(root)
  registerWindowEvents(() => reactRoot.unmount())
  // What the page brought to look at stays until the route has come, which says itself what went wrong.
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
