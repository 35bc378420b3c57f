/** Our applications in the platforms' stores, as configured, with their latest tickets. */
import type { StoreApp, StoreApps, Suite } from '../../../../platform/types.ts'
import type { ChatProvider } from '../../../contract/shared/providers.ts'
import { fail } from '../../../http/handler.ts'
import type { StoreInstalls } from '../../../shared/store-installs.ts'

export type StoreSuites = {
  readonly installs: StoreInstalls
  /** The configured application; if null, companies bind applications of their own. */
  getStoreApp(provider: ChatProvider): StoreApp | null
  /** With the latest ticket received. */
  find(provider: ChatProvider, suite_id: string): Promise<Suite | null>
}

export function createStoreSuites(installs: StoreInstalls, stores: StoreApps): StoreSuites {
  const getStoreApp = (provider: ChatProvider): StoreApp | null => stores[provider] ?? null
  return {
    installs,
    getStoreApp,
    async find(provider, suite_id) {
      const store = getStoreApp(provider)
      return store?.id === suite_id
        ? {
            id: suite_id,
            secret: store.secret,
            ticket: await installs.getTicket(provider, suite_id),
            template: store.template ?? null,
            developer: store.developer ?? null,
          }
        : null
    },
  }
}

export const createNotListedError = () =>
  fail('wrong_state', '本系统还没有在应用市场上架，请创建企业自建应用后绑定', { status: 'no_suite' })
