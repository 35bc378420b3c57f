/**
 * WeCom's calls for names that it hides from store applications: the vendor searches by name and has files translated,
 * and members choose each other in the client (documents 90593, 91844, 91846, 91882, 94894, 99310). Error codes that
 * those pages do not name come from the general table.
 */
import { createHash } from 'node:crypto'
import type { SimulatedCompany, SimulatedUser } from '../company.ts'
import { replyHtml } from '../pages/sign-in.ts'
import type { RegisteredApp } from '../registered-apps.ts'
import {
  listOrEmpty,
  objectOrEmpty,
  type Reply,
  type SimulatedCall,
  type SimulatedCalls,
  type SimulatedRequest,
  type SimulatorState,
  textOrEmpty,
} from '../state.ts'
import { findUser, getVisibleUserId, toOpenUserId } from './ids.ts'
import { replyError, replyOk, withAppToken } from './replies.ts'
import { replaceTexts } from './workbook.ts'

const dayMs = 86_400_000
const mediaTypes = new Set(['image', 'voice', 'video', 'file'])
const readableFilePattern = /\.(xlsx?|docx?|csv|txt)$/i

type MediaFile = { readonly name: string; readonly bytes: Buffer }
type TranslationJob = {
  readonly corp_id: string
  readonly app: RegisteredApp
  readonly file: MediaFile
  readonly startedAt: number
}
type HiddenNameStore = {
  readonly media: Map<string, MediaFile>
  readonly jobs: Map<string, TranslationJob>
  readonly tokens: Map<string, string>
}

