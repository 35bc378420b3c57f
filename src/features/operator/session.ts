/** The session of a server operator: stored for this tab in addition to that of a company, and never mixed with it. */
import type { Call, Envelope } from '../../../server/contract/call.ts'
import { successCode } from '../../../server/contract/errors.ts'
import { setExitHandler } from '../../api.ts'
import { ApiError, NetworkError, setTransport } from '../../api-core.ts'

const tokenStorageKey = 'ops-token'
export const operatorSession = {
  get token(): string | null {
    return sessionStorage.getItem(tokenStorageKey)
  },
  setToken: (token: string): void => sessionStorage.setItem(tokenStorageKey, token),
  clearToken: (): void => sessionStorage.removeItem(tokenStorageKey),
}

const getRequestHeaders = (): Record<string, string> => {
  const xsrf = /(?:^|; )OPS-XSRF-TOKEN=([^;]+)/.exec(document.cookie)?.[1]
  return {
    ...(operatorSession.token ? { 'user-token': operatorSession.token } : {}),
    ...(xsrf ? { 'X-XSRF-TOKEN': decodeURIComponent(xsrf) } : {}),
  }
}

/** Navigates the whole window, so that no state of the previous session stays on the page. */
export const leaveOperatorConsole = (): void => {
  operatorSession.clearToken()
  location.replace('/ops')
}

/** Makes all further requests of this page use the operator session instead of a company session. */
export const installOperatorTransport = (): void => {
  setExitHandler(leaveOperatorConsole)
  setTransport((address, request) =>
    fetch(address, { ...request, headers: { 'content-type': 'application/json', ...getRequestHeaders() } }),
  )
}

/** Uploads a form with one file. Throws the same errors as `sendRequest`. */
export async function uploadOperatorFile(call: Call, fields: Readonly<Record<string, string>>, file: File): Promise<void> {
  const form = new FormData()
  for (const [name, value] of Object.entries(fields)) form.append(name, value)
  form.append('file', file)
  const response = await fetch(call.path, {
    method: call.method,
    headers: getRequestHeaders(),
    body: form,
    credentials: 'include',
  }).catch((error: unknown) => {
    throw new NetworkError(error)
  })
  const { error_code, error_msg, data }: Envelope = await response.json()
  if (error_code !== successCode) throw new ApiError(error_code, error_msg, data)
}
