/** A duplicate upload request creates one batch; an aborted one leaves nothing behind; amounts keep their fen. */
import { type IncomingMessage, request } from 'node:http'
import { sql } from 'kysely'
import { expect, it, vi } from 'vitest'
import * as sheet from '../../../server/contract/sheets/sheet.ts'
import { demo } from '../../support/demo.ts'
import { demoWageSheet } from '../../support/files/demo-sheet.ts'
import { makeXlsx } from '../../support/files/xlsx.ts'

const { world, corp, payroll: caller } = demo()

const batches = async (): Promise<number> =>
  (
    await world.database.inCompany(corp.company_id, (tx) =>
      tx.selectFrom('batch').select('id').where('company_id', '=', corp.company_id).execute(),
    )
  ).length

/** Counts the open transactions in this database, without its own. */
const atWork = () =>
  world.database.withoutCompany(async (tx) => {
    const requested = sql<{ count: number }>`select count(*)::int as count from pg_stat_activity
      where datname = current_database() and pid <> pg_backend_pid() and xact_start is not null`
    return (await requested.execute(tx)).rows[0]?.count
  })

it('creates one batch for three concurrent requests with the same key, with the same response', async () => {
  const file = { name: '工资.xlsx', bytes: demoWageSheet(await corp.people(3)) }
  const before = await batches()
  const answers = await Promise.all([1, 2, 3].map(() => caller.must(sheet.uploadWageExcel, {}, { file, key: 'upload-key-1' })))
  expect(new Set(answers.map((one) => one.batch_id)).size).toBe(1)
  expect(await batches()).toBe(before + 1)
  const other = { name: '工资.xlsx', bytes: demoWageSheet(await corp.people(4)) }
  expect((await caller.call(sheet.uploadWageExcel, {}, { file: other, key: 'upload-key-1' })).code).toBe(100001)
})

it('leaves nothing behind if the client disconnects while its wage sheet is being parsed', async () => {
  const address = await world.listen()
  const people = Array.from({ length: 4000 }, (_, at) => ({ name: `员工${at}`, mobile: `199${String(at).padStart(8, '0')}` }))
  const bytes = demoWageSheet(people)
  const before = await batches()
  const boundary = '----gone'
  const head = `--${boundary}\r\ncontent-disposition: form-data; name="file"; filename="a.xlsx"\r\n\r\n`
  const body = Buffer.concat([Buffer.from(head), bytes, Buffer.from(`\r\n--${boundary}--\r\n`)])
  await new Promise<void>((done) => {
    const sending = request({
      host: address.hostname,
      port: address.port,
      method: 'POST',
      path: sheet.uploadWageExcel.path,
      headers: { ...caller.headers, 'content-type': `multipart/form-data; boundary=${boundary}`, 'content-length': body.length },
    })
    sending.on('error', () => done())
    sending.on('close', () => done())
    sending.end(body)
    // The client disconnects after the last byte, when parsing starts.
    world.product.app.server.once('request', (requested: IncomingMessage) => requested.once('end', () => sending.destroy()))
  })
  // The same file with a waiting client: any work in progress for the first client ends before it does.
  await caller.must(sheet.uploadWageExcel, {}, { file: { name: '工资.xlsx', bytes } })
  await vi.waitFor(async () => expect(await atWork()).toBe(0), { timeout: 30_000, interval: 20 })
  expect(await batches()).toBe(before + 1)
})

it('keeps the fen of an amount with more digits than the cell shows', async () => {
  const [person] = await corp.people(1)
  const bytes = makeXlsx({
    sheets: [
      {
        name: '工资',
        rows: [
          ['姓名', '手机号', '基本工资', '实发工资'],
          [person?.name ?? '', person?.mobile ?? '', { raw: '123456.674999999' }, { raw: '123456.674999999' }],
        ],
      },
    ],
  })
  const info = await caller.must(sheet.uploadWageExcel, {}, { file: { name: '工资.xlsx', bytes } })
  const people = await caller.must(sheet.getPreviewMember, { batch_id: info.batch_id })
  expect(people.list.map((one) => one.net_fen)).toEqual([12_345_667])
})
