/** DingTalk's directory: one level of departments per call, users in pages (platform/dingtalk.md §4). */
import type { AppCheck, AppIssue, ChatApp, Directory, DirectoryDepartment, DirectoryUser, VisibleRange } from '../../types.ts'
import { collectIssue, createIssue, nullIfNotFound, sampleUsers, toBlockingIssue } from '../../wire/check.ts'
import { normalizeMobile, requireText, toObject, toObjectList, toText, toTextList } from '../../wire/request.ts'
import { type DingtalkApi, getResult } from './api.ts'

const rootId = '1'
const pageSize = 100

const toDepartment = (record: Record<string, unknown>): DirectoryDepartment => ({
  id: requireText('dingtalk', record.dept_id),
  parent_id: toText(record.parent_id),
  name: toText(record.name),
  // The field is returned only by the call for a single department.
  sort: record.order === undefined ? null : -Number(record.order),
  leader_ids: toTextList(record.dept_manager_userid_list),
})
/** `departmentId`: the department whose list contains the user; its leader and order fields refer to that department only. */
function toUser(record: Record<string, unknown>, departmentId: string | null): DirectoryUser {
  const department_ids = Array.isArray(record.dept_id_list) ? toTextList(record.dept_id_list) : null
  const leads = toObjectList(record.leader_in_dept).flatMap((each) => (each.leader === true ? (toText(each.dept_id) ?? []) : []))
  const orders = toObjectList(record.dept_order_list).map((each) => [toText(each.dept_id) ?? '', -Number(each.order)] as const)
  return {
    user_id: requireText('dingtalk', record.userid),
    union_id: toText(record.unionid),
    name: toText(record.name),
    mobile:
      toText(record.state_code) && toText(record.state_code) !== '86'
        ? normalizeMobile(`+${toText(record.state_code)}${toText(record.mobile)}`)
        : normalizeMobile(record.mobile),
    employee_no: toText(record.job_number),
    email: toText(record.org_email) ?? toText(record.email),
    job_title: toText(record.title),
    department_ids,
    main_department_id: department_ids?.[0] ?? null,
    leads: departmentId === null ? leads : record.leader === true ? [departmentId] : record.leader === false ? [] : null,
    sort:
      departmentId === null
        ? Object.fromEntries(orders)
        : record.dept_order === undefined
          ? {}
          : { [departmentId]: -Number(record.dept_order) },
    status: record.active === false ? 'not_joined' : 'active',
  }
}

type AppScopes = { readonly range: VisibleRange; readonly userFields: readonly string[] }

const issuesByCode: Readonly<Record<string, Pick<AppIssue, 'area' | 'message'>>> = {
  invalidClientIdOrSecret: {
    area: 'credentials',
    message: 'Client ID（AppKey）或 Client Secret（AppSecret）不正确，请在钉钉开放平台「凭证与基础信息」重新复制',
  },
  40089: { area: 'credentials', message: 'AppKey 或 AppSecret 不正确，请在钉钉开放平台「凭证与基础信息」重新复制' },
  invalidSuiteKey: { area: 'credentials', message: 'SuiteKey 或 SuiteSecret 不正确' },
  invalidSuiteTicket: { area: 'app', message: '还没有收到钉钉推送的 suiteTicket，请稍后再试' },
  invalidAuthInfo: { area: 'app', message: '企业还没有开通或已取消授权这个应用' },
  48004: { area: 'app', message: '应用已停用或企业已取消授权，请在钉钉管理后台启用' },
  60020: { area: 'address', message: '请在钉钉开放平台的应用「安全设置 → 服务器出口 IP」加入薪函服务器的 IP' },
}

