import type { ChatProviderBrowser } from '../descriptor.ts'
import { getDingtalkAuthCode } from './client.ts'

export const browser: ChatProviderBrowser = {
  getAuthCode: getDingtalkAuthCode,
  createFrame: async (window) => (await import('./frame.ts')).createDingtalkFrame(window),
  createUserPicker: null,
  loadConsole: async () => (await import('./console.ts')).dingtalkConsole,
}
