/** A simulated company: its tree of departments, its people, and who of them an application may see. */
import { randomBytes } from 'node:crypto'
import type { Provider } from '../types.ts'

export type SimulatedUser = {
  readonly provider: Provider
  readonly corp_id: string
  /** Lark: open id. */
  readonly user_id: string
  readonly union_id?: string
  readonly name: string
  readonly mobile?: string
  /** Shown on the sign-in page, so that whoever tries the demo knows whom to choose. */
  readonly description?: string
  /** The root where left out; the first is the main one. */
  readonly department_ids?: readonly string[]
  readonly leads?: readonly string[]
  readonly employee_no?: string
  readonly email?: string
  readonly job_title?: string
  /** As the platform counts: bigger first. */
  readonly order?: number
  readonly status?: 'active' | 'not_joined' | 'frozen'
  /** Gets no messages: without a licence, or has shut the application out. */
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

export const getRootId = (provider: Provider): string => (provider === 'lark' ? '0' : '1')

export class SimulatedCompany {
  readonly provider: Provider
  readonly corp_id: string
  readonly root: string
  name: string
  readonly users = new Map<string, SimulatedUser>()
  /** Who has left, and when. */
  readonly terminatedUsers = new Map<string, { readonly person: SimulatedUser; readonly at: number }>()
  readonly departments = new Map<string, SimulatedDepartment>()
  readonly #members = new Map<string, Set<string>>()
  readonly #children = new Map<string, Set<string>>()
  /** How many lookups by phone went wrong today, and until when they are refused (WeCom). */
  failedLookups = { day: '', count: 0 }

  constructor(provider: Provider, corp_id: string) {
    this.provider = provider
    this.corp_id = corp_id
    this.name = `模拟企业 ${corp_id}`
    this.root = getRootId(provider)
  }

  /** Case does not count on WeCom. */
  getKey(user_id: string): string {
    return this.provider === 'wecom' ? user_id.toLowerCase() : user_id
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
  /** Directly below; `order` as the platform has it, bigger first (Lark: smaller first). */
  getChildren(id: string): SimulatedDepartment[] {
    return [...(this.#children.get(id) ?? [])].flatMap((child) => this.departments.get(child) ?? [])
  }
  /** Everything below, parents before children. */
  getDescendants(id: string): SimulatedDepartment[] {
    const matches = this.getChildren(id)
    for (const one of matches) matches.push(...this.getChildren(one.id))
    return matches
  }
  /** In the order of the platform's own address book: bigger first. */
  sortByOrder(people: readonly SimulatedUser[]): SimulatedUser[] {
    return people.toSorted((one, other) => (other.order ?? 0) - (one.order ?? 0))
  }
  getMembers(id: string): SimulatedUser[] {
    return [...(this.#members.get(id) ?? [])].flatMap((key) => this.users.get(key) ?? [])
  }
  isDepartment(id: string): boolean {
    return id === this.root || this.departments.has(id)
  }
  /** Whether an application with this range sees it; without a range it sees everything. */
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

/** Ids as the platforms give them out. */
export const createTraceId = (): string => randomBytes(8).toString('hex')
