/**
 * An agency serves a company: application, approval with a scope and a last day, entering, revocation during its work.
 * trust.md I14.
 */
import { describe, expect, it } from 'vitest'
import * as roles from '../../../server/contract/access/administrators.ts'
import * as agency from '../../../server/contract/agency/agency.ts'
import * as approval from '../../../server/contract/approvals/approvals.ts'
import * as account from '../../../server/contract/auth/sign-in.ts'
import * as company from '../../../server/contract/company/company.ts'
import * as member from '../../../server/contract/directory/members.ts'
import { errorCodes } from '../../../server/contract/errors.ts'
import * as employee from '../../../server/contract/payslips/employee.ts'
import * as slip from '../../../server/contract/payslips/send.ts'
import * as send from '../../../server/contract/payslips/send-approval.ts'
import * as sheet from '../../../server/contract/sheets/sheet.ts'
import { endSessions } from '../../../server/http/sessions.ts'
import { demoWorld } from '../../support/demo.ts'
import { demoWageSheet } from '../../support/files/demo-sheet.ts'
import { getNet, makeBatch, manyPeople } from '../../support/slips.ts'
import type { Answer, Caller, Corp, Person } from '../../support/world.ts'

const world = demoWorld({ now: '2026-11-20T10:00:00+08:00' })
const { not_found, not_permitted, signed_out, wrong_state, invalid } = errorCodes
const until = '2026-12-31'
const full = { scope: { all: true, department_ids: [] }, until }

type Pair = { client: Corp; head: Person; heads: Caller; app: Corp; agent: Person; agents: Caller }
async function pair(): Promise<Pair> {
  const client = await world.createCompany({ name: `甲方${Math.random().toString(36).slice(2, 8)}` })
  const head = await client.person({ power: ['1'] })
  const app = await world.createCompany({ name: '好帮手人力', corp_role: 20 })
  const agent = await app.person({ name: '江望舒', power: ['1', '2'] })
  return { client, head, heads: await world.signIn(head), app, agent, agents: await world.signIn(agent) }
}
const waiting = async ({ heads }: Pair) => (await heads.must(approval.getApprovalList, { status: 0 })).list
const call = ({ agents, client, head }: Pair) => agents.must(agency.applyJoin, { name: client.name, phone: head.mobile })
async function served(terms = full): Promise<Pair> {
  const both = await pair()
  await call(both)
  const [one] = await waiting(both)
  await both.heads.must(approval.setApprovalStatusByApprovalNo, {
    approval_no: one?.approval_no ?? '',
    status: 1,
    serving: terms,
  })
  return both
}
const move = (answer: Answer<{ token: string }>): Caller => {
  expect([answer.code, answer.message]).toEqual([0, ''])
  return world.caller(answer.data.token, answer.cookies)
}
const into = async ({ client }: Pair, caller: Caller) => move(await caller.call(agency.enterCorp, { corp_id: client.company_id }))

describe('applying to serve a company', () => {
  it('answers an application identically whether or not the company and its administrator exist', async () => {
    const { agents, client, head } = await pair()
    const worker = await client.person()
    const messages = [
      await agents.call(agency.applyJoin, { name: client.name, phone: head.mobile }),
      await agents.call(agency.applyJoin, { name: '没有这样的公司', phone: head.mobile }),
      await agents.call(agency.applyJoin, { name: client.name, phone: worker.mobile }),
    ]
    expect(new Set(messages.map(({ code, message, data }) => JSON.stringify([code, message, data]))).size).toBe(1)
    const { list } = await agents.must(agency.getCorpList, {})
    expect(list.map(({ status, corp_id }) => [status, corp_id])).toEqual(list.map(() => ['waiting', null]))
  })

  it('requires approval by power 1 with separate, validated terms', async () => {
    const both = await pair()
    await call(both)
    await call(both)
    const [one, ...more] = await waiting(both)
    expect(more).toEqual([])
    expect(one).toMatchObject({ kind: 'join_agency', can_decide: true, applicant: '江望舒（好帮手人力）' })
    const clerk = await world.signIn(await both.client.person({ power: ['2'] }))
    const approval_no = one?.approval_no ?? ''
    const decide = (caller: Caller, serving?: typeof full) =>
      caller.call(approval.setApprovalStatusByApprovalNo, { approval_no, status: 1, ...(serving ? { serving } : {}) })
    expect((await decide(clerk, full)).code).toBe(not_found.code)
    for (const serving of [
      undefined,
      { ...full, until: '2026-11-19' },
      { ...full, until: '2029-01-01' },
      { ...full, scope: { all: false, department_ids: [] } },
    ])
      expect((await decide(both.heads, serving)).code).toBe(invalid.code)
    expect((await both.agents.call(agency.enterCorp, { corp_id: both.client.company_id })).code).toBe(wrong_state.code)
    expect((await decide(both.heads, full)).code).toBe(0)
    expect((await both.agents.must(agency.getCorpList, {})).list[0]).toMatchObject({ status: 'active', until })
  })

  it('grants an agency no access after a rejection and allows a new application', async () => {
    const both = await pair()
    await call(both)
    const [one] = await waiting(both)
    await both.heads.must(approval.setApprovalStatusByApprovalNo, { approval_no: one?.approval_no ?? '', status: 2 })
    expect((await both.agents.must(agency.getCorpList, {})).list).toMatchObject([{ status: 'refused', corp_id: null }])
    expect((await both.agents.call(agency.enterCorp, { corp_id: both.client.company_id })).code).toBe(wrong_state.code)
    await call(both)
    expect(await waiting(both)).toHaveLength(1)
  })
})

