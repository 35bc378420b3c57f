/** Events of batches, failures, terminations and feedback: once for each occasion, to their own company only, repeatable. */
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { MessageRejectedError } from '../../../platform/carrier.ts'
import { replayEvents } from '../../../server/contract/api-v1/webhooks.ts'
import { clearMember } from '../../../server/contract/directory/members.ts'
import { errorCodes } from '../../../server/contract/errors.ts'
import { feedbackSlip, getSlipList } from '../../../server/contract/payslips/employee.ts'
import * as slip from '../../../server/contract/payslips/send.ts'
import { maxReplayedEvents, replayWebhookEvents, saveWebhook, webhookEvents } from '../../../server/contract/webhooks/webhooks.ts'
import { queueWebhookEvents } from '../../../server/modules/webhooks/index.ts'
import { ManualClock } from '../../../server/shared/clock.ts'
import { newId } from '../../../server/shared/ids.ts'
import { createProgram } from '../../support/callers/program.ts'
import { demo } from '../../support/demo.ts'
import { getGateway, makeBatch, send } from '../../support/slips.ts'
import type { Caller, Person } from '../../support/world.ts'

type Received = { id: string; path: string; type: string; data: Record<string, unknown> }
const clock = new ManualClock('2026-11-20T10:00:00+08:00')
const carrier: { before?: () => void } = {}
const gateway = getGateway(carrier)
const { world, corp, clerk } = demo({ own: { clock, sms: () => gateway } })
let received: Received[] = []
const receiver = createServer((request, response) => {
  let body = ''
  request.on('data', (chunk: Buffer) => (body += chunk.toString()))
  request.on('end', () => {
    const { type, data } = JSON.parse(body) as Pick<Received, 'type' | 'data'>
    received.push({ id: String(request.headers['webhook-id']), path: request.url ?? '', type, data })
    response.writeHead(204).end()
  })
})
let payroll: Caller
let head: Caller
let chief: Person
let person: Person
let reader: Caller
let webhook_id = ''
let origin = ''

