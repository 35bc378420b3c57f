/** A simulated company: its department tree, its users, and which of them an application may see. */
import { randomBytes } from 'node:crypto'
import type { Provider } from '../types.ts'
import { getProfile } from './profiles.ts'

export type SimulatedUser = {
  readonly provider: Provider
  readonly corp_id: string
  /** On Lark the open id. */
  readonly user_id: string
  readonly union_id?: string
  readonly name: string
  readonly mobile?: string
  /** Shown on the sign-in page, so that users of the demo know whom to choose. */
  readonly description?: string
  /** The root if undefined; the first one is the main department. */
  readonly department_ids?: readonly string[]
  readonly leads?: readonly string[]
  readonly employee_no?: string
  readonly email?: string
  readonly job_title?: string
  /** In the platform's order: larger first. */
  readonly order?: number
  readonly status?: 'active' | 'not_joined' | 'frozen'
  /** The user gets no messages: they have no licence or have blocked the application. */
  readonly unreachableReason?: 'unlicensed' | 'blocked'
}
export type SimulatedDepartment = {
  readonly provider: Provider
  readonly corp_id: string
  readonly id: string
  readonly parent_id: string
  readonly name: string
  readonly order?: number
  readonly leader_ids?: readonly string[]
}
export type SimulatedRange = { readonly department_ids: readonly string[]; readonly user_ids: readonly string[] }

export class SimulatedCompany {
  readonly provider: Provider
  readonly corp_id: string
  readonly root: string
  name: string
  readonly users = new Map<string, SimulatedUser>()
  /** Users who have left, with the time. */
  readonly terminatedUsers = new Map<string, { readonly person: SimulatedUser; readonly at: number }>()
  readonly departments = new Map<string, SimulatedDepartment>()
  readonly #members = new Map<string, Set<string>>()
  readonly #children = new Map<string, Set<string>>()
  /** Number of failed lookups by phone today, which are blocked above a limit (WeCom). */
  failedLookups = { day: '', count: 0 }

  constructor(provider: Provider, corp_id: string) {
    this.provider = provider
    this.corp_id = corp_id
    this.name = `模拟企业 ${corp_id}`
    this.root = getProfile(provider).rootDepartmentId
  }

  getKey(user_id: string): string {
    return getProfile(this.provider).hasCaseInsensitiveUserIds ? user_id.toLowerCase() : user_id
  }
  findUser(user_id: unknown): SimulatedUser | undefined {
    return typeof user_id === 'string' ? this.users.get(this.getKey(user_id)) : undefined
  }
  getDepartments(person: SimulatedUser): readonly string[] {
    return person.department_ids ?? [this.root]
  }
  saveUser(person: SimulatedUser): void {
    this.removeUser(person.user_id)
    const key = this.getKey(person.user_id)
    this.terminatedUsers.delete(key)
    this.users.set(key, person)
    for (const id of this.getDepartments(person)) this.#members.set(id, (this.#members.get(id) ?? new Set()).add(key))
  }
  removeUser(user_id: string, at?: number): void {
    const key = this.getKey(user_id)
    const person = this.users.get(key)
    if (person && at !== undefined) this.terminatedUsers.set(key, { person, at })
    if (person) for (const id of this.getDepartments(person)) this.#members.get(id)?.delete(key)
    this.users.delete(key)
  }
  saveDepartment(department: SimulatedDepartment): void {
    this.removeDepartment(department.id)
    this.departments.set(department.id, department)
    this.#children.set(department.parent_id, (this.#children.get(department.parent_id) ?? new Set()).add(department.id))
  }
  removeDepartment(id: string): void {
    const existing = this.departments.get(id)
    if (existing) this.#children.get(existing.parent_id)?.delete(id)
    this.departments.delete(id)
  }
  /** Returns the direct children; `order` as on the platform, larger first (Lark: smaller first). */
  getChildren(id: string): SimulatedDepartment[] {
    return [...(this.#children.get(id) ?? [])].flatMap((child) => this.departments.get(child) ?? [])
  }
  /** Returns all departments below, parents before children. */
  getDescendants(id: string): SimulatedDepartment[] {
    const matches = this.getChildren(id)
    for (const one of matches) matches.push(...this.getChildren(one.id))
    return matches
  }
  /** Sorts in the order of the platform's own address book: larger first. */
  sortByOrder(people: readonly SimulatedUser[]): SimulatedUser[] {
    return people.toSorted((one, other) => (other.order ?? 0) - (one.order ?? 0))
  }
  getMembers(id: string): SimulatedUser[] {
    return [...(this.#members.get(id) ?? [])].flatMap((key) => this.users.get(key) ?? [])
  }
  isDepartment(id: string): boolean {
    return id === this.root || this.departments.has(id)
  }
  /** Returns whether an application with this range sees the department; without a range it sees everything. */
  canSeeDepartment(range: SimulatedRange | undefined, id: string): boolean {
    if (!range) return true
    for (let at: string | undefined = id, depth = 0; at !== undefined && depth < 200; depth += 1) {
      if (range.department_ids.includes(at)) return true
      at = this.departments.get(at)?.parent_id
    }
    return false
  }
  canSeeUser(range: SimulatedRange | undefined, person: SimulatedUser): boolean {
    if (!range || range.user_ids.some((id) => this.getKey(id) === this.getKey(person.user_id))) return true
    return this.getDepartments(person).some((id) => this.canSeeDepartment(range, id))
  }
}

/** Creates an id in the platforms' format. */
export const createTraceId = (): string => randomBytes(8).toString('hex')
