/**
 * Large companies: the number of calls for a directory compared with the minimum, and whether ten thousand cards are
 * sent at the documented rate.
 */
import { afterEach, beforeEach, describe, expect } from 'vitest'
import { createChatSender } from '../../platform/index.ts'
import { populateWorld } from '../../platform/simulator/world.ts'
import type { Provider } from '../../platform/types.ts'
import { fewestCalls } from '../support/outside/calls.ts'
import { chatWorld, providers, readAll } from '../support/outside/chat-company.ts'
import { trial } from '../support/run/trial.ts'

let world: Awaited<ReturnType<typeof chatWorld>>
beforeEach(async () => void (world = await chatWorld()))
afterEach(() => world.close())

const company = (provider: Provider, people: number, departments: number) =>
  populateWorld(world.simulator, provider, { people, departments, origin: 'https://pay.example.cn' }).app
const getCalls = (provider: Provider) => world.simulator.calls.filter((one) => one.includes(`/${provider}/`)).length

describe.each(providers)('%s', (provider) => {
  trial(
    'platform-directory',
    'reads a complete directory with few more calls than necessary although pages fail occasionally',
    { full: 50_000, sample: 400, of: 'people' },
    async ({ size, random, says }) => {
      const count = Math.max(40, Math.round(size / 25))
      const app = company(provider, size, count)
      const { users, departments } = world.simulator.company(provider, app.corp_id)
      const before = getCalls(provider)
      const read = await readAll(world.platforms[provider], app)
      const requested = getCalls(provider) - before
      const sizes = ['root', ...departments.keys()].map((id) =>
        id === 'root' ? 0 : world.simulator.company(provider, app.corp_id).getMembers(id).length,
      )
      // The count excludes token and range, which are requested once however large the company is.
      const ratio = (requested - 5) / fewestCalls(provider, sizes, departments.size)
      expect([read.people.size, read.departments.size]).toEqual([users.size, departments.size + 1])
      for (const [id, copies] of read.people) expect(copies.length).toBe(users.get(id)?.department_ids?.length)
      expect(ratio).toBeLessThanOrEqual(1.1)
      says(`${requested} calls, ratio ${ratio.toFixed(2)}`)
      // A failed page is requested again from its position: no user is lost or duplicated.
      const again = new Set<string>()
      for (const id of random.shuffled([...departments.keys()]).slice(0, 20)) {
        let next: string | null = null
        for (;;) {
          if (random.chance(0.3)) world.simulator.addError({ provider, kind: 'broken' })
          const page: Awaited<ReturnType<(typeof world.platforms)[Provider]['directory']['listUsers']>> | null =
            await world.platforms[provider].directory.listUsers(app, id, next).catch(() => null)
          if (page === null) continue
          for (const one of page.items) again.add(`${id} ${one.user_id}`)
          next = page.next
          if (next === null) break
        }
        expect([...again].filter((one) => one.startsWith(`${id} `)).length).toBe(
          world.simulator.company(provider, app.corp_id).getMembers(id).length,
        )
      }
    },
  )

  trial(
    'platform-cards',
    "sends cards at 97 % of the documented rate without a backoff, and reports each recipient's own outcome",
    { full: 10_000, sample: 120, of: 'cards' },
    async ({ size, random, says }) => {
      const app = company(provider, size, 20)
      const directory = world.simulator.company(provider, app.corp_id)
      const requested = new Map<string, 'accepted' | 'refused'>()
      for (const [id, person] of new Map(directory.users)) {
        const shut = random.chance(0.03)
        if (shut) directory.saveUser({ ...person, unreachableReason: provider === 'wecom' ? 'unlicensed' : 'blocked' })
        requested.set(id, shut ? 'refused' : 'accepted')
      }
      for (let at = 0; at < 10; at += 1) requested.set(`nobody-${at}`, 'refused')
      const line = createChatSender(world.platforms, app)
      world.simulator.state.limits.isEnabled = true
      const { maxPerCall, rateLimit } = line.description
      // A group is sent, then the rest that the rate limit requires; WeCom documents none.
      const rest_ms = rateLimit ? rateLimit.perMs / rateLimit.count / 0.97 : 1
      const began = world.clock.now
      const ids = [...requested.keys()]
      const wrong: string[] = []
      for (let from = 0; from < ids.length; from += maxPerCall) {
        const group = ids.slice(from, from + maxPerCall)
        const outcomes = await line.send(
          group.map((to, at) => ({
            id: `${provider}-${from + at}`,
            to,
            kind: 'slip',
            text: '示例科技：标题一句',
            variables: [],
            link: `https://pay.example.cn/s/${from + at}`,
            name: '',
          })),
        )
        outcomes.forEach((outcome, at) => {
          const to = group[at] ?? ''
          if (outcome.result !== requested.get(to)) wrong.push(`${to}: ${outcome.result}, not ${requested.get(to)}`)
        })
        world.clock.now += rest_ms * group.length
        // In the middle of the run every token expires: it is requested again, and no message is lost.
        if (from < ids.length / 3 && from + maxPerCall >= ids.length / 3) world.simulator.expireTokens(provider)
      }
      world.simulator.state.limits.isEnabled = false
      expect(wrong).toEqual([])
      expect(world.simulator.calls.filter((one) => /gettoken|accessToken|tenant_access_token/.test(one)).length).toBe(2)
      const there = world.simulator.messages().filter((one) => one.app === app && one.dropReason === null)
      expect(there.length).toBe([...requested.values()].filter((one) => one === 'accepted').length)
      const seconds = (world.clock.now - began) / 1000
      if (rateLimit) expect(ids.length / seconds).toBeGreaterThanOrEqual((0.95 * rateLimit.count * 1000) / rateLimit.perMs)
      says(`${(ids.length / seconds).toFixed(1)} a second of the simulated clock`)
    },
  )
})
