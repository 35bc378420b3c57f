/** Hands from outside: what a test or a person may change about the simulated world. Only where the simulators run as programs. */
import type { Provider, Way } from '../types.ts'
import type { SimulatedDepartment, SimulatedPerson } from './company.ts'
import type { Simulator } from './index.ts'
import { type Fault, fields, jsonReply, listed, type Registered, type RegisteredSuite, type Reply, said } from './state.ts'
import type { WorldChange } from './told.ts'

type Given = Record<string, unknown>
/** What comes from a hand is taken as it is: whoever holds the control owns this world. */
const as = <T>(value: unknown): T => value as T

const appOf = ({ state }: Simulator, { provider, corp_id, app_id }: Given): Registered => {
  const app = state.apps.find(
    (one) => one.provider === provider && one.corp_id === corp_id && (app_id === undefined || one.app_id === app_id),
  )
  if (!app) throw new Error('no such app')
  return app
}
const deeds: Readonly<Record<string, (simulator: Simulator, given: Given) => unknown>> = {
  app: (simulator, given) => simulator.addApp(as<Registered>(given)),
  suite: (simulator, given) => simulator.addSuite(as<RegisteredSuite>(given)),
  change: (simulator, given) => simulator.changeApp(appOf(simulator, given), as<Partial<Registered>>(fields(given.change))),
  person: (simulator, given) => simulator.addPerson(as<SimulatedPerson>(given)),
  department: (simulator, given) => simulator.setDepartment(as<SimulatedDepartment>(given)),
  'remove-person': (simulator, given) => simulator.removePerson(as<SimulatedPerson>(given)),
  'remove-department': (simulator, given) => simulator.removeDepartment(as<SimulatedDepartment>(given)),
  fault: (simulator, given) => simulator.fault(as<Fault>(given)),
  expire: (simulator, given) => simulator.expireTokens(as<Provider>(given.provider)),
  clock: ({ state }, given) => (state.ahead_ms += Number(given.forward_ms ?? 0)),
  limits: ({ state }, given) => (state.limits.on = given.on !== false),
  retries: ({ teller }, given) => (teller.scale = Number(given.scale ?? 1)),
  code: (simulator, given) => {
    const app = appOf(simulator, given)
    const person = simulator.company(app.provider, app.corp_id).person(given.user_id)
    if (!person) throw new Error('no such person')
    return { code: simulator.issue(app, person, given.way === 'client' ? 'client' : as<Way>('page'), said(given.redirect)) }
  },
  push: (simulator, given) => simulator.teller.tell(appOf(simulator, given), as<WorldChange>(fields(given.change))),
  check: async (simulator, given) => ({ accepted: await simulator.teller.check(appOf(simulator, given)) }),
  ticket: async (simulator, given) => {
    const suite = simulator.state.suite(as<Provider>(given.provider), given.id)
    if (!suite) throw new Error('no such suite')
    return { ticket: await simulator.issueTicket(suite) }
  },
  read: ({ state }, given) => {
    for (const message of state.inbox.of(given.id))
      if (given.to === undefined || message.to === given.to) state.inbox.read(message)
  },
  press: async (simulator, given) => {
    const message = simulator.state.inbox.of(given.id).find(({ to }) => given.to === undefined || to === given.to)
    if (!message) throw new Error('no such message')
    return simulator.press(message)
  },
  pick: (simulator, given) => {
    const app = appOf(simulator, given)
    const people = simulator.company(app.provider, app.corp_id)
    const called = (id: unknown) => {
      const person = people.person(id)
      if (!person) throw new Error('no such person')
      return person
    }
    return simulator.pick(app, called(given.operator), listed(given.user_ids).map(called))
  },
  messages: (simulator) =>
    simulator.messages().map(({ app, ...message }) => ({ ...message, app_id: app.app_id, corp_id: app.corp_id })),
  calls: (simulator) => simulator.calls,
  world: ({ state }) => ({
    now: state.now(),
    apps: state.apps,
    suites: state.suites,
    companies: state.companies().map(({ provider, corp_id, name, people, departments }) => ({
      provider,
      corp_id,
      name,
      people: people.size,
      departments: departments.size,
    })),
  }),
}

/** A world of one's own, as a file holds it. */
export function settle(simulator: Simulator, world: Given): void {
  for (const one of listed(world.apps)) simulator.addApp(as<Registered>(one))
  for (const one of listed(world.suites)) simulator.addSuite(as<RegisteredSuite>(one))
  for (const one of listed(world.departments)) simulator.setDepartment(as<SimulatedDepartment>(one))
  for (const one of listed(world.people)) simulator.addPerson(as<SimulatedPerson>(one))
}

export async function controlled(simulator: Simulator, name: string, given: Given): Promise<Reply> {
  const deed = Object.hasOwn(deeds, name) ? deeds[name] : undefined
  if (!deed) return jsonReply(404, { error: `no such control; there are: ${Object.keys(deeds).join(' ')}` })
  try {
    return jsonReply(200, { done: (await deed(simulator, given)) ?? true })
  } catch (error) {
    return jsonReply(400, { error: error instanceof Error ? error.message : 'failed' })
  }
}
