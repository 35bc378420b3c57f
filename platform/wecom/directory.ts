/** WeCom's directory: all departments in one answer, people a department at a time. Newer applications read no phones (platform/wecom.md §4). */
import {
  type App,
  type AppCheck,
  type AppProblem,
  type Directory,
  type DirectoryDepartment,
  type DirectoryPerson,
  PlatformError,
  type Suite,
  type VisibleRange,
} from '../types.ts'
import { inside, listOf, mobileOf, needed, text, textsOf } from '../wire/ask.ts'
import { askedFor, blocking, missing, orNull, someOf } from '../wire/check.ts'
import { userIdOf, type WecomCalls } from './calls.ts'

const statuses: Readonly<Record<string, DirectoryPerson['status']>> = { 1: 'active', 2: 'frozen', 4: 'not_joined', 5: 'left' }
const root = '1'

const departmentOf = (one: Record<string, unknown>, idOf: (id: string) => string): DirectoryDepartment => {
  const parent = text(one.parentid)
  return {
    id: needed('wecom', one.id),
    parent_id: parent === '0' ? null : parent,
    name: text(one.name),
    // Bigger first there.
    sort: one.order === undefined ? null : -Number(one.order),
    leader_ids: textsOf(one.department_leader).map(idOf),
  }
}
/** The number of an employee, where a company keeps one in a field of its own. */
function employeeNoOf(one: Record<string, unknown>): string | null {
  const attrs = listOf(inside(one.extattr).attrs)
  const found = attrs.find(({ name }) => /^(工号|员工编号|员工号|employee ?(no|id))$/i.test(text(name) ?? ''))
  return found ? text(inside(found.text).value) : null
}
function personOf(one: Record<string, unknown>, app: App): DirectoryPerson {
  const ids = Array.isArray(one.department) ? textsOf(one.department) : null
  const [orders, leads] = [textsOf(one.order), textsOf(one.is_leader_in_dept)]
  const userid = needed('wecom', one.userid)
  return {
    user_id: userIdOf(app)(userid),
    union_id: null,
    // For applications of the store the id stands in the name's place.
    name: app.suite || text(one.name) === userid ? null : text(one.name),
    mobile: mobileOf(one.mobile),
    employee_no: employeeNoOf(one),
    email: text(one.biz_mail) ?? text(one.email),
    job_title: text(one.position),
    department_ids: ids,
    main_department_id: text(one.main_department),
    leads: ids && leads.length > 0 ? ids.filter((_, at) => leads[at] === '1') : null,
    sort: Object.fromEntries((ids ?? []).flatMap((id, at) => (orders[at] === undefined ? [] : [[id, -Number(orders[at])]]))),
    status: statuses[text(one.status) ?? ''] ?? 'active',
  }
}

type Agent = { readonly range: VisibleRange; readonly closed: boolean }
/** Of the store what was granted is a part of the authorisation (wecom.md §2.2). */
async function grantOf({ post, withSuite }: WecomCalls, app: App, suite: Suite): Promise<Agent> {
  const asking = { auth_corpid: app.corp_id, permanent_code: app.secret }
  const body = await withSuite(suite, (suite_access_token) =>
    post('/cgi-bin/service/get_auth_info', { suite_access_token }, asking),
  )
  const agents = listOf(inside(body.auth_info).agent)
  const own = inside(agents.find(({ agentid }) => text(agentid) === app.agent_id)?.privilege)
  const department_ids = [...textsOf(own.allow_party), ...textsOf(own.extra_party)]
  const user_ids = [...textsOf(own.allow_user), ...textsOf(own.extra_user)]
  return { range: { whole: department_ids.includes(root), department_ids, user_ids }, closed: false }
}
async function agentOf(calls: WecomCalls, app: App): Promise<Agent> {
  const { get, withToken } = calls
  if (app.suite) return grantOf(calls, app, app.suite)
  const body = await withToken(app, (access_token) => get('/cgi-bin/agent/get', { access_token, agentid: app.agent_id }))
  const department_ids = textsOf(inside(body.allow_partys).partyid)
  const user_ids = listOf(inside(body.allow_userinfos).user).flatMap(({ userid }) => text(userid)?.toLowerCase() ?? [])
  return { range: { whole: department_ids.includes(root), department_ids, user_ids }, closed: text(body.close) === '1' }
}

