/**
 * What WeCom does with names that it hides from applications of the store: whoever made them searches by names and has files translated, members choose
 * one another in the client (documents 90593, 91844, 91846, 91882, 94894, 99310). Codes of refusals that those pages do not name are the general table's.
 */
import { createHash } from 'node:crypto'
import type { SimulatedCompany, SimulatedPerson } from '../company.ts'
import { html } from '../pages/sign-in.ts'
import {
  type AskedCall,
  fields,
  listed,
  type Registered,
  type Reply,
  type SimulatedCall,
  type SimulatedCalls,
  type State,
  said,
} from '../state.ts'
import { ok, refuse, withApp } from './answers.ts'
import { openIdOf, personCalled, shownId } from './ids.ts'
import { withTexts } from './workbook.ts'

const day_ms = 86_400_000
const kinds = new Set(['image', 'voice', 'video', 'file'])
const readable = /\.(xlsx?|docx?|csv|txt)$/i

type Media = { readonly name: string; readonly bytes: Buffer }
type Job = { readonly corp_id: string; readonly app: Registered; readonly file: Media; readonly since: number }
type Shelf = { readonly media: Map<string, Media>; readonly jobs: Map<string, Job>; readonly tokens: Map<string, string> }

/** The one file of a form, as clients write forms. */
function fileIn({ headers, bytes }: AskedCall): Media | null {
  const [, quoted, bare] = /boundary=(?:"([^"]+)"|([^;]+))/.exec(headers['content-type'] ?? '') ?? []
  const edge = `--${quoted ?? bare ?? ''}`
  const whole = Buffer.from(bytes)
  const from = whole.indexOf(edge)
  const head = whole.indexOf('\r\n\r\n', from)
  const end = whole.indexOf(`\r\n${edge}`, head)
  if (edge === '--' || from < 0 || head < 0 || end < 0) return null
  const says = whole.subarray(from, head).toString('utf8')
  const [, name] =
    /name="media"[^\r\n]*filename="([^"]*)"/.exec(says) ?? /filename="([^"]*)"[^\r\n]*name="media"/.exec(says) ?? []
  return name === undefined ? null : { name, bytes: whole.subarray(head + 4, end) }
}

/** Names in the places of ids, of those that the application may see; what it may not see, or does not know, stays as it was. */
function translated(state: State, app: Registered, text: string): string {
  const company = state.companyOf(app)
  return text
    .replace(/\$(userName|userAlias|userAliasOrName)=([\w.@-]{1,64})\$/g, (whole, _kind, id) => {
      const person = personCalled(state, app, id)
      return person && company.seesPerson(app.range, person) ? person.name : whole
    })
    .replace(/\$departmentName=(\d{1,20})\$/g, (whole, id) =>
      company.isDepartment(id) && company.seesDepartment(app.range, id)
        ? (company.departments.get(id)?.name ?? company.name)
        : whole,
    )
}
/** Of a workbook the texts that its cells share, and no others: what stands in a cell itself is not looked at. */
function written(state: State, { app, file }: Job): Buffer {
  const anew = (text: string) => translated(state, app, text)
  if (!/\.(xlsx|docx)$/i.test(file.name)) return Buffer.from(anew(file.bytes.toString('utf8')))
  return withTexts(file.bytes, (name) => name === 'xl/sharedStrings.xml' || name === 'word/document.xml', anew)
}

type Maker = (work: (asked: AskedCall, corp_id: string) => Reply) => SimulatedCall
/** What an administrator granted to an application of this maker. */
const granted = (state: State, maker: string, corp_id: unknown): Registered | undefined =>
  state.apps.find((app) => app.suite && app.corp_id === corp_id && !app.stopped && makerOf(state, app) === maker)
const makerOf = (state: State, app: Registered): string | undefined => state.suite('wecom', app.suite?.id)?.maker?.corp_id

function found(state: State, maker: string, json: Readonly<Record<string, unknown>>, asked: Readonly<Record<string, unknown>>) {
  const app = granted(state, maker, json.auth_corpid)
  if (!app) return refuse(40013, 'invalid corpid')
  const [word, limit] = [said(asked.query_word), Number(said(asked.limit) || 50)]
  if (word === '' || [...word].length > 64 || limit < 1 || limit > 200) return refuse(40058, 'invalid parameter')
  const agent_id = said(json.agentid)
  const own = agent_id === '' || agent_id === '0' ? app : state.app('wecom', { corp_id: app.corp_id, agent_id })
  if (!own) return refuse(40056, 'invalid agentid')
  const company = state.companyOf(app)
  const isIt = (name: string) => (said(asked.full_match_field) === '1' ? name === word : name.includes(word))
  const people = [...company.people.values()].filter((one) => isIt(one.name) && company.seesPerson(own.range, one))
  const parties = [...company.departments.values()].filter((one) => isIt(one.name) && company.seesDepartment(own.range, one.id))
  const type = said(asked.query_type)
  const ids = people.slice(0, limit).map((one) => shownId(app, one))
  return {
    query_result: {
      user: type === '2' ? { userid: [], open_userid: [] } : { userid: ids, open_userid: ids },
      party: { department_id: type === '1' ? [] : parties.slice(0, limit).map(({ id }) => Number(id)) },
    },
    is_last: people.length <= limit && parties.length <= limit,
  }
}

const searches = (state: State, withMaker: Maker): SimulatedCalls => ({
  'POST /cgi-bin/service/contact/search': withMaker(({ json }, maker) => {
    const answer = found(state, maker, json, json)
    return 'status' in answer ? answer : ok({ ...answer, next_cursor: '' })
  }),
  'POST /cgi-bin/service/contact/batchsearch': withMaker(({ json }, maker) => {
    const requests = listed(json.query_request_list).map(fields)
    if (requests.length === 0 || requests.length > 50) return refuse(40058, 'invalid parameter: query_request_list')
    const answers = requests.map((query_request) => ({ query_request, ...found(state, maker, json, query_request) }))
    const refused = answers.find((one): one is typeof one & Reply => 'status' in one)
    return refused
      ? { status: refused.status, headers: refused.headers ?? {}, body: refused.body }
      : ok({ query_result_list: answers })
  }),
})

const files = (state: State, { media, jobs }: Shelf, withMaker: Maker): SimulatedCalls => ({
  'POST /cgi-bin/service/media/upload': withMaker((asked) => {
    if (!kinds.has(asked.query.get('type') ?? '')) return refuse(40004, 'invalid media type')
    const file = fileIn(asked)
    if (!file) return refuse(41005, 'media data missing')
    if (file.bytes.length <= 5 || file.bytes.length > 20 * 1_048_576) return refuse(40006, 'invalid media size')
    if (/^\/|[\\:]/.test(file.name)) return refuse(40058, 'invalid parameter: filename')
    const media_id = state.give('wecom media', file.name, 3 * day_ms)
    media.set(media_id, file)
    return ok({ type: asked.query.get('type'), media_id, created_at: String(Math.floor(state.now() / 1000)) })
  }),
  'POST /cgi-bin/service/contact/id_translate': withMaker(({ json }, maker) => {
    const app = granted(state, maker, json.auth_corpid)
    if (!app) return refuse(40013, 'invalid corpid')
    const ids = listed(json.media_id_list)
    const [id] = ids
    if (ids.length === 0 || ids.length > 20) return refuse(40058, 'invalid parameter: media_id_list')
    // Archives and PDF are not made here: nothing of ours asks for them.
    if (ids.length > 1 || json.output_file_name || json.output_file_format)
      return refuse(40058, 'the simulator translates one file as it is')
    const file = state.about('wecom media', id) === null ? undefined : media.get(said(id))
    if (!file) return refuse(40007, 'invalid media_id')
    if (!readable.test(file.name)) return refuse(40004, 'invalid media type')
    const jobid = createHash('sha256')
      .update(`${said(id)} ${state.now()}`)
      .digest('base64url')
    jobs.set(jobid, { corp_id: app.corp_id, app, file, since: state.now() })
    return ok({ jobid })
  }),
  'GET /cgi-bin/service/batch/getresult': withMaker(({ query, url }, maker) => {
    const jobid = query.get('jobid') ?? ''
    const job = jobs.get(jobid)
    if (!job || makerOf(state, job.app) !== maker) return refuse(40058, 'invalid jobid')
    const waits = job.since + state.task_ms - state.now()
    const status = waits <= 0 ? 3 : waits < state.task_ms ? 2 : 1
    const where = `${url}/wwopen/openData/getTranslateContactOpenData?dataid=${jobid}`
    return ok({
      status,
      type: 'contact_id_translate',
      ...(status === 3 ? { result: { contact_id_translate: { url: where } } } : {}),
    })
  }),
  // For a day, and for somebody of that company who has signed in to the platform here.
  'GET /wwopen/openData/getTranslateContactOpenData': ({ query, headers }) => {
    const job = jobs.get(query.get('dataid') ?? '')
    const who = /(?:^|;\s*)simulated_wecom=([^;]+)/.exec(headers.cookie ?? '')?.[1]
    if (!job || who !== job.corp_id || job.since + day_ms < state.now()) return html(200, '<h1>参数错误</h1>', '企业微信')
    const name = encodeURIComponent(job.file.name)
    const as = { 'content-type': 'application/octet-stream', 'content-disposition': `attachment; filename*=UTF-8''${name}` }
    return { status: 200, headers: as, body: '', bytes: written(state, job) }
  },
})

/** Whom somebody chose: what the client's picker gives a page. */
export function picked(state: State, app: Registered, operator: SimulatedPerson, people: readonly SimulatedPerson[]) {
  const company: SimulatedCompany = state.companyOf(app)
  const isInside = (one: SimulatedPerson) => company.seesPerson(app.range, one)
  const ids = (some: readonly SimulatedPerson[]) => some.map((one) => openIdOf(one.corp_id, one.user_id))
  const [open_userid_list, unauth_open_userid_list] = [ids(people.filter(isInside)), ids(people.filter((one) => !isInside(one)))]
  const [operator_open_userid = ''] = ids([operator])
  const told = { corp_id: app.corp_id, operator_open_userid, open_userid_list, unauth_open_userid_list, total: people.length }
  const week_s = 7 * 86_400
  return {
    selectedTicket: state.give('wecom selected', JSON.stringify(told), week_s * 1000),
    expiresIn: week_s,
    selectedUserCount: people.length,
    userList: open_userid_list.map((openUserId) => ({ openUserId })),
  }
}

export function wecomHidden(state: State): SimulatedCalls {
  const shelf: Shelf = { media: new Map(), jobs: new Map(), tokens: new Map() }
  const withMaker: Maker = (work) => (asked) => {
    const token = asked.query.get('provider_access_token')
    if (!token) return refuse(41001, 'access_token missing')
    const maker = state.about('wecom maker', token)
    if (maker !== null) return work(asked, maker)
    return state.wasGiven(token) ? refuse(42001, 'access_token expired') : refuse(40014, 'invalid access_token')
  }
  return {
    'POST /cgi-bin/service/get_provider_token': ({ json }) => {
      const corp_id = said(json.corpid)
      if (corp_id === '') return refuse(41002, 'corpid missing')
      const own = state.suites.filter((one) => one.maker?.corp_id === corp_id)
      if (own.length === 0) return refuse(40013, 'invalid corpid')
      if (!own.some((one) => one.maker?.secret === json.provider_secret)) return refuse(40001, 'invalid credential')
      // The same one in its life.
      const known = shelf.tokens.get(corp_id)
      const token = known && state.about('wecom maker', known) !== null ? known : state.give('wecom maker', corp_id, 7_200_000)
      shelf.tokens.set(corp_id, token)
      return ok({ provider_access_token: token, expires_in: 7200 })
    },
    'POST /cgi-bin/user/list_selected_ticket_user': withApp(state, ({ json }, app) => {
      // Only where each member agrees for himself.
      if (!app.suite || !app.by_member) return refuse(48002, 'api forbidden')
      const told = JSON.parse(state.about('wecom selected', json.selected_ticket) ?? '{}')
      if (told.corp_id !== app.corp_id) return refuse(40058, 'invalid selected_ticket')
      const { corp_id: _own, ...rest } = told
      return ok(rest)
    }),
    ...searches(state, withMaker),
    ...files(state, shelf, withMaker),
  }
}
