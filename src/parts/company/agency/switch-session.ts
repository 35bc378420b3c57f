import { markSessionEnded, queryClient } from '../../../api.ts'
import { session } from '../../../api-core.ts'

/** The session was made anew in another company: the window begins again, and nothing of the first one stays. */
export function switchSession(token: string, path: string): void {
  markSessionEnded()
  session.setToken(token)
  queryClient.clear()
  location.replace(path)
}
