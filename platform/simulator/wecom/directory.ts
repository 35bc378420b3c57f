/** WeCom's directory: departments in one recursive answer, people a department at a time, fewer fields the newer the application (wecom.md §4). */
import type { SimulatedCompany, SimulatedDepartment, SimulatedPerson } from '../company.ts'
import { type AskedCall, type Registered, type Reply, type SimulatedCalls, type State, said } from '../state.ts'
import { ok, refuse, withApp } from './answers.ts'
import { openIdOf, personCalled, shownId, shownIdOf } from './ids.ts'

const statuses = { active: 1, frozen: 2, not_joined: 4 } as const
const isHidden = (app: Registered): boolean => app.suite !== undefined

const brief = (app: Registered, company: SimulatedCompany, person: SimulatedPerson) => ({
  userid: shownId(app, person),
  name: isHidden(app) ? shownId(app, person) : person.name,
  department: company.departmentsOf(person).map(Number),
  open_userid: openIdOf(person.corp_id, person.user_id),
})
export function recordOf(app: Registered, company: SimulatedCompany, person: SimulatedPerson) {
  const departments = company.departmentsOf(person)
  const record = {
    ...brief(app, company, person),
    order: departments.map(() => person.order ?? 0),
    is_leader_in_dept: departments.map((id) => (person.leads?.includes(id) ? 1 : 0)),
    direct_leader: [],
    status: statuses[person.status ?? 'active'],
    main_department: Number(departments[0] ?? company.root),
  }
  if (isHidden(app)) return record
  const attrs = person.employee_no ? [{ type: 0, name: '工号', text: { value: person.employee_no } }] : []
  const told = { ...record, position: person.job_title ?? '', alias: '', telephone: '', extattr: { attrs } }
  return app.kind === 'old'
    ? {
        ...told,
        mobile: person.mobile ?? '',
        gender: '0',
        email: person.email ?? '',
        biz_mail: '',
        avatar: '',
        qr_code: '',
        address: '',
      }
    : told
}
const departmentOf = (app: Registered, one: SimulatedDepartment | null, company: SimulatedCompany) => ({
  id: Number(one?.id ?? company.root),
  ...(isHidden(app) ? {} : { name: one?.name ?? company.name, name_en: '' }),
  department_leader: (one?.leader_ids ?? []).map((id) => shownIdOf(app, id)),
  parentid: one ? Number(one.parent_id) : 0,
  order: one?.order ?? 0,
})

/** What may be seen of the tree below a department, itself first. */
function tree(company: SimulatedCompany, app: Registered, id: string): (SimulatedDepartment | null)[] {
  const all = [company.departments.get(id) ?? null, ...company.below(id)]
  return all.filter((one) => company.seesDepartment(app.range, one?.id ?? company.root))
}

function departments(state: State): SimulatedCalls {
  const asked =
    (draw: (app: Registered, company: SimulatedCompany, found: (SimulatedDepartment | null)[]) => Reply) =>
    ({ query }: AskedCall, app: Registered): Reply => {
      const company = state.companyOf(app)
      const id = query.get('id') || company.root
      if (!company.isDepartment(id)) return refuse(60003, 'department not found')
      const found = tree(company, app, id)
      if (found.length === 0) return refuse(60011, 'no privilege to access/modify contact/party/agent')
      return draw(app, company, found)
    }
  return {
    'GET /cgi-bin/department/list': withApp(
      state,
      asked((app, company, found) =>
        app.kind === 'contacts'
          ? refuse(48002, 'api forbidden')
          : ok({ department: found.map((one) => departmentOf(app, one, company)) }),
      ),
    ),
    'GET /cgi-bin/department/simplelist': withApp(
      state,
      asked((app, company, found) => {
        const all = found.map((one) => departmentOf(app, one, company))
        return ok({ department_id: all.map(({ id, parentid, order }) => ({ id, parentid, order })) })
      }),
    ),
    'GET /cgi-bin/department/get': withApp(state, ({ query }, app) => {
      const company = state.companyOf(app)
      const id = query.get('id') ?? ''
      if (!company.isDepartment(id)) return refuse(60003, 'department not found')
      if (!company.seesDepartment(app.range, id)) return refuse(60011, 'no privilege to access/modify contact/party/agent')
      return ok({ department: departmentOf(app, company.departments.get(id) ?? null, company) })
    }),
  }
}

