/** The session of whoever runs the server: kept for this tab, beside that of a company, and never mixed with it. */
import type { Call, Envelope } from '../../../../server/contract/call.ts'
import { success } from '../../../../server/contract/refusals.ts'
import { leaveBy } from '../../../api.ts'
import { ApiError, carryWith, NetworkError } from '../../../api-core.ts'

const key = 'ops-token'
export const opsSession = {
  get token(): string | null {
    return sessionStorage.getItem(key)
  },
  keep: (token: string): void => sessionStorage.setItem(key, token),
  forget: (): void => sessionStorage.removeItem(key),
}

const headers = (): Record<string, string> => {
  const xsrf = /(?:^|; )OPS-XSRF-TOKEN=([^;]+)/.exec(document.cookie)?.[1]
  return {
    ...(opsSession.token ? { 'user-token': opsSession.token } : {}),
    ...(xsrf ? { 'X-XSRF-TOKEN': decodeURIComponent(xsrf) } : {}),
  }
}

/** The whole window leaves: nothing of the session before is left on the page. */
export const leaveOps = (): void => {
  opsSession.forget()
  location.replace('/ops')
}

/** From now on this page asks as an operator, and as nobody of a company. */
export const beOperator = (): void => {
  leaveBy(leaveOps)
  carryWith((address, request) => fetch(address, { ...request, headers: { 'content-type': 'application/json', ...headers() } }))
}

/** A form with one file. Throws as `send` does. */
export async function sendFile(call: Call, fields: Readonly<Record<string, string>>, file: File): Promise<void> {
  const form = new FormData()
  for (const [name, value] of Object.entries(fields)) form.append(name, value)
  form.append('file', file)
  const answer = await fetch(call.path, { method: call.method, headers: headers(), body: form, credentials: 'include' }).catch(
    (error: unknown) => {
      throw new NetworkError(error)
    },
  )
  const { error_code, error_msg, data }: Envelope = await answer.json()
  if (error_code !== success) throw new ApiError(error_code, error_msg, data)
}
