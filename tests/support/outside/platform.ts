/** Companies with an application on a simulated chat platform, and browsers that go there and return. */
import { createPlatforms, getSimulatorHosts } from '../../../platform/index.ts'
import { type SimulatedUser as Colleague, type RegisteredApp, Simulator } from '../../../platform/simulator/index.ts'
import type { Provider } from '../../../platform/types.ts'
import type { StoreApps } from '../../../platform/wire/store-apps.ts'
import { newId } from '../../../server/shared/ids.ts'
import { type Corp, type Person, startWorld, type World } from '../world.ts'

export const origin = 'http://127.0.0.1:8080'

export type PlatformWorld = World & {
  readonly simulator: Simulator
  /** Gives the company an application on the platform. */
  bind(corp: Corp, provider: Provider, corp_id: string, app_id?: string): Promise<RegisteredApp>
  /** Links a platform user to an account as `bindAccount` would. */
  join(colleague: Colleague, person: Person): Promise<void>
}

export async function startPlatformWorld({ stores }: { stores?: StoreApps } = {}): Promise<PlatformWorld> {
  const simulator = new Simulator(() => world.clock.now().getTime())
  const hosts = getSimulatorHosts(await simulator.listen())
  const world: World = await startWorld({
    platforms: createPlatforms({ hosts, now: () => world.clock.now().getTime() }),
    ...(stores ? { stores } : {}),
  })
  return {
    ...world,
    simulator,
    async bind(corp, provider, corp_id, app_id = `app-${corp_id}`) {
      const id = newId()
      const app = { provider, corp_id, app_id, agent_id: app_id, secret: `secret-${id}` }
      await world.database.inCompany(corp.company_id, async (tx) => {
        const vault = await world.secrets.vault(tx, corp.company_id)
        const secret = vault.seal({ table: 'platform_app', row: id, column: 'secret' }, app.secret)
        await tx
          .insertInto('platform_app')
          .values({ ...app, id, company_id: corp.company_id, secret, created_at: world.clock.now() })
          .execute()
      })
      return simulator.addApp({ ...app, origin })
    },
    async join({ provider, corp_id, user_id }, { account_id }) {
      await world.database.withoutCompany((tx) =>
        tx
          .insertInto('platform_identity')
          .values({ provider, corp_id, user_id: user_id.toLowerCase(), account_id, created_at: world.clock.now() })
          .execute(),
      )
    },
    async close() {
      await world.close()
      await simulator.close()
    },
  }
}