function people(state: State): SimulatedCalls {
  const ofDepartment = (draw: (app: Registered, company: SimulatedCompany, person: SimulatedPerson) => object) =>
    withApp(state, ({ query }, app) => {
      const company = state.companyOf(app)
      const id = query.get('department_id') ?? ''
      if (app.kind === 'contacts') return refuse(48002, 'api forbidden')
      if (!company.isDepartment(id)) return refuse(60003, 'department not found')
      const ids = query.get('fetch_child') === '1' ? [id, ...company.below(id).map((one) => one.id)] : [id]
      const found = new Set(ids.flatMap((one) => company.membersOf(one)))
      const seen = [...found].filter((person) => company.seesPerson(app.range, person))
      if (seen.length === 0 && !company.seesDepartment(app.range, id)) return refuse(60011, 'no privilege to access')
      return ok({ userlist: seen.map((person) => draw(app, company, person)) })
    })
  return {
    'GET /cgi-bin/user/simplelist': ofDepartment(brief),
    'GET /cgi-bin/user/list': ofDepartment(recordOf),
    'GET /cgi-bin/user/get': withApp(state, ({ query }, app) => {
      const company = state.companyOf(app)
      const person = personCalled(state, app, query.get('userid'))
      if (app.kind === 'contacts') return refuse(48002, 'api forbidden')
      if (!person) return refuse(60111, 'userid not found')
      if (!company.seesPerson(app.range, person)) return refuse(50002, 'member out of range')
      return ok(recordOf(app, company, person))
    }),
    'POST /cgi-bin/user/list_id': withApp(state, ({ json }, app) => {
      if (app.kind !== 'contacts') return refuse(48002, 'api forbidden')
      const company = state.companyOf(app)
      const rows = [...company.people.values()].flatMap((person) =>
        company.departmentsOf(person).map((id) => ({ userid: person.user_id, department: Number(id) })),
      )
      const [from, most] = [Number(said(json.cursor) || 0), Math.min(Number(said(json.limit) || 10_000), 10_000)]
      const next = from + most < rows.length ? String(from + most) : ''
      return ok({ next_cursor: next, dept_user: rows.slice(from, from + most) })
    }),
    'POST /cgi-bin/user/getuserid': withApp(state, ({ json }, app) => found(state, app, said(json.mobile))),
    'POST /cgi-bin/batch/userid_to_openuserid': withApp(state, ({ json }, app) => {
      const company = state.companyOf(app)
      const ids = Array.isArray(json.userid_list) ? json.userid_list.map(said) : []
      if (ids.length > 1000) return refuse(40032, 'invalid userid list length')
      const known = ids.filter((id) => company.person(id))
      return ok({
        open_userid_list: known.map((userid) => ({ userid, open_userid: openIdOf(app.corp_id, userid) })),
        invalid_userid_list: ids.filter((id) => !company.person(id)),
      })
    }),
  }
}

/** By phone; whoever guesses wrong in more than a fifth of the company's size hears nothing more that day. */
function found(state: State, app: Registered, mobile: string): Reply {
  const company = state.companyOf(app)
  const day = new Date(state.now() + 28_800_000).toISOString().slice(0, 10)
  if (company.missed.day !== day) company.missed = { day, count: 0 }
  if (company.missed.count > company.people.size / 5) return refuse(45009, 'reach max api daily quota limit')
  const person = [...company.people.values()].find((one) => one.mobile === mobile)
  if (person && company.seesPerson(app.range, person)) return ok({ userid: person.user_id })
  company.missed.count += 1
  return refuse(46004, 'user not exist')
}

export const wecomDirectory = (state: State): SimulatedCalls => ({
  ...departments(state),
  ...people(state),
  'GET /cgi-bin/agent/list': withApp(state, (_asked, app) =>
    ok({ agentlist: app.suite ? [] : [{ agentid: Number(app.agent_id), name: '薪函', square_logo_url: '' }] }),
  ),
  'GET /cgi-bin/agent/get': withApp(state, ({ query }, app) => {
    // Nothing is written of it for applications of the store: what was granted to them is told with the authorisation.
    if (app.suite) return refuse(48002, 'api forbidden')
    if (query.get('agentid') !== app.agent_id) return refuse(301002, 'no permission for this agentid')
    const range = app.range ?? { department_ids: ['1'], user_ids: [] }
    return ok({
      agentid: Number(app.agent_id),
      name: '薪函',
      description: '',
      allow_userinfos: { user: range.user_ids.map((userid) => ({ userid })) },
      allow_partys: { partyid: range.department_ids.map(Number) },
      allow_tags: { tagid: [] },
      close: app.stopped ? 1 : 0,
      redirect_domain: new URL(app.origin).host,
    })
  }),
})
