/** The routed app begins: everything except the product page and the sign-in page. */
import { QueryClientProvider } from '@tanstack/react-query'
import { createRouter, RouterProvider } from '@tanstack/react-router'
import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import type { Who } from '../../server/contract/who.ts'
import { cache } from '../api.ts'
import { lendOlder } from '../shell/older.ts'
import { watchWindow } from '../shell/watch.ts'
import type { routeTree } from './routes.gen.ts'
import '../theme.css'

/** The section of the menu that a page belongs to (spec §2, section highlighting). */
export type Section = 'wage' | 'member' | 'chart' | 'role' | 'message' | 'none'

const routerOf = (tree: typeof routeTree) =>
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
    router: ReturnType<typeof routerOf>
  }
  /** Feeds menu, guard, highlight and the window's title, so that they cannot disagree. */
  interface StaticDataRouteOption {
    title?: string
    section?: Section
    /** Who may open the page; the desk's guard asks it. Pages outside the desk guard themselves. */
    who?: Who
  }
}

/** With every page (`app.tsx`), or with those of /m alone (`pocket.tsx`). */
export function start(tree: typeof routeTree): void {
  lendOlder()
  const root = document.getElementById('root')
  if (!root) return
  const router = routerOf(tree)
  const drawn = createRoot(root)
  watchWindow(() => drawn.unmount())
  // What the page brought to look at stays until the route has come, which says itself what went wrong.
  void router.load().finally(() =>
    drawn.render(
      <StrictMode>
        <QueryClientProvider client={cache}>
          <RouterProvider router={router} />
        </QueryClientProvider>
      </StrictMode>,
    ),
  )
}
