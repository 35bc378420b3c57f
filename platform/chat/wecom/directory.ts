/** WeCom's directory: all departments at once, users by department. New applications read no phones (platform/wecom.md §4). */
import {
  type AppCheck,
  type AppIssue,
  type ChatApp,
  type Directory,
  type DirectoryDepartment,
  type DirectoryUser,
  PlatformError,
  type Suite,
  type VisibleRange,
} from '../../types.ts'
import { collectIssue, createIssue, nullIfNotFound, sampleUsers, toBlockingIssue } from '../../wire/check.ts'
import { normalizeMobile, requireText, toObject, toObjectList, toText, toTextList } from '../../wire/request.ts'
import { getUserIdNormalizer, type WecomApi } from './api.ts'

const statusByCode: Readonly<Record<string, DirectoryUser['status']>> = { 1: 'active', 2: 'frozen', 4: 'not_joined', 5: 'left' }
const rootId = '1'

const toDepartment = (record: Record<string, unknown>, normalizeId: (id: string) => string): DirectoryDepartment => {
  const parent = toText(record.parentid)
  return {
    id: requireText('wecom', record.id),
    parent_id: parent === '0' ? null : parent,
    name: toText(record.name),
    // Larger values come first on WeCom.
    sort: record.order === undefined ? null : -Number(record.order),
    leader_ids: toTextList(record.department_leader).map(normalizeId),
  }
}
/** Returns the employee number if the company stores it in a custom field. */
function getEmployeeNo(one: Record<string, unknown>): string | null {
  const attrs = toObjectList(toObject(one.extattr).attrs)
  const attribute = attrs.find(({ name }) => /^(工号|员工编号|员工号|employee ?(no|id))$/i.test(toText(name) ?? ''))
  return attribute ? toText(toObject(attribute.text).value) : null
}
function toUser(record: Record<string, unknown>, app: ChatApp): DirectoryUser {
  const ids = Array.isArray(record.department) ? toTextList(record.department) : null
  const [orders, leads] = [toTextList(record.order), toTextList(record.is_leader_in_dept)]
  const userid = requireText('wecom', record.userid)
  return {
    user_id: getUserIdNormalizer(app)(userid),
    union_id: null,
    // For store applications the name field contains the id.
    name: app.suite || toText(record.name) === userid ? null : toText(record.name),
    mobile: normalizeMobile(record.mobile),
    employee_no: getEmployeeNo(record),
    email: toText(record.biz_mail) ?? toText(record.email),
    job_title: toText(record.position),
    department_ids: ids,
    main_department_id: toText(record.main_department),
    leads: ids && leads.length > 0 ? ids.filter((_, at) => leads[at] === '1') : null,
    sort: Object.fromEntries((ids ?? []).flatMap((id, at) => (orders[at] === undefined ? [] : [[id, -Number(orders[at])]]))),
    status: statusByCode[toText(record.status) ?? ''] ?? 'active',
  }
}

type AgentInfo = { readonly range: VisibleRange; readonly isClosed: boolean }
/** For store applications the granted range is part of the authorization (wecom.md §2.2). */
async function getStoreAgent({ post, withSuite }: WecomApi, app: ChatApp, suite: Suite): Promise<AgentInfo> {
  const params = { auth_corpid: app.corp_id, permanent_code: app.secret }
  const body = await withSuite(suite, (suite_access_token) =>
    post('/cgi-bin/service/get_auth_info', { suite_access_token }, params),
  )
  const agents = toObjectList(toObject(body.auth_info).agent)
  const privilege = toObject(agents.find(({ agentid }) => toText(agentid) === app.agent_id)?.privilege)
  const department_ids = [...toTextList(privilege.allow_party), ...toTextList(privilege.extra_party)]
  const user_ids = [...toTextList(privilege.allow_user), ...toTextList(privilege.extra_user)]
  return { range: { isFull: department_ids.includes(rootId), department_ids, user_ids }, isClosed: false }
}
async function getAgent(calls: WecomApi, app: ChatApp): Promise<AgentInfo> {
  const { get, withToken } = calls
  if (app.suite) return getStoreAgent(calls, app, app.suite)
  const body = await withToken(app, (access_token) => get('/cgi-bin/agent/get', { access_token, agentid: app.agent_id }))
  const department_ids = toTextList(toObject(body.allow_partys).partyid)
  const user_ids = toObjectList(toObject(body.allow_userinfos).user).flatMap(({ userid }) => toText(userid)?.toLowerCase() ?? [])
  return { range: { isFull: department_ids.includes(rootId), department_ids, user_ids }, isClosed: toText(body.close) === '1' }
}

