import type { ChatProviderDescriptor, ChatProviderRules } from '../descriptor.ts'

/** DingTalk. */
export const dingtalk: ChatProviderDescriptor = {
  label: '钉钉',
  userAgent: /DingTalk/i,
}

export const dingtalkRules: ChatProviderRules = {
  columnName: /钉钉|ding/i,
  scriptHost: 'https://g.alicdn.com',
  namesHost: null,
  addressList: '服务器出口 IP',
  appIdField: 'app_id',
  hasEncodingAesKey: true,
  callbackReceivers: ['app_id', 'corp_id'],
  verifyingSources: [],
  hasInstallPage: false,
  hasPermanentCode: false,
  hasStoreTemplate: true,
  hasVendorAccount: false,
  ticketInterval: '五小时',
  // dingtalk.md §5.
  quota: { perPersonPerDay: 500, perPersonPerMinute: null, perDay: null, perMemberPerDay: null, perMinute: 5000 },
}
