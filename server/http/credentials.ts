/** The credentials of a request: the two halves of a session, a token in a header and a cookie; or an API key. */
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

/** Returns the API key; null for other credentials in this header, such as those of a proxy in front of the server. */
export const readApiKey = ({ authorization }: IncomingHttpHeaders): string | null =>
  /^Bearer +(xh_\S*)$/i.exec(authorization ?? '')?.[1] ?? null
