/** Lark's directory: requests the granted range, then each root with all below it, 50 per page (platform/lark.md §4). */
import {
  type AppCheck,
  type AppIssue,
  type ChatApp,
  type Directory,
  type DirectoryDepartment,
  type DirectoryUser,
  PlatformError,
  type VisibleRange,
} from '../../types.ts'
import { collectIssue, createIssue, nullIfNotFound, sampleUsers, toBlockingIssue } from '../../wire/check.ts'
import { normalizeMobile, requireText, toObject, toObjectList, toText, toTextList } from '../../wire/request.ts'
import type { LarkApi } from './api.ts'

const rootId = '0'
const pageSize = 50
const contactPath = '/open-apis/contact/v3'
const idTypes = { user_id_type: 'open_id', department_id_type: 'open_department_id' }

const toDepartment = (record: Record<string, unknown>): DirectoryDepartment => {
  const id = requireText('lark', record.open_department_id)
  const leaders = toObjectList(record.leaders).flatMap(({ leaderID }) => toText(leaderID) ?? [])
  const [leader] = toTextList([record.leader_user_id])
  return {
    id,
    parent_id: id === rootId ? null : toText(record.parent_department_id),
    name: toText(record.name),
    // The value is a string; smaller values come first, as in our own order.
    sort: toText(record.order) === null ? null : Number(record.order),
    leader_ids: leaders.length > 0 ? leaders : leader ? [leader] : [],
  }
}
function toStatus(status: Record<string, unknown>): DirectoryUser['status'] {
  if (status.is_resigned === true || status.is_exited === true) return 'left'
  if (status.is_frozen === true) return 'frozen'
  return status.is_unjoin === true || status.is_activated === false ? 'not_joined' : 'active'
}
function toUser(record: Record<string, unknown>): DirectoryUser {
  const orders = toObjectList(record.orders)
  const primary = orders.find(({ is_primary_dept }) => is_primary_dept === true)
  return {
    user_id: requireText('lark', record.open_id),
    union_id: toText(record.union_id),
    name: toText(record.name),
    mobile: normalizeMobile(record.mobile),
    employee_no: toText(record.employee_no),
    email: toText(record.enterprise_email) ?? toText(record.email),
    job_title: toText(record.job_title),
    department_ids: Array.isArray(record.department_ids) ? toTextList(record.department_ids) : null,
    main_department_id: toText(primary?.department_id) ?? toTextList(record.department_ids)[0] ?? null,
    // Departments name their leaders; user records do not contain it.
    leads: null,
    // Larger values come first among users, whereas smaller ones come first among departments.
    sort: Object.fromEntries(orders.map(({ department_id, user_order }) => [toText(department_id) ?? '', -Number(user_order)])),
    status: toStatus(toObject(record.status)),
  }
}

/** The root being read, the position in it, and the roots that follow. */
type PageCursor = { readonly roots: readonly string[]; readonly token: string | null }
const formatCursor = ({ roots, token }: PageCursor): string | null =>
  roots.length > 0 ? `${token ?? ''} ${roots.join(' ')}` : null
function parseCursor(next: string): PageCursor {
  const [token = '', ...roots] = next.split(' ')
  return { roots, token: token === '' ? null : token }
}

const issuesByCode: Readonly<Record<string, Pick<AppIssue, 'area' | 'message'>>> = {
  10003: { area: 'credentials', message: 'App ID 不正确，请在飞书开放平台「凭证与基础信息」重新复制' },
  10014: {
    area: 'credentials',
    message: 'App Secret 不正确，或应用没有启用：请在飞书开放平台「凭证与基础信息」重新复制，并确认应用已发布',
  },
  10015: { area: 'credentials', message: 'App Secret 不正确，请在飞书开放平台「凭证与基础信息」重新复制' },
  99991543: { area: 'credentials', message: 'App ID 或 App Secret 不正确，请重新复制' },
  99991401: { area: 'address', message: '请在飞书开放平台的应用「安全设置 → IP 白名单」加入薪函服务器的 IP' },
  99991662: { area: 'app', message: '应用还没有在企业内启用：请发布版本，并由企业管理员审核通过' },
  99991673: { area: 'app', message: '应用已停用，请在飞书管理后台启用' },
  10012: { area: 'app', message: '还没有收到飞书推送的 app_ticket，请稍后再试' },
}

