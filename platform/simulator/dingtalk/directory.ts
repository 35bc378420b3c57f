/**
 * DingTalk's directory: one level of departments per call, users in pages, fewer fields for store applications
 * (dingtalk.md §4).
 */
import type { SimulatedCompany, SimulatedDepartment, SimulatedUser } from '../company.ts'
import type { RegisteredApp } from '../registered-apps.ts'
import {
  createJsonReply,
  listOrEmpty,
  objectOrEmpty,
  type Reply,
  type SimulatedCalls,
  type SimulatedRequest,
  type SimulatorState,
  textOrEmpty,
} from '../state.ts'
import { replyError, replyLegacyError, replyOk, replyResult, withAppToken, withTokenHeader } from './replies.ts'

export const getUnionId = (user: SimulatedUser): string => user.union_id ?? `union-${user.user_id}`
const hasPermission = (app: RegisteredApp, permission: string): boolean => app.permissions?.includes(permission) ?? true
const directoryPermission = 'qyapi_get_department_member'

export function toUserRecord(app: RegisteredApp, company: SimulatedCompany, user: SimulatedUser, department: string) {
  const departments = company.getDepartments(user)
  const record = {
    userid: user.user_id,
    unionid: getUnionId(user),
    name: user.name,
    avatar: '',
    hide_mobile: false,
    job_number: user.employee_no ?? '',
    title: user.job_title ?? '',
    dept_id_list: departments.map(Number),
    dept_order: user.order ?? 0,
    active: user.status !== 'not_joined',
    admin: false,
    boss: false,
    leader: user.leads?.includes(department) ?? false,
  }
  if (app.suite) return record
  const phone = hasPermission(app, 'fieldMobile') && user.mobile ? { mobile: user.mobile, state_code: '86' } : {}
  return {
    ...record,
    ...phone,
    telephone: '',
    email: user.email ?? '',
    org_email: '',
    work_place: '',
    remark: '',
    extension: '{}',
    exclusive_account: false,
  }
}
const toDepartmentRecord = (one: SimulatedDepartment) => ({
  dept_id: Number(one.id),
  name: one.name,
  parent_id: Number(one.parent_id),
  auto_add_user: true,
  create_dept_group: true,
})

/** Lists a department and its ancestors, the company last. */
function listAncestorIds(company: SimulatedCompany, id: string): number[] {
  const ids: number[] = []
  for (let at: string | undefined = id; at !== undefined && ids.length < 200; at = company.departments.get(at)?.parent_id)
    ids.push(Number(at))
  return ids
}

function departmentCalls(state: SimulatorState): SimulatedCalls {
  return {
    'POST /topapi/v2/department/listsub': withAppToken(
      state,
      ({ json }, app) => {
        const [company, id] = [state.getCompany(app), textOrEmpty(json.dept_id) || '1']
        if (!company.isDepartment(id)) return replyLegacyError(60003, '部门不存在')
        const visible = company.getChildren(id).filter((one) => company.canSeeDepartment(app.range, one.id))
        if (visible.length === 0 && !company.canSeeDepartment(app.range, id))
          return replyLegacyError(50004, '请求的部门id不在授权范围内')
        return replyResult(visible.map(toDepartmentRecord))
      },
      'qyapi_get_department_list',
    ),
    'POST /topapi/v2/department/listsubid': withAppToken(state, ({ json }, app) => {
      const [company, id] = [state.getCompany(app), textOrEmpty(json.dept_id) || '1']
      if (!company.isDepartment(id)) return replyLegacyError(60003, '部门不存在')
      return replyResult({ dept_id_list: company.getChildren(id).map((one) => Number(one.id)) })
    }),
    'POST /topapi/v2/department/listparentbydept': withAppToken(state, ({ json }, app) => {
      const [company, id] = [state.getCompany(app), textOrEmpty(json.dept_id)]
      if (!company.isDepartment(id)) return replyLegacyError(60003, '部门不存在')
      return replyResult({ parent_id_list: listAncestorIds(company, id) })
    }),
    'POST /topapi/v2/department/listparentbyuser': withAppToken(state, ({ json }, app) => {
      const company = state.getCompany(app)
      const user = company.findUser(json.userid)
      if (!user) return replyLegacyError(60121, '找不到该用户')
      const lists = company.getDepartments(user).map((id) => ({ parent_dept_id_list: listAncestorIds(company, id) }))
      return replyResult({ parent_list: lists })
    }),
    'POST /topapi/v2/department/get': withAppToken(
      state,
      ({ json }, app) => {
        const [company, id] = [state.getCompany(app), textOrEmpty(json.dept_id)]
        if (!company.isDepartment(id)) return replyLegacyError(60003, '部门不存在')
        if (!company.canSeeDepartment(app.range, id)) return replyLegacyError(50004, '请求的部门id不在授权范围内')
        const one = company.departments.get(id)
        return replyResult({
          dept_id: Number(id),
          name: one?.name ?? company.name,
          ...(one ? { parent_id: Number(one.parent_id) } : {}),
          order: one?.order ?? 0,
          dept_manager_userid_list: one?.leader_ids ?? [],
        })
      },
      'qyapi_get_department_list',
    ),
  }
}

