/** DingTalk's directory: one level of departments a call, people a page at a time, fewer fields for applications of the store (dingtalk.md §4). */
import type { SimulatedCompany, SimulatedDepartment, SimulatedPerson } from '../company.ts'
import {
  type AskedCall,
  fields,
  jsonReply,
  listed,
  type Registered,
  type Reply,
  type SimulatedCalls,
  type State,
  said,
} from '../state.ts'
import { ok, old, refused, result, withApp, withHeader } from './answers.ts'

export const unionOf = (person: SimulatedPerson): string => person.union_id ?? `union-${person.user_id}`
const may = (app: Registered, permission: string): boolean => app.permissions?.includes(permission) ?? true
const directory = 'qyapi_get_department_member'

export function recordOf(app: Registered, company: SimulatedCompany, person: SimulatedPerson, department: string) {
  const departments = company.departmentsOf(person)
  const record = {
    userid: person.user_id,
    unionid: unionOf(person),
    name: person.name,
    avatar: '',
    hide_mobile: false,
    job_number: person.employee_no ?? '',
    title: person.job_title ?? '',
    dept_id_list: departments.map(Number),
    dept_order: person.order ?? 0,
    active: person.status !== 'not_joined',
    admin: false,
    boss: false,
    leader: person.leads?.includes(department) ?? false,
  }
  if (app.suite) return record
  const phone = may(app, 'fieldMobile') && person.mobile ? { mobile: person.mobile, state_code: '86' } : {}
  return {
    ...record,
    ...phone,
    telephone: '',
    email: person.email ?? '',
    org_email: '',
    work_place: '',
    remark: '',
    extension: '{}',
    exclusive_account: false,
  }
}
const departmentOf = (one: SimulatedDepartment) => ({
  dept_id: Number(one.id),
  name: one.name,
  parent_id: Number(one.parent_id),
  auto_add_user: true,
  create_dept_group: true,
})

/** A department and everything over it, the company last. */
function upwards(company: SimulatedCompany, id: string): number[] {
  const ids: number[] = []
  for (let at: string | undefined = id; at !== undefined && ids.length < 200; at = company.departments.get(at)?.parent_id)
    ids.push(Number(at))
  return ids
}

