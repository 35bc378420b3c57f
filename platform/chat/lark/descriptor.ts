import type { ChatProviderDescriptor, ChatProviderRules } from '../descriptor.ts'

/** Lark / Feishu. */
export const lark: ChatProviderDescriptor = {
  label: '飞书',
  userAgent: /\b(?:Lark|Feishu)\//i,
}

export const larkRules: ChatProviderRules = {
  columnName: /飞书|lark|feishu/i,
  scriptHost: 'https://lf1-cdn-tos.bytegoofy.com',
  namesHost: null,
  addressList: 'IP 白名单',
  appIdField: 'app_id',
  hasEncodingAesKey: false,
  callbackReceivers: ['app_id'],
  verifyingSources: ['page', 'client'],
  hasInstallPage: false,
  hasPermanentCode: false,
  hasStoreTemplate: false,
  hasVendorAccount: false,
  ticketInterval: '一小时',
  // lark.md §5.1 and §5.2: the daily limit applies to batches; single messages only have a rate limit.
  quota: { perPersonPerDay: null, perPersonPerMinute: 300, perDay: 500_000, perMemberPerDay: null, perMinute: 1000 },
}
