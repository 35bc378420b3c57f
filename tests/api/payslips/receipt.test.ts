/**
 * Receipts: issued with a confirmation, kept when the payslip is corrected, and verified by anybody, with and without
 * the server.
 */

import { readXlsx } from 'hucre'
import { sql } from 'kysely'
import { extractText, getDocumentProxy } from 'unpdf'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createTimeStampClient } from '../../../platform/wire/time-stamp.ts'
import { errorCodes } from '../../../server/contract/errors.ts'
import * as files from '../../../server/contract/files/files.ts'
import * as employee from '../../../server/contract/payslips/employee.ts'
import { getReceipt } from '../../../server/contract/payslips/employee-data.ts'
import * as slip from '../../../server/contract/payslips/send.ts'
import { verifyReceipt } from '../../../server/contract/payslips/verify-receipt.ts'
import { formatFen } from '../../../server/contract/shared/money.ts'
import { verifyFile } from '../../../server/modules/payslip-records/verifier/file.ts'
import { parseReceipt } from '../../../server/modules/payslip-records/verifier/receipt.ts'
import { demo } from '../../support/demo.ts'
import { getAuthority, openAuthority } from '../../support/outside/time-stamps.ts'
import { getNet, makeBatch, payOne, salaries, send } from '../../support/slips.ts'
import type { Caller, Person } from '../../support/world.ts'

let caller: Caller
let authority: Awaited<ReturnType<typeof openAuthority>>
beforeAll(async () => {
  authority = await openAuthority(getAuthority(), () => world.clock.now())
})
afterAll(() => authority.close())
const {
  world,
  corp,
  clerk: payer,
} = demo({
  own: { stamps: (query) => createTimeStampClient(authority.url, 60_000)(query) },
  company: { name: '甲公司' },
})
beforeAll(async () => {
  caller = await world.signIn(payer)
})

const paid = (person: Person) => payOne({ world, corp, clerk: payer, caller }, person, { rules: { confirm: true } })
const verified = (receipt: string) => world.anybody.must(verifyReceipt, { receipt })
const raw = (statement: string) => world.database.inCompany(corp.company_id, (tx) => sql.raw(statement).execute(tx))

