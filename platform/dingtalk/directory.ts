/** DingTalk's directory: one level of departments a call, people a page at a time (platform/dingtalk.md §4). */
import type { App, AppCheck, AppProblem, Directory, DirectoryDepartment, DirectoryPerson, VisibleRange } from '../types.ts'
import { inside, listOf, mobileOf, needed, text, textsOf } from '../wire/ask.ts'
import { askedFor, blocking, missing, orNull, someOf } from '../wire/check.ts'
import { type DingtalkCalls, resultOf } from './calls.ts'

const root = '1'
const page_size = 100

const departmentOf = (one: Record<string, unknown>): DirectoryDepartment => ({
  id: needed('dingtalk', one.dept_id),
  parent_id: text(one.parent_id),
  name: text(one.name),
  // Told by the call for one department only.
  sort: one.order === undefined ? null : -Number(one.order),
  leader_ids: textsOf(one.dept_manager_userid_list),
})
/** `of`: the department whose list this is; what it says of leaders and order is about that one alone. */
function personOf(one: Record<string, unknown>, of: string | null): DirectoryPerson {
  const department_ids = Array.isArray(one.dept_id_list) ? textsOf(one.dept_id_list) : null
  const leads = listOf(one.leader_in_dept).flatMap((each) => (each.leader === true ? (text(each.dept_id) ?? []) : []))
  const orders = listOf(one.dept_order_list).map((each) => [text(each.dept_id) ?? '', -Number(each.order)] as const)
  return {
    user_id: needed('dingtalk', one.userid),
    union_id: text(one.unionid),
    name: text(one.name),
    mobile:
      text(one.state_code) && text(one.state_code) !== '86'
        ? mobileOf(`+${text(one.state_code)}${text(one.mobile)}`)
        : mobileOf(one.mobile),
    employee_no: text(one.job_number),
    email: text(one.org_email) ?? text(one.email),
    job_title: text(one.title),
    department_ids,
    main_department_id: department_ids?.[0] ?? null,
    leads: of === null ? leads : one.leader === true ? [of] : one.leader === false ? [] : null,
    sort: of === null ? Object.fromEntries(orders) : one.dept_order === undefined ? {} : { [of]: -Number(one.dept_order) },
    status: one.active === false ? 'not_joined' : 'active',
  }
}

type Scopes = { readonly range: VisibleRange; readonly told: readonly string[] }

const words: Readonly<Record<string, Pick<AppProblem, 'about' | 'words'>>> = {
  invalidClientIdOrSecret: {
    about: 'credentials',
    words: 'Client ID（AppKey）或 Client Secret（AppSecret）不正确，请在钉钉开放平台「凭证与基础信息」重新复制',
  },
  40089: { about: 'credentials', words: 'AppKey 或 AppSecret 不正确，请在钉钉开放平台「凭证与基础信息」重新复制' },
  invalidSuiteKey: { about: 'credentials', words: 'SuiteKey 或 SuiteSecret 不正确' },
  invalidSuiteTicket: { about: 'app', words: '还没有收到钉钉推送的 suiteTicket，请稍后再试' },
  invalidAuthInfo: { about: 'app', words: '企业还没有开通或已取消授权这个应用' },
  48004: { about: 'app', words: '应用已停用或企业已取消授权，请在钉钉管理后台启用' },
  60020: { about: 'address', words: '本系统的服务器地址不在「服务器出口IP」中，请在钉钉开放平台的应用设置里添加' },
}

