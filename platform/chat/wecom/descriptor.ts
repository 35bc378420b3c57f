import type { ChatProviderDescriptor, ChatProviderRules } from '../descriptor.ts'

/** WeCom. */
export const wecom: ChatProviderDescriptor = {
  label: '企业微信',
  // It also identifies itself as WeChat; plain WeChat is a browser.
  userAgent: /wxwork\//i,
  hidesNames: true,
}

export const wecomRules: ChatProviderRules = {
  columnName: /企业微信|企微|wecom|wework/i,
  scriptHost: null,
  namesHost: 'https://open.work.weixin.qq.com',
  // An application has no other id.
  addressList: '企业可信 IP',
  appIdField: 'agent_id',
  hasEncodingAesKey: true,
  callbackReceivers: ['corp_id'],
  verifyingSources: [],
  hasInstallPage: true,
  hasPermanentCode: true,
  hasStoreTemplate: false,
  hasVendorAccount: true,
  ticketInterval: '十几分钟',
  // wecom.md §5.
  quota: { perPersonPerDay: null, perPersonPerMinute: 30, perDay: null, perMemberPerDay: 200, perMinute: null },
}
