/**
 * External control: changes that a test or a user may make to the simulated world. Only available when the simulators
 * run as processes.
 */
import type { AuthCodeSource, Provider } from '../types.ts'
import type { WorldChange } from './callbacks.ts'
import type { SimulatedDepartment, SimulatedUser } from './company.ts'
import type { Simulator } from './index.ts'
import type { RegisteredApp, RegisteredSuite } from './registered-apps.ts'
import { createJsonReply, type Failure, listOrEmpty, objectOrEmpty, type Reply, textOrEmpty } from './state.ts'

type ControlParams = Record<string, unknown>
/** Control input is not validated: the controlling user owns this world. */
const castTo = <T>(value: unknown): T => value as T

const findApp = ({ state }: Simulator, { provider, corp_id, app_id }: ControlParams): RegisteredApp => {
  const app = state.apps.find(
    (one) => one.provider === provider && one.corp_id === corp_id && (app_id === undefined || one.app_id === app_id),
  )
  if (!app) throw new Error('no such app')
  return app
}
const controls: Readonly<Record<string, (simulator: Simulator, params: ControlParams) => unknown>> = {
  app: (simulator, provided) => simulator.addApp(castTo<RegisteredApp>(provided)),
  suite: (simulator, provided) => simulator.addSuite(castTo<RegisteredSuite>(provided)),
  change: (simulator, provided) =>
    simulator.changeApp(findApp(simulator, provided), castTo<Partial<RegisteredApp>>(objectOrEmpty(provided.change))),
  person: (simulator, provided) => {
    const { provider, corp_id, user_id } = castTo<SimulatedUser>(provided)
    // A change names only what changes.
    const user = { ...simulator.company(provider, corp_id).findUser(user_id), ...castTo<SimulatedUser>(provided) }
    if (!user.name) throw new Error('a person needs a name')
    return simulator.addUser(user)
  },
  department: (simulator, provided) => simulator.saveDepartment(castTo<SimulatedDepartment>(provided)),
  'remove-person': (simulator, provided) => simulator.removeUser(castTo<SimulatedUser>(provided)),
  'remove-department': (simulator, provided) => simulator.removeDepartment(castTo<SimulatedDepartment>(provided)),
  fail: (simulator, provided) => simulator.addError(castTo<Failure>(provided)),
  expire: (simulator, provided) => simulator.expireTokens(castTo<Provider>(provided.provider)),
  clock: ({ state }, provided) => (state.clockOffsetMs += Number(provided.forward_ms ?? 0)),
  limits: ({ state }, provided) => (state.limits.isEnabled = provided.on !== false),
  retries: ({ callbackSender }, provided) => (callbackSender.delayScale = Number(provided.scale ?? 1)),
  code: (simulator, provided) => {
    const app = findApp(simulator, provided)
    const person = simulator.company(app.provider, app.corp_id).findUser(provided.user_id)
    if (!person) throw new Error('no such person')
    return {
      code: simulator.issueCode(
        app,
        person,
        provided.source === 'client' ? 'client' : castTo<AuthCodeSource>('page'),
        textOrEmpty(provided.redirect),
      ),
    }
  },
  push: (simulator, provided) =>
    simulator.callbackSender.sendChange(findApp(simulator, provided), castTo<WorldChange>(objectOrEmpty(provided.change))),
  check: async (simulator, provided) => ({ accepted: await simulator.callbackSender.checkUrl(findApp(simulator, provided)) }),
  ticket: async (simulator, provided) => {
    const suite = simulator.state.findSuite(castTo<Provider>(provided.provider), provided.id)
    if (!suite) throw new Error('no such suite')
    return { ticket: await simulator.issueTicket(suite) }
  },
  read: ({ state }, provided) => {
    for (const message of state.inbox.getById(provided.id))
      if (provided.to === undefined || message.to === provided.to) state.inbox.markRead(message)
  },
  press: async (simulator, provided) => {
    const message = simulator.state.inbox.getById(provided.id).find(({ to }) => provided.to === undefined || to === provided.to)
    if (!message) throw new Error('no such message')
    return simulator.pressButton(message)
  },
  pick: (simulator, provided) => {
    const app = findApp(simulator, provided)
    const people = simulator.company(app.provider, app.corp_id)
    const called = (id: unknown) => {
      const person = people.findUser(id)
      if (!person) throw new Error('no such person')
      return person
    }
    return simulator.pickUsers(app, called(provided.operator), listOrEmpty(provided.user_ids).map(called))
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

/** Loads a custom world from a file. */
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
