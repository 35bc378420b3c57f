/** Rows of a wage sheet are stored in pages; rows with a decision have an additional decision row. */
import { expect, it } from 'vitest'
import * as wage from '../../../server/contract/sheets/sheet.ts'
import type { Tx } from '../../../server/database/database.ts'
import { computeRowsDigest, getRowVersions, streamCombinedRows } from '../../../server/modules/sheets/rows/stored-rows.ts'
import { skipRows, updateCells } from '../../../server/modules/sheets/rows/written-rows.ts'
import { demoWorld } from '../../support/demo.ts'
import { book, getUpload, openOffice } from '../../support/office.ts'

const world = demoWorld()
type Office = Awaited<ReturnType<typeof openOffice>>

async function getSheet(people: number) {
  const office = await openOffice(world, ['赵一', '钱二', '孙三'])
  const others = Array.from({ length: people - 3 }, (_, at) => ({ name: `员工${at}`, mobile: String(13_700_000_000 + at) }))
  const rows = [...office.staff, ...others].map(({ name, mobile }, at) => [name, mobile, 5000 + at, 0, 5000 + at])
  const info = await getUpload(office.clerk, book(['姓名', '手机号', '基本工资（元）', '扣款', '实发工资'], rows))
  await office.clerk.must(wage.insertBatchTitle, { batch_id: info.batch_id, title: '十月', month: '2026-10' })
  return { ...office, info, batch_id: info.batch_id }
}
const within = <T>({ corp }: Pick<Office, 'corp'>, work: (tx: Tx) => Promise<T>) =>
  world.database.inCompany(corp.company_id, work)
const getLines = (office: Pick<Office, 'corp'>, batch_id: string) =>
  within(office, (tx) =>
    tx
      .selectFrom('sheet_row')
      .select(['row_no', 'member_id', 'skipped', 'accepted', 'edited'])
      .where('batch_id', '=', batch_id)
      .orderBy('row_no')
      .execute(),
  )
/** The rows that a check reads, and their digest. */
const getStatus = ({ corp }: Pick<Office, 'corp'>, batch_id: string) =>
  within({ corp }, async (db) => {
    const where = { db, company_id: corp.company_id, vault: await world.secrets.vault(db, corp.company_id) }
    const rows = []
    for await (const some of streamCombinedRows(where, batch_id)) rows.push(...some)
    return { rows, signs: await getRowVersions(where, batch_id), digest: await computeRowsDigest(where, batch_id) }
  })

it('stores a decision row for each row with a decision, and none for the others', async () => {
  const office = await getSheet(620)
  const { clerk, batch_id, info } = office
  expect(await getLines(office, batch_id)).toEqual([])
  const before = await getStatus(office, batch_id)
  expect(before.rows.map(({ row }) => row)).toEqual(Array.from({ length: 620 }, (_, at) => at + 2))

  const basic = info.columns[2]?.key ?? ''
  const { problems } = await clerk.must(wage.checkWageData, { batch_id, kind: 'unknown_person' })
  const getId = (row: number) => problems.find((one) => one.row === row)?.id ?? ''
  await clerk.must(wage.dealWithSalaryList, {
    batch_id,
    actions: [
      { problem_id: getId(6), fix: 'skip' },
      { problem_id: getId(300), fix: 'skip' },
      { row: 2, column: basic, fix: 'edit', value: '5001' },
    ],
  })
  expect(await getLines(office, batch_id)).toMatchObject([
    { row_no: 2, skipped: false, edited: [basic] },
    { row_no: 6, skipped: true, edited: [] },
    { row_no: 300, skipped: true, edited: [] },
  ])
  // Versions, number and order of the other rows are unchanged.
  const after = await getStatus(office, batch_id)
  expect(after.digest).not.toBe(before.digest)
  expect(after.rows.map(({ row }) => row)).toEqual(before.rows.map(({ row }) => row))
  expect([...after.signs.byRow].filter(([row, sign]) => before.signs.byRow.get(row) !== sign).map(([row]) => row)).toEqual([
    2, 6, 300,
  ])
  for (const { signs, digest, rows } of [before, after]) {
    expect(signs.digest).toBe(digest)
    expect([...signs.byRow]).toEqual(rows.map(({ row, version }) => [row, version]))
  }

  // A number without a member row leaves nothing behind.
  await within(office, (db) => skipRows({ db, company_id: office.corp.company_id }, batch_id, [1, 5_000], true))
  expect((await getLines(office, batch_id)).map(({ row_no }) => row_no)).toEqual([2, 6, 300])

  // A restored row has no decision any more and is shown again.
  const display = async () => (await clerk.must(wage.getPreviewMember, { batch_id })).page.total
  expect(await display()).toBe(618)
  await clerk.must(wage.dealWithSalaryList, { batch_id, actions: [{ row: 300, fix: 'restore' }] })
  expect(await display()).toBe(619)
})

it('applies another unit to page rows and decision rows', async () => {
  const office = await openOffice(world, ['赵一', '钱二', '孙三'])
  const { clerk, staff } = office
  const rows = staff.map(({ name, mobile }, at) => [name, mobile, 1.2 + at / 10, 0, 1.2 + at / 10])
  const info = await getUpload(clerk, book(['姓名', '手机号', '基本工资（万元）', '扣款（万元）', '实发工资（万元）'], rows))
  const { batch_id } = info
  const edit = ['基本工资', '实发工资'].map((label) => ({
    row: 3,
    column: info.columns.find((column) => column.label.startsWith(label))?.key ?? '',
    fix: 'edit' as const,
    value: '15000',
  }))
  await clerk.must(wage.dealWithSalaryList, { batch_id, actions: edit })
  const nets = async () => (await clerk.must(wage.getPreviewMember, { batch_id })).list.map(({ net_fen }) => net_fen)
  expect(await nets()).toEqual([1_200_000, 1_500_000, 1_400_000])
  const id = info.questions.find(({ kind }) => kind === 'unit')?.id ?? ''
  await clerk.must(wage.checkRequireColumnData, { batch_id, columns: [], answers: [{ id, value: 'yuan' }] })
  expect(await nets()).toEqual([120, 150, 140])
  await clerk.must(wage.checkRequireColumnData, { batch_id, columns: [], answers: [{ id, value: 'wan' }] })
  expect(await nets()).toEqual([1_200_000, 1_500_000, 1_400_000])
})

it('reads a sheet whose decision rows were all rewritten: one row each, with its cells', async () => {
  const office = await getSheet(620)
  const { clerk, batch_id, corp } = office
  const before = await getStatus(office, batch_id)
  await within(office, async (db) => {
    const where = { db, company_id: corp.company_id, vault: await world.secrets.vault(db, corp.company_id) }
    await updateCells(where, batch_id, before.rows)
  })
  const after = await getStatus(office, batch_id)
  const unsigned = (rows: typeof before.rows) => rows.map((row) => ({ ...row, version: '' }))
  expect(unsigned(after.rows)).toEqual(unsigned(before.rows))
  expect([...after.signs.byRow]).toEqual(after.rows.map(({ row, version }) => [row, version]))
  const { list, page } = await clerk.must(wage.getPreviewMember, { batch_id, page: 13 })
  expect(page.total).toBe(620)
  expect(list.length).toBeGreaterThan(0)
  const { rows } = await clerk.must(wage.getSheetGrid, { batch_id, from: 600, count: 3 })
  expect(rows.map(({ cells }) => cells[0])).toEqual(['员工595', '员工596', '员工597'])
  expect((await clerk.must(wage.checkWageData, { batch_id })).counts.rows).toBe(620)
})
