import { createFileRoute } from '@tanstack/react-router'
import { session } from '../../api-core.ts'
import { DesktopLayout } from '../../app/desktop/layout.tsx'
import { prefetchQuery } from '../../routed/prefetch.ts'
import { currentUserQuery } from '../../session.ts'

/** All administrator pages for wide screens. Loads antd; /m never loads this file. */
export const Route = createFileRoute('/_desk')({
  loader: () => void (session.token && prefetchQuery(currentUserQuery)),
  component: DesktopLayout,
})
