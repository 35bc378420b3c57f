/**
 * A large company through its binding: read whole at the platform's pace in hardly more calls than there must be, killed on the way and gone on with; then
 * a thousand events in any order, doubled and lost, after which the people here are those of the platform. trust.md C7.
 */
import { afterAll, beforeAll, describe, expect } from 'vitest'
import { openPlatforms, simulatorHosts } from '../../platform/index.ts'
import { type Person, type Registered, Simulator } from '../../platform/simulator/index.ts'
import type { Pushed } from '../../platform/simulator/state.ts'
import { populate } from '../../platform/simulator/world.ts'
import type { Directory, Platforms } from '../../platform/types.ts'
import * as binding from '../../server/contract/people/binding.ts'
import { sync_job } from '../../server/domain/binding/sync/begin.ts'
import { SetClock } from '../../server/runtime/clock.ts'
import { fewestCalls } from '../kit/outside/calls.ts'
import { chatCompany, departmentId, providers } from '../kit/outside/chat-company.ts'
import { some, trial } from '../kit/trial.ts'
import { type Caller, type Corp, startWorld, type World } from '../kit/world.ts'

const clock = new SetClock('2026-11-20T10:00:00+08:00')
const simulator = new Simulator(() => clock.now().getTime())
// The clock stands still; how fast is asked is the adapter's own doing and shows in the seconds.
simulator.state.limits.on = false
const killed = new Error('killed')
/** The calls of people, counted, after which the process dies: what it heard is nowhere. */
let deaths: number[] = []
let pages = 0
const mortal = (directory: Directory): Directory => ({
  ...directory,
  people: async (...asking) => {
    const page = await directory.people(...asking)
    pages += 1
    if (deaths[0] !== pages) return page
    deaths.shift()
    throw killed
  },
})

let world: World
beforeAll(async () => {
  const { lark, wecom, dingtalk } = openPlatforms({
    hosts: simulatorHosts(await simulator.listen()),
    now: () => clock.now().getTime(),
  })
  const platforms: Platforms = {
    lark: { ...lark, directory: mortal(lark.directory) },
    wecom: { ...wecom, directory: mortal(wecom.directory) },
    dingtalk: { ...dingtalk, directory: mortal(dingtalk.directory) },
  }
  world = await startWorld({ platforms, clock })
})
afterAll(async () => {
  await world.close()
  await simulator.close()
})

const drain = () => world.product.jobs.drain()
const statusOf = async (head: Caller) => (await head.must(binding.getSyncStatus)).sync
async function bind({ provider, corp_id, app_id, agent_id, secret }: Registered, more: object = {}) {
  const corp = await world.found({ provider: null })
  const head = await world.signIn(await corp.person({ name: '沈知遥', power: ['1'] }))
  await head.must(binding.bindPlatform, { provider, corp_id, app_id, agent_id, secret, ...more })
  return { corp, head }
}
const agree = async (head: Caller) => {
  const { sync_id = '' } = (await statusOf(head)) ?? {}
  await head.must(binding.applySync, { sync_id })
  await drain()
}

type Who = { readonly user_id: string; readonly name: string; readonly departments: readonly string[] }
const spelt = (all: readonly Who[]) =>
  all.map(({ user_id, name, departments }) => `${user_id} ${name} ${departments.toSorted().join()}`).toSorted()
/** Everybody here, as the platform told him. */
async function here({ company_id }: Corp) {
  const rows = await world.database.inCompany(company_id, (tx) =>
    tx
      .selectFrom('platform_person')
      .select(['user_id', 'said'])
      .where('company_id', '=', company_id)
      .where('gone_at', 'is', null)
      .execute(),
  )
  return spelt(rows.map(({ user_id, said }) => ({ user_id, ...(said as unknown as Omit<Who, 'user_id'>) })))
}
function there({ provider, corp_id }: Registered): string[] {
  const company = simulator.company(provider, corp_id)
  return spelt(
    [...company.people.values()].map((one) => ({
      user_id: company.keyOf(one.user_id),
      name: one.name,
      departments: company.departmentsOf(one),
    })),
  )
}

