/** User ids as store applications receive them: encrypted, the same for all suites, and case-sensitive (wecom.md §3.3). */
import { createHash } from 'node:crypto'
import type { SimulatedUser } from '../company.ts'
import type { RegisteredApp } from '../registered-apps.ts'
import type { SimulatorState } from '../state.ts'

export const toOpenUserId = (corp_id: string, user_id: string): string => {
  const hash = createHash('sha256').update(`${corp_id} ${user_id.toLowerCase()}`).digest('base64')
  return `wo${hash.replace(/[^A-Za-z0-9]/g, '').slice(0, 30)}`
}
const openIdCache = new WeakMap<SimulatedUser, string>()
const getOpenUserId = (user: SimulatedUser): string => {
  const cached = openIdCache.get(user)
  if (cached) return cached
  const openUserId = toOpenUserId(user.corp_id, user.user_id)
  openIdCache.set(user, openUserId)
  return openUserId
}

/** Returns the id of a user that this application sees. */
export const getVisibleUserId = ({ suite }: Pick<RegisteredApp, 'suite'>, user: SimulatedUser): string =>
  suite ? getOpenUserId(user) : user.user_id
/** Converts a user id of the company to the id that this application sees. */
export const toVisibleUserId = ({ suite, corp_id }: Pick<RegisteredApp, 'suite' | 'corp_id'>, user_id: string): string =>
  suite ? toOpenUserId(corp_id, user_id) : user_id
/** Finds the user that the application refers to by an id. */
export function findUser(state: SimulatorState, app: RegisteredApp, id: unknown): SimulatedUser | undefined {
  const company = state.getCompany(app)
  return app.suite ? [...company.users.values()].find((one) => getOpenUserId(one) === id) : company.findUser(id)
}
