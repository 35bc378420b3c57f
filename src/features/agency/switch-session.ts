import { markSessionEnded, queryClient } from '../../api.ts'
import { session } from '../../api-core.ts'

/** Switches to the new session in another company: the window reloads, so no state of the previous session remains. */
export function switchSession(token: string, path: string): void {
  markSessionEnded()
  session.setToken(token)
  queryClient.clear()
  location.replace(path)
}
