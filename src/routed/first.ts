/**
 * What the loader of a page does: it begins the questions of its first view at once, side by side, while the page and who is looking at it are
 * still on their way, and waits for none of them. The page asks them as it always did (`useQuery`) and meets the answers, or what is under way.
 */
import { may, type Who } from '../../server/contract/who.ts'
import { cache } from '../api.ts'
import { session } from '../api-core.ts'
import { personOf, type Role, roleQuery } from '../session.ts'

/** One question. A refusal is the page's to show. */
export const begin: typeof cache.prefetchQuery = (question) => cache.prefetchQuery(question)

type Page = { options: { staticData?: { who?: Who } } }
/** Those of a page, for whoever may see it: nobody else's are asked, for a question that is refused leaves its line of evidence. */
export function first(page: Page, questions: () => unknown): void {
  if (!session.token) return
  const { who } = page.options.staticData ?? {}
  const ask = (me: Role) => void ((!who || may(personOf(me), who)) && questions())
  const me = cache.getQueryData(roleQuery.queryKey)
  if (me) ask(me)
  // That nobody could be told who he is, the frame around the page says.
  else void cache.ensureQueryData(roleQuery).then(ask, () => undefined)
}