/** Lists the visible members of a department, or returns why none are visible. */
function listVisibleMembers(
  state: SimulatorState,
  json: SimulatedRequest['json'],
  app: RegisteredApp,
): readonly SimulatedUser[] | Reply {
  const [company, id] = [state.getCompany(app), textOrEmpty(json.dept_id)]
  if (!company.isDepartment(id)) return replyLegacyError(60003, '部门不存在')
  const inside = company.canSeeDepartment(app.range, id)
  const visible = company.getMembers(id).filter((user) => inside || company.canSeeUser(app.range, user))
  return inside || visible.length > 0 ? visible : replyLegacyError(50004, '请求的部门id不在授权范围内')
}

function userCalls(state: SimulatorState): SimulatedCalls {
  return {
    'POST /topapi/v2/user/list': withAppToken(
      state,
      ({ json }, app) => {
        const members = listVisibleMembers(state, json, app)
        if ('status' in members) return members
        const [from, size] = [Number(textOrEmpty(json.cursor) || 0), Number(textOrEmpty(json.size) || 10)]
        if (size < 1 || size > 100) return replyLegacyError(400002, '参数错误：size')
        const company = state.getCompany(app)
        const list = company
          .sortByOrder(members)
          .slice(from, from + size)
          .map((user) => toUserRecord(app, company, user, textOrEmpty(json.dept_id)))
        const more = from + size < members.length
        return replyResult({ has_more: more, ...(more ? { next_cursor: from + size } : {}), list })
      },
      directoryPermission,
    ),
    'POST /topapi/user/listsimple': withAppToken(
      state,
      ({ json }, app) => {
        const members = listVisibleMembers(state, json, app)
        if ('status' in members) return members
        const [from, size] = [Number(textOrEmpty(json.cursor) || 0), Number(textOrEmpty(json.size) || 10)]
        if (size < 1 || size > 100) return replyLegacyError(400002, '参数错误：size')
        const list = state
          .getCompany(app)
          .sortByOrder(members)
          .slice(from, from + size)
        const more = from + size < members.length
        const records = list.map(({ user_id, name }) => ({ userid: user_id, name }))
        return replyResult({ has_more: more, ...(more ? { next_cursor: from + size } : {}), list: records })
      },
      directoryPermission,
    ),
    'POST /topapi/user/listid': withAppToken(
      state,
      ({ json }, app) => {
        const members = listVisibleMembers(state, json, app)
        return 'status' in members ? members : replyResult({ userid_list: members.map((one) => one.user_id) })
      },
      directoryPermission,
    ),
    'POST /topapi/v2/user/get': withAppToken(
      state,
      ({ json }, app) => {
        const company = state.getCompany(app)
        const user = company.findUser(json.userid)
        if (textOrEmpty(json.userid) === '') return replyLegacyError(33012, '无效的USERID')
        if (!user) return replyLegacyError(60121, '找不到该用户')
        if (!company.canSeeUser(app.range, user)) return replyLegacyError(50002, '员工不在授权范围内')
        const departments = company.getDepartments(user)
        const { leader: _, dept_order: __, ...record } = toUserRecord(app, company, user, '')
        return replyResult({
          ...record,
          manager_userid: '',
          dept_order_list: departments.map((id) => ({ dept_id: Number(id), order: user.order ?? 0 })),
          leader_in_dept: departments.map((id) => ({ dept_id: Number(id), leader: user.leads?.includes(id) ?? false })),
          real_authed: true,
        })
      },
      directoryPermission,
    ),
  }
}

