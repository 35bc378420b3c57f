/**
 * Lark's directory: pages of at most 50, page tokens bound to their query, fields omitted if their scope is not granted
 * (lark.md §4).
 */
import { createHash } from 'node:crypto'
import type { SimulatedCompany, SimulatedDepartment, SimulatedUser } from '../company.ts'
import type { RegisteredApp } from '../registered-apps.ts'
import {
  listOrEmpty,
  type Reply,
  type SimulatedCall,
  type SimulatedCalls,
  type SimulatedRequest,
  type SimulatorState,
  textOrEmpty,
} from '../state.ts'
import { replyError, replyOk, withTenantToken } from './replies.ts'

const hasScope = (app: RegisteredApp, scope: string): boolean => app.permissions?.includes(scope) ?? true
export const getUserId = (user: SimulatedUser): string => `u${createHash('sha1').update(user.user_id).digest('hex').slice(0, 8)}`
export const getUnionId = (user: SimulatedUser): string => user.union_id ?? `on_${user.user_id}`
const toCustomDepartmentId = (id: string): string => (id === '0' ? '0' : id.replace(/^od-/, 'D-'))
const toOpenDepartmentId = (id: string): string => (id === '0' ? '0' : id.replace(/^D-/, 'od-'))

/** Returns the user's id of the requested type; the open id by default. */
export function formatUserId(type: string | null, user: SimulatedUser): string {
  return type === 'user_id' ? getUserId(user) : type === 'union_id' ? getUnionId(user) : user.user_id
}
const formatDepartmentId = ({ query }: SimulatedRequest, id: string): string =>
  (query.get('department_id_type') ?? 'open_department_id') === 'department_id' ? toCustomDepartmentId(id) : id
function findUser(request: SimulatedRequest, company: SimulatedCompany, id: string): SimulatedUser | undefined {
  const type = request.query.get('user_id_type') ?? 'open_id'
  return type === 'open_id' ? company.findUser(id) : [...company.users.values()].find((one) => formatUserId(type, one) === id)
}

const toStatusRecord = ({ status = 'active' }: SimulatedUser) => ({
  is_frozen: status === 'frozen',
  is_resigned: false,
  is_activated: status === 'active',
  is_exited: false,
  is_unjoin: status === 'not_joined',
})
export function toUserRecord(request: SimulatedRequest, app: RegisteredApp, company: SimulatedCompany, user: SimulatedUser) {
  const departments = company.getDepartments(user)
  const all = hasScope(app, 'contact:contact:readonly_as_app')
  const isGranted = (scope: string) => (all && !app.permissions ? true : hasScope(app, scope))
  return {
    open_id: user.user_id,
    union_id: getUnionId(user),
    ...(app.suite || !isGranted('contact:user.employee_id:readonly') ? {} : { user_id: getUserId(user) }),
    ...(isGranted('contact:user.base:readonly')
      ? { name: user.name, en_name: '', nickname: '', gender: 0, avatar: { avatar_72: '' } }
      : {}),
    ...(isGranted('contact:user.phone:readonly') && user.mobile ? { mobile: `+86${user.mobile}`, mobile_visible: true } : {}),
    ...(isGranted('contact:user.email:readonly') && user.email ? { email: user.email, enterprise_email: '' } : {}),
    ...(isGranted('contact:user.department:readonly')
      ? {
          department_ids: departments.map((id) => formatDepartmentId(request, id)),
          leader_user_id: '',
          orders: departments.map((id, at) => ({
            department_id: formatDepartmentId(request, id),
            user_order: user.order ?? 0,
            department_order: departments.length - at,
            is_primary_dept: at === 0,
          })),
        }
      : {}),
    ...(isGranted('contact:user.employee:readonly')
      ? {
          employee_no: user.employee_no ?? '',
          job_title: user.job_title ?? '',
          employee_type: 1,
          join_time: 0,
          is_tenant_manager: false,
          city: '',
        }
      : {}),
    status: toStatusRecord(user),
  }
}
const toDepartmentRecord = (request: SimulatedRequest, company: SimulatedCompany, id: string) => {
  const one = company.departments.get(id)
  const members = company.getMembers(id)
  const spelling = request.query.get('user_id_type')
  const leaders = (one?.leader_ids ?? []).map((leader) => {
    const user = company.findUser(leader)
    return user ? formatUserId(spelling, user) : leader
  })
  return {
    name: one?.name ?? company.name,
    parent_department_id: formatDepartmentId(request, one?.parent_id ?? ''),
    department_id: toCustomDepartmentId(id),
    open_department_id: id,
    leader_user_id: leaders[0] ?? '',
    chat_id: '',
    order: String(one?.order ?? 0),
    unit_ids: [],
    member_count: members.length,
    primary_member_count: members.filter((user) => company.getDepartments(user)[0] === id).length,
    i18n_name: {},
    status: { is_deleted: false },
    leaders: leaders.map((leaderID, at) => ({ leaderType: at === 0 ? 1 : 2, leaderID })),
  }
}

