/**
 * A large company through its binding: read completely at the platform's rate limit with hardly more calls than
 * necessary, killed and resumed; then a thousand events in any order, duplicated and lost, after which the members
 * equal the platform's users. trust.md C7.
 */
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { afterAll, beforeAll, describe, expect } from 'vitest'
import { mapProviders } from '../../../platform/chat/providers.ts'
import { createPlatforms, getSimulatorHosts } from '../../../platform/index.ts'
import type { CallbackMessage } from '../../../platform/simulator/callbacks.ts'
import type { SimulatedCompany } from '../../../platform/simulator/company.ts'
import { type RegisteredApp, type SimulatedUser, Simulator } from '../../../platform/simulator/index.ts'
import { populateWorld } from '../../../platform/simulator/world.ts'
import type { Directory, Platforms, Provider } from '../../../platform/types.ts'
import * as binding from '../../../server/contract/platform-binding/binding.ts'
import { syncJob } from '../../../server/modules/platform-binding/sync/start.ts'
import { ManualClock } from '../../../server/shared/clock.ts'
import { fewestCalls, ordersRequested } from '../../support/outside/calls.ts'
import { chatCompany, departmentId, providers } from '../../support/outside/chat-company.ts'
import { type SimulatorProgram, startSimulators } from '../../support/outside/program.ts'
import { isFull, some, trial } from '../../support/run/trial.ts'
import { type Caller, type Corp, startWorld, type World } from '../../support/world.ts'

const clock = new ManualClock('2026-11-20T10:00:00+08:00')
const simulator = new Simulator(() => clock.now().getTime())
// The clock stands still; the request rate is the adapter's and shows in the seconds.
simulator.state.limits.isEnabled = false
/** The large companies run in a program of their own, so that the memory measured here belongs to the product. */
const read = { full: 50_000, sample: 120, of: 'people' } as const
const people = isFull ? read.full : read.sample
const large = { people, departments: Math.max(12, Math.round(people / 25)), origin: 'https://pay.example.cn' }
/** The user list calls, counted, after which the process dies before it receives the response. */
let deaths: number[] = []
let pages = 0
const killed = new Error('killed')
/** Routes companies of this process to the near directory and large ones to the far one. */
const mortal = (near: Directory, far: Directory): Directory => {
  const of = ({ corp_id }: { corp_id: string }) => (corp_id.startsWith('corp-') ? near : far)
  return {
    describe: (app) => of(app).describe(app),
    check: (app) => of(app).check(app),
    getVisibleRange: (app) => of(app).getVisibleRange(app),
    listDepartments: (app, next) => of(app).listDepartments(app, next),
    getUser: (app, id) => of(app).getUser(app, id),
    getDepartment: (app, id) => of(app).getDepartment(app, id),
    findByMobile: (app, mobiles) => of(app).findByMobile(app, mobiles),
    listUsers: async (app, ...asking) => {
      const page = await of(app).listUsers(app, ...asking)
      pages += 1
      if (deaths[0] !== pages) return page
      deaths.shift()
      throw killed
    },
  }
}

let world: World
let program: SimulatorProgram
beforeAll(async () => {
  const now = () => clock.now().getTime()
  program = await startSimulators(large)
  const near = createPlatforms({ hosts: getSimulatorHosts(await simulator.listen()), now })
  const far = createPlatforms({ hosts: program.hosts, now })
  const of = (provider: Provider) => ({
    ...near[provider],
    directory: mortal(near[provider].directory, far[provider].directory),
  })
  const platforms: Platforms = mapProviders(of)
  world = await startWorld({ platforms, clock })
})
afterAll(async () => {
  await world.close()
  await simulator.close()
  await program.stop()
})

const drain = () => world.product.jobs.drain()
const getStatus = async (head: Caller) => (await head.must(binding.getSyncStatus)).sync
async function bind({ provider, corp_id, app_id, agent_id, secret }: RegisteredApp, more: object = {}) {
  const corp = await world.createCompany({ provider: null })
  const head = await world.signIn(await corp.person({ name: '沈知遥', power: ['1'] }))
  await head.must(binding.bindPlatform, { provider, corp_id, app_id, agent_id, secret, ...more })
  return { corp, head }
}
const agree = async (head: Caller) => {
  const { sync_id = '' } = (await getStatus(head)) ?? {}
  await head.must(binding.applySync, { sync_id })
  await drain()
}

type Who = { readonly user_id: string; readonly name: string; readonly departments: readonly string[] }
const spelt = (all: readonly Who[]) =>
  all.map(({ user_id, name, departments }) => `${user_id} ${name} ${departments.toSorted().join()}`).toSorted()
