/** The versioned calls for programs: own references, all or none, pages, problem details, sending with its approvals. */
import { beforeEach, describe, expect, it } from 'vitest'
import * as batches from '../../../server/contract/api-v1/batches.ts'
import * as employees from '../../../server/contract/api-v1/employees.ts'
import * as payslips from '../../../server/contract/api-v1/payslips.ts'
import * as sheets from '../../../server/contract/api-v1/wage-sheets.ts'
import { setApprovalStatusByApprovalNo } from '../../../server/contract/approvals/approvals.ts'
import type { CallRequest } from '../../../server/contract/call.ts'
import { type ErrorName, errorCodes, getHttpStatus } from '../../../server/contract/errors.ts'
import * as employee from '../../../server/contract/payslips/employee.ts'
import { getAccessLog } from '../../../server/contract/payslips/employee-data.ts'
import { setSendRule } from '../../../server/contract/payslips/send.ts'
import { getSendApproval } from '../../../server/contract/payslips/send-approval.ts'
import { getTestSend } from '../../../server/contract/payslips/test-send.ts'
import { maxTestSendsPerDay } from '../../../server/modules/payslips/rules/test-send.ts'
import { createProgram } from '../../support/callers/program.ts'
import { demo } from '../../support/demo.ts'
import { demoWageSheet } from '../../support/files/demo-sheet.ts'
import { freshPhone } from '../../support/random.ts'
import { makeBatch } from '../../support/slips.ts'
import type { Caller, Person } from '../../support/world.ts'

const codes = errorCodes
/** The error of what does not exist, or belongs to another company. */
const [absent = 'invalid'] = (Object.keys(errorCodes) as ErrorName[]).filter((name) => getHttpStatus(name) === 404)
const { world, corp } = demo({ own: true, each: true })
let admin: Person
let session: Caller
let program: Caller
let key: string

beforeEach(async () => {
  admin = await corp.person({ power: ['4'] })
  session = await world.signIn(admin)
  ;({ program, key } = await createProgram(world, session))
})

const inject = (method: 'GET' | 'POST' | 'PUT', url: string, payload?: object, headers: Record<string, string> = {}) =>
  world.product.app.inject({ method, url, headers: { authorization: `Bearer ${key}`, ...headers }, ...(payload && { payload }) })
const upsert = (...list: CallRequest<typeof employees.upsertEmployees>['employees']) =>
  program.call(employees.upsertEmployees, { employees: list })