/** Parses the single file of a multipart form. */
function parseFormFile({ headers, bytes }: SimulatedRequest): MediaFile | null {
  const [, quoted, bare] = /boundary=(?:"([^"]+)"|([^;]+))/.exec(headers['content-type'] ?? '') ?? []
  const boundary = `--${quoted ?? bare ?? ''}`
  const content = Buffer.from(bytes)
  const from = content.indexOf(boundary)
  const head = content.indexOf('\r\n\r\n', from)
  const end = content.indexOf(`\r\n${boundary}`, head)
  if (boundary === '--' || from < 0 || head < 0 || end < 0) return null
  const partHeaders = content.subarray(from, head).toString('utf8')
  const [, name] =
    /name="media"[^\r\n]*filename="([^"]*)"/.exec(partHeaders) ?? /filename="([^"]*)"[^\r\n]*name="media"/.exec(partHeaders) ?? []
  return name === undefined ? null : { name, bytes: content.subarray(head + 4, end) }
}

/** Replaces ids that the application may see by names; invisible or unknown ids stay unchanged. */
function translateText(state: SimulatorState, app: RegisteredApp, text: string): string {
  const company = state.getCompany(app)
  return text
    .replace(/\$(userName|userAlias|userAliasOrName)=([\w.@-]{1,64})\$/g, (match, _kind, id) => {
      const user = findUser(state, app, id)
      return user && company.canSeeUser(app.range, user) ? user.name : match
    })
    .replace(/\$departmentName=(\d{1,20})\$/g, (match, id) =>
      company.isDepartment(id) && company.canSeeDepartment(app.range, id)
        ? (company.departments.get(id)?.name ?? company.name)
        : match,
    )
}
/** Translates only the shared strings of a workbook; inline strings in cells are not translated. */
function translateFile(state: SimulatorState, { app, file }: TranslationJob): Buffer {
  const translate = (text: string) => translateText(state, app, text)
  if (!/\.(xlsx|docx)$/i.test(file.name)) return Buffer.from(translate(file.bytes.toString('utf8')))
  return replaceTexts(file.bytes, (name) => name === 'xl/sharedStrings.xml' || name === 'word/document.xml', translate)
}

type WithDeveloper = (work: (request: SimulatedRequest, corp_id: string) => Reply) => SimulatedCall
/** Finds the authorized application of this vendor in a company. */
const findGrantedApp = (state: SimulatorState, developerId: string, corp_id: unknown): RegisteredApp | undefined =>
  state.apps.find((app) => app.suite && app.corp_id === corp_id && !app.isStopped && getDeveloperId(state, app) === developerId)
const getDeveloperId = (state: SimulatorState, app: RegisteredApp): string | undefined =>
  state.findSuite('wecom', app.suite?.id)?.developer?.corp_id

function searchByName(
  state: SimulatorState,
  developerId: string,
  json: Readonly<Record<string, unknown>>,
  searchParams: Readonly<Record<string, unknown>>,
) {
  const app = findGrantedApp(state, developerId, json.auth_corpid)
  if (!app) return replyError(40013, 'invalid corpid')
  const [queryText, limit] = [textOrEmpty(searchParams.query_word), Number(textOrEmpty(searchParams.limit) || 50)]
  if (queryText === '' || [...queryText].length > 64 || limit < 1 || limit > 200) return replyError(40058, 'invalid parameter')
  const agent_id = textOrEmpty(json.agentid)
  const searchApp = agent_id === '' || agent_id === '0' ? app : state.findApp('wecom', { corp_id: app.corp_id, agent_id })
  if (!searchApp) return replyError(40056, 'invalid agentid')
  const company = state.getCompany(app)
  const matchesName = (name: string) =>
    textOrEmpty(searchParams.full_match_field) === '1' ? name === queryText : name.includes(queryText)
  const people = [...company.users.values()].filter((one) => matchesName(one.name) && company.canSeeUser(searchApp.range, one))
  const parties = [...company.departments.values()].filter(
    (one) => matchesName(one.name) && company.canSeeDepartment(searchApp.range, one.id),
  )
  const type = textOrEmpty(searchParams.query_type)
  const ids = people.slice(0, limit).map((one) => getVisibleUserId(app, one))
  return {
    query_result: {
      user: type === '2' ? { userid: [], open_userid: [] } : { userid: ids, open_userid: ids },
      party: { department_id: type === '1' ? [] : parties.slice(0, limit).map(({ id }) => Number(id)) },
    },
    is_last: people.length <= limit && parties.length <= limit,
  }
}

const searchCalls = (state: SimulatorState, withDeveloper: WithDeveloper): SimulatedCalls => ({
  'POST /cgi-bin/service/contact/search': withDeveloper(({ json }, maker) => {
    const answer = searchByName(state, maker, json, json)
    return 'status' in answer ? answer : replyOk({ ...answer, next_cursor: '' })
  }),
  'POST /cgi-bin/service/contact/batchsearch': withDeveloper(({ json }, maker) => {
    const requests = listOrEmpty(json.query_request_list).map(objectOrEmpty)
    if (requests.length === 0 || requests.length > 50) return replyError(40058, 'invalid parameter: query_request_list')
    const answers = requests.map((query_request) => ({ query_request, ...searchByName(state, maker, json, query_request) }))
    const firstError = answers.find((one): one is typeof one & Reply => 'status' in one)
    return firstError
      ? { status: firstError.status, headers: firstError.headers ?? {}, body: firstError.body }
      : replyOk({ query_result_list: answers })
  }),
})

const fileCalls = (state: SimulatorState, { media, jobs }: HiddenNameStore, withDeveloper: WithDeveloper): SimulatedCalls => ({
  'POST /cgi-bin/service/media/upload': withDeveloper((request) => {
    if (!mediaTypes.has(request.query.get('type') ?? '')) return replyError(40004, 'invalid media type')
    const file = parseFormFile(request)
    if (!file) return replyError(41005, 'media data missing')
    if (file.bytes.length <= 5 || file.bytes.length > 20 * 1_048_576) return replyError(40006, 'invalid media size')
    if (/^\/|[\\:]/.test(file.name)) return replyError(40058, 'invalid parameter: filename')
    const media_id = state.createTicket('wecom media', file.name, 3 * dayMs)
    media.set(media_id, file)
    return replyOk({ type: request.query.get('type'), media_id, created_at: String(Math.floor(state.now() / 1000)) })
  }),
  'POST /cgi-bin/service/contact/id_translate': withDeveloper(({ json }, maker) => {
    const app = findGrantedApp(state, maker, json.auth_corpid)
    if (!app) return replyError(40013, 'invalid corpid')
    const ids = listOrEmpty(json.media_id_list)
    const [id] = ids
    if (ids.length === 0 || ids.length > 20) return replyError(40058, 'invalid parameter: media_id_list')
    // Archives and PDF are not simulated, because the product does not request them.
    if (ids.length > 1 || json.output_file_name || json.output_file_format)
      return replyError(40058, 'the simulator translates one file as it is')
    const file = state.getTicketSubject('wecom media', id) === null ? undefined : media.get(textOrEmpty(id))
    if (!file) return replyError(40007, 'invalid media_id')
    if (!readableFilePattern.test(file.name)) return replyError(40004, 'invalid media type')
    const jobid = createHash('sha256')
      .update(`${textOrEmpty(id)} ${state.now()}`)
      .digest('base64url')
    jobs.set(jobid, { corp_id: app.corp_id, app, file, startedAt: state.now() })
    return replyOk({ jobid })
  }),
  'GET /cgi-bin/service/batch/getresult': withDeveloper(({ query, url }, maker) => {
    const jobid = query.get('jobid') ?? ''
    const job = jobs.get(jobid)
    if (!job || getDeveloperId(state, job.app) !== maker) return replyError(40058, 'invalid jobid')
    const remainingMs = job.startedAt + state.taskDurationMs - state.now()
    const status = remainingMs <= 0 ? 3 : remainingMs < state.taskDurationMs ? 2 : 1
    const downloadUrl = `${url}/wwopen/openData/getTranslateContactOpenData?dataid=${jobid}`
    return replyOk({
      status,
      type: 'contact_id_translate',
      ...(status === 3 ? { result: { contact_id_translate: { url: downloadUrl } } } : {}),
    })
  }),
  // Available for one day, to a user of that company who has signed in to the platform in this browser.
  'GET /wwopen/openData/getTranslateContactOpenData': ({ query, headers }) => {
    const job = jobs.get(query.get('dataid') ?? '')
    const who = /(?:^|;\s*)simulated_wecom=([^;]+)/.exec(headers.cookie ?? '')?.[1]
    if (!job || who !== job.corp_id || job.startedAt + dayMs < state.now()) return replyHtml(200, '<h1>参数错误</h1>', '企业微信')
    const name = encodeURIComponent(job.file.name)
    const as = { 'content-type': 'application/octet-stream', 'content-disposition': `attachment; filename*=UTF-8''${name}` }
    return { status: 200, headers: as, body: '', bytes: translateFile(state, job) }
  },
})

/** Selects users: returns what the client's picker gives a page. */
export function pickUsers(state: SimulatorState, app: RegisteredApp, operator: SimulatedUser, people: readonly SimulatedUser[]) {
  const company: SimulatedCompany = state.getCompany(app)
  const isVisible = (one: SimulatedUser) => company.canSeeUser(app.range, one)
  const ids = (some: readonly SimulatedUser[]) => some.map((one) => toOpenUserId(one.corp_id, one.user_id))
  const [open_userid_list, unauth_open_userid_list] = [
    ids(people.filter(isVisible)),
    ids(people.filter((one) => !isVisible(one))),
  ]
  const [operator_open_userid = ''] = ids([operator])
  const selection = {
    corp_id: app.corp_id,
    operator_open_userid,
    open_userid_list,
    unauth_open_userid_list,
    total: people.length,
  }
  const weekSeconds = 7 * 86_400
  return {
    selectedTicket: state.createTicket('wecom selected', JSON.stringify(selection), weekSeconds * 1000),
    expiresIn: weekSeconds,
    selectedUserCount: people.length,
    userList: open_userid_list.map((openUserId) => ({ openUserId })),
  }
}

export function createWecomHiddenNameCalls(state: SimulatorState): SimulatedCalls {
  const store: HiddenNameStore = { media: new Map(), jobs: new Map(), tokens: new Map() }
  const withDeveloper: WithDeveloper = (work) => (request) => {
    const token = request.query.get('provider_access_token')
    if (!token) return replyError(41001, 'access_token missing')
    const maker = state.getTicketSubject('wecom maker', token)
    if (maker !== null) return work(request, maker)
    return state.isTicketExpired(token) ? replyError(42001, 'access_token expired') : replyError(40014, 'invalid access_token')
  }
  return {
    'POST /cgi-bin/service/get_provider_token': ({ json }) => {
      const corp_id = textOrEmpty(json.corpid)
      if (corp_id === '') return replyError(41002, 'corpid missing')
      const own = state.suites.filter((one) => one.developer?.corp_id === corp_id)
      if (own.length === 0) return replyError(40013, 'invalid corpid')
      if (!own.some((one) => one.developer?.secret === json.provider_secret)) return replyError(40001, 'invalid credential')
      // The call returns the same token during its lifetime.
      const existing = store.tokens.get(corp_id)
      const token =
        existing && state.getTicketSubject('wecom maker', existing) !== null
          ? existing
          : state.createTicket('wecom maker', corp_id, 7_200_000)
      store.tokens.set(corp_id, token)
      return replyOk({ provider_access_token: token, expires_in: 7200 })
    },
    'POST /cgi-bin/user/list_selected_ticket_user': withAppToken(state, ({ json }, app) => {
      // Names are only available if each member consents individually.
      if (!app.suite || !app.isMemberAuthorized) return replyError(48002, 'api forbidden')
      const selection = JSON.parse(state.getTicketSubject('wecom selected', json.selected_ticket) ?? '{}')
      if (selection.corp_id !== app.corp_id) return replyError(40058, 'invalid selected_ticket')
      const { corp_id: _own, ...rest } = selection
      return replyOk(rest)
    }),
    ...searchCalls(state, withDeveloper),
    ...fileCalls(state, store, withDeveloper),
  }
}
