/** Lark's own script: `tt.requestAccess` where the program has it (6.9), `tt.requestAuthCode` in older ones (platform/lark.md §1.3). */
import { CodeRefused, type Wanted } from './index.ts'
import { loadScript } from './script.ts'

type Given = { code?: string; state?: string }
type Failed = { errno?: number; errString?: string; errMsg?: string }
type Answer = Given & Failed
type Ask = { success(given: Given): void; fail(error: Failed): void }
type Lark = {
  tt?: {
    requestAccess?(ask: Ask & { appID: string; scopeList: string[]; state: string }): void
    requestAuthCode?(ask: Ask & { appId: string }): void
  }
  h5sdk?: { ready(then: () => void): void }
}

export const larkScript = 'https://lf1-cdn-tos.bytegoofy.com/goofy/lark/op/h5-js-sdk-1.5.23.js'
const isNo = ({ errString = '', errMsg = '' }: Answer): boolean => /cancel|deny|denied|reject/i.test(errString + errMsg)

export async function larkCode(window: Window & Lark, { app_id, state }: Wanted): Promise<string | null> {
  if (!window.tt && !(await loadScript(window.document, larkScript))) return null
  const { tt, h5sdk } = window
  const asked = <T extends object>(way: ((ask: Ask & T) => void) | undefined, more: T): Promise<Answer | null> =>
    new Promise((done) => (way ? way({ ...more, success: done, fail: done }) : done(null)))

  const access = await asked(tt?.requestAccess?.bind(tt), { appID: app_id, scopeList: [], state })
  if (access?.code) {
    // What somebody else's page asked for is not ours to redeem.
    if (access.state !== undefined && access.state !== state) throw new CodeRefused(false)
    return access.code
  }
  if (access && isNo(access)) throw new CodeRefused(true)
  // No such call, or a program too old for it.
  if (h5sdk) await new Promise<void>((done) => h5sdk.ready(done))
  const older = await asked(tt?.requestAuthCode?.bind(tt), { appId: app_id })
  if (older?.code) return older.code
  if (access || older) throw new CodeRefused(false)
  return null
}
