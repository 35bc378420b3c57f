import { cache, endHere } from '../../../api.ts'
import { session } from '../../../api-core.ts'

/** The session was made anew in another company: the window begins again, and nothing of the first one stays. */
export function goOn(token: string, to: string): void {
  endHere()
  session.keep(token)
  cache.clear()
  location.replace(to)
}