describe('the roster', () => {
  it('is written by own references: departments, then employees, then the same again', async () => {
    const { data } = await program.must(employees.upsertDepartments, {
      departments: [
        { external_id: 'D-1', name: '研发部' },
        { external_id: 'D-11', name: '后端组', parent_external_id: 'D-1' },
      ],
    })
    expect(data.map(({ outcome }) => outcome)).toEqual(['created', 'created'])
    const item = {
      external_id: 'HR-1',
      employee_no: '1001',
      name: '王小明',
      mobile: freshPhone(),
      department_external_ids: ['D-11'],
    }
    const first = await program.must(employees.upsertEmployees, { employees: [item] })
    expect(first.data).toMatchObject([{ external_id: 'HR-1', employee_no: '1001', outcome: 'created' }])
    const again = await program.must(employees.upsertEmployees, { employees: [{ ...item, position: '工程师' }] })
    expect(again.data).toMatchObject([{ employee_id: first.data[0]?.employee_id, outcome: 'updated' }])
    const { data: items } = await program.must(employees.listEmployees, { external_id: 'HR-1' })
    expect(items).toMatchObject([{ name: '王小明', position: '工程师', departments: [{ external_id: 'D-11', name: '后端组' }] }])
    expect((await program.must(employees.listDepartments, { external_id: 'D-11' })).data).toMatchObject([
      { parent_id: data[0]?.department_id, employee_count: 1 },
    ])
  })

  it('adopts an employee by number and name, and refuses a number that is somebody else', async () => {
    const mobile = freshPhone()
    const person = await corp.person({ name: '李四', employee_no: '2001', mobile, joined: false })
    const adopted = await program.must(employees.upsertEmployees, {
      employees: [{ external_id: 'HR-2', employee_no: '2001', name: '李四', mobile }],
    })
    expect(adopted.data).toMatchObject([{ employee_id: person.member_id, external_id: 'HR-2', outcome: 'updated' }])
    const other = await upsert({ external_id: 'HR-3', employee_no: '2001', name: '赵六', mobile: freshPhone() })
    expect(other).toMatchObject({ code: codes.wrong_state.code, status: 409, data: { field: 'employees.0.employee_no' } })
  })

  it('is changed by all items or none, and the error names the item', async () => {
    const colleague = await corp.person({ name: '已有' })
    const { code, status, data } = await upsert(
      { external_id: 'HR-4', name: '新人', mobile: freshPhone() },
      { external_id: 'HR-5', name: '另一位', mobile: colleague.mobile },
    )
    expect({ code, status, data }).toMatchObject({
      code: codes.invalid.code,
      status: 400,
      data: { index: 1, field: 'employees.1.mobile' },
    })
    expect((await program.call(employees.listEmployees, { external_id: 'HR-4' })).code).toBe(codes[absent].code)
  })

  it('is listed page by page without missing anybody who stays', async () => {
    const people = await corp.people(5)
    const listed: string[] = []
    let cursor: string | null | undefined
    do {
      const page: { data: { employee_id: string }[]; next_cursor: string | null } = await program.must(employees.listEmployees, {
        limit: 2,
        ...(cursor && { cursor }),
      })
      listed.push(...page.data.map(({ employee_id }) => employee_id))
      // Somebody of an earlier page leaves meanwhile.
      if (listed.length === 2) await program.must(employees.terminateEmployee, { employee_id: people[0]?.member_id ?? '' })
      cursor = page.next_cursor
    } while (cursor)
    for (const { member_id } of people) expect(listed).toContain(member_id)
    expect(new Set(listed).size).toBe(listed.length)
    const { data } = await program.must(employees.listEmployees, { status: 'terminated' })
    expect(data).toMatchObject([{ employee_id: people[0]?.member_id, status: 'terminated' }])
    expect((await program.call(employees.listEmployees, { cursor: 'bm9uZQ' })).data).toMatchObject({
      code: 'invalid',
      field: 'cursor',
    })
  })
})

