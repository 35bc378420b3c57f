/** Upload progress of a wage sheet, its sheet layout, and the file with issues written into it. */
import { beforeAll, describe, expect, it } from 'vitest'
import type { CallOutput, CallRequest } from '../../../server/contract/call.ts'
import * as fileCalls from '../../../server/contract/files/files.ts'
import * as wage from '../../../server/contract/sheets/sheet.ts'
import type { ExternalContext } from '../../../server/http/handler.ts'
import { UploadProgressReporter } from '../../../server/modules/sheets/upload/progress.ts'
import { newId } from '../../../server/shared/ids.ts'
import { readGrids } from '../../../server/spreadsheets/read/read-grids.ts'
import { demoWorld } from '../../support/demo.ts'
import { demoWageSheet } from '../../support/files/demo-sheet.ts'
import { book, getUpload, type Office, openOffice, withheld } from '../../support/office.ts'
import type { Caller } from '../../support/world.ts'

let office: Office
let clerk: Caller
const world = demoWorld()
beforeAll(async () => {
  office = await openOffice(world, ['赵一', '钱二', '孙三'])
  clerk = office.clerk
})

const progress = (who: Caller, upload_id: string) => who.must(wage.getUploadProgress, { upload_id })
const nothing = {
  upload_id: null,
  batch_id: null,
  file_name: '',
  bytes: 0,
  by: '',
  said: '',
  is_running: false,
  stage: 'waiting',
  done: 0,
  total: 0,
  sheet: '',
  labels: [],
}

describe('upload progress', () => {
  it('shows upload progress to the uploading user and to nobody else', async () => {
    const upload_id = newId()
    const other = await world.signIn(await office.corp.person({ name: '别人', power: ['2'] }))
    expect(await progress(clerk, upload_id)).toEqual(nothing)
    await getUpload(clerk, demoWageSheet(office.staff), { upload_id })
    const done = await progress(clerk, upload_id)
    expect(done).toMatchObject({ stage: 'done', done: 3, total: 3, sheet: '工资表' })
    expect(done.labels).toContain('实发工资')
    expect(await progress(other, upload_id)).toEqual(nothing)
    // Using another user's upload id overwrites nothing and shows nothing.
    await getUpload(other, demoWageSheet(office.staff, { sheet: '别的表' }), { upload_id })
    expect((await progress(clerk, upload_id)).sheet).toBe('工资表')
    expect(await progress(other, upload_id)).toEqual(nothing)
  })

  it('shows upload progress while rows are being stored', async () => {
    const upload_id = newId()
    const people = Array.from({ length: 3000 }, (_, at) => ({ name: `员工${at}`, mobile: `199${String(at).padStart(8, '0')}` }))
    const viewed: CallOutput<typeof wage.getUploadProgress>[] = []
    const goOn = await withheld(world, office)
    const uploading = getUpload(clerk, demoWageSheet(people), { upload_id })
    // Polls until it is visible: on a busy machine every single poll may come before or after.
    do viewed.push(await progress(clerk, upload_id))
    while (viewed.at(-1)?.stage !== 'keeping' && viewed.at(-1)?.stage !== 'done')
    await goOn()
    await uploading
    const stages = [...new Set(viewed.map(({ stage }) => stage))]
    expect(stages).toContain('keeping')
    expect(['waiting', 'reading', 'keeping'].filter((stage) => stages.some((one) => one === stage))).toEqual(stages)
    expect(viewed.at(-1)).toMatchObject({ total: 3000, sheet: '工资表' })
    expect(await progress(clerk, upload_id)).toMatchObject({ stage: 'done', done: 3000, total: 3000 })
  })

  it('deletes upload progress after a failed upload and after a day', async () => {
    const upload_id = newId()
    const file = { name: 'a.xlsx', bytes: Buffer.from('no sheet at all') }
    expect((await clerk.call(wage.uploadWageExcel, { upload_id }, { file })).code).toBe(100002)
    expect(await progress(clerk, upload_id)).toEqual(nothing)
    const rows = () =>
      world.database.inCompany(office.corp.company_id, (tx) => tx.selectFrom('upload_progress').select('id').execute())
    expect((await rows()).length).toBeGreaterThan(0)
    await world.database.inCompany(office.corp.company_id, (tx) =>
      tx
        .updateTable('upload_progress')
        .set({ updated_at: new Date('2026-11-18T00:00:00Z') })
        .execute(),
    )
    const next = newId()
    await getUpload(clerk, demoWageSheet(office.staff), { upload_id: next })
    expect((await rows()).map(({ id }) => id)).toEqual([next])
  })

  it('writes upload progress no more often than clients poll, and never fails the upload', async () => {
    let at = 0
    const written: unknown[] = []
    const inTransaction = ((fn: never) => {
      written.push(fn)
      return Promise.reject(new Error('no connection'))
    }) as ExternalContext['inTransaction']
    const progress = new UploadProgressReporter({ inTransaction }, newId(), () => at)
    const rotate = () => new Promise((go) => setImmediate(go))
    progress.report({ stage: 'keeping' })
    await rotate()
    for (at = 0; at < 900; at += 50) {
      progress.report({ done: at })
      await rotate()
    }
    expect(written.length).toBe(3)
    await progress.end('done')
    expect(written.length).toBe(4)
  })
})