/** Returns one page. A page token belongs to its query: with another department's token the code is 40012. */
function paginate<T>(
  request: SimulatedRequest,
  all: readonly T[],
  maxPageSize = 50,
): { items: readonly T[]; has_more: boolean; page_token?: string } | Reply {
  const { query, path } = request
  const size = Number(query.get('page_size') ?? (maxPageSize > 50 ? 50 : 10))
  if (!Number.isInteger(size) || size < 1 || size > maxPageSize) return replyError(40011, 'page size is invalid')
  const rest = [...query].filter(([name]) => name !== 'page_token' && name !== 'page_size').map(String)
  const requestHash = createHash('sha1').update(`${path} ${rest.sort().join()}`).digest('hex').slice(0, 12)
  const [tokenHash, at = ''] = Buffer.from(query.get('page_token') ?? '', 'base64url')
    .toString()
    .split('.')
  if (query.get('page_token') && (tokenHash !== requestHash || !/^\d+$/.test(at)))
    return replyError(40012, 'page token is invalid')
  const from = Number(at)
  const has_more = from + size < all.length
  return {
    items: all.slice(from, from + size),
    has_more,
    ...(has_more ? { page_token: Buffer.from(`${requestHash}.${from + size}`).toString('base64url') } : {}),
  }
}
function replyPage<T>(request: SimulatedRequest, all: readonly T[], toRecord: (one: T) => object): Reply {
  const page = paginate(request, all)
  return 'status' in page ? page : replyOk({ ...page, items: page.items.map(toRecord) })
}

const contactScopes = ['contact:contact:readonly_as_app', 'contact:contact.base:readonly', 'contact:contact:access_as_app']
const withContactScope = (
  state: SimulatorState,
  handle: (request: SimulatedRequest, app: RegisteredApp, company: SimulatedCompany) => Reply,
): SimulatedCall =>
  withTenantToken(state, (request, app) => handle(request, app, state.getCompany(app)), { scopes: contactScopes })

function departmentCalls(state: SimulatorState): SimulatedCalls {
  const children = (request: SimulatedRequest, app: RegisteredApp, company: SimulatedCompany, departmentId: string): Reply => {
    const id = toOpenDepartmentId(departmentId)
    if (!company.isDepartment(id)) return replyError(40008, 'department not found')
    if (!company.canSeeDepartment(app.range, id)) return replyError(40004, 'no dept authority error')
    const all: SimulatedDepartment[] =
      request.query.get('fetch_child') === 'true' ? company.getDescendants(id) : company.getChildren(id)
    return replyPage(request, all, (one) => toDepartmentRecord(request, company, one.id))
  }
  return {
    'GET /open-apis/contact/v3/departments/:id/children': withContactScope(state, (request, app, company) =>
      children(request, app, company, request.params.id ?? ''),
    ),
    'GET /open-apis/contact/v3/departments': withContactScope(state, (request, app, company) =>
      children(request, app, company, request.query.get('parent_department_id') ?? '0'),
    ),
    'GET /open-apis/contact/v3/departments/:id': withContactScope(state, (request, app, company) => {
      const id = toOpenDepartmentId(request.params.id ?? '')
      if (!company.isDepartment(id)) return replyError(40008, 'department not found')
      if (!company.canSeeDepartment(app.range, id)) return replyError(40004, 'no dept authority error')
      return replyOk({ department: toDepartmentRecord(request, company, id) })
    }),
  }
}

