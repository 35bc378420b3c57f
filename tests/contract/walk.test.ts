/**
 * Tests every call with every kind of user, and every call of a stranger with A's real ids. Generated from the
 * contract.
 */
import { sql } from 'kysely'
import { beforeAll, describe, expect, it } from 'vitest'
import type { Power } from '../../server/contract/access.ts'
import * as apiKey from '../../server/contract/api-keys/api-keys.ts'
import * as approval from '../../server/contract/approvals/approvals.ts'
import * as order from '../../server/contract/billing/orders.ts'
import type { Call } from '../../server/contract/call.ts'
import * as memberImport from '../../server/contract/directory/import.ts'
import { errorCodes } from '../../server/contract/errors.ts'
import { allCalls } from '../../server/contract/index.ts'
import * as employee from '../../server/contract/payslips/employee.ts'
import * as feedback from '../../server/contract/payslips/feedback.ts'
import * as slip from '../../server/contract/payslips/send.ts'
import * as chart from '../../server/contract/reports/charts.ts'
import * as sheet from '../../server/contract/sheets/sheet.ts'
import * as tax from '../../server/contract/tax/periods.ts'
import * as webhook from '../../server/contract/webhooks/webhooks.ts'
import { demo } from '../support/demo.ts'
import { demoNetFen, demoWageSheet } from '../support/files/demo-sheet.ts'
import { type Caller, type Corp, type Person } from '../support/world.ts'
import { examples, type Ids } from './examples.ts'
import { permissions } from './permissions.ts'

let other: Corp
let ids: Ids
let nets: string[]
const callers: Record<string, Caller> = {}
/** Kinds of users by the letters of permissions.ts. */
const persons = ['out', 'power1', 'power2', 'power3', 'power4', 'employee', 'agency1', 'agency2', 'half'] as const
type Kind = (typeof persons)[number]

const { world, corp } = demo({ company: { name: '甲公司' } })
beforeAll(async () => {
  other = await world.createCompany({ name: '乙公司' })
  const agency = await world.createCompany({ name: '代理公司', corp_role: 20 })
  const people = await corp.people(6)
  const powers: Power[] = ['1', '2', '3', '4']
  for (const power of powers) callers[`power${power}`] = await world.signIn(await corp.person({ power: [power] }))
  const owner = await corp.person({ name: '薪酬甲', power: ['2'] })
  callers.owner = await world.signIn(owner)
  callers.employee = await world.signIn(people[5] as Person)
  callers.reader = await world.signIn(people[0] as Person)
  callers.agency1 = await world.signIn(await agency.person({ power: ['1'] }))
  callers.agency2 = await world.signIn(await agency.person({ power: ['2'] }))
  callers.stranger4 = await world.signIn(await other.person({ power: ['4'] }))
  callers.stranger2 = await world.signIn(await other.person({ power: ['2'] }))
  callers.strangerE = await world.signIn(await other.person())
  callers.out = world.anybody
  const both = await corp.person()
  await other.person({ same_as: both })
  callers.half = await halfSignedIn(both)
  nets = people.map((_, at) => demoNetFen(at)).map((fen) => `${Math.trunc(fen / 100)}.${String(fen % 100).padStart(2, '0')}`)
  ids = await makeIds(people, owner)
})

/** Returns a caller that is signed in and belongs to two companies but has selected none. */
async function halfSignedIn(person: Person): Promise<Caller> {
  const { createSession, createXsrfToken } = await import('../../server/http/sessions.ts')
  const pair = await createSession(world.database, {
    account_id: person.account_id,
    company_id: null,
    epoch: 0,
    device: 'tests',
    now: world.clock.now(),
  })
  return world.caller(pair.token, { sid: pair.cookie, 'XSRF-TOKEN': createXsrfToken(world.secrets, pair.session_id) })
}

async function upload(owner: Caller, people: Person[], month: string): Promise<string> {
  const file = { name: '工资.xlsx', bytes: demoWageSheet(people) }
  const info = await owner.must(sheet.uploadWageExcel, {}, { file })
  await owner.must(sheet.insertBatchTitle, { batch_id: info.batch_id, title: `${month}工资`, month })
  const checked = await owner.must(sheet.checkWageData, { batch_id: info.batch_id })
  expect(checked.counts.errors).toBe(0)
  return info.batch_id
}