beforeAll(async () => {
  await new Promise<void>((done) => receiver.listen(0, '127.0.0.1', done))
  origin = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}`
  chief = await corp.person({ power: ['4'] })
  person = await corp.person({ employee_no: '1001' })
  await signIn()
  await world.database.inCompany(corp.company_id, (tx) =>
    tx
      .insertInto('external_reference')
      .values({
        company_id: corp.company_id,
        id: newId(),
        external_id: 'HR-1001',
        member_id: person.member_id,
        created_at: clock.now(),
      })
      .execute(),
  )
  webhook_id = (await head.must(saveWebhook, { url: `${origin}/own`, events: [...webhookEvents], active: true })).webhook_id
  // A second company hears nothing of the first.
  const other = await world.createCompany()
  const otherHead = await world.signIn(await other.person({ power: ['1'] }))
  await otherHead.must(saveWebhook, { url: `${origin}/other`, events: [...webhookEvents], active: true })
})
afterAll(() => void receiver.close())
/** Time passes in these tests, and sessions end. */
async function signIn(): Promise<void> {
  ;[head, payroll, reader] = [await world.signIn(chief), await world.signIn(clerk), await world.signIn(person)]
}
beforeEach(async () => {
  await signIn()
  delete carrier.before
  received = []
})

/** Lets time pass, runs all jobs, and returns the events of the company without those of other tests. */
async function work(): Promise<string[]> {
  clock.advance(1_000)
  await world.product.jobs.drain(clock.now())
  await world.database.inCompany(corp.company_id, (tx) => world.product.jobs.send(tx, 'webhook', { company_id: corp.company_id }))
  await world.product.jobs.drain(clock.now())
  expect(received.filter(({ path }) => path !== '/own')).toEqual([])
  return received.map(({ type }) => type).toSorted()
}
const getData = (type: string) => received.filter((one) => one.type === type).map(({ data }) => data)
const employee = () => ({ employee_id: person.member_id, external_id: 'HR-1001', employee_no: '1001' })

test('reports a batch that begins and finishes, and its failed payslip, once; a retry finishes it again', async () => {
  carrier.before = () => {
    throw new MessageRejectedError('blocked', '这个手机号已退订短信')
  }
  const batch_id = await makeBatch(world, clerk, [person])
  await send(payroll, batch_id, ['sms'])
  expect(await work()).toEqual(['batch.finished', 'batch.sent', 'payslip.failed'])
  const batch = { batch_id, batch_external_id: null }
  expect([...getData('batch.sent'), ...getData('batch.finished')]).toEqual([batch, batch])
  const [failed] = getData('payslip.failed')
  expect(failed).toEqual({ ...batch, payslip_id: failed?.slip_id, slip_id: expect.any(String), employee: employee() })
  expect(await work()).toHaveLength(3)

  received = []
  delete carrier.before
  await payroll.must(slip.sendBatch, { batch_id, only: 'failed' })
  expect(await work()).toEqual(['batch.finished', 'slip.sent'])
  received = []
  // A reminder is no outcome of a payslip.
  await payroll.must(slip.sendBatch, { batch_id, only: 'unviewed' })
  expect(await work()).toEqual([])
})

test('reports a scheduled batch when it begins, not when it is scheduled', async () => {
  const batch_id = await makeBatch(world, clerk, [person])
  await send(payroll, batch_id, ['link'], { when: new Date(clock.now().getTime() + 600_000).toISOString() })
  expect(await work()).toEqual([])
  clock.advance(600_000)
  const { company_id } = corp
  // The queued job waits by the clock of the machine.
  await world.database.inCompany(company_id, (tx) => world.product.jobs.send(tx, 'send', { company_id, batch_id }))
  expect(await work()).toEqual(['batch.finished', 'batch.sent', 'slip.sent'])
})

test('reports a new thread once, and each further message as a question', async () => {
  const batch_id = await makeBatch(world, clerk, [person])
  await send(payroll, batch_id, ['link'])
  await work()
  received = []
  const slip_id = (await reader.must(getSlipList, {})).list[0]?.slip_id ?? ''
  for (const content of ['请核对绩效', '还有一个问题']) await reader.must(feedbackSlip, { slip_id, content })
  expect(await work()).toEqual(['feedback.created', 'slip.disputed', 'slip.disputed'])
  expect(getData('feedback.created')).toEqual([
    {
      feedback_id: expect.any(String),
      payslip_id: slip_id,
      slip_id,
      batch_id,
      batch_external_id: null,
      employee: employee(),
    },
  ])
  expect(JSON.stringify(received)).not.toContain('绩效')
})

test('reports a termination once, without a name', async () => {
  const { member_id, name } = await corp.person({ employee_no: '1002' })
  await head.must(clearMember, { id: member_id })
  expect((await head.call(clearMember, { id: member_id })).code).toBe(errorCodes.wrong_state.code)
  expect(await work()).toEqual(['employee.terminated'])
  expect(getData('employee.terminated')).toEqual([
    { employee: { employee_id: member_id, external_id: null, employee_no: '1002' } },
  ])
  expect(JSON.stringify(received)).not.toContain(name)
})

test('replays the events of a time range with the same ids, only those, in a company of its own and within bounds', async () => {
  const leave = async () => head.must(clearMember, { id: (await corp.person()).member_id })
  clock.advance(600_000)
  const from = clock.now().toISOString()
  await leave()
  await work()
  clock.advance(60_000)
  const to = clock.now().toISOString()
  await leave()
  await work()
  const [first] = received
  received = []
  expect(await head.must(replayWebhookEvents, { webhook_id, from, to })).toEqual({ count: 1 })
  // Waiting events are not queued a second time.
  expect(await head.must(replayWebhookEvents, { webhook_id, from, to })).toEqual({ count: 0 })
  await work()
  expect(received).toEqual([first])

  const { program } = await createProgram(world, head, { scopes: ['webhooks'] })
  expect(await program.must(replayEvents, { webhook_id, from, to })).toEqual({ event_count: 1 })
  await work()
  expect(received).toEqual([first, first])

  expect(await head.call(replayWebhookEvents, { webhook_id, from: to, to: from })).toMatchObject({ data: { field: 'to' } })
  const other = await world.createCompany()
  const otherHead = await world.signIn(await other.person({ power: ['1'] }))
  expect((await otherHead.call(replayWebhookEvents, { webhook_id, from, to })).message).toBe('这个接收地址已被删除')

  const many = Array.from({ length: maxReplayedEvents }, () => ({ member_id: person.member_id }))
  await world.database.inCompany(corp.company_id, async (tx) => {
    await queueWebhookEvents({ db: tx, company_id: corp.company_id, now: new Date(from) }, 'employee.terminated', many)
    await tx.updateTable('webhook_event').set({ status: 'taken', done_at: clock.now() }).execute()
  })
  expect((await head.call(replayWebhookEvents, { webhook_id, from, to })).message).toBe(
    '这段时间的通知超过 1000 条，请缩短时间，分几次补发',
  )
})