describe('working in a served company', () => {
  it('allows an agency only payroll work within its scope, and marks every audit log entry with the agency', async () => {
    const both = await served()
    const [worker] = await both.client.people(2)
    const inside = await into(both, both.agents)
    // The previous session has ended.
    expect((await both.agents.call(account.getCurrentUser)).code).toBe(signed_out.code)
    const me = await inside.must(account.getCurrentUser)
    expect(me).toMatchObject({
      power: ['2'],
      agency_service: { until },
      corp: { corp_id: both.client.company_id, corp_role: 10 },
    })
    const bytes = demoWageSheet([worker as Person])
    const { batch_id } = await inside.must(sheet.uploadWageExcel, {}, { file: { name: '工资.xlsx', bytes } })
    for (const [call, input] of [
      [company.getCompanyInfo, {}],
      [roles.getUserList, {}],
      [agency.getCorpList, {}],
      [employee.getSlipList, {}],
      [agency.endService, { service_id: batch_id }],
    ] as const)
      expect([call.route, (await inside.call(call, input as never)).code]).toEqual([call.route, not_permitted.code])
    const handed = await inside.call(approval.applyTransferWageManager, { member_id: worker?.member_id ?? '' })
    expect(handed.code).toBe(not_permitted.code)
    const lines = await world.database.inCompany(both.client.company_id, (tx) =>
      tx.selectFrom('audit_log_entry').select(['name', 'details']).where('account_id', '=', both.agent.account_id).execute(),
    )
    expect(lines.length).toBeGreaterThan(0)
    for (const { name, details } of lines) {
      expect(name).toBe('江望舒（好帮手人力）')
      expect(details).toMatchObject({ agency_id: both.app.company_id })
    }
    // The agency user is not listed among the company's own members.
    const { list } = await both.heads.must(roles.getUserList, {})
    expect(list.map(({ name }) => name)).toContain('江望舒（好帮手人力）')
    const all = await world.signIn(await both.client.person({ power: ['4'] }))
    for (const status of ['left', 'active'] as const)
      expect((await all.must(member.getMemberList, { status, pagesize: 100 })).list.map(({ NAME }) => NAME)).not.toContain(
        '江望舒（好帮手人力）',
      )
    // After a normal sign-in, the agency user has access only to their own company.
    const { corps } = await inside.must(account.getAvailableCorps)
    expect(corps.map(({ corp_id }) => corp_id)).toEqual([both.app.company_id])
    expect((await inside.call(account.selectCorp, { corp_id: both.client.company_id })).code).toBe(not_found.code)

    const back = move(await inside.call(agency.leaveCorp))
    expect(await back.must(account.getCurrentUser)).toMatchObject({
      agency_service: null,
      corp: { corp_id: both.app.company_id },
    })
    expect((await back.call(agency.leaveCorp)).code).toBe(wrong_state.code)
    const [viewed] = (await back.must(agency.getCorpList, {})).list
    expect(viewed).toMatchObject({ status: 'active', monthly_summary: { batches: 1, drafts: 1, sent: 0 } })
    expect(JSON.stringify(viewed)).not.toContain('fen')
  })

  it('shows an agency only members of the granted departments', async () => {
    const both = await pair()
    const shop = await both.client.department('门店')
    await both.client.person({ name: '店员', department_ids: [shop] })
    await both.client.person({ name: '总部的人' })
    await call(both)
    const [one] = await waiting(both)
    const serving = { scope: { all: false, department_ids: [shop] }, until }
    await both.heads.must(approval.setApprovalStatusByApprovalNo, { approval_no: one?.approval_no ?? '', status: 1, serving })
    // This colleague has no seat yet.
    const colleague = await world.signIn(await both.app.person({ power: ['2'] }))
    const inside = await into(both, colleague)
    expect((await inside.must(member.getMemberList, { pagesize: 100 })).list.map(({ NAME }) => NAME)).toEqual(['店员'])
  })

  it('hides companies that did not approve the agency', async () => {
    const both = await served()
    const other = await world.createCompany()
    expect((await both.agents.call(agency.enterCorp, { corp_id: other.company_id })).code).toBe(not_found.code)
    const outsider = await world.createCompany({ corp_role: 20 })
    const theirs = await world.signIn(await outsider.person({ power: ['4'] }))
    expect((await theirs.call(agency.enterCorp, { corp_id: both.client.company_id })).code).toBe(not_found.code)
  })
})