describe('responses', () => {
  it('are the data itself, with the rate limit; errors are problem details with their status', async () => {
    const ok = await inject('GET', '/api/v1/employees?limit=1')
    expect([ok.statusCode, Object.keys(ok.json()).toSorted()]).toEqual([200, ['data', 'next_cursor']])
    expect(Number(ok.headers['ratelimit-remaining'])).toBeGreaterThan(0)
    const error = await inject('GET', `/api/v1/batches/${corp.company_id}`)
    expect(error.headers['content-type']).toBe('application/problem+json; charset=utf-8')
    expect([error.statusCode, error.json()]).toMatchObject([
      404,
      {
        type: expect.stringMatching(/^\/api\/reference#error-\w+$/),
        status: 404,
        code: absent,
        detail: expect.any(String),
        title: expect.any(String),
      },
    ])
    const unknown = await inject('GET', '/api/v1/nothing')
    expect([unknown.statusCode, unknown.json().code]).toEqual([404, absent])
    const dead = await inject('GET', '/api/v1/employees', undefined, { authorization: `Bearer ${key.slice(0, -4)}AAAA` })
    expect([dead.statusCode, dead.json().code, dead.headers['www-authenticate']]).toEqual([401, 'signed_out', 'Bearer'])
    const bad = await inject('PUT', '/api/v1/employees', { employees: [] })
    expect([bad.statusCode, bad.json()]).toMatchObject([400, { code: 'invalid', field: 'employees' }])
  })

  it('are not given to a session, whatever its powers', async () => {
    expect(await session.call(employees.listEmployees, {})).toMatchObject({ code: codes.not_permitted.code, status: 403 })
  })

  it('take the parameters of the path from the path only', async () => {
    const batch_id = await makeBatch(world, { ...admin }, await corp.people(2))
    const response = await inject('POST', `/api/v1/batches/${batch_id}/plan`, { batch_id: corp.company_id, channels: ['link'] })
    expect([response.statusCode, response.json().batch_id]).toEqual([200, batch_id])
  })

  it('to a repeated Idempotency-Key are the first one', async () => {
    const headers = { 'idempotency-key': 'roster-2026-11-20' }
    const body = { employees: [{ external_id: 'HR-9', name: '王九', mobile: freshPhone() }] }
    const first = await inject('PUT', '/api/v1/employees', body, headers)
    const second = await inject('PUT', '/api/v1/employees', body, headers)
    expect(second.json()).toEqual(first.json())
    expect(first.json().data[0].outcome).toBe('created')
    const other = await inject('PUT', '/api/v1/employees', { employees: [{ ...body.employees[0], name: '王十' }] }, headers)
    expect([other.statusCode, other.json().field]).toEqual([400, 'Idempotency-Key'])
  })
})

describe('a wage sheet', () => {
  let people: Person[]
  beforeEach(async () => {
    people = await corp.people(3)
  })
  const upload = (external_id: string) =>
    program.call(sheets.uploadWageSheet, { external_id }, { file: { name: '工资.xlsx', bytes: demoWageSheet(people) } })

  it('becomes a batch that is checked, sent and followed to its receipt', async () => {
    const { data: info } = await upload('PAY-11')
    const { batch_id } = info
    expect(info).toMatchObject({ external_id: 'PAY-11', status: 'draft', rows: 3 })
    const answered = await program.must(sheets.answerWageSheet, { batch_id, title: '十一月工资', month: '2026-11' })
    expect(answered).toMatchObject({ complete: true, missing: [], open_question_count: 0 })
    expect(await program.must(sheets.checkWageSheet, { batch_id })).toMatchObject({
      ready: true,
      error_count: 0,
      external_id: 'PAY-11',
    })
    const plan = await program.must(batches.planBatch, { batch_id, channels: ['link'] })
    expect(plan).toMatchObject({ recipient_count: 3, needs_approval: false })
    const unchecked = await program.call(batches.sendPlannedBatch, { batch_id, plan_id: plan.plan_id })
    if (plan.spot_checks.length > 0) expect(unchecked).toMatchObject({ code: codes.wrong_state.code, status: 409 })
    const sent = await program.must(batches.sendPlannedBatch, { batch_id, plan_id: plan.plan_id, spot_checked: true })
    expect(sent).toMatchObject({ outcome: 'sent', external_id: 'PAY-11' })
    await world.product.jobs.drain()
    expect(await program.must(batches.getBatch, { batch_id })).toMatchObject({ total: 3, sent: 3, queued: 0, approval: null })
    expect((await program.must(batches.listBatches, { external_id: 'PAY-11' })).data).toMatchObject([{ batch_id, sent: 3 }])
    const reader = await world.signIn(people[0] as Person)
    const slip_id = (await reader.must(employee.getSlipList, {})).list[0]?.slip_id ?? ''
    await reader.must(employee.getSlip, { slip_id })
    await reader.must(employee.confirmSlip, { slip_id, version: 1 })
    const deliveries: string[] = []
    const first = await program.must(batches.listDeliveries, { batch_id, limit: 2 })
    const rest = await program.must(batches.listDeliveries, { batch_id, limit: 2, cursor: first.next_cursor ?? '' })
    for (const { employee: one } of [...first.data, ...rest.data]) deliveries.push(one.employee_id)
    expect([deliveries.toSorted(), rest.next_cursor]).toEqual([people.map(({ member_id }) => member_id).toSorted(), null])
    const { data } = await program.must(payslips.listPayslips, { employee_id: people[0]?.member_id ?? '' })
    expect(data).toMatchObject([{ payslip_id: slip_id, batch_external_id: 'PAY-11', status: 'confirmed' }])
    expect(JSON.stringify(data)).not.toContain('fen')
    const receipts = await program.must(payslips.listPayslipReceipts, { payslip_id: slip_id })
    expect(receipts.data).toMatchObject([{ version: 1, current: true, kind: 'person' }])
    const viewed = (await reader.must(getAccessLog)).list
    expect(viewed.map(({ by, kind, title }) => [by, kind, title])).toEqual([['接口密钥「人事系统」', 'receipt', '十一月工资']])
    expect(await program.must(batches.withdrawBatch, { batch_id, reason: '金额有误' })).toMatchObject({ withdrawn: 3 })
    expect((await program.must(payslips.getPayslip, { payslip_id: slip_id })).status).toBe('withdrawn')
  })

  it('is refused with a reference that another batch has, and nothing is stored', async () => {
    expect((await upload('PAY-12')).status).toBe(200)
    people = await corp.people(2)
    expect(await upload('PAY-12')).toMatchObject({ code: codes.wrong_state.code, status: 409, data: { field: 'external_id' } })
    expect((await program.must(batches.listBatches, {})).data).toHaveLength(1)
  })

  it('shows its issues, which are resolved by their ids', async () => {
    people = [people[0] as Person, { ...(people[1] as Person), name: '查无此人', mobile: '13900009999' }]
    const { batch_id } = (await upload('PAY-13')).data
    await program.must(sheets.answerWageSheet, { batch_id, title: '十一月工资', month: '2026-11' })
    expect(await program.must(sheets.checkWageSheet, { batch_id })).toMatchObject({ ready: false })
    const { data } = await program.must(sheets.listWageSheetIssues, { batch_id, level: 'error' })
    expect(data.length).toBeGreaterThan(0)
    const rows = new Set(data.map(({ row }) => row))
    for (const row of rows) {
      const issue_id = data.find((issue) => issue.row === row && issue.fixes.includes('skip'))?.issue_id ?? ''
      await program.must(sheets.resolveWageSheetIssues, { batch_id, resolutions: [{ issue_id, fix: 'skip' }] })
    }
    expect(await program.must(sheets.checkWageSheet, { batch_id })).toMatchObject({ ready: true, skipped_row_count: rows.size })
  })
})

describe('a test send', () => {
  it('goes to the administrator of the key and to nobody else, with invented amounts and without a payslip', async () => {
    const people = await corp.people(2)
    const batch_id = await makeBatch(world, { ...admin }, people)
    const sent = await program.must(batches.sendBatchTest, { batch_id })
    expect(sent).toMatchObject({
      batch_id,
      recipient: { employee_id: admin.member_id, name: admin.name },
      deliveries: [{ channel: 'sms', delivery_status: 'queued' }],
    })
    await world.product.jobs.drain()
    const out = (await world.outbox()).filter(({ text }) => text.includes('试发'))
    expect(out.map(({ mobile }) => mobile)).toEqual([admin.mobile])
    const opened = await session.must(getTestSend, { test_send_id: sent.test_send_id })
    expect([opened.sample, opened.payslip.name, opened.by]).toEqual([true, '张三（示例）', '接口密钥「人事系统」'])
    for (const { name } of people) expect(JSON.stringify(opened)).not.toContain(name)
    const other = await world.signIn(people[0] as Person)
    expect((await other.call(getTestSend, { test_send_id: sent.test_send_id })).code).toBe(codes[absent].code)
    expect(await program.must(batches.getBatch, { batch_id })).toMatchObject({ status: 'checked', total: 0, sent: 0 })
    expect((await program.must(payslips.listPayslips, { batch_id })).data).toEqual([])
  })

  it('is refused to a key without the scope, for a draft without a title, and beyond the limit of a day', async () => {
    const people = await corp.people(2)
    const batch_id = await makeBatch(world, { ...admin }, people)
    const { program: reader } = await createProgram(world, session, { scopes: ['payslips.read'] })
    expect((await reader.call(batches.sendBatchTest, { batch_id })).status).toBe(403)
    const file = { name: '工资.xlsx', bytes: demoWageSheet(people) }
    const draft = (await program.call(sheets.uploadWageSheet, {}, { file })).data
    expect(await program.call(batches.sendBatchTest, { batch_id: draft.batch_id })).toMatchObject({ status: 409 })
    for (let count = 0; count < maxTestSendsPerDay; count += 1)
      await program.must(batches.sendBatchTest, { batch_id, channels: ['link'] })
    expect(await program.call(batches.sendBatchTest, { batch_id })).toMatchObject({ status: 429, code: codes.too_often.code })
  })
})

describe('sending', () => {
  it('that needs an approval stays pending until a second administrator approves, and is sent by the next call', async () => {
    const second = await world.signIn(await corp.person({ power: ['4'] }))
    await session.must(setSendRule, { approve_from: 1 })
    const batch_id = await makeBatch(world, { ...admin }, await corp.people(2))
    const { plan_id, needs_approval } = await program.must(batches.planBatch, { batch_id, channels: ['link'] })
    expect(needs_approval).toBe(true)
    const send = () => program.must(batches.sendPlannedBatch, { batch_id, plan_id, spot_checked: true })
    for (let count = 0; count < 2; count += 1)
      expect(await send()).toMatchObject({ outcome: 'pending_approval', status: 'checked' })
    await world.product.jobs.drain()
    expect(await program.must(batches.getBatch, { batch_id })).toMatchObject({
      status: 'checked',
      sent: 0,
      approval: { plan_id, status: 'waiting' },
    })
    const approval_no = (await session.must(getSendApproval, { batch_id })).approval?.approval_no ?? ''
    expect((await session.call(setApprovalStatusByApprovalNo, { approval_no, status: 1 })).code).not.toBe(0)
    expect(await send()).toMatchObject({ outcome: 'pending_approval' })
    await second.must(setApprovalStatusByApprovalNo, { approval_no, status: 1 })
    expect(await send()).toMatchObject({ outcome: 'sent' })
    await world.product.jobs.drain()
    expect(await program.must(batches.getBatch, { batch_id })).toMatchObject({ sent: 2 })
  })

  it('is scheduled and moved', async () => {
    const batch_id = await makeBatch(world, { ...admin }, await corp.people(2))
    const { plan_id } = await program.must(batches.planBatch, {
      batch_id,
      channels: ['link'],
      scheduled_at: '2026-11-25T09:00:00+08:00',
    })
    expect(await program.must(batches.sendPlannedBatch, { batch_id, plan_id, spot_checked: true })).toMatchObject({
      outcome: 'scheduled',
    })
    const moved = await program.must(batches.scheduleBatch, { batch_id, scheduled_at: '2026-11-26T09:00:00+08:00' })
    expect(new Date(moved.scheduled_at)).toEqual(new Date('2026-11-26T09:00:00+08:00'))
  })

  it('refuses a plan of another batch', async () => {
    const one = await makeBatch(world, { ...admin }, await corp.people(2))
    const other = await makeBatch(world, { ...admin }, await corp.people(2), { title: '奖金' })
    const { plan_id } = await program.must(batches.planBatch, { batch_id: other, channels: ['link'] })
    const sent = await program.call(batches.sendPlannedBatch, { batch_id: one, plan_id, spot_checked: true })
    expect(sent).toMatchObject({ code: codes[absent].code, status: 404 })
  })
})
