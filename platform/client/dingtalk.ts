/** DingTalk's own script: `dd.requestAuthCode`, or the older name of the same (platform/dingtalk.md §1.3). */
import { CodeRefused, type Wanted } from './index.ts'
import { loadScript } from './script.ts'

type Given = { code?: string }
type Ask = { corpId: string; clientId?: string; onSuccess(given: Given): void; onFail(error: { errorMessage?: string }): void }
type DingTalk = {
  dd?: {
    ready?(then: () => void): void
    requestAuthCode?(ask: Ask): void
    runtime?: { permission?: { requestAuthCode?(ask: Ask): void } }
  }
}

export const dingtalkScript = 'https://g.alicdn.com/dingding/dingtalk-jsapi/2.10.3/dingtalk.open.js'

export async function dingtalkCode(window: Window & DingTalk, { corp_id, app_id }: Wanted): Promise<string | null> {
  if (!window.dd && !(await loadScript(window.document, dingtalkScript))) return null
  const { dd } = window
  const permission = dd?.runtime?.permission
  const ask = dd?.requestAuthCode?.bind(dd) ?? permission?.requestAuthCode?.bind(permission)
  if (!ask) return null
  if (dd?.ready) await new Promise<void>((done) => dd.ready?.(done))
  return new Promise((done, fail) => {
    ask({
      corpId: corp_id,
      clientId: app_id,
      onSuccess: ({ code }) => (code ? done(code) : fail(new CodeRefused(false))),
      onFail: ({ errorMessage = '' }) => fail(new CodeRefused(/cancel|取消/i.test(errorMessage))),
    })
  })
}
