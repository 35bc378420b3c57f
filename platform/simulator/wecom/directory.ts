/**
 * WeCom's directory: all departments in one recursive response, users by department, fewer fields for newer
 * applications (wecom.md §4).
 */
import type { SimulatedCompany, SimulatedDepartment, SimulatedUser } from '../company.ts'
import type { RegisteredApp } from '../registered-apps.ts'
import { type Reply, type SimulatedCalls, type SimulatedRequest, type SimulatorState, textOrEmpty } from '../state.ts'
import { findUser, getVisibleUserId, toOpenUserId, toVisibleUserId } from './ids.ts'
import { replyError, replyOk, withAppToken } from './replies.ts'

const statusCodes = { active: 1, frozen: 2, not_joined: 4 } as const
const hidesNames = (app: RegisteredApp): boolean => app.suite !== undefined

const toBriefRecord = (app: RegisteredApp, company: SimulatedCompany, user: SimulatedUser) => ({
  userid: getVisibleUserId(app, user),
  name: hidesNames(app) ? getVisibleUserId(app, user) : user.name,
  department: company.getDepartments(user).map(Number),
  open_userid: toOpenUserId(user.corp_id, user.user_id),
})
export function toUserRecord(app: RegisteredApp, company: SimulatedCompany, user: SimulatedUser) {
  const departments = company.getDepartments(user)
  const record = {
    ...toBriefRecord(app, company, user),
    order: departments.map(() => user.order ?? 0),
    is_leader_in_dept: departments.map((id) => (user.leads?.includes(id) ? 1 : 0)),
    direct_leader: [],
    status: statusCodes[user.status ?? 'active'],
    main_department: Number(departments[0] ?? company.root),
  }
  if (hidesNames(app)) return record
  const attrs = user.employee_no ? [{ type: 0, name: '工号', text: { value: user.employee_no } }] : []
  const fullRecord = { ...record, position: user.job_title ?? '', alias: '', telephone: '', extattr: { attrs } }
  return app.kind === 'old'
    ? {
        ...fullRecord,
        mobile: user.mobile ?? '',
        gender: '0',
        email: user.email ?? '',
        biz_mail: '',
        avatar: '',
        qr_code: '',
        address: '',
      }
    : fullRecord
}
const toDepartmentRecord = (app: RegisteredApp, one: SimulatedDepartment | null, company: SimulatedCompany) => ({
  id: Number(one?.id ?? company.root),
  ...(hidesNames(app) ? {} : { name: one?.name ?? company.name, name_en: '' }),
  department_leader: (one?.leader_ids ?? []).map((id) => toVisibleUserId(app, id)),
  parentid: one ? Number(one.parent_id) : 0,
  order: one?.order ?? 0,
})

/** Returns the visible part of the tree below a department, starting with the department itself. */
function listVisibleDepartments(company: SimulatedCompany, app: RegisteredApp, id: string): (SimulatedDepartment | null)[] {
  const all = [company.departments.get(id) ?? null, ...company.getDescendants(id)]
  return all.filter((one) => company.canSeeDepartment(app.range, one?.id ?? company.root))
}

function departmentCalls(state: SimulatorState): SimulatedCalls {
  const createDepartmentCall =
    (toReply: (app: RegisteredApp, company: SimulatedCompany, found: (SimulatedDepartment | null)[]) => Reply) =>
    ({ query }: SimulatedRequest, app: RegisteredApp): Reply => {
      const company = state.getCompany(app)
      const id = query.get('id') || company.root
      if (!company.isDepartment(id)) return replyError(60003, 'department not found')
      const visibleDepartments = listVisibleDepartments(company, app, id)
      if (visibleDepartments.length === 0) return replyError(60011, 'no privilege to access/modify contact/party/agent')
      return toReply(app, company, visibleDepartments)
    }
  return {
    'GET /cgi-bin/department/list': withAppToken(
      state,
      createDepartmentCall((app, company, visibleDepartments) =>
        app.kind === 'contacts'
          ? replyError(48002, 'api forbidden')
          : replyOk({ department: visibleDepartments.map((one) => toDepartmentRecord(app, one, company)) }),
      ),
    ),
    'GET /cgi-bin/department/simplelist': withAppToken(
      state,
      createDepartmentCall((app, company, visibleDepartments) => {
        const all = visibleDepartments.map((one) => toDepartmentRecord(app, one, company))
        return replyOk({ department_id: all.map(({ id, parentid, order }) => ({ id, parentid, order })) })
      }),
    ),
    'GET /cgi-bin/department/get': withAppToken(state, ({ query }, app) => {
      const company = state.getCompany(app)
      const id = query.get('id') ?? ''
      if (!company.isDepartment(id)) return replyError(60003, 'department not found')
      if (!company.canSeeDepartment(app.range, id)) return replyError(60011, 'no privilege to access/modify contact/party/agent')
      return replyOk({ department: toDepartmentRecord(app, company.departments.get(id) ?? null, company) })
    }),
  }
}