const chosen = some(providers, 1)
describe.each(chosen)('%s', (provider) => {
  trial(
    'platform-sync',
    'a company is read whole through its binding, killed three times on the way: everybody is there, in hardly more calls than there must be',
    { whole: 50_000, sample: 120, of: 'people' },
    async ({ size, says }) => {
      const count = Math.max(12, Math.round(size / 25))
      const { app } = populate(simulator, provider, { people: size, departments: count, origin: 'https://pay.example.cn' })
      const company = simulator.company(provider, app.corp_id)
      const sizes = [company.root, ...company.departments.keys()].map((id) => company.membersOf(id).length)
      const fewest = fewestCalls(provider, sizes, company.departments.size)
      const heap = measureHeap()
      const { corp, head } = await bind(app)
      pages = 0
      deaths = [0.2, 0.5, 0.8].map((part) => Math.max(1, Math.floor(part * count)))
      const before = simulator.calls.length
      const progress: number[] = []
      for (let tries = 0; tries < 6 && (await statusOf(head))?.state === 'reading'; tries += 1) {
        await drain().catch((error: unknown) => {
          if (error !== killed) throw error
        })
        const { sync_id = '', progress: told = 0 } = (await statusOf(head)) ?? {}
        progress.push(told)
        await world.database.inCompany(corp.company_id, (tx) =>
          world.product.jobs.send(tx, sync_job, { company_id: corp.company_id, sync_id }),
        )
      }
      const calls = simulator.calls.length - before
      expect(deaths).toEqual([])
      // It is shown how far it is, and it never goes back.
      expect(progress).toEqual(progress.toSorted((one, other) => one - other))
      expect(new Set(progress).size).toBeGreaterThanOrEqual(3)
      expect(await statusOf(head)).toMatchObject({ state: 'held', held_for: 'first', created: size })
      await agree(head)
      expect(await statusOf(head)).toMatchObject({ state: 'done', progress: 100 })
      expect(await here(corp)).toEqual(there(app))
      // Beside range and token; a page is asked once more for each death.
      const ratio = (calls - 5 - 3) / fewest
      expect(ratio).toBeLessThanOrEqual(1.1)
      const most = heap()
      expect(most).toBeLessThan(800)
      says(`${provider}: ${calls} calls, ratio ${ratio.toFixed(2)}; shown ${progress.join(' ')} %; heap at most ${most} MB more`)
    },
  )

  trial(
    'platform-events',
    'changes told in any order, twice, or not at all: after the next reading the people here are those of the platform',
    { whole: 1_000, sample: 24, of: 'events' },
    async ({ size, random, says }) => {
      const keys = { token: 'token-of-callbacks', aes_key: 'jWmYm7qr5nMoAUwZRjGtBxmz3KA1tkAj3ykkR6q2B2C' }
      const { app } = chatCompany(simulator, provider, { many: size, app: { callback: { url: 'http://127.0.0.1:1/', ...keys } } })
      const { corp, head } = await bind(app, keys)
      await drain()
      await agree(head)
      const { bound } = await head.must(binding.getPlatformInfo)
      const { pathname } = new URL(bound?.callback_url ?? '')
      const tell = async ({ method, url, headers = {}, body = '' }: Pushed) => {
        const to = `${pathname}${new URL(url).search}`
        const { statusCode } = await world.product.app.inject({
          method: method === 'GET' ? 'GET' : 'POST',
          url: to,
          headers,
          payload: body,
        })
        expect(statusCode).toBe(200)
      }
      const told = changed(app, size, random)
      const [lost, kept] = [told.filter((_, at) => at % 10 === 3), told.filter((_, at) => at % 10 !== 3)]
      const sent = random.shuffled([...kept, ...kept.filter(() => random.chance(0.2))])
      const share = Math.ceil(sent.length / (size > 100 ? 8 : 2))
      for (const [at, one] of sent.entries()) {
        await tell(one)
        if (at % share === share - 1) await drain()
      }
      await drain()
      const open = await world.database.inCompany(corp.company_id, (tx) =>
        tx
          .selectFrom('platform_event')
          .select('id')
          .where('company_id', '=', corp.company_id)
          .where('done_at', 'is', null)
          .execute(),
      )
      expect(open).toEqual([])
      const [now, platform] = [await here(corp), there(app)]
      const missing = platform.filter((one) => !now.includes(one)).length
      // What was lost is found by the reading of the next day, and only that was missing.
      expect(missing).toBeLessThanOrEqual(lost.length)
      await head.must(binding.applySync, { mode: 'full' })
      await drain()
      expect(await statusOf(head)).toMatchObject({ state: 'done' })
      expect(await here(corp)).toEqual(platform)
      says(`${provider}: ${sent.length} came, ${lost.length} lost; ${missing} people stale until the reading of the day`)
    },
  )
})

/** So many things happen there, each with what the platform says of it. */
function changed(
  app: Registered,
  size: number,
  random: { chance(share: number): boolean; pick<T>(all: readonly T[]): T },
): Pushed[] {
  const { provider, corp_id } = app
  const company = simulator.company(provider, corp_id)
  const own = { provider, corp_id }
  const told: Pushed[] = []
  const say = (change: Parameters<typeof simulator.teller.written>[1]) => {
    const pushed = simulator.teller.written(app, change)
    if (pushed) told.push(pushed)
  }
  const places = [2, 3, 4].map((number) => departmentId(provider, number))
  for (let at = 0; at < size; at += 1) {
    // All of it within the ten minutes after which the platform would not be believed.
    clock.advance(300)
    const one = random.pick([...company.people.values()])
    const place = random.pick(places)
    if (random.chance(0.6)) {
      company.setPerson({ ...one, name: `改名${at}`, department_ids: [place] })
      say({ what: 'person', did: 'changed', id: one.user_id })
    } else if (random.chance(0.35)) {
      company.removePerson(one.user_id)
      say({ what: 'person', did: 'removed', id: one.user_id })
    } else if (random.chance(0.9)) {
      const person: Person = { ...own, user_id: `new-${at}`, name: `新人${at}`, department_ids: [place] }
      company.setPerson(person)
      say({ what: 'person', did: 'added', id: person.user_id })
    } else {
      const id = departmentId(provider, 100 + at)
      company.setDepartment({ ...own, id, parent_id: place, name: `新部门${at}` })
      places.push(id)
      say({ what: 'department', did: 'added', id })
    }
  }
  return told
}

/** What it holds more than now, at most, in MB. */
function measureHeap(): () => number {
  const before = process.memoryUsage().heapUsed
  let most = before
  const timer = setInterval(() => (most = Math.max(most, process.memoryUsage().heapUsed)), 250)
  return () => {
    clearInterval(timer)
    return Math.round((most - before) / 1_000_000)
  }
}
