/** Loads DingTalk's script and requests a code: `dd.requestAuthCode`, or its older name (platform/dingtalk.md §1.3). */
import { AuthCodeError, type AuthCodeParams } from '../client-module.ts'
import { loadScript } from '../load-script.ts'

type AuthCodeResult = { code?: string }
type AuthCodeRequest = {
  corpId: string
  clientId?: string
  onSuccess(result: AuthCodeResult): void
  onFail(error: { errorMessage?: string }): void
}
type DingTalkGlobal = {
  dd?: {
    ready?(then: () => void): void
    requestAuthCode?(ask: AuthCodeRequest): void
    runtime?: { permission?: { requestAuthCode?(ask: AuthCodeRequest): void } }
  }
}

/** The version that the vendor's documentation names (docs.aliwork.com), and the last one for clients that cannot run it. */
const scriptVersions = ['3.0.25', '2.10.3']

/** Loads the script unless the page has it; returns false if none can be loaded. */
export async function loadDingtalkScript(window: Window & { dd?: unknown }): Promise<boolean> {
  for (const version of scriptVersions) {
    if (window.dd) return true
    await loadScript(window.document, `https://g.alicdn.com/dingding/dingtalk-jsapi/${version}/dingtalk.open.js`)
  }
  return Boolean(window.dd)
}

export async function getDingtalkAuthCode(
  window: Window & DingTalkGlobal,
  { corp_id, app_id }: AuthCodeParams,
): Promise<string | null> {
  if (!(await loadDingtalkScript(window))) return null
  const { dd } = window
  const permission = dd?.runtime?.permission
  const requestAuthCode = dd?.requestAuthCode?.bind(dd) ?? permission?.requestAuthCode?.bind(permission)
  if (!requestAuthCode) return null
  if (dd?.ready) await new Promise<void>((resolve) => dd.ready?.(resolve))
  return new Promise((resolve, reject) => {
    requestAuthCode({
      corpId: corp_id,
      clientId: app_id,
      onSuccess: ({ code }) => (code ? resolve(code) : reject(new AuthCodeError(false))),
      onFail: ({ errorMessage = '' }) => reject(new AuthCodeError(/cancel|取消/i.test(errorMessage))),
    })
  })
}