type Asks = { readonly scopesOf: (app: App) => Promise<Scopes> } & Pick<DingtalkCalls, 'isOfCompany'>
async function checked({ scopesOf, isOfCompany }: Asks, app: App, directory: Directory): Promise<AppCheck> {
  const problems: AppProblem[] = []
  const given = await orNull(scopesOf(app), problems, (error) => blocking(error, words))
  if (!given) return { ok: false, company_name: null, certain: false, range: null, problems }
  const { range, told } = given
  if (range.department_ids.length + range.user_ids.length === 0)
    problems.push(
      missing('range', '通讯录权限范围', '通讯录的权限范围是空的：请在钉钉开放平台「权限管理 → 通讯录权限范围」设置', true),
    )
  const departments = await orNull(directory.departments(app, null), problems, (error) => blocking(error, words, 'directory'))
  const people =
    departments &&
    (await orNull(someOf(directory, app, departments.items), problems, (error) => blocking(error, words, 'directory')))
  if (people && people.length > 0 && people.every((one) => one.name === null))
    problems.push(missing('names', 'qyapi_get_member', '读不到姓名：请开通「成员信息读权限」'))
  if (!told.includes('mobile'))
    problems.push(
      app.suite
        ? missing('phones', null, '第三方应用读不到手机号：不能按手机号自动匹配，可按工号与姓名匹配')
        : missing('phones', 'fieldMobile', '读不到手机号：请在「权限管理」开通「员工手机号信息」'),
    )
  const company = range.whole ? departments?.items.find((one) => one.id === root) : null
  // A token of the store is given for a company; that of a company's own application names none, unless it is asked for by the company.
  const certain = app.suite !== undefined || (await isOfCompany(app))
  if (!certain)
    problems.push(
      missing(
        'credentials',
        null,
        '钉钉没有确认这个应用属于填写的 CorpId：请核对 CorpId 与 Client ID 是同一家企业的，再点「重新检测」',
      ),
    )
  return { ok: problems.every((one) => !one.blocking), company_name: company?.name ?? null, certain, range, problems }
}

export function dingtalkDirectory({ old, withToken, isOfCompany }: DingtalkCalls): Directory {
  const ask = (app: App, path: string, json: object) => withToken(app, (token) => old(path, token, json))
  const scopesOf = async (app: App): Promise<Scopes> => {
    const body = await withToken(app, (token) => old('/auth/scopes', token, null))
    const given = inside(body.auth_org_scopes)
    const department_ids = textsOf(given.authed_dept)
    const range = { whole: department_ids.includes(root), department_ids, user_ids: textsOf(given.authed_user) }
    return { range, told: textsOf(body.auth_user_field) }
  }
  const one = async (app: App, dept_id: string) =>
    departmentOf(resultOf(await ask(app, '/topapi/v2/department/get', { dept_id: Number(dept_id), language: 'zh_CN' })))
  const directory: Directory = {
    describe: ({ suite }) => ({
      names: true,
      phones: !suite,
      employee_nos: true,
      lists_order: false,
      lookup_at_once: suite ? 0 : 1,
      pace: { count: 1000, per_ms: 60_000 },
    }),
    check: (app) => checked({ scopesOf, isOfCompany }, app, directory),
    range: async (app) => (await scopesOf(app)).range,
    // A page is the roots themselves, then the children of one department after the other: what is still to be asked stands in `next`.
    async departments(app, next) {
      if (next === null) {
        const { department_ids } = (await scopesOf(app)).range
        const items: DirectoryDepartment[] = []
        for (const id of department_ids) items.push(await one(app, id))
        return { items, next: department_ids.length > 0 ? department_ids.join(',') : null }
      }
      const [dept_id = '', ...rest] = next.split(',')
      const body = await ask(app, '/topapi/v2/department/listsub', { dept_id: Number(dept_id), language: 'zh_CN' })
      const items = listOf(body.result).map(departmentOf)
      const waiting = [...items.map(({ id }) => id), ...rest]
      return { items, next: waiting.length > 0 ? waiting.join(',') : null }
    },
    async people(app, department_id, next) {
      const asking = {
        dept_id: Number(department_id),
        cursor: Number(next ?? 0),
        size: page_size,
        order_field: 'custom',
        contain_access_limit: false,
      }
      const given = resultOf(await ask(app, '/topapi/v2/user/list', asking))
      const items = listOf(given.list).map((person) => personOf(person, department_id))
      return { items, next: given.has_more === true ? needed('dingtalk', given.next_cursor) : null }
    },
    person: (app, userid) =>
      askedFor(async () => personOf(resultOf(await ask(app, '/topapi/v2/user/get', { userid, language: 'zh_CN' })), null)),
    department: (app, id) => askedFor(() => one(app, id)),
    async findByMobile(app, mobiles) {
      const found = new Map<string, string | null>()
      for (const mobile of mobiles) {
        const given = await askedFor(async () => resultOf(await ask(app, '/topapi/v2/user/getbymobile', { mobile })))
        found.set(mobile, text(given?.userid))
      }
      return found
    },
  }
  return directory
}
