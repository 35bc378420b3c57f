/** Lark's directory: what was granted is asked for first, then each root with everything below, 50 a page (platform/lark.md §4). */
import {
  type App,
  type AppCheck,
  type AppProblem,
  type Directory,
  type DirectoryDepartment,
  type DirectoryPerson,
  PlatformError,
  type VisibleRange,
} from '../types.ts'
import { inside, listOf, mobileOf, needed, text, textsOf } from '../wire/ask.ts'
import { askedFor, blocking, missing, orNull, someOf } from '../wire/check.ts'
import type { LarkCalls } from './calls.ts'

const root = '0'
const page_size = 50
const api = '/open-apis/contact/v3'
const ids = { user_id_type: 'open_id', department_id_type: 'open_department_id' }

const departmentOf = (one: Record<string, unknown>): DirectoryDepartment => {
  const id = needed('lark', one.open_department_id)
  const leaders = listOf(one.leaders).flatMap(({ leaderID }) => text(leaderID) ?? [])
  const [leader] = textsOf([one.leader_user_id])
  return {
    id,
    parent_id: id === root ? null : text(one.parent_department_id),
    name: text(one.name),
    // A text; smaller first, as we have it.
    sort: text(one.order) === null ? null : Number(one.order),
    leader_ids: leaders.length > 0 ? leaders : leader ? [leader] : [],
  }
}
function statusOf(status: Record<string, unknown>): DirectoryPerson['status'] {
  if (status.is_resigned === true || status.is_exited === true) return 'left'
  if (status.is_frozen === true) return 'frozen'
  return status.is_unjoin === true || status.is_activated === false ? 'not_joined' : 'active'
}
function personOf(one: Record<string, unknown>): DirectoryPerson {
  const orders = listOf(one.orders)
  const main = orders.find(({ is_primary_dept }) => is_primary_dept === true)
  return {
    user_id: needed('lark', one.open_id),
    union_id: text(one.union_id),
    name: text(one.name),
    mobile: mobileOf(one.mobile),
    employee_no: text(one.employee_no),
    email: text(one.enterprise_email) ?? text(one.email),
    job_title: text(one.job_title),
    department_ids: Array.isArray(one.department_ids) ? textsOf(one.department_ids) : null,
    main_department_id: text(main?.department_id) ?? textsOf(one.department_ids)[0] ?? null,
    // Departments name their leaders; people do not say it of themselves.
    leads: null,
    // Bigger first among people, though smaller first among departments.
    sort: Object.fromEntries(orders.map(({ department_id, user_order }) => [text(department_id) ?? '', -Number(user_order)])),
    status: statusOf(inside(one.status)),
  }
}

/** Which root is asked for, where in it, and which come after it. */
type Place = { readonly roots: readonly string[]; readonly token: string | null }
const written = ({ roots, token }: Place): string | null => (roots.length > 0 ? `${token ?? ''} ${roots.join(' ')}` : null)
function placeOf(next: string): Place {
  const [token = '', ...roots] = next.split(' ')
  return { roots, token: token === '' ? null : token }
}

const words: Readonly<Record<string, Pick<AppProblem, 'about' | 'words'>>> = {
  10003: { about: 'credentials', words: 'App ID 不正确，请在飞书开放平台「凭证与基础信息」重新复制' },
  10014: {
    about: 'credentials',
    words: 'App Secret 不正确，或应用没有启用：请在飞书开放平台「凭证与基础信息」重新复制，并确认应用已发布',
  },
  10015: { about: 'credentials', words: 'App Secret 不正确，请在飞书开放平台「凭证与基础信息」重新复制' },
  99991543: { about: 'credentials', words: 'App ID 或 App Secret 不正确，请重新复制' },
  99991401: { about: 'address', words: '本系统的服务器地址不在应用的「IP 白名单」中，请在「安全设置」添加' },
  99991662: { about: 'app', words: '应用还没有在企业内启用：请发布版本，并由企业管理员审核通过' },
  99991673: { about: 'app', words: '应用已停用，请在飞书管理后台启用' },
  10012: { about: 'app', words: '还没有收到飞书推送的 app_ticket，请稍后再试' },
}

