import type { ChatConsole } from '../descriptor.ts'

export const wecomConsole: ChatConsole = {
  prerequisites: [
    '管理后台「应用管理」中自建应用',
    '设置可见范围，并把服务器加入「企业可信 IP」',
    '复制企业 ID、AgentId 和 Secret',
  ],
  fields: { corp_id: '企业 ID（CorpID）', app_id: null, agent_id: 'AgentId', secret: 'Secret' },
  verification: '请核对企业 ID，再点「重新检测」',
  callbackFields: { token: 'Token', aes_key: 'EncodingAESKey' },
}