type ScopeApi = { readonly getScopes: (app: ChatApp) => Promise<AppScopes> } & Pick<DingtalkApi, 'isOfCompany'>
async function checkApp({ getScopes, isOfCompany }: ScopeApi, app: ChatApp, directory: Directory): Promise<AppCheck> {
  const issues: AppIssue[] = []
  const scopes = await collectIssue(getScopes(app), issues, (error) => toBlockingIssue(error, issuesByCode))
  if (!scopes) return { ok: false, company_name: null, isVerified: false, range: null, issues }
  const { range, userFields } = scopes
  if (range.department_ids.length + range.user_ids.length === 0)
    issues.push(
      createIssue('range', '通讯录权限范围', '通讯录的权限范围是空的：请在钉钉开放平台「权限管理 → 通讯录权限范围」设置', true),
    )
  const departments = await collectIssue(directory.listDepartments(app, null), issues, (error) =>
    toBlockingIssue(error, issuesByCode, 'directory'),
  )
  const users =
    departments &&
    (await collectIssue(sampleUsers(directory, app, departments.items), issues, (error) =>
      toBlockingIssue(error, issuesByCode, 'directory'),
    ))
  if (users && users.length > 0 && users.every((one) => one.name === null))
    issues.push(createIssue('names', 'qyapi_get_member', '读不到姓名：请开通「成员信息读权限」'))
  if (!userFields.includes('mobile'))
    issues.push(
      app.suite
        ? createIssue('phones', null, '第三方应用读不到手机号：不能按手机号自动匹配，可按工号与姓名匹配')
        : createIssue('phones', 'fieldMobile', '读不到手机号：请在「权限管理」开通「员工手机号信息」'),
    )
  const company = range.isFull ? departments?.items.find((one) => one.id === rootId) : null
  // A store token is issued for a company; the token of a company's own application names no company unless it is
  // requested for one.
  const isOwn = app.suite !== undefined || (await isOfCompany(app))
  if (isOwn === false)
    issues.push(
      createIssue('credentials', null, 'CorpId 不正确：这个应用不属于它，请在钉钉开发者后台首页复制贵公司的 CorpId', true),
    )
  if (isOwn === null)
    issues.push(createIssue('credentials', null, '钉钉暂时没有确认这个应用属于填写的 CorpId，请过几分钟点「重新检测」'))
  return {
    ok: issues.every((one) => !one.blocking),
    company_name: company?.name ?? null,
    isVerified: isOwn === true,
    range,
    issues,
  }
}

export function createDingtalkDirectory({ requestLegacy, withToken, isOfCompany }: DingtalkApi): Directory {
  const request = (app: ChatApp, path: string, json: object) => withToken(app, (token) => requestLegacy(path, token, json))
  const getScopes = async (app: ChatApp): Promise<AppScopes> => {
    const body = await withToken(app, (token) => requestLegacy('/auth/scopes', token, null))
    const orgScopes = toObject(body.auth_org_scopes)
    const department_ids = toTextList(orgScopes.authed_dept)
    const range = { isFull: department_ids.includes(rootId), department_ids, user_ids: toTextList(orgScopes.authed_user) }
    return { range, userFields: toTextList(body.auth_user_field) }
  }
  const getDepartment = async (app: ChatApp, dept_id: string) =>
    toDepartment(getResult(await request(app, '/topapi/v2/department/get', { dept_id: Number(dept_id), language: 'zh_CN' })))
  const directory: Directory = {
    describe: ({ suite }) => ({
      names: true,
      phones: !suite,
      employee_nos: true,
      listsOrder: false,
      maxMobilesPerLookup: suite ? 0 : 1,
      rateLimit: { count: 1000, perMs: 60_000 },
    }),
    check: (app) => checkApp({ getScopes, isOfCompany }, app, directory),
    getVisibleRange: async (app) => (await getScopes(app)).range,
    // The first page holds the roots, later pages the children of one department after another; `next` holds what
    // remains to be requested.
    async listDepartments(app, next) {
      if (next === null) {
        const { department_ids } = (await getScopes(app)).range
        const items: DirectoryDepartment[] = []
        for (const id of department_ids) items.push(await getDepartment(app, id))
        return { items, next: department_ids.length > 0 ? department_ids.join(',') : null }
      }
      const [dept_id = '', ...rest] = next.split(',')
      const body = await request(app, '/topapi/v2/department/listsub', { dept_id: Number(dept_id), language: 'zh_CN' })
      const items = toObjectList(body.result).map(toDepartment)
      const waiting = [...items.map(({ id }) => id), ...rest]
      return { items, next: waiting.length > 0 ? waiting.join(',') : null }
    },
    async listUsers(app, department_id, next) {
      const asking = {
        dept_id: Number(department_id),
        cursor: Number(next ?? 0),
        size: pageSize,
        order_field: 'custom',
        contain_access_limit: false,
      }
      const provided = getResult(await request(app, '/topapi/v2/user/list', asking))
      const items = toObjectList(provided.list).map((person) => toUser(person, department_id))
      return { items, next: provided.has_more === true ? requireText('dingtalk', provided.next_cursor) : null }
    },
    getUser: (app, userid) =>
      nullIfNotFound(async () =>
        toUser(getResult(await request(app, '/topapi/v2/user/get', { userid, language: 'zh_CN' })), null),
      ),
    getDepartment: (app, id) => nullIfNotFound(() => getDepartment(app, id)),
    async findByMobile(app, mobiles) {
      const matches = new Map<string, string | null>()
      for (const mobile of mobiles) {
        const provided = await nullIfNotFound(async () =>
          getResult(await request(app, '/topapi/v2/user/getbymobile', { mobile })),
        )
        matches.set(mobile, toText(provided?.userid))
      }
      return matches
    },
  }
  return directory
}
