import type { ChatProviderBrowser } from '../descriptor.ts'

export const browser: ChatProviderBrowser = {
  getAuthCode: null,
  createFrame: async (_window, signer) => (await import('./frame.ts')).createWecomFrame(signer),
  createUserPicker: async (window, signer) => (await import('./user-picker.ts')).createWecomUserPicker(window, signer),
  loadConsole: async () => (await import('./console.ts')).wecomConsole,
}
