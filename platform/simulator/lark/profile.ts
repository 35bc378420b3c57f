import { clientPrelude, type SimulatorProfile } from '../profile.ts'

export const larkProfile: SimulatorProfile = {
  corp_id: '2ca1d211f64f6438',
  app_id: 'cli_a1b2c3d4e5f60001',
  suite_id: 'cli_5u1te0000000001',
  permanentCode: '',
  rootDepartmentId: '0',
  getDepartmentId: (number) => `od-${String(number).padStart(6, '0')}`,
  userIdPrefix: 'ou_sim',
  createAppIds: (tail) => ({ corp_id: `demo${tail}`, app_id: `cli_demo${tail}`, agent_id: '' }),
  isLargestOrderFirst: false,
  hasCaseInsensitiveUserIds: false,
  clientCodeLifetimeMs: 180_000,
  // The script reads the menu items to hide when it loads.
  clientScript: {
    host: 'https://lf1-cdn-tos.bytegoofy.com/**',
    body: `${clientPrelude}
hidden()
window.h5sdk = { ready: (then) => then(), biz: { navigation: { setTitle: answered('setTitle', 'onSuccess', 'onFail') } } }
window.tt = {
  requestAccess: (params) => window.simulatedCode().then((code) => params.success({ code, state: params.state })),
  closeWindow: answered('closeWindow', 'success', 'fail'),
}`,
  },
  port: 7301,
  formatApp: ({ app_id }) => `app_id=${app_id}`,
  formatUsage: (
    app,
    address,
  ) => `飞书: instead of https://open.feishu.cn and https://accounts.feishu.cn; of the SDK domain and oauthBaseUrl
  curl -d '{"app_id":"${app.app_id}","app_secret":"${app.secret}"}' ${address}/open-apis/auth/v3/tenant_access_token/internal
  curl -H "Authorization: Bearer $TOKEN" '${address}/open-apis/contact/v3/scopes'`,
}
