import type { ChatConsole } from '../descriptor.ts'

export const dingtalkConsole: ChatConsole = {
  prerequisites: [
    '开发者后台创建「企业内部应用」',
    '申请通讯录只读和工作通知的权限并发布',
    '复制 CorpId、Client ID、Client Secret 和 AgentId',
  ],
  fields: { corp_id: '企业 CorpId', app_id: 'Client ID（AppKey）', agent_id: 'AgentId', secret: 'Client Secret（AppSecret）' },
  verification: '请核对 CorpId，再点「重新检测」；填错了可以直接解除绑定，再绑定一次',
  callbackFields: { token: '签名 Token', aes_key: '加密 aes_key' },
}