async function makeIds(people: Person[], admin: Person): Promise<Ids> {
  const owner = callers.owner as Caller
  const batch_id = await upload(owner, people, '2026-10')
  const plan = await owner.must(slip.sendPaySheet, { batch_id })
  await owner.must(slip.doSend, { plan_id: plan.plan_id, looked: true })
  await world.product.jobs.drain()
  const detail = await owner.must(slip.getWageDetail, { batch_id })
  const current = (await (callers.reader as Caller).must(employee.getSlipList, {})).list[0]
  const salary_id = current?.slip_id ?? ''
  await (callers.reader as Caller).must(employee.feedbackSlip, { slip_id: salary_id, content: '请核对绩效' })
  const thread = (await owner.must(feedback.getFeedBackList, {})).list[0]
  const job = await owner.must(slip.exportWageDetail, { batch_id, what: 'detail' })
  const year = await owner.must(chart.exportMemberWageByYear, { year: 2026 })
  await world.product.jobs.drain()
  const draft_id = await upload(owner, people, '2026-11')
  const group = await owner.must(sheet.insertClassify, { batch_id: draft_id, name: '其他组' })
  const { template_id } = await owner.must(sheet.insertTemplate, { batch_id: draft_id, name: '每月工资' })
  const file = await world.database.inCompany(corp.company_id, (tx) =>
    tx.selectFrom('batch').select(['file_id', 'title_id']).where('id', '=', batch_id).executeTakeFirstOrThrow(),
  )
  const list = Buffer.from('姓名,手机号\n新来的,18600000001\n')
  const roster = await owner.must(memberImport.importMemberFile, {}, { file: { name: '花名册.csv', bytes: list } })
  const left = await corp.person()
  const { period_id } = await owner.must(tax.createPeriod, { month: '2026-11' })
  await owner.must(tax.saveIncome, { period_id, from: { batch_id } })
  const head = callers.power1 as Caller
  const address = { url: 'https://hr.example.com/webhook', events: ['slip.viewed' as const], active: true }
  const { webhook_id } = await head.must(webhook.saveWebhook, address)
  const { event_id } = await head.must(webhook.testWebhook, { webhook_id })
  const { key_id } = await head.must(apiKey.createApiKey, { name: '系统', scopes: ['webhooks'], addresses: [], valid_days: 30 })
  const { approval_no } = await owner.must(approval.applyTransferWageManager, { member_id: people[1]?.member_id ?? '' })
  const { order_no } = await owner.must(order.paySend, { product_id: 'sms-1000', count: 1, pay_type: 'transfer' })
  return {
    batch_id,
    draft_id,
    salary_id,
    plan_id: plan.plan_id,
    member_id: people[0]?.member_id ?? '',
    other_member_id: left.member_id,
    department_id: corp.root_id,
    feedback_id: thread?.id ?? '',
    title_id: file.title_id ?? '',
    job_id: job.job_id,
    chart_job_id: year.job_id,
    file_id: file.file_id ?? '',
    import_id: roster.import_id,
    template_id,
    class_id: group.class_id,
    corp_id: corp.company_id,
    period_id,
    webhook_id,
    event_id,
    key_id,
    user_id: admin.admin_id ?? '',
    approval_no,
    order_no,
    row: detail.list[0]?.row ?? 4,
  }
}

/** Returns what permissions.ts expects for this user and call: access or the error. */
function expected(who: string, kind: Kind): 'may' | 'signed_out' | 'not_permitted' {
  if (who === 'P') return 'may'
  // No company user is an operator: operator sessions are of another kind, and these users have none.
  if (who === 'O') return 'signed_out'
  if (kind === 'out') return 'signed_out'
  // A session is refused whatever its powers; api-keys.test.ts tests these calls with keys.
  if (who === 'K') return kind === 'half' ? 'signed_out' : 'not_permitted'
  if (who === 'H') return 'may'
  if (kind === 'half') return 'signed_out'
  if (who === 'M') return 'may'
  // The administrators of these companies are on the roster too, so they are employees.
  if (who === 'E') return 'may'
  if (who === 'S') return kind === 'employee' ? 'not_permitted' : 'may'
  const agency = kind.startsWith('agency')
  const corp = who.startsWith('B') || who.startsWith('A') === agency
  if (!corp || kind === 'employee') return 'not_permitted'
  const power = kind.at(-1) ?? ''
  return power === '4' || who.includes(power) ? 'may' : 'not_permitted'
}

const codeMap = { signed_out: errorCodes.signed_out.code, not_permitted: errorCodes.not_permitted.code }
/**
 * Calls whose success would end the session of the test, remove test data, or wait for a job that does not run here.
 * Only their errors are tested.
 */
