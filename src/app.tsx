/** The routed app: everything except the product page and the sign-in page. */
import { QueryClientProvider } from '@tanstack/react-query'
import { createRouter, RouterProvider } from '@tanstack/react-router'
import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import type { Who } from '../server/contract/who.ts'
import { cache } from './api.ts'
import { routeTree } from './routes.gen.ts'
import { lendOlder } from './shell/older.ts'
import { watchWindow } from './shell/watch.ts'
import './theme.css'

/** The section of the menu that a page belongs to (spec §2, section highlighting). */
export type Section = 'wage' | 'member' | 'chart' | 'role' | 'message' | 'none'

lendOlder()

const router = createRouter({
  routeTree,
  // `/companyList` and `/CompanyList` are one page.
  caseSensitive: false,
  defaultPreload: false,
  scrollRestoration: true,
  scrollToTopSelectors: ['#page'],
  defaultStructuralSharing: true,
})

declare module '@tanstack/react-router' {
  interface Register {
    router: typeof router
  }
  /** Feeds menu, guard, highlight and the window's title, so that they cannot disagree. */
  interface StaticDataRouteOption {
    title?: string
    section?: Section
    /** Who may open the page; the desk's guard asks it. Pages outside the desk guard themselves. */
    who?: Who
  }
}

const root = document.getElementById('root')
if (root) {
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
