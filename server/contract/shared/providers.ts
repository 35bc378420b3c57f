import type { ChatProvider } from './enums.ts'

/** How the chat platforms are called. By itself: the sign-in page carries these words and no others. */
export const providerLabels: Readonly<Record<ChatProvider, string>> = { lark: '飞书', wecom: '企业微信', dingtalk: '钉钉' }
