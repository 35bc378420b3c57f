/**
 * The basis of most test files in one line: a world, a company in it, and its payroll administrator.
 *
 *     Usage: const { world, corp, clerk, payroll } = demo()
 *
 * The hooks that create and remove them are registered here. The returned names can be used in tests, once the hooks
 * have run.
 */
import { afterAll, beforeAll, beforeEach } from 'vitest'
import { type Caller, type Corp, type Person, type PersonOptions, sharedWorld, startWorld, type World } from './world.ts'

type WorldOptions = Parameters<typeof startWorld>[0]
export type DemoOptions = {
  /**
   * A separate world, for files that set the clock or need their own gateways; otherwise the files of this worker share
   * one.
   */
  own?: boolean | WorldOptions
  /** Options of the company: name, edition, prepaid messages. */
  company?: Parameters<World['createCompany']>[0]
  /** Creates a new company and payroll administrator before every test, instead of one for the file. */
  each?: boolean
  /** The payroll administrator; by default, one of the whole company. */
  clerk?: PersonOptions
}
export type Demo = {
  readonly world: World
  readonly corp: Corp
  /** The payroll administrator and their caller. */
  readonly clerk: Person
  readonly payroll: Caller
}

/** Creates only the world, for files whose tests create their own companies. */
export function demoWorld(own: DemoOptions['own'] = false): World {
  let world: World | undefined
  beforeAll(async () => {
    world = own ? await startWorld(own === true ? {} : own) : await sharedWorld()
  })
  // A world that did not start has already reported the error.
  afterAll(() => world?.close())
  return later('world', () => world)
}

export function demo({ own, company, each = false, clerk: options }: DemoOptions = {}): Demo {
  const world = demoWorld(own)
  let corp: Corp | undefined
  let clerk: Person | undefined
  let payroll: Caller | undefined
  // A file that does not use the payroll administrator gets a company without members.
  const named = new Set<'clerk' | 'payroll'>()
  const open = each ? beforeEach : beforeAll
  open(async () => {
    corp = await world.createCompany(company)
    if (named.size > 0) clerk = await corp.person({ power: ['2'], ...options })
    if (clerk && named.has('payroll')) payroll = await world.signIn(clerk)
  })
  return {
    world,
    corp: later('corp', () => corp),
    get clerk() {
      named.add('clerk')
      return later('clerk', () => clerk)
    },
    get payroll() {
      named.add('payroll')
      return later('payroll', () => payroll)
    },
  }
}

/**
 * Returns a placeholder for something that the hooks create. Reading it before the hooks have run is a mistake of the
 * file.
 */
export function later<T extends object>(name: string, now: () => T | undefined): T {
  const there = (): T => {
    const made = now()
    if (!made) throw new Error(`${name} is made in a hook: it can be used inside of hooks and tests only`)
    return made
  }
  return new Proxy({} as T, {
    get: (_, key) => Reflect.get(there(), key),
    has: (_, key) => Reflect.has(there(), key),
    ownKeys: () => Reflect.ownKeys(there()),
    getOwnPropertyDescriptor: (_, key) => {
      const descriptor = Reflect.getOwnPropertyDescriptor(there(), key)
      return descriptor && { ...descriptor, configurable: true }
    },
  })
}
