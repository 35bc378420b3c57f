import type { ChatProvider } from './enums.ts'

/** Display names of the chat platforms. A separate file, so that the sign-in page loads only these labels. */
export const providerLabels: Readonly<Record<ChatProvider, string>> = { lark: '飞书', wecom: '企业微信', dingtalk: '钉钉' }