/** Calls that look up users by something other than their id, and former users. */
function lookupCalls(state: SimulatorState): SimulatedCalls {
  return {
    'POST /topapi/v2/user/getbymobile': withAppToken(
      state,
      ({ json }, app) => {
        const mobile = textOrEmpty(json.mobile)
        if (!/^1\d{10}$/.test(mobile)) return replyLegacyError(40104, '无效的手机号')
        const company = state.getCompany(app)
        const user = [...company.users.values()].find((one) => one.mobile === mobile)
        return user && company.canSeeUser(app.range, user)
          ? replyResult({ userid: user.user_id })
          : replyLegacyError(60121, '找不到该用户')
      },
      'qyapi_get_member_by_mobile',
    ),
    'POST /topapi/user/getbyunionid': withAppToken(state, ({ json }, app) => {
      const user = [...state.getCompany(app).users.values()].find((one) => getUnionId(one) === json.unionid)
      return user ? replyResult({ contact_type: 0, userid: user.user_id }) : replyLegacyError(60121, '找不到该用户')
    }),
    'GET /v1.0/contact/empLeaveRecords': withTokenHeader(state, 'at', ({ query }, app) => {
      const [from, to] = [Date.parse(query.get('startTime') ?? ''), Date.parse(query.get('endTime') ?? '') || state.now()]
      const [at, size] = [Number(query.get('nextToken') ?? 0), Number(query.get('maxResults') ?? 50)]
      if (app.suite) return replyError(403, 'Forbidden.AccessDenied', 'internal applications only')
      if (!(from >= state.now() - 365 * 86_400_000) || !(size >= 1 && size <= 50))
        return replyError(400, 'invalidParameter', 'startTime or maxResults is invalid')
      const all = [...state.getCompany(app).terminatedUsers.values()].filter((one) => one.at >= from && one.at <= to)
      const records = all.slice(at, at + size).map(({ person: user, at: leave_at }) => ({
        userId: user.user_id,
        name: user.name,
        leaveTime: new Date(leave_at).toISOString(),
      }))
      return createJsonReply(200, { records, ...(at + size < all.length ? { nextToken: String(at + size) } : {}) })
    }),
  }
}

export const createDingtalkDirectoryCalls = (state: SimulatorState): SimulatedCalls => ({
  ...departmentCalls(state),
  ...userCalls(state),
  ...lookupCalls(state),
  'GET /auth/scopes': withAppToken(state, (_request, app) => {
    const range = app.range ?? { department_ids: ['1'], user_ids: [] }
    const userFields = [
      'name',
      'userid',
      'department',
      'jobnumber',
      ...(!app.suite && hasPermission(app, 'fieldMobile') ? ['mobile'] : []),
    ]
    return replyOk({
      auth_user_field: userFields,
      condition_field: [],
      auth_org_scopes: { authed_user: range.user_ids, authed_dept: range.department_ids.map(Number) },
    })
  }),
  'GET /call_back/get_call_back_failed_result': withAppToken(state, (_request, app) => {
    const failed = state.failedCallbacks.filter((one) => one.app === app).slice(0, 200)
    for (const one of failed) state.failedCallbacks.splice(state.failedCallbacks.indexOf(one), 1)
    const list = failed.map(({ plain }) => {
      const event = objectOrEmpty(JSON.parse(plain))
      const tag = textOrEmpty(event.EventType)
      const ids = listOrEmpty(event.userId ?? event.deptId)
      return { call_back_tag: tag, event_time: event.EventTime, [tag]: { userid: ids, corpid: event.CorpId } }
    })
    return replyOk({ has_more: false, failed_list: list })
  }),
})
