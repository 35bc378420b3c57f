/**
 * A client that a third-party generator makes from the API document, used as it is: roster, sheet, check, send, webhook
 * and receipt of a month, with a key against a running server.
 */
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { Webhook } from 'standardwebhooks'
import { afterAll, beforeAll, expect, it, onTestFinished, vi } from 'vitest'
import { allCalls } from '../../../server/contract/index.ts'
import { buildOpenApiDocument } from '../../../server/contract/openapi/document.ts'
import { confirmSlip, getSlip, getSlipList } from '../../../server/contract/payslips/employee.ts'
import { createScratchFolder, generateClient } from '../../contract/generators/generate.ts'
import { createProgram } from '../../support/callers/program.ts'
import { demo } from '../../support/demo.ts'
import { demoWageSheet } from '../../support/files/demo-sheet.ts'

const { world, corp } = demo({ own: true })
const received: { headers: Record<string, string>; body: string }[] = []
const receiver = createServer((request, response) => {
  let body = ''
  request.on('data', (chunk: Buffer) => (body += chunk.toString()))
  request.on('end', () => {
    received.push({ headers: request.headers as Record<string, string>, body })
    response.writeHead(204).end()
  })
})
beforeAll(() => new Promise<void>((done) => receiver.listen(0, '127.0.0.1', done)))
afterAll(() => receiver.close())

type Reply = { data?: unknown; error?: unknown }
type ClientRequest = Record<string, unknown>
type Sdk = Record<string, (request: ClientRequest) => Promise<Reply>>

/** Generates the client, points it at the server, and returns its functions; each fails the test on an error. */
async function createClient(origin: string, key: string) {
  const folder = createScratchFolder()
  await generateClient(buildOpenApiDocument(allCalls, { origin, version: '1.0.0', https: false, production: true }), folder)
  const sdk = (await import(/* @vite-ignore */ join(folder, 'client/sdk.gen.ts'))) as Sdk
  const { client } = (await import(/* @vite-ignore */ join(folder, 'client/client.gen.ts'))) as {
    client: { setConfig(options: { baseUrl: string; auth: () => string }): void }
  }
  client.setConfig({ baseUrl: origin, auth: () => key })
  return async <T>(name: string, request: ClientRequest = {}): Promise<T> => {
    const { data, error } = (await sdk[name]?.(request)) ?? { error: `no function ${name}` }
    expect(error, name).toBeUndefined()
    return data as T
  }
}

it('does a month with a client generated from the document', { timeout: 120_000 }, async () => {
  const admin = await world.signIn(await corp.person({ power: ['4'] }))
  // They are on the roster under their numbers already; the program adds its own ids.
  const people = await Promise.all(['甲', '乙'].map((name, at) => corp.person({ name: `员工${name}`, employee_no: `E-${at}` })))
  const { key } = await createProgram(world, admin, {
    scopes: ['roster.write', 'sheets.write', 'payslips.send', 'payslips.read', 'webhooks'],
  })
  const { origin } = await world.listen()
  const call = await createClient(origin, key)

  const url = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/hook`
  const { webhook_id, secret } = await call<{ webhook_id: string; secret: string }>('createWebhook', {
    body: { url, events: ['slip.confirmed'] },
  })
  const employees = people.map(({ name, mobile }, at) => ({ external_id: `HR-${at}`, employee_no: `E-${at}`, name, mobile }))
  await call('upsertEmployees', { body: { employees } })
  const file = new File([new Uint8Array(demoWageSheet(employees))], 'wages.xlsx')
  const { batch_id } = await call<{ batch_id: string }>('uploadWageSheet', { body: { file, external_id: 'PAY-2026-10' } })
  const path = { batch_id }
  await call('answerWageSheet', { path, body: { title: '2026年10月工资', month: '2026-10' } })
  expect(await call('checkWageSheet', { path })).toMatchObject({ ready: true })
  const { plan_id } = await call<{ plan_id: string }>('planBatch', { path, body: { channels: ['link'] } })
  expect(await call('sendPlannedBatch', { path, body: { plan_id, spot_checked: true } })).toMatchObject({ outcome: 'sent' })
  await world.product.jobs.drain()

  // The employee reads and confirms; the program hears of it and fetches the receipt.
  const employee = await world.signIn(people[0] as (typeof people)[number])
  const { list } = await employee.must(getSlipList, {})
  const slip_id = list[0]?.slip_id ?? ''
  const { version } = await employee.must(getSlip, { slip_id })
  await employee.must(confirmSlip, { slip_id, version })
  await world.database.inCompany(corp.company_id, (tx) => world.product.jobs.send(tx, 'webhook', { company_id: corp.company_id }))
  await world.product.jobs.drain()
  const [event] = received
  // The receiver's library compares with its own clock; that of the server stands still here.
  vi.useFakeTimers({ toFake: ['Date'], now: Number(event?.headers['webhook-timestamp']) * 1000 })
  onTestFinished(() => void vi.useRealTimers())
  expect(new Webhook(secret).verify(event?.body ?? '', event?.headers ?? {})).toMatchObject({ type: 'slip.confirmed' })
  vi.useRealTimers()
  const { data: payslips } = await call<{ data: { payslip_id: string; employee: { external_id: string } }[] }>('listPayslips', {
    query: { batch_id },
  })
  const confirmed = payslips.find(({ employee: { external_id } }) => external_id === 'HR-0')
  const { data: receipts } = await call<{ data: { file: string; kind: string }[] }>('listPayslipReceipts', {
    path: { payslip_id: confirmed?.payslip_id },
  })
  expect(receipts).toMatchObject([{ kind: 'person', current: true }])
  await call('removeWebhook', { path: { webhook_id } })
})