const issuesByCode: Readonly<Record<string, Pick<AppIssue, 'area' | 'message'>>> = {
  40001: { area: 'credentials', message: 'Secret 不正确：请在企业微信管理后台「应用管理」打开这个应用，重新复制 Secret' },
  40013: { area: 'credentials', message: '企业 ID 不正确：请在企业微信管理后台「我的企业 → 企业信息」最下方复制' },
  40091: { area: 'credentials', message: '这个 Secret 属于另一家企业，请核对企业 ID 与 Secret' },
  301002: { area: 'credentials', message: 'AgentId 与 Secret 不是同一个应用的，请在应用的详情页重新复制' },
  40056: { area: 'credentials', message: 'AgentId 不正确，请在应用的详情页重新复制' },
  60020: { area: 'address', message: '请在应用详情页「开发者接口 → 企业可信IP」加入薪函服务器的 IP' },
  50003: { area: 'app', message: '应用已停用，请在企业微信管理后台启用' },
  40084: { area: 'app', message: '企业已取消授权，请重新安装应用' },
  40085: { area: 'app', message: '还没有收到企业微信推送的 suite_ticket，请十分钟后再试' },
}

async function checkApp(calls: WecomApi, app: ChatApp, directory: Directory): Promise<AppCheck> {
  const issues: AppIssue[] = []
  const agent = await collectIssue(getAgent(calls, app), issues, (error) => toBlockingIssue(error, issuesByCode))
  if (!agent) return { ok: false, company_name: null, isVerified: false, range: null, issues }
  if (agent.isClosed)
    issues.push({ area: 'app', blocking: true, permission: null, code: '50003', message: issuesByCode[50003]?.message ?? '' })
  const { department_ids, user_ids } = agent.range
  if (department_ids.length + user_ids.length === 0)
    issues.push(createIssue('range', '可见范围', '应用的可见范围是空的：请在应用详情页设置可见范围', true))
  const departments = await collectIssue(directory.listDepartments(app, null), issues, (error) =>
    toBlockingIssue(error, issuesByCode, 'directory'),
  )
  const users =
    departments &&
    (await collectIssue(sampleUsers(directory, app, departments.items), issues, (error) =>
      toBlockingIssue(error, issuesByCode, 'directory'),
    ))
  // For store applications neither is available, and nobody can change that: `describe` states it.
  const sample = app.suite ? [] : (users ?? [])
  if (sample.length > 0 && sample.every((one) => one.mobile === null))
    issues.push(
      createIssue(
        'phones',
        '敏感信息 · 手机号',
        '这个应用读不到手机号（2022 年 6 月后新建的应用都是如此）：不能按手机号自动匹配，可按姓名和部门人工确认',
      ),
    )
  const company = departments?.items.find((one) => one.id === rootId)
  return {
    ok: issues.every((one) => !one.blocking),
    company_name: company?.name ?? null,
    isVerified: true,
    range: agent.range,
    issues,
  }
}

export function createWecomDirectory(calls: WecomApi): Directory {
  const { get, post, withToken } = calls
  const request = (app: ChatApp, path: string, query: Record<string, string>) =>
    withToken(app, (access_token) => get(path, { access_token, ...query }))
  /** If the application may not list departments with names, lists ids and reads names one by one, a few per page. */
  async function listDepartmentsById(app: ChatApp, next: string | null) {
    const body = await request(app, '/cgi-bin/department/simplelist', {})
    const ids = toObjectList(body.department_id).map((one) => requireText('wecom', one.id))
    const from = Number(next ?? 0)
    const items: DirectoryDepartment[] = []
    for (const id of ids.slice(from, from + 50))
      items.push(
        toDepartment(toObject((await request(app, '/cgi-bin/department/get', { id })).department), getUserIdNormalizer(app)),
      )
    return { items, next: from + 50 < ids.length ? String(from + 50) : null }
  }
  const directory: Directory = {
    describe: ({ suite }) => ({
      names: !suite,
      phones: false,
      employee_nos: !suite,
      listsOrder: true,
      maxMobilesPerLookup: suite ? 0 : 1,
      rateLimit: { count: 10_000, perMs: 60_000 },
    }),
    check: (app) => checkApp(calls, app, directory),
    getVisibleRange: async (app) => (await getAgent(calls, app)).range,
    async listDepartments(app, next) {
      if (next !== null) return listDepartmentsById(app, next)
      try {
        const body = await request(app, '/cgi-bin/department/list', {})
        return { items: toObjectList(body.department).map((one) => toDepartment(one, getUserIdNormalizer(app))), next: null }
      } catch (error) {
        if (error instanceof PlatformError && error.code === '48002') return listDepartmentsById(app, null)
        throw error
      }
    },
    async listUsers(app, department_id) {
      const body = await request(app, '/cgi-bin/user/list', { department_id })
      return { items: toObjectList(body.userlist).map((one) => toUser(one, app)), next: null }
    },
    getUser: (app, userid) => nullIfNotFound(async () => toUser(await request(app, '/cgi-bin/user/get', { userid }), app)),
    getDepartment: (app, id) =>
      nullIfNotFound(async () =>
        toDepartment(toObject((await request(app, '/cgi-bin/department/get', { id })).department), getUserIdNormalizer(app)),
      ),
    async findByMobile(app, mobiles) {
      const matches = new Map<string, string | null>()
      for (const mobile of mobiles) {
        const one = await nullIfNotFound(() =>
          withToken(app, (access_token) => post('/cgi-bin/user/getuserid', { access_token }, { mobile })),
        )
        matches.set(mobile, toText(one?.userid)?.toLowerCase() ?? null)
      }
      return matches
    },
  }
  return directory
}