describe('end of the agency service', () => {
  it('takes effect immediately when the service is revoked, and prevents the agency from entering again', async () => {
    const both = await served()
    const inside = await into(both, both.agents)
    await inside.must(account.getCurrentUser)
    const [service] = (await both.heads.must(agency.getServiceList)).list
    expect(service).toMatchObject({ agency: '好帮手人力', status: 'active', scope: '全公司', until })
    expect(await both.heads.must(agency.endService, { service_id: service?.service_id ?? '' })).toEqual({ ended: 1 })
    const late = await inside.call(account.getCurrentUser)
    expect([late.code, late.message]).toEqual([signed_out.code, expect.stringContaining('结束代理')])
    const again = await world.signIn(both.agent)
    expect((await again.call(agency.enterCorp, { corp_id: both.client.company_id })).code).toBe(wrong_state.code)
    expect((await both.heads.call(agency.endService, { service_id: service?.service_id ?? '' })).code).toBe(not_found.code)
  })

  it('does not let a removed agency user enter again', async () => {
    const both = await served()
    const inside = await into(both, both.agents)
    await inside.must(account.getCurrentUser)
    const head = await world.signIn(await both.client.person({ power: ['4'] }))
    const [seat] = (await head.must(roles.getUserList, { power: '2' })).list
    await head.must(roles.clearRole, { user_id: seat?.user_id ?? '', power: '2' })
    expect((await inside.call(account.getCurrentUser)).code).toBe(signed_out.code)
    const again = await world.signIn(both.agent)
    const answer = await again.call(agency.enterCorp, { corp_id: both.client.company_id })
    expect([answer.code, answer.message]).toEqual([wrong_state.code, expect.stringContaining('取消您个人')])
  })

  it('ends access in served companies when the agency user is signed out at the agency', async () => {
    const both = await served()
    const inside = await into(both, both.agents)
    const his = { account_id: both.agent.account_id, company_id: both.app.company_id }
    expect(await world.database.withoutCompany((tx) => endSessions(tx, his, 'left'))).toBe(1)
    expect((await inside.call(account.getCurrentUser)).code).toBe(signed_out.code)
  })

  it('ends the agency service at midnight after the last day', async () => {
    const both = await served({ ...full, until: '2026-11-20' })
    const inside = await into(both, both.agents)
    world.clock.set('2026-11-20T10:20:00+08:00')
    await inside.must(account.getCurrentUser)
    world.clock.set('2026-11-20T23:59:00+08:00')
    const night = await world.signIn(both.agent)
    const late = await into(both, night)
    world.clock.set('2026-11-21T00:00:01+08:00')
    expect((await late.call(account.getCurrentUser)).code).toBe(signed_out.code)
    const morning = await world.signIn(both.agent)
    expect((await morning.must(agency.getCorpList, {})).list[0]?.status).toBe('expired')
    expect((await morning.call(agency.enterCorp, { corp_id: both.client.company_id })).code).toBe(wrong_state.code)
    world.clock.set('2026-11-20T10:00:00+08:00')
  })
})

describe('client approval before payslips are sent', () => {
  it("lets the agency request and the client's administrator see only totals, and sends only after approval", async () => {
    const both = await served()
    const chief = await world.signIn(await both.client.person({ power: ['4'] }))
    const inside = await into(both, both.agents)
    const people = await manyPeople(world, both.client, 3)
    const [seat] = (await chief.must(roles.getUserList, { power: '2' })).list
    const owner = { company_id: both.client.company_id, admin_id: seat?.user_id ?? '' }
    const batch_id = await makeBatch(world, owner, people)
    await chief.must(slip.setSendRule, { approve_from: 1 })
    // The agency cannot lift its own approval requirement.
    expect((await inside.call(slip.setSendRule, { approve_from: 0 })).code).toBe(not_permitted.code)
    const { plan_id } = await inside.must(slip.sendPaySheet, { batch_id })
    expect((await inside.call(slip.doSend, { plan_id, looked: true })).code).toBe(wrong_state.code)
    const { approval_no } = await inside.must(send.requestSendApproval, { plan_id, looked: true })
    const decide = (caller: Caller) => caller.call(approval.setApprovalStatusByApprovalNo, { approval_no, status: 1 })
    expect((await decide(inside)).code).not.toBe(0)
    const nets = [2, 3, 4].map(getNet)
    const visible = await chief.must(send.getSendApprovalDetail, { approval_no })
    expect(visible.totals?.net_fen).toBe(nets.reduce((sum, net) => sum + net, 0))
    for (const net of nets) expect(JSON.stringify(visible)).not.toContain(String(net))
    expect((await decide(chief)).code).toBe(0)
    expect((await inside.must(slip.doSend, { plan_id, looked: true })).status).toBe('sending')
  })
})
