/** DingTalk's first generation of directory calls, which older clients still ask: GET, and everything at the top of the answer. */
import type { AskedCall, Registered, Reply, SimulatedCalls, State } from '../state.ts'
import { ok, old, withApp } from './answers.ts'
import { recordOf, unionOf } from './directory.ts'

type Now = Partial<ReturnType<typeof recordOf>> & Record<string, unknown>
/** A record as this generation writes it. */
function oldestOf({ dept_id_list, job_number, title, admin, boss, leader, hide_mobile, dept_order, ...record }: Now) {
  const {
    telephone: tel,
    work_place: workPlace,
    org_email: orgEmail,
    extension: extattr,
    state_code: stateCode,
    ...kept
  } = record
  const own = { isAdmin: admin, isBoss: boss, isLeader: leader, isHide: hide_mobile, order: dept_order }
  return {
    ...kept,
    ...own,
    tel,
    workPlace,
    orgEmail,
    stateCode,
    extattr,
    department: dept_id_list,
    jobnumber: job_number,
    position: title,
  }
}

export function dingtalkOldest(state: State): SimulatedCalls {
  const members = ({ query }: AskedCall, app: Registered, full: boolean): Reply => {
    const [company, id] = [state.companyOf(app), query.get('department_id') ?? '1']
    if (!company.isDepartment(id)) return old(60003, '部门不存在')
    if (!company.seesDepartment(app.range, id)) return old(50004, '请求的部门id不在授权范围内')
    const all = company.membersOf(id)
    const [from, size] = [Number(query.get('offset') ?? 0), Math.min(Number(query.get('size') ?? 100), 100)]
    const userlist = all
      .slice(from, from + size)
      .map((person) => (full ? oldestOf(recordOf(app, company, person, id)) : { userid: person.user_id, name: person.name }))
    return ok({ hasMore: from + size < all.length, userlist })
  }
  return {
    'GET /department/list': withApp(state, ({ query }, app) => {
      const company = state.companyOf(app)
      const id = query.get('id') ?? '1'
      if (!company.isDepartment(id)) return old(60003, '部门不存在')
      const seen = company.below(id).filter((one) => company.seesDepartment(app.range, one.id))
      const drawn = seen.map((one) => ({ id: Number(one.id), name: one.name, parentid: Number(one.parent_id) }))
      return ok({ department: [...(id === '1' ? [{ id: 1, name: company.name }] : []), ...drawn] })
    }),
    'GET /department/get': withApp(state, ({ query }, app) => {
      const company = state.companyOf(app)
      const id = query.get('id') ?? '1'
      if (!company.isDepartment(id)) return old(60003, '部门不存在')
      if (!company.seesDepartment(app.range, id)) return old(50004, '请求的部门id不在授权范围内')
      const { name, parent_id, order = 0, leader_ids = [] } = company.departments.get(id) ?? { name: company.name, parent_id: '' }
      const above = parent_id === '' ? {} : { parentid: Number(parent_id) }
      return ok({ id: Number(id), name, ...above, order, deptManagerUseridList: leader_ids.join('|') })
    }),
    'GET /department/list_ids': withApp(state, ({ query }, app) =>
      ok({
        sub_dept_id_list: state
          .companyOf(app)
          .childrenOf(query.get('id') ?? '1')
          .map((one) => Number(one.id)),
      }),
    ),
    'GET /user/simplelist': withApp(state, (asked, app) => members(asked, app, false)),
    'GET /user/list': withApp(state, (asked, app) => members(asked, app, true)),
    'GET /user/get': withApp(state, ({ query }, app) => {
      const company = state.companyOf(app)
      const person = company.person(query.get('userid'))
      if (!person) return old(60121, '找不到该用户')
      if (!company.seesPerson(app.range, person)) return old(50002, '员工不在授权范围内')
      const [department = '1'] = company.departmentsOf(person)
      return ok(oldestOf(recordOf(app, company, person, department)))
    }),
    'GET /user/getuserinfo': withApp(state, ({ query }, app) => {
      const person = state.redeem(query.get('code'), app, 'client')
      if (typeof person === 'string') return old(person === 'expired' ? 42008 : 40078, '不存在的临时授权码')
      return ok({ userid: person.user_id, name: person.name, is_sys: false, sys_level: 0 })
    }),
    'GET /user/getUseridByUnionid': withApp(state, ({ query }, app) => {
      const person = [...state.companyOf(app).people.values()].find((one) => unionOf(one) === query.get('unionid'))
      return person ? ok({ contactType: 0, userid: person.user_id }) : old(60121, '找不到该用户')
    }),
    'GET /user/get_by_mobile': withApp(state, ({ query }, app) => {
      const person = [...state.companyOf(app).people.values()].find((one) => one.mobile === query.get('mobile'))
      return person ? ok({ userid: person.user_id }) : old(60121, '找不到该用户')
    }),
  }
}
