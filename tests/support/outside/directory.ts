/** A chat platform's directory in memory behind the port: a test adds, moves and removes users, and calls are counted. */
import type { AppIssue, ChatApp, Directory, DirectoryDepartment, DirectoryUser } from '../../../platform/types.ts'

export class StandInDirectory {
  company_name = '云杉科技（平台）'
  problems: AppIssue[] = []
  /** The correct secret. */
  secret = 'the-right-secret'
  departments = new Map<string, DirectoryDepartment>()
  people = new Map<string, DirectoryUser>()
  calls = 0
  /** Whether a list of departments includes their order; otherwise the call for one department does. */
  lists_order = true
  /** The departments that were requested individually. */
  readonly requested: string[] = []
  page = 50
  /** Makes the call of this number throw. */
  failure: ((call: number) => Error | null) | null = null

  department(id: string, name: string, parent_id: string | null = null, more: Partial<DirectoryDepartment> = {}): void {
    this.departments.set(id, { id, parent_id, name, sort: this.departments.size, leader_ids: [], ...more })
  }
  person(user_id: string, name: string, more: Partial<DirectoryUser> = {}): DirectoryUser {
    const person: DirectoryUser = {
      user_id,
      union_id: null,
      name,
      mobile: null,
      employee_no: null,
      email: null,
      job_title: null,
      department_ids: ['0'],
      main_department_id: null,
      leads: [],
      sort: {},
      status: 'active',
      ...more,
    }
    this.people.set(user_id, person)
    return person
  }

  #called(): void {
    this.calls += 1
    const error = this.failure?.(this.calls)
    if (error) throw error
  }
  readonly port: Directory = {
    describe: () => ({
      names: true,
      phones: true,
      employee_nos: true,
      listsOrder: this.lists_order,
      maxMobilesPerLookup: 0,
      rateLimit: { count: 1_000_000, perMs: 1 },
    }),
    check: async ({ secret }: ChatApp) => {
      this.#called()
      const wrong: AppIssue = {
        area: 'credentials',
        blocking: true,
        permission: null,
        code: '10014',
        message: '应用的密钥不正确，请从平台后台重新复制',
      }
      const problems = secret === this.secret ? this.problems : [wrong]
      const range = { isFull: true, department_ids: ['0'], user_ids: [] }
      return {
        ok: !problems.some(({ blocking }) => blocking),
        company_name: this.company_name,
        isVerified: true,
        range,
        issues: problems,
      }
    },
    getVisibleRange: async () => {
      this.#called()
      return { isFull: true, department_ids: ['0'], user_ids: [] }
    },
    listDepartments: async (_app, next) => {
      this.#called()
      const all = [...this.departments.values()]
      return this.#paged(this.lists_order ? all : all.map((one) => ({ ...one, sort: null })), next)
    },
    listUsers: async (_app, department_id, next) => {
      this.#called()
      return this.#paged(
        [...this.people.values()].filter((one) => one.department_ids?.includes(department_id)),
        next,
      )
    },
    getUser: async (_app, user_id) => {
      this.#called()
      return this.people.get(user_id) ?? null
    },
    getDepartment: async (_app, id) => {
      this.requested.push(id)
      return this.departments.get(id) ?? null
    },
    findByMobile: async () => new Map(),
  }
  #paged<T>(all: readonly T[], next: string | null) {
    const from = Number(next ?? 0)
    const items = all.slice(from, from + this.page)
    return { items, next: from + this.page < all.length ? String(from + this.page) : null }
  }
}