const ending = new Set(['POST /api/index/logout', 'POST /api/index/selectCorp', 'POST /api/Test/testObserver'])
/** Calls where a foreign id is a filter or something to dismiss: their result is empty. */
const nothingThere = new Set([
  // Products belong to no company.
  'POST /api/Pay/getChangePrice',
  'POST /api/Pay/changeEdition',
  // The company that it names is the platform's.
  'POST /api/corp/bindPlatform',
  'POST /api/wage/getBatchList',
  'DELETE /api/wage/setting/send_rule',
  'POST /api/wage/clearUpload',
  'POST /api/wage/getUploadProgress',
  'POST /api/Member/getInviteStates',
])
/** Fields that identify something of company A without ending in `_id`. */
const naming = new Set(['id', 'pid', 'remind_member', 'approval_no', 'member_ids', 'order_no', 'order_nos'])
const strangers: [string, Kind][] = [
  ['stranger4', 'power4'],
  ['stranger2', 'power2'],
  ['strangerE', 'employee'],
]
const isNothing = (data: unknown): boolean => ((data as { list?: unknown[] }).list ?? []).length === 0
/** Returns a digest of each table with data of company A, except the audit log, notifications and idle times. */
async function digest(): Promise<Record<string, string | null>> {
  const tables = [
    'company',
    'department',
    'removed_department',
    'member',
    'member_department',
    'admin',
    'admin_department',
    'approval',
    'title',
    'title_share',
    'template',
    'batch',
    'sheet_row',
    'sheet_page',
    'send_plan',
    'payslip',
    'payslip_change',
    'delivery',
    'feedback',
    'feedback_message',
    'feedback_picture',
    'export_job',
    'pay_order',
    'payment',
    'invoice',
    'prepaid_movement',
    'prepaid_entry',
    'file',
    'tax_period',
    'tax_income',
    'tax_year',
    'tax_period_event',
    'receipt_key',
    'receipt',
    'api_key',
  ]
  // One query instead of twenty: the database computes each digest itself, and the whole test asks four hundred times.
  const each = tables.map(
    (table) => sql`select ${table} as name, md5(string_agg(t::text, '|' order by t::text)) as digest from ${sql.table(table)} t`,
  )
  return world.database.inCompany(corp.company_id, async (tx) => {
    const { rows } = await sql<{ name: string; digest: string | null }>`${sql.join(each, sql` union all `)}`.execute(tx)
    return Object.fromEntries(rows.map(({ name, digest }) => [name, digest]))
  })
}

describe('every call of the contract', () => {
  it('has an entry in permissions.ts, an example and a handler', async () => {
    expect(allCalls.map((call) => call.route).sort()).toEqual(Object.keys(permissions).sort())
    expect(Object.keys(examples).sort()).toEqual(Object.keys(permissions).sort())
    for (const call of allCalls)
      expect(world.product.app.hasRoute({ method: call.method, url: call.path }), call.route).toBe(true)
  })

  it.each(allCalls.map((call) => [call.route, call] as const))(
    '%s: rejects all other kinds of users before it reads any data',
    async (at, call) => {
      const who = permissions[at] ?? 'nobody'
      for (const kind of persons) {
        const result = expected(who, kind)
        if (result === 'may') continue
        const input = examples[at]?.(ids) ?? {}
        const answer = await (callers[kind] as Caller).call(call as Call, input)
        expect([kind, answer.code], at).toEqual([kind, codeMap[result]])
        for (const net of nets) expect(JSON.stringify(answer.data)).not.toContain(net)
      }
    },
  )

  it.each(allCalls.filter((call) => !ending.has(call.route)).map((call) => [call.route, call] as const))(
    "%s: finds and changes nothing for a stranger who sends A's ids",
    async (at, call) => {
      const input = examples[at]?.(ids) ?? {}
      const before = await digest()
      for (const [name, kind] of strangers) {
        const answer = await (callers[name] as Caller).call(call as Call, input)
        // A null id refers to nothing: it asks for something new in the stranger's own company.
        const names = Object.entries(input).some(([key, value]) => value !== null && (key.endsWith('_id') || naming.has(key)))
        const may = expected(permissions[at] ?? 'nobody', kind) === 'may'
        if (names && may && !nothingThere.has(at))
          expect([name, answer.code], `${at} ${answer.message}`).toEqual([name, errorCodes.not_found.code])
        if (nothingThere.has(at)) expect(answer.code !== 0 || isNothing(answer.data)).toBe(true)
        const message = JSON.stringify(answer.data ?? {})
        for (const net of nets) expect(message).not.toContain(net)
        expect(message).not.toContain('甲公司')
      }
      expect(await digest()).toEqual(before)
    },
  )

  it.each(
    allCalls
      .filter(
        (call) =>
          permissions[call.route] === '2' &&
          Object.keys(examples[call.route]?.({} as Ids) ?? {}).some((key) =>
            /batch_id|salary_id|plan_id|title_id|template_id|job_id|^id$|wizard/.test(key),
          ),
      )
      .map((call) => [call.route, call] as const),
  )("%s: keeps the owner's batch from another payroll administrator of the same company", async (at, call) => {
    const input = examples[at]?.(ids) ?? {}
    const before = await digest()
    const answer = await (callers.power2 as Caller).call(call as Call, input)
    if (nothingThere.has(at)) expect([answer.code, isNothing(answer.data)]).toEqual([0, true])
    else expect([answer.code, answer.message], at).toEqual([errorCodes.not_found.code, expect.any(String)])
    expect(await digest()).toEqual(before)
  })

  it("an employee cannot open a colleague's payslip", async () => {
    for (const call of [employee.getSlip, employee.confirmSlip, employee.feedbackSlip, employee.getFeedback]) {
      const answer = await (callers.employee as Caller).call(call as Call, examples[call.route]?.(ids) ?? {})
      expect([call.route, answer.code]).toEqual([call.route, errorCodes.not_found.code])
    }
  })
})
