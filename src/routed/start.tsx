/** Starts the routed app: everything except the product page and the sign-in page. */
import { QueryClientProvider } from '@tanstack/react-query'
import { type AnyRoute, createRouter, RouterProvider } from '@tanstack/react-router'
import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import type { CallAccess } from '../../server/contract/access.ts'
import { queryClient } from '../api.ts'
import { keepPageWhileUnreachable } from '../app/keep-page.ts'
import { NoticeBar } from '../app/notice-bar.tsx'
import { PageError } from '../app/page-error.tsx'
import { installPolyfills } from '../app/polyfills.ts'
import { nextPages } from '../app/preload/next-pages.ts'
import { reportError } from '../app/report/report-error.ts'
import { registerWindowEvents } from '../app/window-events.ts'
import { registerLoadErrors } from '../components/state/load-error.ts'
import type { routeTree } from './routes.gen.ts'
import '../theme.css'

/** The menu section of a page (spec §2, section highlighting). */
export type MenuSection = 'wage' | 'member' | 'chart' | 'role' | 'message' | 'none'

const createAppRouter = (tree: typeof routeTree) =>
  createRouter({
    routeTree: tree,
    // `/companyList` and `/CompanyList` are the same page.
    caseSensitive: false,
    // Every page has its own error boundary, so that the layout around it stays.
    defaultErrorComponent: PageError,
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

/** The page itself comes first, also on a slow connection. */
const preloadDelayMs = 2_000

/** Starts the app with all pages (`app.tsx`), or with those of /m only (`mobile.tsx`). */
export function startApp(tree: AnyRoute): void {
  installPolyfills()
  registerLoadErrors()
  const root = document.getElementById('root')
  if (!root) return
  const router = createAppRouter(tree as typeof routeTree)
  const preloadPages = keepPageWhileUnreachable(router)
  router.subscribe('onRendered', () => {
    const id = router.state.matches.at(-1)?.routeId ?? ''
    setTimeout(() => void preloadPages(nextPages[id] ?? []), preloadDelayMs)
  })
  const reactRoot = createRoot(root, {
    // What any error boundary caught, with the number that it shows.
    onCaughtError: (error) => {
      // oxlint-disable-next-line no-console -- as React does without this handler
      console.error(error)
      reportError(error)
    },
  })
  registerWindowEvents(() => reactRoot.unmount())
  // The page's own placeholder stays until the route has loaded, which reports errors itself.
  void router.load().finally(() =>
    reactRoot.render(
      <StrictMode>
        <QueryClientProvider client={queryClient}>
          <RouterProvider router={router} />
          <NoticeBar />
        </QueryClientProvider>
      </StrictMode>,
    ),
  )
}