async function checked({ call }: LarkCalls, app: App, directory: Directory): Promise<AppCheck> {
  const problems: AppProblem[] = []
  const range = await orNull(directory.range(app), problems, (error) => blocking(error, words, 'directory'))
  if (!range) return { ok: false, company_name: null, certain: false, range: null, problems }
  if (range.department_ids.length + range.user_ids.length === 0)
    problems.push(
      missing('range', '通讯录权限范围', '通讯录权限范围是空的：请在「权限管理 → 数据权限」设置，并重新发布版本', true),
    )
  const softly = (error: PlatformError): AppProblem => ({ ...blocking(error, words), blocking: false })
  const tenant = await orNull(call(app, { method: 'GET', path: '/open-apis/tenant/v2/tenant/query' }), problems, softly)
  const bot = await orNull(call(app, { method: 'GET', path: '/open-apis/bot/v3/info' }), problems, (error) => ({
    ...softly(error),
    about: 'messages',
  }))
  if (bot && text(inside(bot.bot).activate_status) !== '2')
    problems.push(
      missing(
        'messages',
        'im:message:send_as_bot',
        '机器人没有启用：请在「应用能力」添加机器人，开通「以应用的身份发消息」并发布，否则不能发送工资条消息',
      ),
    )
  const sampled = async () => someOf(directory, app, (await directory.departments(app, null)).items)
  const people = await orNull(sampled(), problems, (error) => blocking(error, words, 'directory'))
  const sample = people ?? []
  const lacking = (field: (one: DirectoryPerson) => string | null) =>
    sample.length > 0 && sample.every((one) => field(one) === null)
  if (lacking((one) => one.name))
    problems.push(missing('names', 'contact:user.base:readonly', '读不到姓名：请开通「获取用户基本信息」'))
  if (lacking((one) => one.mobile))
    problems.push(
      missing('phones', 'contact:user.phone:readonly', '读不到手机号：请开通「获取用户手机号」，否则不能按手机号自动匹配'),
    )
  if (lacking((one) => one.employee_no))
    problems.push(
      missing('employee_nos', 'contact:user.employee:readonly', '读不到工号：请开通「获取用户受雇信息」，否则不能按工号匹配'),
    )
  const its = inside(inside(tenant?.data).tenant)
  // Whoever could bind another company's key with an application of his own would keep that company out.
  const tenant_key = text(its.tenant_key)
  if (tenant_key !== null && tenant_key !== app.corp_id)
    problems.push(
      missing('credentials', null, `Tenant Key 不正确：这个应用所属企业的是 ${tenant_key}。请使用贵公司自己创建的应用`, true),
    )
  const company_name = text(its.name)
  const certain = app.suite !== undefined || tenant_key === app.corp_id
  return { ok: problems.every((one) => !one.blocking), company_name, certain, range, problems }
}

export function larkDirectory(calls: LarkCalls): Directory {
  const { data } = calls
  const get = (app: App, path: string, params: object = {}) =>
    data(app, { method: 'GET', path: `${api}${path}`, params: { ...ids, ...params } })
  const one = async (app: App, id: string) =>
    departmentOf(inside((await get(app, `/departments/${encodeURIComponent(id)}`)).department))

  async function rangeOf(app: App): Promise<VisibleRange> {
    const [department_ids, user_ids]: [string[], string[]] = [[], []]
    for (let token: string | null = '', more = true; more; ) {
      const page = await get(app, '/scopes', { page_size: 100, ...(token ? { page_token: token } : {}) })
      department_ids.push(...textsOf(page.department_ids))
      user_ids.push(...textsOf(page.user_ids))
      token = text(page.page_token)
      more = page.has_more === true && token !== null
    }
    // The first level is granted alike whether the whole company is or each of its parts: the root itself is open in one case only.
    const whole = await askedFor(() => one(app, root))
    return whole ? { whole: true, department_ids: [root], user_ids: [] } : { whole: false, department_ids, user_ids }
  }
  const directory: Directory = {
    describe: () => ({
      names: true,
      phones: true,
      employee_nos: true,
      lists_order: true,
      lookup_at_once: 50,
      pace: { count: 50, per_ms: 1000 },
    }),
    check: (app) => checked(calls, app, directory),
    range: rangeOf,
    async departments(app, next) {
      const { roots, token } = next === null ? { roots: (await rangeOf(app)).department_ids, token: null } : placeOf(next)
      const [at, ...rest] = roots
      if (at === undefined) return { items: [], next: null }
      const own = token === null ? [await one(app, at)] : []
      const page = await get(app, `/departments/${encodeURIComponent(at)}/children`, {
        fetch_child: true,
        page_size,
        ...(token ? { page_token: token } : {}),
      })
      const following = page.has_more === true ? needed('lark', page.page_token) : null
      return {
        items: [...own, ...listOf(page.items).map(departmentOf)],
        next: written(following === null ? { roots: rest, token: null } : { roots, token: following }),
      }
    },
    async people(app, department_id, next) {
      const page = await get(app, '/users/find_by_department', {
        department_id,
        page_size,
        ...(next ? { page_token: next } : {}),
      })
      return { items: listOf(page.items).map(personOf), next: page.has_more === true ? needed('lark', page.page_token) : null }
    },
    person: (app, user_id) =>
      askedFor(async () => personOf(inside((await get(app, `/users/${encodeURIComponent(user_id)}`)).user))),
    department: (app, id) => askedFor(() => one(app, id)),
    async findByMobile(app, mobiles) {
      if (mobiles.length > page_size) throw new PlatformError('lark', 'unsupported', 'too_many', 'at most 50 phones at once')
      const asking = { method: 'POST' as const, path: `${api}/users/batch_get_id`, params: { user_id_type: 'open_id' } }
      const found = listOf((await data(app, { ...asking, data: { mobiles, include_resigned: false } })).user_list)
      return new Map(mobiles.map((mobile) => [mobile, text(found.find((row) => row.mobile === mobile)?.user_id)]))
    },
  }
  return directory
}
