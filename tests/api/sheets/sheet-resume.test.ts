/**
 * An upload outlives its page: its progress is found again, it continues when its handler has died, and it ends when it
 * is deleted.
 */
import { type ClientRequest, request } from 'node:http'
import { expect, it, vi } from 'vitest'
import * as wage from '../../../server/contract/sheets/sheet.ts'
import { newId } from '../../../server/shared/ids.ts'
import { readerSlots } from '../../../server/spreadsheets/child/reader-slots.ts'
import { demoWorld } from '../../support/demo.ts'
import { demoWageSheet } from '../../support/files/demo-sheet.ts'
import { makeXlsx } from '../../support/files/xlsx.ts'
import { getUpload, type Office, openOffice, withheld } from '../../support/office.ts'
import type { Caller } from '../../support/world.ts'

const world = demoWorld()
const office = () => openOffice(world, ['赵一', '钱二', '孙三'])
const patience = { timeout: 30_000, interval: 20 }
const progress = (who: Caller, of: { upload_id?: string; batch_id?: string } = {}) => who.must(wage.getUploadProgress, of)
const reaches = (who: Caller, upload_id: string, stage: string) =>
  vi.waitFor(async () => expect((await progress(who, { upload_id })).stage).toBe(stage), patience)

/** Sends a request like a browser, which can disconnect before the response. */
async function sending(who: Caller, bytes: Buffer, fields: Record<string, string>): Promise<ClientRequest> {
  const { hostname: host, port } = await world.listen()
  const boundary = '----upload'
  const part = (name: string, more = '') => `--${boundary}\r\ncontent-disposition: form-data; name="${name}"${more}\r\n\r\n`
  const texts = Object.entries(fields).map(([name, value]) => `${part(name)}${value}\r\n`)
  const head = Buffer.from(`${texts.join('')}${part('file', '; filename="pay.xlsx"')}`)
  const body = Buffer.concat([head, bytes, Buffer.from(`\r\n--${boundary}--\r\n`)])
  const headers = { ...who.headers, 'content-type': `multipart/form-data; boundary=${boundary}`, 'content-length': body.length }
  const one = request({ host, port, method: 'POST', path: wage.uploadWageExcel.path, headers })
  one.on('error', () => undefined)
  one.end(body)
  return one
}

const count = ({ corp }: Office, table: 'batch' | 'file') =>
  world.database.inCompany(corp.company_id, async (tx) => (await tx.selectFrom(table).select('id').execute()).length)

it('continues the upload when the page is reloaded, and the page finds it', async () => {
  const context = await office()
  const { clerk, staff, corp } = context
  const upload_id = newId()
  const other = await world.signIn(await corp.person({ name: '别人', power: ['2'] }))
  const goOn = await withheld(world, context)
  const page = await sending(clerk, demoWageSheet(staff), { upload_id })
  await reaches(clerk, upload_id, 'keeping')
  page.destroy()
  expect(await progress(clerk)).toMatchObject({
    upload_id,
    stage: 'keeping',
    is_running: true,
    file_name: 'pay.xlsx',
    by: '',
    total: 3,
  })
  // Nobody else sees it.
  expect((await progress(other)).upload_id).toBe(null)
  await goOn()
  await reaches(clerk, upload_id, 'done')
  const { batch_id } = await progress(clerk, { upload_id })
  expect((await clerk.must(wage.getTitleInfo, { batch_id: batch_id ?? '' })).rows).toBe(3)
  expect((await clerk.must(wage.fetchCache, {})).wizard).toMatchObject({ step: 'wageSend1', batch_id })
  expect([await count(context, 'batch'), await count(context, 'file')]).toEqual([1, 1])
  expect((await progress(clerk)).upload_id).toBe(null)
})

it('resumes an abandoned upload once, from the stored file', async () => {
  const context = await office()
  const { clerk, staff, corp } = context
  const upload_id = newId()
  const leave = await readerSlots.acquire({ owner: corp.company_id })
  const page = await sending(clerk, demoWageSheet(staff), { upload_id })
  await vi.waitFor(async () => expect((await progress(clerk)).is_running).toBe(true), patience)
  // While the upload is being handled, nobody else can take it.
  expect((await clerk.call(wage.uploadWageExcel, { upload_id, resume: '1' })).code).toBe(100409)
  page.destroy()
  await vi.waitFor(
    async () => expect(await progress(clerk)).toMatchObject({ upload_id, stage: 'waiting', is_running: false }),
    patience,
  )
  leave()
  const [one, other] = await Promise.all([1, 2].map(() => clerk.call(wage.uploadWageExcel, { upload_id, resume: '1' })))
  expect([one?.code, other?.code].toSorted()).toEqual([0, 100409])
  expect([await count(context, 'batch'), await count(context, 'file')]).toEqual([1, 1])
  // The file belongs to the batch now, and is kept.
  const { list } = await clerk.must(wage.getDetailUpload, { batch_id: (await progress(clerk, { upload_id })).batch_id ?? '' })
  expect(list.length).toBe(3)
  const stored = await world.database.inCompany(corp.company_id, (tx) =>
    tx.selectFrom('file').select(['expires_at', 'subject_id']).execute(),
  )
  expect(stored).toEqual([{ expires_at: null, subject_id: null }])
})