const words: Readonly<Record<string, Pick<AppProblem, 'about' | 'words'>>> = {
  40001: { about: 'credentials', words: 'Secret 不正确：请在企业微信管理后台「应用管理」打开这个应用，重新复制 Secret' },
  40013: { about: 'credentials', words: '企业 ID 不正确：请在企业微信管理后台「我的企业 → 企业信息」最下方复制' },
  40091: { about: 'credentials', words: '这个 Secret 属于另一家企业，请核对企业 ID 与 Secret' },
  301002: { about: 'credentials', words: 'AgentId 与 Secret 不是同一个应用的，请在应用的详情页重新复制' },
  40056: { about: 'credentials', words: 'AgentId 不正确，请在应用的详情页重新复制' },
  60020: { about: 'address', words: '本系统的服务器地址不在「企业可信 IP」中：请在应用详情页「开发者接口 → 企业可信IP」中添加' },
  50003: { about: 'app', words: '应用已停用，请在企业微信管理后台启用' },
  40084: { about: 'app', words: '企业已取消授权，请重新安装应用' },
  40085: { about: 'app', words: '还没有收到企业微信推送的 suite_ticket，请十分钟后再试' },
}

async function checked(calls: WecomCalls, app: App, directory: Directory): Promise<AppCheck> {
  const problems: AppProblem[] = []
  const agent = await orNull(agentOf(calls, app), problems, (error) => blocking(error, words))
  if (!agent) return { ok: false, company_name: null, certain: false, range: null, problems }
  if (agent.closed)
    problems.push({ about: 'app', blocking: true, permission: null, code: '50003', words: words[50003]?.words ?? '' })
  const { department_ids, user_ids } = agent.range
  if (department_ids.length + user_ids.length === 0)
    problems.push(missing('range', '可见范围', '应用的可见范围是空的：请在应用详情页设置可见范围', true))
  const departments = await orNull(directory.departments(app, null), problems, (error) => blocking(error, words, 'directory'))
  const people =
    departments &&
    (await orNull(someOf(directory, app, departments.items), problems, (error) => blocking(error, words, 'directory')))
  // Of the store neither is told, and nobody can put that right: `describe` says so.
  const sample = app.suite ? [] : (people ?? [])
  if (sample.length > 0 && sample.every((one) => one.mobile === null))
    problems.push(
      missing(
        'phones',
        '敏感信息 · 手机号',
        '这个应用读不到手机号（2022 年 6 月后新建的应用都是如此）：不能按手机号自动匹配，可按姓名和部门人工确认',
      ),
    )
  const company = departments?.items.find((one) => one.id === root)
  return {
    ok: problems.every((one) => !one.blocking),
    company_name: company?.name ?? null,
    certain: true,
    range: agent.range,
    problems,
  }
}

export function wecomDirectory(calls: WecomCalls): Directory {
  const { get, post, withToken } = calls
  const ask = (app: App, path: string, query: Record<string, string>) =>
    withToken(app, (access_token) => get(path, { access_token, ...query }))
  /** Where the list with names is not open to the application, the one without, and names one by one, so many a page. */
  async function nameless(app: App, next: string | null) {
    const body = await ask(app, '/cgi-bin/department/simplelist', {})
    const ids = listOf(body.department_id).map((one) => needed('wecom', one.id))
    const from = Number(next ?? 0)
    const items: DirectoryDepartment[] = []
    for (const id of ids.slice(from, from + 50))
      items.push(departmentOf(inside((await ask(app, '/cgi-bin/department/get', { id })).department), userIdOf(app)))
    return { items, next: from + 50 < ids.length ? String(from + 50) : null }
  }
  const directory: Directory = {
    describe: ({ suite }) => ({
      names: !suite,
      phones: false,
      employee_nos: !suite,
      lists_order: true,
      lookup_at_once: suite ? 0 : 1,
      pace: { count: 10_000, per_ms: 60_000 },
    }),
    check: (app) => checked(calls, app, directory),
    range: async (app) => (await agentOf(calls, app)).range,
    async departments(app, next) {
      if (next !== null) return nameless(app, next)
      try {
        const body = await ask(app, '/cgi-bin/department/list', {})
        return { items: listOf(body.department).map((one) => departmentOf(one, userIdOf(app))), next: null }
      } catch (error) {
        if (error instanceof PlatformError && error.code === '48002') return nameless(app, null)
        throw error
      }
    },
    async people(app, department_id) {
      const body = await ask(app, '/cgi-bin/user/list', { department_id })
      return { items: listOf(body.userlist).map((one) => personOf(one, app)), next: null }
    },
    person: (app, userid) => askedFor(async () => personOf(await ask(app, '/cgi-bin/user/get', { userid }), app)),
    department: (app, id) =>
      askedFor(async () => departmentOf(inside((await ask(app, '/cgi-bin/department/get', { id })).department), userIdOf(app))),
    async findByMobile(app, mobiles) {
      const found = new Map<string, string | null>()
      for (const mobile of mobiles) {
        const one = await askedFor(() =>
          withToken(app, (access_token) => post('/cgi-bin/user/getuserid', { access_token }, { mobile })),
        )
        found.set(mobile, text(one?.userid)?.toLowerCase() ?? null)
      }
      return found
    },
  }
  return directory
}