function userCalls(state: SimulatorState): SimulatedCalls {
  const listDepartmentUsers = withContactScope(state, (request, app, company) => {
    const id = toOpenDepartmentId(request.query.get('department_id') ?? '')
    if (!company.isDepartment(id)) return replyError(40008, 'department not found')
    if (!company.canSeeDepartment(app.range, id)) return replyError(40014, 'no dept authority error')
    return replyPage(request, company.getMembers(id), (user) => toUserRecord(request, app, company, user))
  })
  return {
    'GET /open-apis/contact/v3/users/find_by_department': listDepartmentUsers,
    'GET /open-apis/contact/v3/users': listDepartmentUsers,
    'GET /open-apis/contact/v3/users/batch': withContactScope(state, (request, app, company) => {
      const users = request.query.getAll('user_ids').flatMap((id) => findUser(request, company, id) ?? [])
      const visible = users.filter((user) => company.canSeeUser(app.range, user))
      return replyOk({ items: visible.map((user) => toUserRecord(request, app, company, user)) })
    }),
    'GET /open-apis/contact/v3/users/:id': withContactScope(state, (request, app, company) => {
      const user = findUser(request, company, request.params.id ?? '')
      if (!user) return replyError(99992351, 'open_id is not exist')
      if (!company.canSeeUser(app.range, user)) return replyError(41050, 'no user authority error')
      return replyOk({ user: toUserRecord(request, app, company, user) })
    }),
    'POST /open-apis/contact/v3/users/batch_get_id': withTenantToken(
      state,
      (request, app) => {
        const company = state.getCompany(app)
        const [mobiles, emails] = [
          listOrEmpty(request.json.mobiles).map(textOrEmpty),
          listOrEmpty(request.json.emails).map(textOrEmpty),
        ]
        if (mobiles.length > 50 || emails.length > 50) return replyError(40001, 'param error')
        const find = (test: (person: SimulatedUser) => boolean) => {
          const user = [...company.users.values()].find(test)
          return user && company.canSeeUser(app.range, user)
            ? { user_id: formatUserId(request.query.get('user_id_type'), user), status: toStatusRecord(user) }
            : {}
        }
        return replyOk({
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

export const createLarkDirectoryCalls = (state: SimulatorState): SimulatedCalls => ({
  ...departmentCalls(state),
  ...userCalls(state),
  'GET /open-apis/contact/v3/scopes': withContactScope(state, (request, app, company) => {
    const direct = company.getMembers('0').map((one) => one.user_id)
    const fullRange = { department_ids: company.getChildren('0').map((one) => one.id), user_ids: direct }
    const { department_ids, user_ids } = app.range ?? fullRange
    const page = paginate(
      request,
      [...user_ids.map((id) => ({ user: id, department: '' })), ...department_ids.map((id) => ({ user: '', department: id }))],
      100,
    )
    if ('status' in page) return page
    const { items, ...more } = page
    return replyOk({
      ...more,
      department_ids: items.flatMap(({ department }) => department || []),
      user_ids: items.flatMap(({ user }) => user || []),
      group_ids: [],
    })
  }),
  'GET /open-apis/tenant/v2/tenant/query': withTenantToken(
    state,
    (_request, app) => {
      const tenant = { name: state.getCompany(app).name, display_id: 'F0001', tenant_tag: 0, tenant_key: app.corp_id }
      return replyOk({ tenant })
    },
    { scopes: ['tenant:tenant:readonly', 'tenant:tenant.basic:read'] },
  ),
})