describe('receipt', () => {
  test('issues a receipt with the confirmation that verifies offline as a file and contains no amount', async () => {
    const person = await corp.person()
    const { slip_id } = await paid(person)
    const own = await world.signIn(person)
    expect((await own.must(getReceipt, { slip_id })).list).toEqual([])
    const handwriting = 'M10 10L20 20Q25 5 30 10'
    const { receipt } = await own.must(employee.confirmSlip, { slip_id, version: 1, signature: handwriting })
    const visible = await own.must(employee.getSlip, { slip_id })
    expect(visible.receipt).toBe(receipt)

    const [stored] = (await own.must(getReceipt, { slip_id })).list
    expect(stored).toMatchObject({ version: 1, stands: true, kind: 'person', handwriting })
    expect(stored?.url).toBe(`http://127.0.0.1:8080/m/verify#${receipt}`)
    expect(verifyFile(Buffer.from(stored?.file ?? ''))).toMatchObject({ genuine: true })
    const { claims, kid } = parseReceipt(receipt)
    const written = JSON.stringify(claims) + (stored?.file ?? '')
    for (const amount of [formatFen(getNet(2)), String(getNet(2)), visible.hash]) expect(written).not.toContain(amount)

    for (const provided of [receipt, stored?.url ?? '', stored?.file ?? ''])
      expect(await verified(provided)).toEqual({
        genuine: true,
        reason: null,
        message: '',
        receipt: expect.objectContaining({
          company: '甲公司',
          member_name: person.name,
          version: 1,
          handwritten: true,
          kid,
          slip_status: 'stands',
        }),
      })
    expect(await verified((stored?.file ?? '').replace('第', '弟').replace('"keys"', '"keyz"'))).toMatchObject({ genuine: false })
  })

  test('keeps a receipt genuine when the payslip is corrected, mentions the correction, and issues a new one for the next version', async () => {
    const person = await corp.person()
    const { slip_id, batch_id } = await paid(person)
    const own = await world.signIn(person)
    const { receipt } = await own.must(employee.confirmSlip, { slip_id, version: 1 })
    await caller.must(slip.editSalaryDetail, {
      salary_id: slip_id,
      cells: [{ key: 'c4', value: '8100' }],
      reason: '补发',
      mismatch_reason: '补发',
    })
    expect((await verified(receipt)).receipt).toMatchObject({ version: 1, slip_status: 'corrected', handwritten: false })
    expect((await own.must(employee.getSlip, { slip_id })).receipt).toBeNull()
    const next = await own.must(employee.confirmSlip, { slip_id, version: 2 })
    expect((await own.must(getReceipt, { slip_id })).list.map(({ version, stands }) => [version, stands])).toEqual([
      [2, true],
      [1, false],
    ])
    await caller.must(slip.withdrawBatchPaySheet, { batch_id, reason: '算错' })
    expect((await verified(next.receipt)).receipt).toMatchObject({ slip_status: 'withdrawn' })
    expect((await own.call(getReceipt, { slip_id })).code).toBe(errorCodes.not_found.code)
  })

  test('rejects a receipt of another company, an unknown company or another key without details', async () => {
    const person = await corp.person()
    const { slip_id } = await paid(person)
    const { receipt } = await (await world.signIn(person)).must(employee.confirmSlip, { slip_id, version: 1 })
    const [head = '', body = '', signature = ''] = receipt.split('.')
    const other = await world.createCompany({ name: '乙公司' })
    const moved = (more: object) => {
      const says = { ...JSON.parse(Buffer.from(body, 'base64url').toString()), ...more }
      return `${head}.${Buffer.from(JSON.stringify(says)).toString('base64url')}.${signature}`
    }
    const nothing = (reason: string) => ({ genuine: false, reason, receipt: null })
    expect(await verified(moved({ company_id: other.company_id }))).toMatchObject(nothing('unknown_key'))
    expect(await verified(moved({ person: '别人' }))).toMatchObject(nothing('forged'))
    expect(await verified(moved({ amount: 1 }))).toMatchObject(nothing('damaged'))
    expect(await verified('回执')).toMatchObject(nothing('unreadable'))
  })

  test('stores receipts encrypted and does not let the application change or delete them', async () => {
    await expect(raw('update receipt set version = version + 1')).rejects.toThrow(/permission denied/)
    await expect(raw('delete from receipt')).rejects.toThrow(/permission denied/)
    await expect(raw('delete from receipt_key')).rejects.toThrow(/permission denied/)
    const rows = await world.database.inCompany(corp.company_id, (tx) => tx.selectFrom('receipt').select('proof').execute())
    for (const { proof } of rows) expect(proof.toString('latin1')).not.toMatch(/xinhan-(slip|receipt)/)
  })

  test('uses a new key after a year; the old key vouches for it, cannot sign any more, and its receipts remain genuine', async () => {
    const person = await corp.person()
    const [before, meanwhile, after] = [await paid(person), await paid(person), await paid(person)]
    const own = await world.signIn(person)
    const old = await own.must(employee.confirmSlip, { slip_id: before.slip_id, version: 1 })
    const [first] = await world.database.inCompany(corp.company_id, (tx) => tx.selectFrom('receipt_key').selectAll().execute())
    expect(first?.private_key).not.toBeNull()
    world.clock.advance(360 * 86_400_000)
    const late = await (await world.signIn(person)).must(employee.confirmSlip, { slip_id: meanwhile.slip_id, version: 1 })
    expect(parseReceipt(late.receipt).kid).toBe(parseReceipt(old.receipt).kid)
    world.clock.advance(6 * 86_400_000)
    caller = await world.signIn(payer)
    const again = await world.signIn(person)
    const { receipt } = await again.must(employee.confirmSlip, { slip_id: after.slip_id, version: 1 })
    const keys = await world.database.inCompany(corp.company_id, (tx) =>
      tx.selectFrom('receipt_key').select(['kid', 'private_key']).orderBy('number').execute(),
    )
    expect(keys.map(({ private_key }) => private_key === null)).toEqual([true, false])
    expect(parseReceipt(receipt).kid).toBe(keys[1]?.kid)
    expect([(await verified(old.receipt)).genuine, (await verified(receipt)).genuine]).toEqual([true, true])
  })
})

