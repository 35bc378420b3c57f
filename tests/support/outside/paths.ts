/** Shared by the tests of the platforms' paths: the simulators, each at its own address, called with plain HTTP. */
import { afterAll, beforeAll } from 'vitest'
import type { RegisteredApp } from '../../../platform/simulator/index.ts'
import type { SimulatedProvider } from '../../../platform/simulator/profiles.ts'
import { later } from '../demo.ts'
import { chatCompany, chatWorld, providers } from './chat-company.ts'

export type Answer = { readonly status: number; readonly body: Record<string, unknown> }
export type Asking = { readonly get: string } | { readonly post: string; readonly json?: unknown; readonly raw?: string }

async function pathsWorld() {
  const world = await chatWorld()
  const companies = new Map(providers.map((provider) => [provider, chatCompany(world.simulator, provider, { many: 120 })]))
  const address = new Map<SimulatedProvider, string>()
  for (const provider of providers) address.set(provider, await world.simulator.listen({ only: provider }))
  const company = (provider: SimulatedProvider) => {
    const match = companies.get(provider)
    if (!match) throw new Error('not built')
    return match
  }
  let made = 0
  return {
    ...world,
    company,
    address: (provider: SimulatedProvider): string => address.get(provider) ?? '',
    async request(provider: SimulatedProvider, asking: Asking, headers: Record<string, string> = {}): Promise<Answer> {
      const path = 'get' in asking ? asking.get : asking.post
      const json = { 'content-type': 'application/json', ...headers }
      const sent =
        'get' in asking ? { headers } : { method: 'POST', headers: json, body: asking.raw ?? JSON.stringify(asking.json ?? {}) }
      const reply = await fetch(`${address.get(provider)}${path}`, sent)
      return { status: reply.status, body: JSON.parse((await reply.text()) || '{}') }
    },
    /** Registers another application of the same company with some changes. */
    other(provider: SimulatedProvider, change: Partial<RegisteredApp>): RegisteredApp {
      made += 1
      const id = String(7_000_000 + made)
      const names = { app_id: provider === 'lark' ? `cli_${id}` : provider === 'dingtalk' ? `ding${id}` : id, agent_id: id }
      return world.simulator.addApp({ ...company(provider).app, ...names, secret: `secret-${id}`, ...change })
    },
    code: (
      provider: SimulatedProvider,
      app: RegisteredApp,
      channel: 'page' | 'client' = 'page',
      redirect = 'https://pay.example.cn/entry',
    ) => world.simulator.issueCode(app, company(provider).both, channel, redirect),
  }
}
type PathsWorld = Awaited<ReturnType<typeof pathsWorld>>

/** Does the same for a test file, with hooks that create and close it; tests can use the returned object. */
export function usePaths(): Pick<PathsWorld, 'company' | 'request' | 'other' | 'code'> & { readonly world: PathsWorld } {
  let made: PathsWorld | undefined
  beforeAll(async () => {
    made = await pathsWorld()
  })
  afterAll(() => made?.close())
  const world = later('world', () => made)
  return {
    world,
    company: (...provided) => world.company(...provided),
    request: (...provided) => world.request(...provided),
    other: (...provided) => world.other(...provided),
    code: (...provided) => world.code(...provided),
  }
}
