import { createRootRoute, lazyRouteComponent, Outlet, useMatches } from '@tanstack/react-router'
import { useEffect } from 'react'

const NotFound = lazyRouteComponent(() => import('../app/not-found.tsx'), 'NotFound')

export const Route = createRootRoute({ component: Root, notFoundComponent: NotFound })

function Root() {
  const title = useMatches({ select: (matches) => matches.findLast((match) => match.staticData.title)?.staticData.title })
  // React does not manage the window title.
  useEffect(() => {
    document.title = title ? `${title} · 薪函` : '薪函'
  }, [title])
  return <Outlet />
}