it.each([
  ['has expired', -86_400_000],
  ['lies a day ahead, because the clock was set back', 86_400_000],
])('lets a returning user resume after the lease of a dead server %s', async (_, ms) => {
  const context = await office()
  const { clerk, staff, corp } = context
  const upload_id = newId()
  const leave = await readerSlots.acquire({ owner: corp.company_id })
  const page = await sending(clerk, demoWageSheet(staff), { upload_id })
  page.on('close', () => undefined)
  await vi.waitFor(async () => expect((await progress(clerk)).is_running).toBe(true), patience)
  page.destroy()
  await vi.waitFor(async () => expect((await progress(clerk)).is_running).toBe(false), patience)
  leave()
  // The upload is half done, as the dead server left it.
  await world.database.inCompany(corp.company_id, (tx) =>
    tx
      .updateTable('upload_progress')
      .set({ stage: 'keeping', done: 2, leased_until: new Date(Date.now() + ms) })
      .where('id', '=', upload_id)
      .execute(),
  )
  expect(await progress(clerk)).toMatchObject({ stage: 'keeping', is_running: false })
  await clerk.must(wage.uploadWageExcel, { upload_id, resume: '1' })
  expect(await progress(clerk, { upload_id })).toMatchObject({ stage: 'done', done: 3 })
})

it('shows another administrator who is replacing the wage sheet of a batch', async () => {
  const context = await office()
  const { clerk, staff, corp } = context
  const book = (pay: number) =>
    makeXlsx({
      sheets: ['一部', '二部'].map((name) => ({
        name,
        rows: [['姓名', '手机号', '实发工资'], ...staff.map((one) => [one.name, one.mobile, pay])],
      })),
    })
  const { batch_id } = await getUpload(clerk, book(5000), { sheet: '一部' })
  const other = await world.signIn(await corp.person({ name: '审计员', power: ['2', '4'] }))
  const goOn = await withheld(world, context)
  const page = await sending(clerk, book(6000), { upload_id: newId(), batch_id })
  await vi.waitFor(async () => expect((await progress(other, { batch_id })).stage).toBe('keeping'), patience)
  expect(await progress(other, { batch_id })).toMatchObject({ by: '薪资员', is_running: true, file_name: 'pay.xlsx' })
  page.destroy()
  await goOn()
  await vi.waitFor(async () => expect((await progress(other, { batch_id })).upload_id).toBe(null), patience)
  const { list } = await other.must(wage.getDetailUpload, { batch_id })
  expect(list[0]?.cells['c2']?.value).toBe('6000')
  // The old file was deleted with the old wage sheet.
  expect([await count(context, 'batch'), await count(context, 'file')]).toEqual([1, 1])
})

it('leaves nothing behind after an upload is deleted', async () => {
  const context = await office()
  const { clerk, staff } = context
  const upload_id = newId()
  const goOn = await withheld(world, context)
  const page = await sending(clerk, demoWageSheet(staff), { upload_id })
  await reaches(clerk, upload_id, 'keeping')
  page.destroy()
  await clerk.must(wage.clearUpload, { upload_id })
  await goOn()
  await vi.waitFor(async () => expect([await count(context, 'batch'), await count(context, 'file')]).toEqual([0, 0]), patience)
  expect((await progress(clerk)).upload_id).toBe(null)
})

it('stores the reason of a failure for a user who has left, until they upload another file', async () => {
  const context = await office()
  const { clerk, staff } = context
  const { batch_id } = await getUpload(clerk, demoWageSheet(staff))
  const { title_id } = await clerk.must(wage.insertBatchTitle, { batch_id, title: '十月', month: '2026-10' })
  const head = await world.signIn(await context.corp.person({ power: ['4'] }))
  const goOn = await withheld(world, context)
  const upload_id = newId()
  const page = await sending(clerk, demoWageSheet(staff), { upload_id, title_id })
  await reaches(clerk, upload_id, 'keeping')
  page.destroy()
  // Another user does this, because all actions of the first one are blocked meanwhile.
  await head.must(wage.clearBatchTitle, { batch_id })
  await goOn()
  await reaches(clerk, upload_id, 'refused')
  expect(await progress(clerk)).toMatchObject({
    upload_id,
    stage: 'refused',
    is_running: false,
    said: expect.stringContaining('没有找到'),
  })
  await getUpload(clerk, demoWageSheet(staff), { upload_id: newId() })
  expect((await progress(clerk)).upload_id).toBe(null)
})
