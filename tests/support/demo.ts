/**
 * What most files of tests stand on, in one line: a world, a company in it, and its payroll clerk.
 *
 *     const { world, corp, clerk, payroll } = demo()
 *
 * The hooks that make them and put them away are registered here; what is returned can be named at once and used once tests run.
 */
import { afterAll, beforeAll, beforeEach } from 'vitest'
import { type Caller, type Corp, type Person, type PersonOptions, sharedWorld, startWorld, type World } from './world.ts'

type WorldOptions = Parameters<typeof startWorld>[0]
export type DemoOptions = {
  /** A world of its own, for files that set the clock or bring gateways of theirs; else the one that this worker's files share. */
  own?: boolean | WorldOptions
  /** The company's own wishes: name, edition, messages left. */
  company?: Parameters<World['createCompany']>[0]
  /** A new company and clerk before every test, instead of one for the file. */
  each?: boolean
  /** Who pays: the payroll administrator of the whole company unless told. */
  clerk?: PersonOptions
}
export type Demo = {
  readonly world: World
  readonly corp: Corp
  /** The payroll administrator, and what he calls with. */
  readonly clerk: Person
  readonly payroll: Caller
}

/** The world alone, for files whose tests found their own companies. */
export function demoWorld(own: DemoOptions['own'] = false): World {
  let world: World | undefined
  beforeAll(async () => {
    world = own ? await startWorld(own === true ? {} : own) : await sharedWorld()
  })
  // A world that did not start has said why already.
  afterAll(() => world?.close())
  return later('world', () => world)
}

export function demo({ own, company, each = false, clerk: options }: DemoOptions = {}): Demo {
  const world = demoWorld(own)
  let corp: Corp | undefined
  let clerk: Person | undefined
  let payroll: Caller | undefined
  // A file that does not name the clerk has a company of nobody.
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

/** Stands for something that the hooks make: reading it before they have is a mistake of the file. */
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
