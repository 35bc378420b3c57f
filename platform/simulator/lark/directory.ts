/** Lark's directory: pages of at most 50 with tokens bound to their question, fields left out where their scope is not granted (lark.md §4). */
import { createHash } from 'node:crypto'
import type { SimulatedCompany, SimulatedDepartment, SimulatedPerson } from '../company.ts'
import {
  type AskedCall,
  listed,
  type Registered,
  type Reply,
  type SimulatedCall,
  type SimulatedCalls,
  type State,
  said,
} from '../state.ts'
import { ok, refuse, withTenant } from './answers.ts'

const may = (app: Registered, scope: string): boolean => app.permissions?.includes(scope) ?? true
export const userIdOf = (person: SimulatedPerson): string =>
  `u${createHash('sha1').update(person.user_id).digest('hex').slice(0, 8)}`
export const unionOf = (person: SimulatedPerson): string => person.union_id ?? `on_${person.user_id}`
const customId = (id: string): string => (id === '0' ? '0' : id.replace(/^od-/, 'D-'))
const numberOf = (id: string): string => (id === '0' ? '0' : id.replace(/^D-/, 'od-'))

/** The id of somebody in the spelling that was asked for; the open id where none was. */
export function idAs(type: string | null, person: SimulatedPerson): string {
  return type === 'user_id' ? userIdOf(person) : type === 'union_id' ? unionOf(person) : person.user_id
}
const departmentAs = ({ query }: AskedCall, id: string): string =>
  (query.get('department_id_type') ?? 'open_department_id') === 'department_id' ? customId(id) : id
function personOf(asked: AskedCall, company: SimulatedCompany, id: string): SimulatedPerson | undefined {
  const type = asked.query.get('user_id_type') ?? 'open_id'
  return type === 'open_id' ? company.person(id) : [...company.people.values()].find((one) => idAs(type, one) === id)
}

const statusOf = ({ status = 'active' }: SimulatedPerson) => ({
  is_frozen: status === 'frozen',
  is_resigned: false,
  is_activated: status === 'active',
  is_exited: false,
  is_unjoin: status === 'not_joined',
})
export function recordOf(asked: AskedCall, app: Registered, company: SimulatedCompany, person: SimulatedPerson) {
  const departments = company.departmentsOf(person)
  const all = may(app, 'contact:contact:readonly_as_app')
  const granted = (scope: string) => (all && !app.permissions ? true : may(app, scope))
  return {
    open_id: person.user_id,
    union_id: unionOf(person),
    ...(app.suite || !granted('contact:user.employee_id:readonly') ? {} : { user_id: userIdOf(person) }),
    ...(granted('contact:user.base:readonly')
      ? { name: person.name, en_name: '', nickname: '', gender: 0, avatar: { avatar_72: '' } }
      : {}),
    ...(granted('contact:user.phone:readonly') && person.mobile ? { mobile: `+86${person.mobile}`, mobile_visible: true } : {}),
    ...(granted('contact:user.email:readonly') && person.email ? { email: person.email, enterprise_email: '' } : {}),
    ...(granted('contact:user.department:readonly')
      ? {
          department_ids: departments.map((id) => departmentAs(asked, id)),
          leader_user_id: '',
          orders: departments.map((id, at) => ({
            department_id: departmentAs(asked, id),
            user_order: person.order ?? 0,
            department_order: departments.length - at,
            is_primary_dept: at === 0,
          })),
        }
      : {}),
    ...(granted('contact:user.employee:readonly')
      ? {
          employee_no: person.employee_no ?? '',
          job_title: person.job_title ?? '',
          employee_type: 1,
          join_time: 0,
          is_tenant_manager: false,
          city: '',
        }
      : {}),
    status: statusOf(person),
  }
}
const departmentOf = (asked: AskedCall, company: SimulatedCompany, id: string) => {
  const one = company.departments.get(id)
  const members = company.membersOf(id)
  const spelling = asked.query.get('user_id_type')
  const leaders = (one?.leader_ids ?? []).map((leader) => {
    const person = company.person(leader)
    return person ? idAs(spelling, person) : leader
  })
  return {
    name: one?.name ?? company.name,
    parent_department_id: departmentAs(asked, one?.parent_id ?? ''),
    department_id: customId(id),
    open_department_id: id,
    leader_user_id: leaders[0] ?? '',
    chat_id: '',
    order: String(one?.order ?? 0),
    unit_ids: [],
    member_count: members.length,
    primary_member_count: members.filter((person) => company.departmentsOf(person)[0] === id).length,
    i18n_name: {},
    status: { is_deleted: false },
    leaders: leaders.map((leaderID, at) => ({ leaderType: at === 0 ? 1 : 2, leaderID })),
  }
}

/** A page of it. A token belongs to its question: another department's says 40012. */
function paged<T>(
  asked: AskedCall,
  all: readonly T[],
  most = 50,
): { items: readonly T[]; has_more: boolean; page_token?: string } | Reply {
  const { query, path } = asked
  const size = Number(query.get('page_size') ?? (most > 50 ? 50 : 10))
  if (!Number.isInteger(size) || size < 1 || size > most) return refuse(40011, 'page size is invalid')
  const rest = [...query].filter(([name]) => name !== 'page_token' && name !== 'page_size').map(String)
  const question = createHash('sha1').update(`${path} ${rest.sort().join()}`).digest('hex').slice(0, 12)
  const [of, at = ''] = Buffer.from(query.get('page_token') ?? '', 'base64url')
    .toString()
    .split('.')
  if (query.get('page_token') && (of !== question || !/^\d+$/.test(at))) return refuse(40012, 'page token is invalid')
  const from = Number(at)
  const has_more = from + size < all.length
  return {
    items: all.slice(from, from + size),
    has_more,
    ...(has_more ? { page_token: Buffer.from(`${question}.${from + size}`).toString('base64url') } : {}),
  }
}
function pageOf<T>(asked: AskedCall, all: readonly T[], drawn: (one: T) => object): Reply {
  const page = paged(asked, all)
  return 'status' in page ? page : ok({ ...page, items: page.items.map(drawn) })
}