/** Returns all members here, as received from the platform. */
async function getContext({ company_id }: Corp) {
  const rows = await world.database.inCompany(company_id, (tx) =>
    tx
      .selectFrom('platform_user')
      .select(['user_id', 'details'])
      .where('company_id', '=', company_id)
      .where('removed_at', 'is', null)
      .execute(),
  )
  return spelt(rows.map(({ user_id, details }) => ({ user_id, ...(details as unknown as Omit<Who, 'user_id'>) })))
}
function there(company: SimulatedCompany): string[] {
  return spelt(
    [...company.users.values()].map((one) => ({
      user_id: company.getKey(one.user_id),
      name: one.name,
      departments: company.getDepartments(one),
    })),
  )
}

/** Returns the departments here and there, with parents and names. */
const treeContext = async ({ company_id }: Corp) => {
  const rows = await world.database.inCompany(company_id, (tx) =>
    tx
      .selectFrom('platform_department')
      .select(['key', 'parent_key', 'name'])
      .where('company_id', '=', company_id)
      .where('removed_at', 'is', null)
      .where('parent_key', 'is not', null)
      .execute(),
  )
  return rows.map(({ key, parent_key, name }) => `${key} ${parent_key} ${name}`).toSorted()
}
const treeThere = ({ departments }: SimulatedCompany) =>
  [...departments.values()].map(({ id, parent_id, name }) => `${id} ${parent_id} ${name}`).toSorted()