describe('wage sheet with issues', () => {
  const head = ['姓名', '手机号', '基本工资', '扣款', '实发工资']
  const sheet = () =>
    book(head, [
      ...office.staff.map((one) => [one.name, one.mobile, 8000, 500, 7500]),
      ['路人', null, 8000, 500, 7500],
      [office.staff[0]?.name, '1390', 8000, 500, '见备注'],
    ])
  const download = async (who: Caller, request: CallRequest<typeof wage.exportIssues>) => {
    const { oss_path, ...more } = await who.must(wage.exportIssues, request)
    const response = await world.product.app.inject({
      method: 'GET',
      url: fileCalls.download.path,
      query: { oss_path },
      headers: { cookie: who.headers.cookie ?? '' },
    })
    return { ...more, bytes: response.rawPayload, oss_path }
  }

  it('refuses the annotated wage sheet without issues, to other users, and for a batch without a file', async () => {
    const { batch_id } = await getUpload(
      clerk,
      book(
        head,
        office.staff.map((one) => [one.name, one.mobile, 8000, 500, 7500]),
      ),
    )
    expect((await clerk.call(wage.exportIssues, { batch_id })).code).toBe(100409)
    const bad = await getUpload(clerk, sheet())
    const other = await world.signIn(await office.corp.person({ name: '乙', power: ['2'] }))
    expect((await other.call(wage.exportIssues, { batch_id: bad.batch_id })).code).toBe(100404)
    const head4 = await world.signIn(await office.corp.person({ name: '系统', power: ['4'] }))
    expect((await head4.call(wage.exportIssues, { batch_id: bad.batch_id })).code).toBe(0)
  })

  it('names every issue in the annotated wage sheet, which opens again and downloads once', async () => {
    const { batch_id } = await getUpload(clerk, sheet())
    const { problems } = await clerk.must(wage.checkWageData, { batch_id })
    expect(problems.length).toBeGreaterThan(1)
    const made = await download(clerk, { batch_id })
    expect(made).toMatchObject({ file_name: '工资表-问题.xlsx', problems: problems.length })
    const grids = await readGrids(Buffer.from(made.bytes))
    expect(grids.map(({ name }) => name)).toEqual(['问题清单', '工资'])
    const texts = (at: number) => JSON.stringify(grids[at]?.rows)
    for (const { message } of problems) expect(texts(0)).toContain(message)
    for (const name of ['赵一', '路人', '见备注']) expect(texts(1)).toContain(name)
    const again = await world.product.app.inject({
      method: 'GET',
      url: fileCalls.download.path,
      query: { oss_path: made.oss_path },
      headers: { cookie: clerk.headers.cookie ?? '' },
    })
    expect(again.json()).toMatchObject({ error_code: 100404 })
  })
})

describe('sheet layout', () => {
  it('shows every row of the sheet with its recognized kind, merged cells and windows', async () => {
    const { batch_id } = await getUpload(clerk, demoWageSheet(office.staff))
    const all = await clerk.must(wage.getSheetGrid, { batch_id, from: 1, count: 100 })
    expect(all.rows.map(({ row, kind }) => [row, kind])).toEqual([
      [1, 'left'],
      [2, 'header'],
      [3, 'header'],
      [4, 'person'],
      [5, 'person'],
      [6, 'person'],
      [7, 'left'],
      [8, 'left'],
    ])
    expect(all.rows[3]?.cells.slice(0, 2)).toEqual(['1', '赵一'])
    expect(all.rows[6]?.cells[0]).toBe('合计')
    const some = await clerk.must(wage.getSheetGrid, { batch_id, from: 3, count: 2 })
    expect(some.rows).toEqual(all.rows.slice(2, 4))
    // A merged range that reaches into the window is complete.
    expect(some.merges).toContainEqual({ top: 2, left: 1, bottom: 3, right: 1 })
    expect(some.merges.every(({ bottom }) => bottom >= 3)).toBe(true)
    expect((await clerk.must(wage.getSheetGrid, { batch_id, from: 9, count: 5 })).rows).toEqual([])
  })
})
