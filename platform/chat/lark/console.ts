import type { ChatConsole } from '../descriptor.ts'

export const larkConsole: ChatConsole = {
  prerequisites: [
    '开发者后台创建「企业自建应用」',
    '开通通讯录、获取用户信息和发送消息的权限并发布',
    '复制 App ID 和 App Secret',
  ],
  fields: {
    corp_id: 'Tenant Key（企业标识）',
    app_id: 'App ID',
    agent_id: null,
    secret: 'App Secret',
    corp_id_hint: '后台没有显示时先填 0，检测时会查出来（需要「获取企业信息」权限）',
  },
  verification: '任何一位员工在网页上用飞书登录一次即可证实',
  callbackFields: { token: 'Verification Token', aes_key: 'Encrypt Key' },
}
