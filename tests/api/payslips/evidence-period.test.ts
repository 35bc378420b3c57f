/**
 * Evidence of a period: one employee over months, or all of a month over its batches; only what the requesting user may
 * see, at the request and at the download.
 */
import { beforeAll, expect, test } from 'vitest'
import type { CallInput } from '../../../server/contract/call.ts'
import { errorCodes } from '../../../server/contract/errors.ts'
import * as files from '../../../server/contract/files/files.ts'
import { getAccessLog } from '../../../server/contract/payslips/employee-data.ts'
import { exportEvidencePackage } from '../../../server/contract/payslips/evidence-package.ts'
import * as slip from '../../../server/contract/payslips/send.ts'
import { verifyFile } from '../../../server/modules/payslip-records/verifier/file.ts'
import { demo } from '../../support/demo.ts'
import { makeBatch, send } from '../../support/slips.ts'
import type { Caller, Person } from '../../support/world.ts'

const { world, corp, clerk: payer } = demo({ company: { name: '甲公司' } })
let caller: Caller
let one: Person
let two: Person
beforeAll(async () => {
  caller = await world.signIn(payer)
  one = await corp.person({ name: '张三' })
  two = await corp.person({ name: '李四' })
  for (const [month, people] of [
    ['2026-08', [one]],
    ['2026-09', [one, two]],
    ['2026-09', [two]],
    ['2026-10', [one]],
  ] as const) {
    const batch_id = await makeBatch(world, payer, people, {
      month,
      title: `${month} ${people.map(({ name }) => name).join('')}`,
    })
    await send(caller, batch_id, ['link'], { rules: { confirm: true } })
    await world.product.jobs.drain()
  }
})

async function exported(requested: CallInput<typeof exportEvidencePackage>) {
  const { job_id } = await caller.must(exportEvidencePackage, requested)
  await world.product.jobs.drain()
  const status = await caller.must(slip.getExportStatus, { job_id })
  expect(status).toMatchObject({ done: true, failed: null })
  const bytes = (await caller.call(files.download, { oss_path: status.oss_path ?? '' })).data as unknown as Buffer
  return { job_id, bytes, file_name: status.file_name }
}
const getLines = (bytes: Buffer) =>
  bytes
    .toString()
    .split('\n')
    .map((line) => JSON.parse(line))
/** Returns the employee and month of each payslip. */
const slipsIn = (bytes: Buffer) =>
  getLines(bytes)
    .slice(1, -1)
    .map(({ person, slip: text }) => `${person} ${JSON.parse(text).month}`)

test("contains one employee's payslips over several months, in order, under one seal", async () => {
  const { bytes, file_name } = await exported({ from: '2026-08', to: '2026-09', member_id: one.member_id, what: 'evidence' })
  expect(file_name).toBe('张三 2026年8月至9月-证据.jsonl')
  expect(slipsIn(bytes)).toEqual(['张三 2026-08', '张三 2026-09'])
  expect(getLines(bytes)[0]).toMatchObject({ title: '张三 2026年8月至9月', month: '2026-08/2026-09' })
  expect(verifyFile(bytes)).toMatchObject({
    genuine: true,
    lines: expect.arrayContaining([expect.stringContaining('张三 2026年8月至9月')]),
  })
  const other = Buffer.from(bytes.toString().replace('2026-08/2026-09', '2026-08/2026-10'))
  expect(verifyFile(other)).toMatchObject({ genuine: false })
})

test('exports the evidence of a whole month over its batches, also as pages', async () => {
  const { bytes, file_name } = await exported({ from: '2026-09', to: '2026-09', what: 'evidence' })
  expect(file_name).toBe('2026年9月-证据.jsonl')
  expect([slipsIn(bytes).toSorted(), getLines(bytes)[0].month]).toEqual([
    ['张三 2026-09', '李四 2026-09', '李四 2026-09'],
    '2026-09',
  ])
  expect(verifyFile(bytes)).toMatchObject({ genuine: true })
  const paper = await exported({ from: '2026-08', to: '2026-10', what: 'paper', paper: { size: 'A5', large: false } })
  expect([paper.file_name, paper.bytes.subarray(0, 5).toString()]).toEqual(['2026年8月至10月-证据.pdf', '%PDF-'])
})