async function checkApp({ request }: LarkApi, app: ChatApp, directory: Directory): Promise<AppCheck> {
  const issues: AppIssue[] = []
  const range = await collectIssue(directory.getVisibleRange(app), issues, (error) =>
    toBlockingIssue(error, issuesByCode, 'directory'),
  )
  if (!range) return { ok: false, company_name: null, isVerified: false, range: null, issues }
  if (range.department_ids.length + range.user_ids.length === 0)
    issues.push(
      createIssue('range', '通讯录权限范围', '通讯录权限范围是空的：请在「权限管理 → 数据权限」设置，并重新发布版本', true),
    )
  const toWarning = (error: PlatformError): AppIssue => ({ ...toBlockingIssue(error, issuesByCode), blocking: false })
  const tenant = await collectIssue(request(app, { method: 'GET', path: '/open-apis/tenant/v2/tenant/query' }), issues, toWarning)
  const bot = await collectIssue(request(app, { method: 'GET', path: '/open-apis/bot/v3/info' }), issues, (error) => ({
    ...toWarning(error),
    area: 'messages',
  }))
  if (bot && toText(toObject(bot.bot).activate_status) !== '2')
    issues.push(
      createIssue(
        'messages',
        'im:message:send_as_bot',
        '机器人没有启用：请在「应用能力」添加机器人，开通「以应用的身份发消息」并发布，否则不能发送工资条消息',
      ),
    )
  const loadSample = async () => sampleUsers(directory, app, (await directory.listDepartments(app, null)).items)
  const users = await collectIssue(loadSample(), issues, (error) => toBlockingIssue(error, issuesByCode, 'directory'))
  const sample = users ?? []
  const isMissing = (field: (one: DirectoryUser) => string | null) =>
    sample.length > 0 && sample.every((one) => field(one) === null)
  if (isMissing((one) => one.name))
    issues.push(createIssue('names', 'contact:user.base:readonly', '读不到姓名：请开通「获取用户基本信息」'))
  if (isMissing((one) => one.mobile))
    issues.push(
      createIssue('phones', 'contact:user.phone:readonly', '读不到手机号：请开通「获取用户手机号」，否则不能按手机号自动匹配'),
    )
  if (isMissing((one) => one.employee_no))
    issues.push(
      createIssue('employee_nos', 'contact:user.employee:readonly', '读不到工号：请开通「获取用户受雇信息」，否则不能按工号匹配'),
    )
  const tenantInfo = toObject(toObject(tenant?.data).tenant)
  // Without this proof, somebody could bind another company's key with their own application and lock that company out.
  const tenant_key = toText(tenantInfo.tenant_key)
  if (tenant_key !== null && tenant_key !== app.corp_id)
    issues.push({
      ...createIssue(
        'credentials',
        null,
        `Tenant Key 不正确：这个应用所属企业的是 ${tenant_key}。请使用贵公司自己创建的应用`,
        true,
      ),
      actual_corp: { corp_id: tenant_key, name: toText(tenantInfo.name) ?? '' },
    })
  const company_name = toText(tenantInfo.name)
  const isVerified = app.suite !== undefined || tenant_key === app.corp_id
  return { ok: issues.every((one) => !one.blocking), company_name, isVerified, range, issues }
}

export function createLarkDirectory(calls: LarkApi): Directory {
  const { requestData } = calls
  const get = (app: ChatApp, path: string, params: object = {}) =>
    requestData(app, { method: 'GET', path: `${contactPath}${path}`, params: { ...idTypes, ...params } })
  const getDepartment = async (app: ChatApp, id: string) =>
    toDepartment(toObject((await get(app, `/departments/${encodeURIComponent(id)}`)).department))

  async function getVisibleRange(app: ChatApp): Promise<VisibleRange> {
    const [department_ids, user_ids]: [string[], string[]] = [[], []]
    for (let token: string | null = '', hasMore = true; hasMore; ) {
      const page = await get(app, '/scopes', { page_size: 100, ...(token ? { page_token: token } : {}) })
      department_ids.push(...toTextList(page.department_ids))
      user_ids.push(...toTextList(page.user_ids))
      token = toText(page.page_token)
      hasMore = page.has_more === true && token !== null
    }
    // The first level looks the same whether the entire company or each of its parts is granted; the root itself is
    // readable only in the former case.
    const rootDepartment = await nullIfNotFound(() => getDepartment(app, rootId))
    return rootDepartment ? { isFull: true, department_ids: [rootId], user_ids: [] } : { isFull: false, department_ids, user_ids }
  }
  const directory: Directory = {
    describe: () => ({
      names: true,
      phones: true,
      employee_nos: true,
      listsOrder: true,
      maxMobilesPerLookup: 50,
      rateLimit: { count: 50, perMs: 1000 },
    }),
    check: (app) => checkApp(calls, app, directory),
    getVisibleRange,
    async listDepartments(app, next) {
      const { roots, token } =
        next === null ? { roots: (await getVisibleRange(app)).department_ids, token: null } : parseCursor(next)
      const [at, ...rest] = roots
      if (at === undefined) return { items: [], next: null }
      const own = token === null ? [await getDepartment(app, at)] : []
      const page = await get(app, `/departments/${encodeURIComponent(at)}/children`, {
        fetch_child: true,
        page_size: pageSize,
        ...(token ? { page_token: token } : {}),
      })
      const following = page.has_more === true ? requireText('lark', page.page_token) : null
      return {
        items: [...own, ...toObjectList(page.items).map(toDepartment)],
        next: formatCursor(following === null ? { roots: rest, token: null } : { roots, token: following }),
      }
    },
    async listUsers(app, department_id, next) {
      const page = await get(app, '/users/find_by_department', {
        department_id,
        page_size: pageSize,
        ...(next ? { page_token: next } : {}),
      })
      return {
        items: toObjectList(page.items).map(toUser),
        next: page.has_more === true ? requireText('lark', page.page_token) : null,
      }
    },
    getUser: (app, user_id) =>
      nullIfNotFound(async () => toUser(toObject((await get(app, `/users/${encodeURIComponent(user_id)}`)).user))),
    getDepartment: (app, id) => nullIfNotFound(() => getDepartment(app, id)),
    async findByMobile(app, mobiles) {
      if (mobiles.length > pageSize) throw new PlatformError('lark', 'unsupported', 'too_many', 'at most 50 phones at once')
      const asking = { method: 'POST' as const, path: `${contactPath}/users/batch_get_id`, params: { user_id_type: 'open_id' } }
      const matches = toObjectList((await requestData(app, { ...asking, data: { mobiles, include_resigned: false } })).user_list)
      return new Map(mobiles.map((mobile) => [mobile, toText(matches.find((row) => row.mobile === mobile)?.user_id)]))
    },
  }
  return directory
}