describe('receipt exports', () => {
  async function exported(
    batch_id: string,
    what: slip.ExportKind,
    more: { salary_id?: string; format?: 'pdf'; paper?: slip.PaperOptions } = {},
  ) {
    // More files than a person may export within an hour.
    const earlier = new Date(world.clock.now().getTime() - 3_600_000)
    await world.database.inCompany(corp.company_id, (tx) =>
      tx.updateTable('export_job').set({ created_at: earlier }).where('company_id', '=', corp.company_id).execute(),
    )
    const { job_id } = await caller.must(slip.exportWageDetail, { batch_id, what, ...more })
    await world.product.jobs.drain()
    const status = await caller.must(slip.getExportStatus, { job_id })
    expect(status).toMatchObject({ done: true, failed: null })
    const file = await caller.call(files.download, { oss_path: status.oss_path ?? '' })
    return { job_id, bytes: file.data as unknown as Buffer, file_name: status.file_name, note: status.note }
  }

  test('exports receipts, corrections and evidence of a batch, and of one member', async () => {
    const [one, two] = [await corp.person({ name: '张三' }), await corp.person({ name: '李四' })]
    const batch_id = await makeBatch(world, payer, [one, two], { title: '证据测试' })
    await send(caller, batch_id, ['link'], { rules: { confirm: true } })
    await world.product.jobs.drain()
    const [first, second] = await salaries(world, corp, batch_id)
    const slip_id = first?.id ?? ''
    const own = await world.signIn(one)
    await own.must(employee.confirmSlip, { slip_id, version: 1 })
    await own.must(employee.feedbackSlip, { slip_id, content: '绩效不对' })
    await caller.must(slip.editSalaryDetail, {
      salary_id: slip_id,
      cells: [{ key: 'c2', value: '9000' }],
      reason: '补发',
      mismatch_reason: '补发',
    })
    const { receipt } = await own.must(employee.confirmSlip, { slip_id, version: 2, signature: 'M1 1L2 2' })

    const receipts = (await readXlsx((await exported(batch_id, 'receipts')).bytes)).sheets[0]?.rows ?? []
    expect(receipts.map((row) => [row[0], row[2], row[3]])).toEqual([
      ['员工', '版本', '确认方式'],
      ['张三', '第 1 版', '点击确认'],
      ['张三', '第 2 版', '手写签名'],
    ])
    expect(receipts[2]?.at(-1)).toBe(receipt)
    const log = (await readXlsx((await exported(batch_id, 'log')).bytes)).sheets[0]?.rows ?? []
    expect(log[1]?.filter((_, at) => at !== 1 && at !== 2)).toEqual([
      '张三',
      payer.name,
      '第 2 版',
      '基本工资',
      '8,125.47',
      '9,000.00',
      expect.stringContaining('补发'),
    ])

    const full = await exported(batch_id, 'evidence')
    expect(full.file_name).toBe('证据测试-证据.jsonl')
    expect(verifyFile(full.bytes)).toMatchObject({
      genuine: true,
      lines: [
        expect.stringContaining('证据测试'),
        '2 张工资条，2 份确认回执，逐份有效；全部内容与封签一致。',
        expect.anything(),
        expect.stringContaining('第三方时间戳：'),
        expect.stringContaining('时间戳证书指纹'),
      ],
    })
    // A time-stamping service that is slow, refuses or returns something else prevents no package: it is created and
    // states what is missing.
    for (const mood of ['refuses', 'hangs up', 'other hash'] as const) {
      authority.state.mood = mood
      const plain = await exported(batch_id, 'evidence')
      expect(verifyFile(plain.bytes)).toMatchObject({ genuine: true, authority: null })
      expect(plain.note).toMatch(/^没有第三方时间戳：.*证据已生成/)
    }
    authority.state.mood = 'well'
    expect(full.note).toBeNull()
    const lines = full.bytes
      .toString()
      .split('\n')
      .map((line) => JSON.parse(line))
    expect(lines[1]).toMatchObject({
      person: '张三',
      version: 2,
      moments: [{ confirmed_at: expect.any(String) }, { confirmed_at: expect.any(String) }],
      questions: [{ from: 'employee', content: '绩效不对' }],
    })
    expect(lines[1].messages.map(({ about }: { about: string }) => about)).toEqual(['slip', 'corrected'])
    // The first confirmation is still included in its original form.
    expect(lines[1].receipts.map(({ form }: { form: string }) => JSON.parse(form).version)).toEqual([1, 2])
    const alone = await exported(batch_id, 'evidence', { salary_id: second?.id ?? '' })
    expect(verifyFile(alone.bytes)).toMatchObject({ genuine: true })
    expect(alone.bytes.toString()).not.toContain('张三')
    const paper = await exported(batch_id, 'paper', { salary_id: slip_id })
    expect([paper.file_name, paper.bytes.subarray(0, 5).toString()]).toEqual(['证据测试-证据.pdf', '%PDF-'])
    expect((await caller.call(slip.exportWageDetail, { batch_id, what: 'log', format: 'pdf' })).data).toEqual({ field: 'format' })
    const pages = async (bytes: Buffer) => (await extractText(await getDocumentProxy(new Uint8Array(bytes)))).text
    // The pages of all employees in sequence, and the receipts of all on few pages.
    const all = await pages((await exported(batch_id, 'paper', { paper: { size: 'A5', large: true } })).bytes)
    expect(['张三', '李四'].map((name) => all.some((text) => text.includes(name)))).toEqual([true, true])
    const few = await exported(batch_id, 'receipts', { format: 'pdf' })
    const [text = '', ...more] = await pages(few.bytes)
    expect([few.file_name, more.length]).toEqual(['证据测试-确认回执.pdf', 0])
    expect(text.normalize('NFKC')).toMatch(/张三[\s\S]*第 1 版[\s\S]*点击确认[\s\S]*第 2 版[\s\S]*手写签名/)
    expect(text).not.toContain('李四')
    // An export requested in the evening is available in the morning.
    world.clock.advance(20 * 3_600_000)
    caller = await world.signIn(payer)
    expect(await caller.must(slip.getExportStatus, { job_id: full.job_id })).toMatchObject({ oss_path: expect.any(String) })
    const elsewhere = await makeBatch(world, payer, [one], {})
    await send(caller, elsewhere, ['link'])
    expect((await caller.call(slip.exportWageDetail, { batch_id: elsewhere, what: 'evidence', salary_id: slip_id })).code).toBe(
      errorCodes.not_found.code,
    )
  })
})
