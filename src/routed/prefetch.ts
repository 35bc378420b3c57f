/**
 * What the loader of a page does: it begins the questions of its first view at once, side by side, while the page and who is looking at it are
 * still on their way, and waits for none of them. The page asks them as it always did (`useQuery`) and meets the answers, or what is under way.
 */
import { type CallAccess, canAccess } from '../../server/contract/access.ts'
import { queryClient } from '../api.ts'
import { session } from '../api-core.ts'
import { type CurrentUser, currentUserQuery, toAccessSubject } from '../session.ts'

/** One question. A refusal is the page's to show. */
export const prefetchQuery: typeof queryClient.prefetchQuery = (options) => queryClient.prefetchQuery(options)

type PageRoute = { options: { staticData?: { who?: CallAccess } } }
/** Those of a page, for whoever may see it: nobody else's are asked, for a question that is refused leaves its line of evidence. */
export function prefetchPage(page: PageRoute, startQueries: () => unknown): void {
  if (!session.token) return
  const { who: access } = page.options.staticData ?? {}
  const startIfAllowed = (currentUser: CurrentUser) =>
    void ((!access || canAccess(toAccessSubject(currentUser), access)) && startQueries())
  const currentUser = queryClient.getQueryData(currentUserQuery.queryKey)
  if (currentUser) startIfAllowed(currentUser)
  // That nobody could be told who he is, the frame around the page says.
  else void queryClient.ensureQueryData(currentUserQuery).then(startIfAllowed, () => undefined)
}
