/**
 * What a page's loader does: it starts the queries of the page's first view at once and in parallel, while the page and
 * the current user are still loading, and waits for none of them. The page still calls `useQuery` and finds the result
 * or the request in flight.
 */
import { type CallAccess, canAccess } from '../../server/contract/access.ts'
import { queryClient } from '../api.ts'
import { session } from '../api-core.ts'
import { type CurrentUser, currentUserQuery, toAccessSubject } from '../session.ts'

/** Prefetches one query. The page itself shows an error. */
export const prefetchQuery: typeof queryClient.prefetchQuery = (options) => queryClient.prefetchQuery(options)

type PageRoute = { options: { staticData?: { who?: CallAccess } } }
/** Prefetches the queries of a page, but only for users who may see it: a rejected query would leave an audit log entry. */
export function prefetchPage(page: PageRoute, startQueries: () => unknown): void {
  if (!session.token) return
  const { who: access } = page.options.staticData ?? {}
  const startIfAllowed = (currentUser: CurrentUser) =>
    void ((!access || canAccess(toAccessSubject(currentUser), access)) && startQueries())
  const currentUser = queryClient.getQueryData(currentUserQuery.queryKey)
  if (currentUser) startIfAllowed(currentUser)
  // The frame around the page reports if the current user could not be loaded.
  else void queryClient.ensureQueryData(currentUserQuery).then(startIfAllowed, () => undefined)
}
