import type { ChatProviderBrowser } from '../descriptor.ts'
import { getLarkAuthCode } from './client.ts'

export const browser: ChatProviderBrowser = {
  getAuthCode: getLarkAuthCode,
  createFrame: async (window) => (await import('./frame.ts')).createLarkFrame(window),
  createUserPicker: null,
  loadConsole: async () => (await import('./console.ts')).larkConsole,
}