function userCalls(state: SimulatorState): SimulatedCalls {
  const createUserListCall = (toRecord: (app: RegisteredApp, company: SimulatedCompany, person: SimulatedUser) => object) =>
    withAppToken(state, ({ query }, app) => {
      const company = state.getCompany(app)
      const id = query.get('department_id') ?? ''
      if (app.kind === 'contacts') return replyError(48002, 'api forbidden')
      if (!company.isDepartment(id)) return replyError(60003, 'department not found')
      const ids = query.get('fetch_child') === '1' ? [id, ...company.getDescendants(id).map((one) => one.id)] : [id]
      const members = new Set(ids.flatMap((one) => company.getMembers(one)))
      const visible = [...members].filter((user) => company.canSeeUser(app.range, user))
      if (visible.length === 0 && !company.canSeeDepartment(app.range, id)) return replyError(60011, 'no privilege to access')
      return replyOk({ userlist: visible.map((user) => toRecord(app, company, user)) })
    })
  return {
    'GET /cgi-bin/user/simplelist': createUserListCall(toBriefRecord),
    'GET /cgi-bin/user/list': createUserListCall(toUserRecord),
    'GET /cgi-bin/user/get': withAppToken(state, ({ query }, app) => {
      const company = state.getCompany(app)
      const user = findUser(state, app, query.get('userid'))
      if (app.kind === 'contacts') return replyError(48002, 'api forbidden')
      if (!user) return replyError(60111, 'userid not found')
      if (!company.canSeeUser(app.range, user)) return replyError(50002, 'member out of range')
      return replyOk(toUserRecord(app, company, user))
    }),
    'POST /cgi-bin/user/list_id': withAppToken(state, ({ json }, app) => {
      if (app.kind !== 'contacts') return replyError(48002, 'api forbidden')
      const company = state.getCompany(app)
      const rows = [...company.users.values()].flatMap((user) =>
        company.getDepartments(user).map((id) => ({ userid: user.user_id, department: Number(id) })),
      )
      const [from, limit] = [Number(textOrEmpty(json.cursor) || 0), Math.min(Number(textOrEmpty(json.limit) || 10_000), 10_000)]
      const next = from + limit < rows.length ? String(from + limit) : ''
      return replyOk({ next_cursor: next, dept_user: rows.slice(from, from + limit) })
    }),
    'POST /cgi-bin/user/getuserid': withAppToken(state, ({ json }, app) => findByMobile(state, app, textOrEmpty(json.mobile))),
    'POST /cgi-bin/batch/userid_to_openuserid': withAppToken(state, ({ json }, app) => {
      const company = state.getCompany(app)
      const ids = Array.isArray(json.userid_list) ? json.userid_list.map(textOrEmpty) : []
      if (ids.length > 1000) return replyError(40032, 'invalid userid list length')
      const existingIds = ids.filter((id) => company.findUser(id))
      return replyOk({
        open_userid_list: existingIds.map((userid) => ({ userid, open_userid: toOpenUserId(app.corp_id, userid) })),
        invalid_userid_list: ids.filter((id) => !company.findUser(id)),
      })
    }),
  }
}

/**
 * Finds a user by phone; after failed lookups for more than a fifth of the company's size, lookups are blocked for the
 * rest of the day.
 */
function findByMobile(state: SimulatorState, app: RegisteredApp, mobile: string): Reply {
  const company = state.getCompany(app)
  const day = new Date(state.now() + 28_800_000).toISOString().slice(0, 10)
  if (company.failedLookups.day !== day) company.failedLookups = { day, count: 0 }
  if (company.failedLookups.count > company.users.size / 5) return replyError(45009, 'reach max api daily quota limit')
  const user = [...company.users.values()].find((one) => one.mobile === mobile)
  if (user && company.canSeeUser(app.range, user)) return replyOk({ userid: user.user_id })
  company.failedLookups.count += 1
  return replyError(46004, 'user not exist')
}

export const createWecomDirectoryCalls = (state: SimulatorState): SimulatedCalls => ({
  ...departmentCalls(state),
  ...userCalls(state),
  'GET /cgi-bin/agent/list': withAppToken(state, (_request, app) =>
    replyOk({ agentlist: app.suite ? [] : [{ agentid: Number(app.agent_id), name: '薪函', square_logo_url: '' }] }),
  ),
  'GET /cgi-bin/agent/get': withAppToken(state, ({ query }, app) => {
    // The call is not documented for store applications: their granted range is part of the authorization.
    if (app.suite) return replyError(48002, 'api forbidden')
    if (query.get('agentid') !== app.agent_id) return replyError(301002, 'no permission for this agentid')
    const range = app.range ?? { department_ids: ['1'], user_ids: [] }
    return replyOk({
      agentid: Number(app.agent_id),
      name: '薪函',
      description: '',
      allow_userinfos: { user: range.user_ids.map((userid) => ({ userid })) },
      allow_partys: { partyid: range.department_ids.map(Number) },
      allow_tags: { tagid: [] },
      close: app.isStopped ? 1 : 0,
      redirect_domain: new URL(app.origin).host,
    })
  }),
})
