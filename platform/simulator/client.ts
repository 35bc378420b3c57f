/**
 * Client-side objects of the chat apps: stubs for their scripts that respond like them and record the calls. A browser
 * with the app's name in its user agent gets one of them instead of the vendor's script.
 */
import type { Provider } from '../types.ts'

/** A call that a stub recorded: `['hideMenuItems', {…}]`, oldest first, under `window.simulatedClient`. */
export type SimulatedClientCall = readonly [name: string, params: unknown]

const clientPrelude = `window.simulatedClient ??= []
const note = (name, params) => window.simulatedClient.push([name, JSON.parse(JSON.stringify(params ?? null))])
const hidden = () => note('meta', [...document.querySelectorAll('meta[lk-config]')].map((one) => [one.name, one.content]))
const answered = (name, yes, no, says) => (params = {}) => {
  note(name, params)
  setTimeout(() => (window.simulatedRefusals?.includes(name) ? params[no]?.({ errMsg: name + ':fail' }) : params[yes]?.(says?.(params) ?? {})))
}
`
/**
 * `window.simulatedCode`, if present, provides codes like the app's sign-in. WeCom: `simulatedSigned` is whether a
 * signature is the application's, `simulatedPick` the selected user, `simulatedNames` the names of users.
 */
const clientScripts: Readonly<Record<Provider, { readonly host: string | null; readonly body: string }>> = {
  // The script reads the menu items to hide when it loads.
  lark: {
    host: 'https://lf1-cdn-tos.bytegoofy.com/**',
    body: `${clientPrelude}
hidden()
window.h5sdk = { ready: (then) => then(), biz: { navigation: { setTitle: answered('setTitle', 'onSuccess', 'onFail') } } }
window.tt = {
  requestAccess: (ask) => window.simulatedCode().then((code) => ask.success({ code, state: ask.state })),
  closeWindow: answered('closeWindow', 'success', 'fail'),
}`,
  },
  // No script: the app itself provides the bridge that its package calls.
  wecom: {
    host: null,
    body: `${clientPrelude}
const drawn = (element) => {
  const [type, id] = ['type', 'openid'].map((name) => element.getAttribute(name))
  note('bind', [type, id])
  // The real one is closed: no page can read it.
  const root = element.shadowRoot ?? element.attachShadow({ mode: 'open' })
  Promise.resolve(window.simulatedNames?.(type, id)).then((name) => { root.textContent = name ?? '' })
}
const answers = {
  agentConfig: async (ask) => (await window.simulatedSigned?.(ask, window.location.href.split('#')[0])) === false ? ':fail' : ':ok',
  // Its script and the program know names together.
  'wwapp.initWwOpenData': () => {
    if (!window.simulatedScript) return ':fail'
    window.WWOpenData = { bind: drawn }
    return ':ok'
  },
  selectPrivilegedContact: async () => (await window.simulatedPick?.()) ?? ':cancel',
}
window.WeixinSandBox = {}
window.WeixinJSBridge = {
  on: () => undefined,
  invoke: (name, params, callback) => {
    note(name, params)
    setTimeout(async () => {
      const result = window.simulatedRefusals?.includes(name) ? ':fail' : ((await answers[name]?.(params)) ?? ':ok')
      callback(typeof result === 'string' ? { err_msg: name + result } : { err_msg: name + ':ok', result })
    })
  },
}`,
  },
  dingtalk: {
    host: 'https://g.alicdn.com/**',
    body: `${clientPrelude}
const bar = (name) => answered(name, 'onSuccess', 'onFail')
window.dd = {
  ready: (then) => then(),
  requestAuthCode: (ask) => window.simulatedCode().then((code) => ask.onSuccess({ code })),
  closePage: bar('closePage'),
  biz: { navigation: { setRight: bar('setRight'), setTitle: bar('setTitle'), close: bar('close') } },
}`,
  },
}
/** `host`: requests to it are answered with the script; null: the script is injected before the page. */
export const getClientScript = (provider: Provider) => clientScripts[provider]
/** WeCom's script for user names, as loaded by a page. */
export const namesScript = { host: 'https://open.work.weixin.qq.com/wwopen/js/**', body: 'window.simulatedScript = true' }