const selected = some(providers, 1)
describe.each(selected)('%s', (provider) => {
  trial(
    'platform-sync',
    'a company is read whole through its binding, killed three times on the way: everybody is there, in hardly more calls than there must be',
    read,
    async ({ size, says }) => {
      const { app, company, fewest } = largeCompany(provider)
      // What the adapter loads with its first call (Lark's SDK) does not depend on the number of users.
      const { corp, head } = await bind(app)
      const heap = measureHeap()
      const before = (await program.calls()).length
      pages = 0
      deaths = [0.2, 0.5, 0.8].map((part) => Math.max(1, Math.floor(part * large.departments)))
      const progress: number[] = []
      for (let attempts = 0; attempts < 6 && (await getStatus(head))?.state === 'reading'; attempts += 1) {
        await drain().catch((error: unknown) => {
          if (error !== killed) throw error
        })
        const { sync_id = '', progress: notified = 0 } = (await getStatus(head)) ?? {}
        progress.push(notified)
        await world.database.inCompany(corp.company_id, (tx) =>
          world.product.jobs.send(tx, syncJob, { company_id: corp.company_id, sync_id }),
        )
      }
      const calls = (await program.calls()).length - before
      expect(deaths).toEqual([])
      // Progress is shown and never decreases.
      expect(progress).toEqual(progress.toSorted((one, other) => one - other))
      expect(new Set(progress).size).toBeGreaterThanOrEqual(3)
      expect(await getStatus(head)).toMatchObject({ state: 'held', review_reason: 'first', created: size })
      await agree(head)
      const most = heap()
      expect(await getStatus(head)).toMatchObject({ state: 'done', progress: 100 })
      expect(await getContext(corp)).toEqual(there(company()))
      // Besides range and token, a page is requested once more for each crash. The order of departments counts only if
      // it would not be half of all calls.
      const orders = isFull ? 0 : ordersRequested(provider, large.departments)
      const ratio = (calls - 5 - 3 - orders) / fewest
      expect(ratio).toBeLessThanOrEqual(1.1)
      expect(most.locked).toBeLessThan(most_heap)
      says(
        `${provider}: ${calls} calls, ratio ${ratio.toFixed(2)}; shown ${progress.join(' ')} %; heap at most ${most.locked} MB more in use, ${most.used} with what was cleared away`,
      )
    },
  )

  trial(
    'platform-events',
    'changes told in any order, twice, or not at all: after the next reading the people here are those of the platform',
    { full: 1_000, sample: 24, of: 'events' },
    async ({ size, random, says }) => {
      const keys = { token: 'token-of-callbacks', aes_key: 'jWmYm7qr5nMoAUwZRjGtBxmz3KA1tkAj3ykkR6q2B2C' }
      const { app } = chatCompany(simulator, provider, { many: size, app: { callback: { url: 'http://127.0.0.1:1/', ...keys } } })
      const { corp, head } = await bind(app, keys)
      await drain()
      await agree(head)
      const { bound } = await head.must(binding.getPlatformInfo)
      const { pathname } = new URL(bound?.callback_url ?? '')
      const notify = async ({ method, url, headers = {}, body = '' }: CallbackMessage) => {
        const to = `${pathname}${new URL(url).search}`
        const { statusCode } = await world.product.app.inject({
          method: method === 'GET' ? 'GET' : 'POST',
          url: to,
          headers,
          payload: body,
        })
        expect(statusCode).toBe(200)
      }
      const live = liveliness(app, random)
      const rounds = size > 100 ? 10 : 3
      let late: CallbackMessage[] = []
      let [came, lost] = [0, 0]
      for (let round = 1; round <= rounds; round += 1) {
        // The last part reports only users: a department event triggers a full read, including users without any event.
        const notified = live(Math.ceil(size / rounds), { departments: round <= rounds * 0.6 })
        const stored = notified.filter(() => !random.chance(0.1))
        lost += notified.length - stored.length
        const sent = random.shuffled([...late, ...stored, ...stored.filter(() => random.chance(0.2))])
        // A fifth arrives after later events.
        late = round < rounds ? sent.splice(0, Math.floor(sent.length / 5)) : []
        for (const one of sent) await notify(one)
        came += sent.length
        await drain()
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
      const company = simulator.company(provider, app.corp_id)
      const platform = there(company)
      const now = new Set(await getContext(corp))
      const missing = platform.filter((one) => !now.has(one)).length
      // The next day's sync finds what was lost, and nothing else was missing.
      expect(missing).toBeLessThanOrEqual(lost)
      if (size >= 1_000) expect(missing).toBeGreaterThan(0)
      await head.must(binding.applySync, { mode: 'full' })
      await drain()
      expect(await getStatus(head)).toMatchObject({ state: 'done' })
      expect(await getContext(corp)).toEqual(platform)
      expect(await treeContext(corp)).toEqual(treeThere(company))
      says(`${provider}: ${came} came, ${lost} lost; ${missing} people stale until the reading of the day`)
    },
  )
})

type Chances = { chance(share: number): boolean; pick<T>(all: readonly T[]): T }
/** Simulates activity on the platform: a number of changes, each with its events. */
function liveliness(app: RegisteredApp, random: Chances) {
  const { provider, corp_id } = app
  const company = simulator.company(provider, corp_id)
  const own = { provider, corp_id }
  let notified: CallbackMessage[] = []
  let at = 0
  const removed: SimulatedUser[] = []
  const format = (change: Parameters<typeof simulator.callbackSender.createMessage>[1]) => {
    const pushed = simulator.callbackSender.createMessage(app, change)
    if (pushed) notified.push(pushed)
  }
  const places = [2, 3, 4].map((number) => departmentId(provider, number))
  const person = () => {
    const one = random.pick([...company.users.values()])
    const position = random.pick(places)
    const back = random.chance(0.3) ? removed.pop() : undefined
    if (back) {
      company.saveUser({ ...back, department_ids: [position] })
      format({ kind: 'person', action: 'added', id: back.user_id })
    } else if (random.chance(0.6)) {
      company.saveUser({ ...one, name: `改名${at}`, department_ids: [...new Set([position, random.pick(places)])] })
      format({ kind: 'person', action: 'changed', id: one.user_id })
    } else if (random.chance(0.5)) {
      company.removeUser(one.user_id)
      removed.push(one)
      format({ kind: 'person', action: 'removed', id: one.user_id })
    } else {
      const added: SimulatedUser = { ...own, user_id: `new-${at}`, name: `新人${at}`, department_ids: [position] }
      company.saveUser(added)
      format({ kind: 'person', action: 'added', id: added.user_id })
    }
  }
  const department = () => {
    const parent_id = random.pick(places.slice(0, 3))
    const existing = places.length > 4 && random.chance(0.5) ? random.pick(places.slice(3)) : null
    const id = existing ?? departmentId(provider, 100 + at)
    company.saveDepartment({ ...own, id, parent_id, name: `部门${at}` })
    if (!existing) places.push(id)
    format({ kind: 'department', action: existing ? 'changed' : 'added', id })
  }
  return (count: number, { departments }: { departments: boolean }): CallbackMessage[] => {
    notified = []
    for (const last = at + count; at < last; at += 1) {
      // All within the ten minutes after which the platform's callbacks are refused.
      clock.advance(300)
      if (departments && random.chance(0.05)) department()
      else person()
    }
    return notified
  }
}

/** As in the program; the data for comparison is built on demand and holds no memory before. */
function largeCompany(provider: Provider) {
  const twin = () => {
    const own = new Simulator(() => clock.now().getTime())
    const { app } = populateWorld(own, provider, large)
    return { app, company: own.company(provider, app.corp_id) }
  }
  const { app, company } = twin()
  const sizes = [company.root, ...company.departments.keys()].map((id) => company.getMembers(id).length)
  return { app, fewest: fewestCalls(provider, sizes, company.departments.size), company: () => twin().company }
}

/** The limit in MB above the previous use, for 50,000 users. */
const most_heap = 150
/**
 * Measures the memory in MB above the start, at its maximum: `locked` what is in use (garbage is collected before each
 * measurement), `used` including garbage.
 */
function measureHeap(): () => { locked: number; used: number } {
  setFlagsFromString('--expose-gc')
  const collect: () => void = runInNewContext('gc')
  const size = () => process.memoryUsage().heapUsed / 1_000_000
  collect()
  const before = size()
  let [locked, used] = [0, 0]
  const view = () => {
    used = Math.max(used, size() - before)
    collect()
    locked = Math.max(locked, size() - before)
  }
  const timer = setInterval(view, 700)
  return () => {
    view()
    clearInterval(timer)
    return { locked: Math.round(locked), used: Math.round(used) }
  }
}
