/** Loads Lark's script and requests a code: `tt.requestAccess` (6.9) or `tt.requestAuthCode` (platform/lark.md §1.3). */
import { AuthCodeError, type AuthCodeParams } from '../client-module.ts'
import { loadScript } from '../load-script.ts'

type AuthCodeResult = { code?: string; state?: string }
type AuthCodeFailure = { errno?: number; errString?: string; errMsg?: string }
type AuthCodeResponse = AuthCodeResult & AuthCodeFailure
type AuthCodeRequest = { success(result: AuthCodeResult): void; fail(error: AuthCodeFailure): void }
type LarkGlobal = {
  tt?: {
    requestAccess?(ask: AuthCodeRequest & { appID: string; scopeList: string[]; state: string }): void
    requestAuthCode?(ask: AuthCodeRequest & { appId: string }): void
  }
  h5sdk?: { ready(then: () => void): void }
}

export const larkScript = 'https://lf1-cdn-tos.bytegoofy.com/goofy/lark/op/h5-js-sdk-1.5.23.js'
const isDenied = ({ errString = '', errMsg = '' }: AuthCodeResponse): boolean =>
  /cancel|deny|denied|reject/i.test(errString + errMsg)

export async function getLarkAuthCode(window: Window & LarkGlobal, { app_id, state }: AuthCodeParams): Promise<string | null> {
  if (!window.tt && !(await loadScript(window.document, larkScript))) return null
  const { tt, h5sdk } = window
  const requestCode = <T extends object>(
    method: ((ask: AuthCodeRequest & T) => void) | undefined,
    params: T,
  ): Promise<AuthCodeResponse | null> =>
    new Promise((resolve) => (method ? method({ ...params, success: resolve, fail: resolve }) : resolve(null)))

  const response = await requestCode(tt?.requestAccess?.bind(tt), { appID: app_id, scopeList: [], state })
  if (response?.code) {
    // A code that another page requested must not be redeemed.
    if (response.state !== undefined && response.state !== state) throw new AuthCodeError(false)
    return response.code
  }
  if (response && isDenied(response)) throw new AuthCodeError(true)
  // The call does not exist, or the app is too old for it.
  if (h5sdk) await new Promise<void>((done) => h5sdk.ready(done))
  const legacyResponse = await requestCode(tt?.requestAuthCode?.bind(tt), { appId: app_id })
  if (legacyResponse?.code) return legacyResponse.code
  if (response || legacyResponse) throw new AuthCodeError(false)
  return null
}
