/** Hands from outside: what a test or a person may change about the simulated world. Only where the simulators run as programs. */
import type { AuthCodeSource, Provider } from '../types.ts'
import type { WorldChange } from './callbacks.ts'
import type { SimulatedDepartment, SimulatedUser } from './company.ts'
import type { Simulator } from './index.ts'
import {
  createJsonReply,
  type Fault,
  listOrEmpty,
  objectOrEmpty,
  type RegisteredApp,
  type RegisteredSuite,
  type Reply,
  textOrEmpty,
} from './state.ts'

type ControlParams = Record<string, unknown>
/** What comes from a hand is taken as it is: whoever holds the control owns this world. */
const castTo = <T>(value: unknown): T => value as T

const findApp = ({ state }: Simulator, { provider, corp_id, app_id }: ControlParams): RegisteredApp => {
  const app = state.apps.find(
    (one) => one.provider === provider && one.corp_id === corp_id && (app_id === undefined || one.app_id === app_id),
  )
  if (!app) throw new Error('no such app')
  return app
}
const controls: Readonly<Record<string, (simulator: Simulator, given: ControlParams) => unknown>> = {
  app: (simulator, given) => simulator.addApp(castTo<RegisteredApp>(given)),
  suite: (simulator, given) => simulator.addSuite(castTo<RegisteredSuite>(given)),
  change: (simulator, given) =>
    simulator.changeApp(findApp(simulator, given), castTo<Partial<RegisteredApp>>(objectOrEmpty(given.change))),
  person: (simulator, given) => simulator.addUser(castTo<SimulatedUser>(given)),
  department: (simulator, given) => simulator.saveDepartment(castTo<SimulatedDepartment>(given)),
  'remove-person': (simulator, given) => simulator.removeUser(castTo<SimulatedUser>(given)),
  'remove-department': (simulator, given) => simulator.removeDepartment(castTo<SimulatedDepartment>(given)),
  fault: (simulator, given) => simulator.addFault(castTo<Fault>(given)),
  expire: (simulator, given) => simulator.expireTokens(castTo<Provider>(given.provider)),
  clock: ({ state }, given) => (state.clockOffsetMs += Number(given.forward_ms ?? 0)),
  limits: ({ state }, given) => (state.limits.isEnabled = given.on !== false),
  retries: ({ callbackSender }, given) => (callbackSender.delayScale = Number(given.scale ?? 1)),
  code: (simulator, given) => {
    const app = findApp(simulator, given)
    const person = simulator.company(app.provider, app.corp_id).findUser(given.user_id)
    if (!person) throw new Error('no such person')
    return {
      code: simulator.issueCode(
        app,
        person,
        given.way === 'client' ? 'client' : castTo<AuthCodeSource>('page'),
        textOrEmpty(given.redirect),
      ),
    }
  },
  push: (simulator, given) => simulator.callbackSender.sendChange(findApp(simulator, given), castTo<WorldChange>(objectOrEmpty(given.change))),
  check: async (simulator, given) => ({ accepted: await simulator.callbackSender.checkUrl(findApp(simulator, given)) }),
  ticket: async (simulator, given) => {
    const suite = simulator.state.findSuite(castTo<Provider>(given.provider), given.id)
    if (!suite) throw new Error('no such suite')
    return { ticket: await simulator.issueTicket(suite) }
  },
  read: ({ state }, given) => {
    for (const message of state.inbox.getById(given.id))
      if (given.to === undefined || message.to === given.to) state.inbox.markRead(message)
  },
  press: async (simulator, given) => {
    const message = simulator.state.inbox.getById(given.id).find(({ to }) => given.to === undefined || to === given.to)
    if (!message) throw new Error('no such message')
    return simulator.pressButton(message)
  },
  pick: (simulator, given) => {
    const app = findApp(simulator, given)
    const people = simulator.company(app.provider, app.corp_id)
    const called = (id: unknown) => {
      const person = people.findUser(id)
      if (!person) throw new Error('no such person')
      return person
    }
    return simulator.pickUsers(app, called(given.operator), listOrEmpty(given.user_ids).map(called))
  },
  messages: (simulator) =>
    simulator.messages().map(({ app, ...message }) => ({ ...message, app_id: app.app_id, corp_id: app.corp_id })),
  calls: (simulator) => simulator.calls,
  world: ({ state }) => ({
    now: state.now(),
    apps: state.apps,
    suites: state.suites,
    companies: state.listCompanies().map(({ provider, corp_id, name, users, departments }) => ({
      provider,
      corp_id,
      name,
      people: users.size,
      departments: departments.size,
    })),
  }),
}

/** A world of one's own, as a file holds it. */
export function loadWorld(simulator: Simulator, world: ControlParams): void {
  for (const one of listOrEmpty(world.apps)) simulator.addApp(castTo<RegisteredApp>(one))
  for (const one of listOrEmpty(world.suites)) simulator.addSuite(castTo<RegisteredSuite>(one))
  for (const one of listOrEmpty(world.departments)) simulator.saveDepartment(castTo<SimulatedDepartment>(one))
  for (const one of listOrEmpty(world.people)) simulator.addUser(castTo<SimulatedUser>(one))
}

export async function runControl(simulator: Simulator, name: string, params: ControlParams): Promise<Reply> {
  const control = Object.hasOwn(controls, name) ? controls[name] : undefined
  if (!control) return createJsonReply(404, { error: `no such control; there are: ${Object.keys(controls).join(' ')}` })
  try {
    return createJsonReply(200, { done: (await control(simulator, params)) ?? true })
  } catch (error) {
    return createJsonReply(400, { error: error instanceof Error ? error.message : 'failed' })
  }
}
