import { createFileRoute } from '@tanstack/react-router'
import { session } from '../../api-core.ts'
import { prefetchQuery } from '../../routed/prefetch.ts'
import { currentUserQuery } from '../../session.ts'
import { DesktopLayout } from '../../shell/desktop/layout.tsx'

/** Everything of administrators on a wide screen. Loads antd; /m never comes here. */
export const Route = createFileRoute('/_desk')({
  loader: () => void (session.token && prefetchQuery(currentUserQuery)),
  component: DesktopLayout,
})
