/** The two halves of a session as a request sends them: the token in a header, and a cookie. */
import type { IncomingHttpHeaders } from 'node:http'
import type { CallerCredentials } from './limits/proven-callers.ts'

const maxLength = 200

export function readCredentials(
  headers: IncomingHttpHeaders,
  cookies: Readonly<Record<string, string | undefined>>,
  cookieName: string,
): CallerCredentials | null {
  const token = headers['user-token']
  const cookie = cookies[cookieName] ?? null
  if (typeof token !== 'string' || !token || token.length > maxLength || (cookie && cookie.length > maxLength)) return null
  return { token, cookie }
}