const contact = ['contact:contact:readonly_as_app', 'contact:contact.base:readonly', 'contact:contact:access_as_app']
const read = (state: State, work: (asked: AskedCall, app: Registered, company: SimulatedCompany) => Reply): SimulatedCall =>
  withTenant(state, (asked, app) => work(asked, app, state.companyOf(app)), { scopes: contact })

function departments(state: State): SimulatedCalls {
  const children = (asked: AskedCall, app: Registered, company: SimulatedCompany, given: string): Reply => {
    const id = numberOf(given)
    if (!company.isDepartment(id)) return refuse(40008, 'department not found')
    if (!company.seesDepartment(app.range, id)) return refuse(40004, 'no dept authority error')
    const all: SimulatedDepartment[] = asked.query.get('fetch_child') === 'true' ? company.below(id) : company.childrenOf(id)
    return pageOf(asked, all, (one) => departmentOf(asked, company, one.id))
  }
  return {
    'GET /open-apis/contact/v3/departments/:id/children': read(state, (asked, app, company) =>
      children(asked, app, company, asked.params.id ?? ''),
    ),
    'GET /open-apis/contact/v3/departments': read(state, (asked, app, company) =>
      children(asked, app, company, asked.query.get('parent_department_id') ?? '0'),
    ),
    'GET /open-apis/contact/v3/departments/:id': read(state, (asked, app, company) => {
      const id = numberOf(asked.params.id ?? '')
      if (!company.isDepartment(id)) return refuse(40008, 'department not found')
      if (!company.seesDepartment(app.range, id)) return refuse(40004, 'no dept authority error')
      return ok({ department: departmentOf(asked, company, id) })
    }),
  }
}

function people(state: State): SimulatedCalls {
  const ofDepartment = read(state, (asked, app, company) => {
    const id = numberOf(asked.query.get('department_id') ?? '')
    if (!company.isDepartment(id)) return refuse(40008, 'department not found')
    if (!company.seesDepartment(app.range, id)) return refuse(40014, 'no dept authority error')
    return pageOf(asked, company.membersOf(id), (person) => recordOf(asked, app, company, person))
  })
  return {
    'GET /open-apis/contact/v3/users/find_by_department': ofDepartment,
    'GET /open-apis/contact/v3/users': ofDepartment,
    'GET /open-apis/contact/v3/users/batch': read(state, (asked, app, company) => {
      const found = asked.query.getAll('user_ids').flatMap((id) => personOf(asked, company, id) ?? [])
      const seen = found.filter((person) => company.seesPerson(app.range, person))
      return ok({ items: seen.map((person) => recordOf(asked, app, company, person)) })
    }),
    'GET /open-apis/contact/v3/users/:id': read(state, (asked, app, company) => {
      const person = personOf(asked, company, asked.params.id ?? '')
      if (!person) return refuse(99992351, 'open_id is not exist')
      if (!company.seesPerson(app.range, person)) return refuse(41050, 'no user authority error')
      return ok({ user: recordOf(asked, app, company, person) })
    }),
    'POST /open-apis/contact/v3/users/batch_get_id': withTenant(
      state,
      (asked, app) => {
        const company = state.companyOf(app)
        const [mobiles, emails] = [listed(asked.json.mobiles).map(said), listed(asked.json.emails).map(said)]
        if (mobiles.length > 50 || emails.length > 50) return refuse(40001, 'param error')
        const find = (test: (person: SimulatedPerson) => boolean) => {
          const person = [...company.people.values()].find(test)
          return person && company.seesPerson(app.range, person)
            ? { user_id: idAs(asked.query.get('user_id_type'), person), status: statusOf(person) }
            : {}
        }
        return ok({
          user_list: [
            ...mobiles.map((mobile) => ({ mobile, ...find((one) => one.mobile === mobile.replace(/^\+86/, '')) })),
            ...emails.map((email) => ({ email, ...find((one) => one.email === email) })),
          ],
        })
      },
      { scopes: ['contact:user.id:readonly'] },
    ),
  }
}

export const larkDirectory = (state: State): SimulatedCalls => ({
  ...departments(state),
  ...people(state),
  'GET /open-apis/contact/v3/scopes': read(state, (asked, app, company) => {
    const direct = company.membersOf('0').map((one) => one.user_id)
    const whole = { department_ids: company.childrenOf('0').map((one) => one.id), user_ids: direct }
    const { department_ids, user_ids } = app.range ?? whole
    const page = paged(
      asked,
      [...user_ids.map((id) => ({ user: id, department: '' })), ...department_ids.map((id) => ({ user: '', department: id }))],
      100,
    )
    if ('status' in page) return page
    const { items, ...more } = page
    return ok({
      ...more,
      department_ids: items.flatMap(({ department }) => department || []),
      user_ids: items.flatMap(({ user }) => user || []),
      group_ids: [],
    })
  }),
  'GET /open-apis/tenant/v2/tenant/query': withTenant(
    state,
    (_asked, app) => {
      const tenant = { name: state.companyOf(app).name, display_id: 'F0001', tenant_tag: 0, tenant_key: app.corp_id }
      return ok({ tenant })
    },
    { scopes: ['tenant:tenant:readonly', 'tenant:tenant.basic:read'] },
  ),
})
