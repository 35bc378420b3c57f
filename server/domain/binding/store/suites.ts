/** Our applications of the platforms' stores, as they are set up, with their newest tickets. */
import type { StoreApp, StoreApps, Suite } from '../../../../platform/types.ts'
import type { ChatPlatform } from '../../../contract/words/words.ts'
import type { StoreDesk } from '../../../runtime/data/installs.ts'
import { refuse } from '../../../runtime/handle.ts'

export type Suites = {
  readonly desk: StoreDesk
  /** What is set up of it; null: companies bind applications of their own. */
  of(provider: ChatPlatform): StoreApp | null
  /** With the newest ticket that was pushed. */
  find(provider: ChatPlatform, suite_id: string): Promise<Suite | null>
}

export function openSuites(desk: StoreDesk, stores: StoreApps): Suites {
  const of = (provider: ChatPlatform): StoreApp | null => stores[provider] ?? null
  return {
    desk,
    of,
    async find(provider, suite_id) {
      const store = of(provider)
      return store?.id === suite_id
        ? {
            id: suite_id,
            secret: store.secret,
            ticket: await desk.ticketOf(provider, suite_id),
            template: store.template ?? null,
            maker: store.maker ?? null,
          }
        : null
    },
  }
}

export const notListed = () =>
  refuse('wrong_state', '本系统还没有在应用市场上架，请创建企业自建应用后绑定', { status: 'no_suite' })
