/** What the tests of the platforms' paths share: the simulators each at its own address, asked with plain HTTP. */
import { afterAll, beforeAll } from 'vitest'
import type { RegisteredApp } from '../../../platform/simulator/index.ts'
import type { Provider } from '../../../platform/types.ts'
import { later } from '../demo.ts'
import { chatCompany, chatWorld, providers } from './chat-company.ts'

export type Answer = { readonly status: number; readonly body: Record<string, unknown> }
export type Asking = { readonly get: string } | { readonly post: string; readonly json?: unknown; readonly raw?: string }

async function pathsWorld() {
  const world = await chatWorld()
  const companies = new Map(providers.map((provider) => [provider, chatCompany(world.simulator, provider, { many: 120 })]))
  const address = new Map<Provider, string>()
  for (const provider of providers) address.set(provider, await world.simulator.listen({ only: provider }))
  const company = (provider: Provider) => {
    const match = companies.get(provider)
    if (!match) throw new Error('not built')
    return match
  }
  let made = 0
  return {
    ...world,
    company,
    address: (provider: Provider): string => address.get(provider) ?? '',
    async request(provider: Provider, asking: Asking, headers: Record<string, string> = {}): Promise<Answer> {
      const path = 'get' in asking ? asking.get : asking.post
      const json = { 'content-type': 'application/json', ...headers }
      const sent =
        'get' in asking ? { headers } : { method: 'POST', headers: json, body: asking.raw ?? JSON.stringify(asking.json ?? {}) }
      const reply = await fetch(`${address.get(provider)}${path}`, sent)
      return { status: reply.status, body: JSON.parse((await reply.text()) || '{}') }
    },
    /** Another application of the same company, with something else about it. */
    other(provider: Provider, change: Partial<RegisteredApp>): RegisteredApp {
      made += 1
      const id = String(7_000_000 + made)
      const names = { app_id: provider === 'lark' ? `cli_${id}` : provider === 'dingtalk' ? `ding${id}` : id, agent_id: id }
      return world.simulator.addApp({ ...company(provider).app, ...names, secret: `secret-${id}`, ...change })
    },
    code: (
      provider: Provider,
      app: RegisteredApp,
      channel: 'page' | 'client' = 'page',
      redirect = 'https://pay.example.cn/entry',
    ) => world.simulator.issueCode(app, company(provider).both, channel, redirect),
  }
}
type PathsWorld = Awaited<ReturnType<typeof pathsWorld>>

/** The same for a file of tests, made and put away by its hooks; what is returned can be used once tests run. */
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