function departments(state: State): SimulatedCalls {
  return {
    'POST /topapi/v2/department/listsub': withApp(
      state,
      ({ json }, app) => {
        const [company, id] = [state.companyOf(app), said(json.dept_id) || '1']
        if (!company.isDepartment(id)) return old(60003, '部门不存在')
        const seen = company.childrenOf(id).filter((one) => company.seesDepartment(app.range, one.id))
        if (seen.length === 0 && !company.seesDepartment(app.range, id)) return old(50004, '请求的部门id不在授权范围内')
        return result(seen.map(departmentOf))
      },
      'qyapi_get_department_list',
    ),
    'POST /topapi/v2/department/listsubid': withApp(state, ({ json }, app) => {
      const [company, id] = [state.companyOf(app), said(json.dept_id) || '1']
      if (!company.isDepartment(id)) return old(60003, '部门不存在')
      return result({ dept_id_list: company.childrenOf(id).map((one) => Number(one.id)) })
    }),
    'POST /topapi/v2/department/listparentbydept': withApp(state, ({ json }, app) => {
      const [company, id] = [state.companyOf(app), said(json.dept_id)]
      if (!company.isDepartment(id)) return old(60003, '部门不存在')
      return result({ parent_id_list: upwards(company, id) })
    }),
    'POST /topapi/v2/department/listparentbyuser': withApp(state, ({ json }, app) => {
      const company = state.companyOf(app)
      const person = company.person(json.userid)
      if (!person) return old(60121, '找不到该用户')
      const lists = company.departmentsOf(person).map((id) => ({ parent_dept_id_list: upwards(company, id) }))
      return result({ parent_list: lists })
    }),
    'POST /topapi/v2/department/get': withApp(
      state,
      ({ json }, app) => {
        const [company, id] = [state.companyOf(app), said(json.dept_id)]
        if (!company.isDepartment(id)) return old(60003, '部门不存在')
        if (!company.seesDepartment(app.range, id)) return old(50004, '请求的部门id不在授权范围内')
        const one = company.departments.get(id)
        return result({
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

/** Those of a department who may be seen, or why nobody may. */
function members(state: State, json: AskedCall['json'], app: Registered): readonly SimulatedPerson[] | Reply {
  const [company, id] = [state.companyOf(app), said(json.dept_id)]
  if (!company.isDepartment(id)) return old(60003, '部门不存在')
  const inside = company.seesDepartment(app.range, id)
  const seen = company.membersOf(id).filter((person) => inside || company.seesPerson(app.range, person))
  return inside || seen.length > 0 ? seen : old(50004, '请求的部门id不在授权范围内')
}

function people(state: State): SimulatedCalls {
  return {
    'POST /topapi/v2/user/list': withApp(
      state,
      ({ json }, app) => {
        const found = members(state, json, app)
        if ('status' in found) return found
        const [from, size] = [Number(said(json.cursor) || 0), Number(said(json.size) || 10)]
        if (size < 1 || size > 100) return old(400002, '参数错误：size')
        const company = state.companyOf(app)
        const list = company
          .inOrder(found)
          .slice(from, from + size)
          .map((person) => recordOf(app, company, person, said(json.dept_id)))
        const more = from + size < found.length
        return result({ has_more: more, ...(more ? { next_cursor: from + size } : {}), list })
      },
      directory,
    ),
    'POST /topapi/user/listsimple': withApp(
      state,
      ({ json }, app) => {
        const found = members(state, json, app)
        if ('status' in found) return found
        const [from, size] = [Number(said(json.cursor) || 0), Number(said(json.size) || 10)]
        if (size < 1 || size > 100) return old(400002, '参数错误：size')
        const list = state
          .companyOf(app)
          .inOrder(found)
          .slice(from, from + size)
        const more = from + size < found.length
        const drawn = list.map(({ user_id, name }) => ({ userid: user_id, name }))
        return result({ has_more: more, ...(more ? { next_cursor: from + size } : {}), list: drawn })
      },
      directory,
    ),
    'POST /topapi/user/listid': withApp(
      state,
      ({ json }, app) => {
        const found = members(state, json, app)
        return 'status' in found ? found : result({ userid_list: found.map((one) => one.user_id) })
      },
      directory,
    ),
    'POST /topapi/v2/user/get': withApp(
      state,
      ({ json }, app) => {
        const company = state.companyOf(app)
        const person = company.person(json.userid)
        if (said(json.userid) === '') return old(33012, '无效的USERID')
        if (!person) return old(60121, '找不到该用户')
        if (!company.seesPerson(app.range, person)) return old(50002, '员工不在授权范围内')
        const departments = company.departmentsOf(person)
        const { leader: _, dept_order: __, ...record } = recordOf(app, company, person, '')
        return result({
          ...record,
          manager_userid: '',
          dept_order_list: departments.map((id) => ({ dept_id: Number(id), order: person.order ?? 0 })),
          leader_in_dept: departments.map((id) => ({ dept_id: Number(id), leader: person.leads?.includes(id) ?? false })),
          real_authed: true,
        })
      },
      directory,
    ),
  }
}

/** Who is meant by something else than his id, and who is there no more. */
function found(state: State): SimulatedCalls {
  return {
    'POST /topapi/v2/user/getbymobile': withApp(
      state,
      ({ json }, app) => {
        const mobile = said(json.mobile)
        if (!/^1\d{10}$/.test(mobile)) return old(40104, '无效的手机号')
        const company = state.companyOf(app)
        const person = [...company.people.values()].find((one) => one.mobile === mobile)
        return person && company.seesPerson(app.range, person) ? result({ userid: person.user_id }) : old(60121, '找不到该用户')
      },
      'qyapi_get_member_by_mobile',
    ),
    'POST /topapi/user/getbyunionid': withApp(state, ({ json }, app) => {
      const person = [...state.companyOf(app).people.values()].find((one) => unionOf(one) === json.unionid)
      return person ? result({ contact_type: 0, userid: person.user_id }) : old(60121, '找不到该用户')
    }),
    'GET /v1.0/contact/empLeaveRecords': withHeader(state, 'at', ({ query }, app) => {
      const [from, to] = [Date.parse(query.get('startTime') ?? ''), Date.parse(query.get('endTime') ?? '') || state.now()]
      const [at, size] = [Number(query.get('nextToken') ?? 0), Number(query.get('maxResults') ?? 50)]
      if (app.suite) return refused(403, 'Forbidden.AccessDenied', 'internal applications only')
      if (!(from >= state.now() - 365 * 86_400_000) || !(size >= 1 && size <= 50))
        return refused(400, 'invalidParameter', 'startTime or maxResults is invalid')
      const all = [...state.companyOf(app).left.values()].filter((one) => one.at >= from && one.at <= to)
      const records = all.slice(at, at + size).map(({ person, at: leave_at }) => ({
        userId: person.user_id,
        name: person.name,
        leaveTime: new Date(leave_at).toISOString(),
      }))
      return jsonReply(200, { records, ...(at + size < all.length ? { nextToken: String(at + size) } : {}) })
    }),
  }
}

export const dingtalkDirectory = (state: State): SimulatedCalls => ({
  ...departments(state),
  ...people(state),
  ...found(state),
  'GET /auth/scopes': withApp(state, (_asked, app) => {
    const range = app.range ?? { department_ids: ['1'], user_ids: [] }
    const told = ['name', 'userid', 'department', 'jobnumber', ...(!app.suite && may(app, 'fieldMobile') ? ['mobile'] : [])]
    return ok({
      auth_user_field: told,
      condition_field: [],
      auth_org_scopes: { authed_user: range.user_ids, authed_dept: range.department_ids.map(Number) },
    })
  }),
  'GET /call_back/get_call_back_failed_result': withApp(state, (_asked, app) => {
    const failed = state.failed.filter((one) => one.app === app).slice(0, 200)
    for (const one of failed) state.failed.splice(state.failed.indexOf(one), 1)
    const list = failed.map(({ plain }) => {
      const event = fields(JSON.parse(plain))
      const tag = said(event.EventType)
      const ids = listed(event.userId ?? event.deptId)
      return { call_back_tag: tag, event_time: event.EventTime, [tag]: { userid: ids, corpid: event.CorpId } }
    })
    return ok({ has_more: false, failed_list: list })
  }),
})
