/** Ids as applications of the store are told them: enciphered, the same for all suites, and their case counts (wecom.md §3.3). */
import { createHash } from 'node:crypto'
import type { SimulatedPerson } from '../company.ts'
import type { Registered, State } from '../state.ts'

export const openIdOf = (corp_id: string, user_id: string): string => {
  const hash = createHash('sha256').update(`${corp_id} ${user_id.toLowerCase()}`).digest('base64')
  return `wo${hash.replace(/[^A-Za-z0-9]/g, '').slice(0, 30)}`
}
const known = new WeakMap<SimulatedPerson, string>()
const openId = (person: SimulatedPerson): string => {
  const before = known.get(person)
  if (before) return before
  const made = openIdOf(person.corp_id, person.user_id)
  known.set(person, made)
  return made
}

/** What this application calls him. */
export const shownId = ({ suite }: Pick<Registered, 'suite'>, person: SimulatedPerson): string =>
  suite ? openId(person) : person.user_id
/** The same of an id that stands somewhere in the company. */
export const shownIdOf = ({ suite, corp_id }: Pick<Registered, 'suite' | 'corp_id'>, user_id: string): string =>
  suite ? openIdOf(corp_id, user_id) : user_id
/** Whom it means by an id. */
export function personCalled(state: State, app: Registered, id: unknown): SimulatedPerson | undefined {
  const company = state.companyOf(app)
  return app.suite ? [...company.people.values()].find((one) => openId(one) === id) : company.person(id)
}
