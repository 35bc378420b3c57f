/**
 * DingTalk's first generation of directory calls, which older clients still use: GET, with all fields at the top level
 * of the response.
 */
import type { RegisteredApp } from '../registered-apps.ts'
import type { Reply, SimulatedCalls, SimulatedRequest, SimulatorState } from '../state.ts'
import { getUnionId, toUserRecord } from './directory.ts'
import { replyLegacyError, replyOk, withAppToken } from './replies.ts'

type UserRecord = Partial<ReturnType<typeof toUserRecord>> & Record<string, unknown>
/** Converts a record to the format of this generation. */
function toLegacyRecord({
  dept_id_list,
  job_number,
  title,
  admin,
  boss,
  leader,
  hide_mobile,
  dept_order,
  ...record
}: UserRecord) {
  const {
    telephone: tel,
    work_place: workLocation,
    org_email: orgEmail,
    extension: extattr,
    state_code: stateCode,
    ...otherFields
  } = record
  const flags = { isAdmin: admin, isBoss: boss, isLeader: leader, isHide: hide_mobile, order: dept_order }
  return {
    ...otherFields,
    ...flags,
    tel,
    workLocation,
    orgEmail,
    stateCode,
    extattr,
    department: dept_id_list,
    jobnumber: job_number,
    position: title,
  }
}

export function createDingtalkLegacyCalls(state: SimulatorState): SimulatedCalls {
  const members = ({ query }: SimulatedRequest, app: RegisteredApp, full: boolean): Reply => {
    const [company, id] = [state.getCompany(app), query.get('department_id') ?? '1']
    if (!company.isDepartment(id)) return replyLegacyError(60003, '部门不存在')
    if (!company.canSeeDepartment(app.range, id)) return replyLegacyError(50004, '请求的部门id不在授权范围内')
    const all = company.getMembers(id)
    const [from, size] = [Number(query.get('offset') ?? 0), Math.min(Number(query.get('size') ?? 100), 100)]
    const userlist = all
      .slice(from, from + size)
      .map((user) => (full ? toLegacyRecord(toUserRecord(app, company, user, id)) : { userid: user.user_id, name: user.name }))
    return replyOk({ hasMore: from + size < all.length, userlist })
  }
  return {
    'GET /department/list': withAppToken(state, ({ query }, app) => {
      const company = state.getCompany(app)
      const id = query.get('id') ?? '1'
      if (!company.isDepartment(id)) return replyLegacyError(60003, '部门不存在')
      const visible = company.getDescendants(id).filter((one) => company.canSeeDepartment(app.range, one.id))
      const records = visible.map((one) => ({ id: Number(one.id), name: one.name, parentid: Number(one.parent_id) }))
      return replyOk({ department: [...(id === '1' ? [{ id: 1, name: company.name }] : []), ...records] })
    }),
    'GET /department/get': withAppToken(state, ({ query }, app) => {
      const company = state.getCompany(app)
      const id = query.get('id') ?? '1'
      if (!company.isDepartment(id)) return replyLegacyError(60003, '部门不存在')
      if (!company.canSeeDepartment(app.range, id)) return replyLegacyError(50004, '请求的部门id不在授权范围内')
      const { name, parent_id, order = 0, leader_ids = [] } = company.departments.get(id) ?? { name: company.name, parent_id: '' }
      const above = parent_id === '' ? {} : { parentid: Number(parent_id) }
      return replyOk({ id: Number(id), name, ...above, order, deptManagerUseridList: leader_ids.join('|') })
    }),
    'GET /department/list_ids': withAppToken(state, ({ query }, app) =>
      replyOk({
        sub_dept_id_list: state
          .getCompany(app)
          .getChildren(query.get('id') ?? '1')
          .map((one) => Number(one.id)),
      }),
    ),
    'GET /user/simplelist': withAppToken(state, (request, app) => members(request, app, false)),
    'GET /user/list': withAppToken(state, (request, app) => members(request, app, true)),
    'GET /user/get': withAppToken(state, ({ query }, app) => {
      const company = state.getCompany(app)
      const user = company.findUser(query.get('userid'))
      if (!user) return replyLegacyError(60121, '找不到该用户')
      if (!company.canSeeUser(app.range, user)) return replyLegacyError(50002, '员工不在授权范围内')
      const [department = '1'] = company.getDepartments(user)
      return replyOk(toLegacyRecord(toUserRecord(app, company, user, department)))
    }),
    'GET /user/getuserinfo': withAppToken(state, ({ query }, app) => {
      const user = state.redeemCode(query.get('code'), app, 'client')
      if (typeof user === 'string') return replyLegacyError(user === 'expired' ? 42008 : 40078, '不存在的临时授权码')
      return replyOk({ userid: user.user_id, name: user.name, is_sys: false, sys_level: 0 })
    }),
    'GET /user/getUseridByUnionid': withAppToken(state, ({ query }, app) => {
      const user = [...state.getCompany(app).users.values()].find((one) => getUnionId(one) === query.get('unionid'))
      return user ? replyOk({ contactType: 0, userid: user.user_id }) : replyLegacyError(60121, '找不到该用户')
    }),
    'GET /user/get_by_mobile': withAppToken(state, ({ query }, app) => {
      const user = [...state.getCompany(app).users.values()].find((one) => one.mobile === query.get('mobile'))
      return user ? replyOk({ userid: user.user_id }) : replyLegacyError(60121, '找不到该用户')
    }),
  }
}
