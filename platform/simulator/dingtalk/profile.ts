import { clientPrelude, codeLifetimeMs, type SimulatorProfile } from '../profile.ts'

export const dingtalkProfile: SimulatorProfile = {
  corp_id: 'ding0a1b2c3d4e5f6071',
  app_id: 'dingsimappkey0001',
  suite_id: 'suitesim0000000001',
  permanentCode: '',
  rootDepartmentId: '1',
  getDepartmentId: (number) => String(number + 1),
  userIdPrefix: 'sim',
  createAppIds: (tail) => ({ corp_id: `dingdemo${tail}`, app_id: `dingdemoapp${tail}`, agent_id: '1000002' }),
  isLargestOrderFirst: true,
  hasCaseInsensitiveUserIds: false,
  clientCodeLifetimeMs: codeLifetimeMs,
  clientScript: {
    host: 'https://g.alicdn.com/**',
    body: `${clientPrelude}
const bar = (name) => answered(name, 'onSuccess', 'onFail')
window.dd = {
  ready: (then) => then(),
  requestAuthCode: (params) => window.simulatedCode().then((code) => params.onSuccess({ code })),
  closePage: bar('closePage'),
  biz: { navigation: { setRight: bar('setRight'), setTitle: bar('setTitle'), close: bar('close') } },
}`,
  },
  port: 7303,
  formatApp: ({ app_id, agent_id }) => `appkey=${app_id} agent_id=${agent_id}`,
  formatUsage: (
    app,
    address,
  ) => `钉钉: instead of https://oapi.dingtalk.com, https://api.dingtalk.com and https://login.dingtalk.com
  curl -H 'content-type: application/json' -d '{"appKey":"${app.app_id}","appSecret":"${app.secret}"}' ${address}/v1.0/oauth2/accessToken
  curl -H 'content-type: application/json' -d '{"dept_id":1}' "${address}/topapi/v2/department/listsub?access_token=$TOKEN"`,
}
