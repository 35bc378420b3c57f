import { clientPrelude, codeLifetimeMs, type SimulatorProfile } from '../profile.ts'

export const wecomProfile: SimulatorProfile = {
  corp_id: 'ww1a2b3c4d5e6f7081',
  app_id: '1000007',
  suite_id: 'wwddddccc7775555aab',
  permanentCode: 'simulated-permanent-code',
  rootDepartmentId: '1',
  getDepartmentId: (number) => String(number + 1),
  userIdPrefix: 'sim',
  createAppIds: (tail) => ({ corp_id: `wwdemo${tail}`, app_id: '1000002', agent_id: '1000002' }),
  isLargestOrderFirst: true,
  hasCaseInsensitiveUserIds: true,
  clientCodeLifetimeMs: codeLifetimeMs,
  // No script: the app itself provides the bridge that its package calls.
  clientScript: {
    host: null,
    body: `${clientPrelude}
const renderName = (element) => {
  const [type, id] = ['type', 'openid'].map((name) => element.getAttribute(name))
  note('bind', [type, id])
  // The real one is closed: no page can read it.
  const root = element.shadowRoot ?? element.attachShadow({ mode: 'open' })
  Promise.resolve(window.simulatedNames?.(type, id)).then((name) => { root.textContent = name ?? '' })
}
const answers = {
  agentConfig: async (params) => (await window.simulatedSigned?.(params, window.location.href.split('#')[0])) === false ? ':fail' : ':ok',
  // Its script and the program know names together.
  'wwapp.initWwOpenData': () => {
    if (!window.simulatedScript) return ':fail'
    window.WWOpenData = { bind: renderName }
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
  port: 7302,
  formatApp: ({ agent_id }) => `agentid=${agent_id}`,
  formatUsage: (app, address) => `企业微信: instead of https://qyapi.weixin.qq.com (sign-in pages too)
  curl '${address}/cgi-bin/gettoken?corpid=${app.corp_id}&corpsecret=${app.secret}'
  curl "${address}/cgi-bin/department/list?access_token=$TOKEN"`,
}