test("records the requesting user in the affected employees' access logs", async () => {
  const matches = async (person: Person) =>
    (await (await world.signIn(person)).must(getAccessLog, { page: 1, pagesize: 50 })).list.filter(
      ({ kind }) => kind === 'export',
    )
  const before = (await matches(two)).length
  await exported({ from: '2026-08', to: '2026-10', member_id: one.member_id, what: 'evidence' })
  expect(await matches(two)).toHaveLength(before)
  expect((await matches(one)).some(({ by, month }) => by === payer.name && month === null)).toBe(true)
  // For a whole month, the payslips are listed under the batch in which the employee was paid.
  expect((await matches(two)).map(({ month }) => month)).toContain('2026-09')
})

test('refuses reversed months, too many months, and months without a payslip, with a message', async () => {
  const call = async (requested: Partial<CallInput<typeof exportEvidencePackage>>) =>
    caller.call(exportEvidencePackage, { from: '2026-08', to: '2026-10', what: 'evidence', ...requested })
  expect((await call({ from: '2026-10', to: '2026-08' })).data).toEqual({ field: 'to' })
  expect((await call({ from: '2010-01' })).data).toEqual({ field: 'from' })
  expect((await call({ from: '2025-01', to: '2025-12' })).code).toBe(errorCodes.wrong_state.code)
  expect((await call({ member_id: two.member_id, from: '2026-10' })).code).toBe(errorCodes.wrong_state.code)
})

const transfer = (batch_id: string, to: Person) =>
  world.database.inCompany(corp.company_id, (tx) =>
    tx
      .updateTable('batch')
      .set({ owner_id: to.admin_id ?? '' })
      .where('id', '=', batch_id)
      .execute(),
  )
test('limits the evidence to accessible batches, and revokes the file when a batch is lost', async () => {
  const theirs = await makeBatch(world, payer, [one, two], { month: '2026-07' })
  await send(caller, theirs, ['link'])
  await world.product.jobs.drain()
  const outsider = await corp.person({ power: ['2'] })
  const other = await world.signIn(outsider)
  expect((await other.call(exportEvidencePackage, { from: '2026-07', to: '2026-10', what: 'evidence' })).code).toBe(
    errorCodes.wrong_state.code,
  )
  const { job_id } = await caller.must(exportEvidencePackage, { from: '2026-07', to: '2026-07', what: 'evidence' })
  await world.product.jobs.drain()
  expect((await other.call(slip.getExportStatus, { job_id })).code).toBe(errorCodes.not_found.code)
  await transfer(theirs, outsider)
  expect((await caller.call(slip.getExportStatus, { job_id })).code).toBe(errorCodes.not_found.code)
})

test('contains only members within a department scope, even from a company-wide batch', async () => {
  const department_id = await corp.department('销售部')
  const current = await corp.person({ name: '王五', department_ids: [department_id] })
  const batch_id = await makeBatch(world, payer, [one, current], { month: '2026-06' })
  await send(caller, batch_id, ['link'])
  await world.product.jobs.drain()
  const who = await corp.person({ power: ['2'], scope: { all: false, department_ids: [department_id] } })
  await transfer(batch_id, who)
  const keeper = await world.signIn(who)
  const { job_id } = await keeper.must(exportEvidencePackage, { from: '2026-06', to: '2026-06', what: 'evidence' })
  await world.product.jobs.drain()
  const { oss_path } = await keeper.must(slip.getExportStatus, { job_id })
  const bytes = (await keeper.call(files.download, { oss_path: oss_path ?? '' })).data as unknown as Buffer
  expect(slipsIn(bytes)).toEqual(['王五 2026-06'])
  const requested = { from: '2026-06', to: '2026-06', member_id: one.member_id, what: 'evidence' } as const
  expect((await keeper.call(exportEvidencePackage, requested)).code).toBe(errorCodes.not_found.code)
})
