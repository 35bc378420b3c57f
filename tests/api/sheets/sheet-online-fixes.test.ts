/**
 * Fixes on the issue page: any cell including the name; two rows that changed places; a phone number in the roster; and
 * the file with all of it.
 */
import { describe, expect, it } from 'vitest'
import type { CallRequest } from '../../../server/contract/call.ts'
import * as member from '../../../server/contract/directory/members.ts'
import * as fileCalls from '../../../server/contract/files/files.ts'
import * as send from '../../../server/contract/payslips/send.ts'
import * as wage from '../../../server/contract/sheets/sheet.ts'
import { readGrids } from '../../../server/spreadsheets/read/read-grids.ts'
import { demoWorld } from '../../support/demo.ts'
import type { XlsxCell } from '../../support/files/xlsx.ts'
import { book, getColumn, getUpload, openOffice } from '../../support/office.ts'
import type { Caller } from '../../support/world.ts'

const world = demoWorld()

const head = ['姓名', '手机号', '部门', '基本工资', '扣款', '实发工资', '备注']
type Action = CallRequest<typeof wage.dealWithSalaryList>['actions'][number]
const deal = (clerk: Caller, batch_id: string, ...actions: Action[]) => clerk.call(wage.dealWithSalaryList, { batch_id, actions })
const getKinds = async (clerk: Caller, batch_id: string) =>
  (await clerk.must(wage.checkWageData, { batch_id })).problems.map(({ name, kind }) => `${name} ${kind}`)
async function downloaded(clerk: Caller, batch_id: string) {
  const { oss_path, ...more } = await clerk.must(wage.exportIssues, { batch_id })
  const response = await world.product.app.inject({
    method: 'GET',
    url: fileCalls.download.path,
    query: { oss_path },
    headers: { cookie: clerk.headers.cookie ?? '' },
  })
  const bytes = Buffer.from(response.rawPayload)
  const grids = await readGrids(bytes)
  return { ...more, bytes, list: grids[0]?.rows ?? [], rows: grids.find(({ name }) => name === '工资')?.rows ?? [] }
}

/** 赵一 is misspelled, 钱二 has no pay, 孙三 does not add up. */
async function broken() {
  const office = await openOffice(world, ['赵一', '钱二', '孙三', '李四'])
  const [a, b, c, d] = office.staff.map(({ name, mobile }) => [name, mobile])
  const rows: XlsxCell[][] = [
    ['赵一一', a?.[1], '销售部', 8000, 500, 7500, ''],
    [b?.[0], b?.[1], '', 8000, 500, null, ''],
    [c?.[0], c?.[1], '', 8000, 500, 7600, ''],
    ...Array.from({ length: 1 }, (): XlsxCell[] => [d?.[0], d?.[1], '', 6000, 100, 5900, '']),
  ]
  // Enough rows satisfy the formula for it to be trusted.
  for (const name of ['周五', '吴六', '郑七', '王八', '冯九', '陈十']) {
    const one = await office.corp.person({ name })
    rows.push([one.name, one.mobile, '', 6000, 100, 5900, ''])
  }
  const info = await getUpload(office.clerk, book(head, rows))
  await office.clerk.must(wage.insertBatchTitle, { batch_id: info.batch_id, title: '十月', month: '2026-10' })
  return { ...office, info, batch_id: info.batch_id, key: (label: string) => getColumn(info, label) }
}

describe('refused fixes', () => {
  it('reports an invalid phone, an invalid amount or a missing cell at its field, and stores nothing', async () => {
    const { clerk, corp, batch_id, key } = await broken()
    const before = await clerk.must(wage.getSheetRow, { batch_id, row: 3 })
    const edit = (label: string, value: string) => deal(clerk, batch_id, { fix: 'edit', row: 3, column: key(label), value })
    for (const value of ['1390013', '23900139000', '139001390001'])
      expect(await edit('手机号', value)).toMatchObject({ code: 100001, data: { field: 'value' }, message: /11 位数字/ })
    expect(await edit('实发工资', '见备注')).toMatchObject({ code: 100001, data: { field: 'value' }, message: /要填金额/ })
    expect(await deal(clerk, batch_id, { fix: 'edit', row: 3, column: 'c99', value: '1' })).toMatchObject({ code: 100001 })
    expect(await deal(clerk, batch_id, { fix: 'edit', row: 999, column: 'c0', value: '1' })).toMatchObject({ code: 100001 })
    expect(await deal(clerk, batch_id, { fix: 'edit', row: 3, value: '1' })).toMatchObject({ code: 100001 })
    expect(await deal(clerk, batch_id, { fix: 'swap', problem_id: '4:sum_mismatch:c5' })).toMatchObject({ code: 100001 })
    expect(await clerk.must(wage.getSheetRow, { batch_id, row: 3 })).toEqual(before)
    expect(before).toMatchObject({ edited: [] })
    const outsider = await world.signIn(await corp.person({ name: '别人', power: ['2'] }))
    expect((await outsider.call(wage.getSheetRow, { batch_id, row: 3 })).code).toBe(100404)
    expect((await clerk.call(wage.getSheetRow, { batch_id, row: 900 })).code).toBe(100404)
  })
})

describe('editing any cell', () => {
  it('corrects any cell including the name, and returns rows with phone, department and pay', async () => {
    const { clerk, batch_id, key, staff } = await broken()
    const { problems } = await clerk.must(wage.checkWageData, { batch_id })
    expect(problems.map(({ name, kind }) => `${name} ${kind}`)).toEqual([
      '赵一一 name_mismatch',
      '钱二 missing_net',
      '孙三 sum_mismatch',
    ])
    expect(problems[0]).toMatchObject({
      value: staff[0]?.mobile,
      row_summary: { mobile: staff[0]?.mobile, is_mobile_used: true, department: '销售部', gross_fen: null, net_fen: 750_000 },
    })
    expect(problems[2]).toMatchObject({ expected_fen: 750_000 })
    const { data } = await deal(
      clerk,
      batch_id,
      { fix: 'edit', row: 2, column: key('姓名'), value: '赵一' },
      { fix: 'edit', row: 3, column: key('实发工资'), value: '7,500.00' },
      { fix: 'edit', problem_id: problems[2]?.id, value: '7500.00' },
      // There was no issue here.
      { fix: 'edit', row: 5, column: key('备注'), value: '补发' },
    )
    expect(data).toMatchObject({ done: 4 })
    expect(await getKinds(clerk, batch_id)).toEqual([])
    expect(await clerk.must(wage.getSheetRow, { batch_id, row: 2 })).toMatchObject({
      cells: { [key('姓名')]: '赵一' },
      edited: [key('姓名')],
    })
  })

  it('drops a manually selected member when the name is edited', async () => {
    const { clerk, batch_id, key, staff } = await broken()
    const [problem] = (await clerk.must(wage.checkWageData, { batch_id })).problems
    await deal(clerk, batch_id, { fix: 'match', problem_id: problem?.id, member_id: staff[0]?.member_id })
    expect(await getKinds(clerk, batch_id)).not.toContain('赵一一 name_mismatch')
    await deal(clerk, batch_id, { fix: 'edit', row: 2, column: key('备注'), value: '甲' })
    expect(await getKinds(clerk, batch_id)).not.toContain('赵一一 name_mismatch')
    await deal(clerk, batch_id, { fix: 'edit', row: 2, column: key('姓名'), value: '赵二一' })
    expect(await getKinds(clerk, batch_id)).toContain('赵二一 name_mismatch')
  })
})

describe('downloaded wage sheet', () => {
  it('contains corrections in the downloaded wage sheet, with amounts as numbers and the previous values noted', async () => {
    const { clerk, batch_id, key } = await broken()
    await deal(
      clerk,
      batch_id,
      { fix: 'edit', row: 2, column: key('姓名'), value: '赵一' },
      { fix: 'edit', row: 3, column: key('实发工资'), value: '7,500.00' },
    )
    const first = await downloaded(clerk, batch_id)
    expect(first).toMatchObject({ file_name: '工资表-问题.xlsx', problems: 1, edited_cell_count: 2 })
    expect(first.rows[1]?.[0]).toBe('赵一')
    expect(first.rows[2]?.[5]).toBe(7500)
    const notified = first.list.map((row) => row?.slice(1, 5))
    expect(notified).toContainEqual([2, 'A', '已改正', '在薪函中改正，原来是「赵一一」'])
    expect(notified).toContainEqual([3, 'F', '已改正', '在薪函中填写，原来是空的'])
    // The corrected file can still be downloaded when no issues are left, and uploading it works as well.
    await deal(clerk, batch_id, { fix: 'edit', row: 4, column: key('实发工资'), value: '7500' })
    const all = await downloaded(clerk, batch_id)
    expect(all).toMatchObject({ file_name: '工资表-已改正.xlsx', problems: 0, edited_cell_count: 3 })
    const again = await getUpload(clerk, all.bytes, { batch_id })
    expect(again.difference).toMatchObject({ changed_count: 0, added_count: 0, removed_count: 0 })
    expect(await getKinds(clerk, batch_id)).toEqual([])
    expect((await clerk.call(wage.exportIssues, { batch_id })).code).toBe(100409)
  })
})

describe('two swapped rows', () => {
  it('swaps two rows back with one action', async () => {
    const office = await openOffice(world, ['赵一', '钱二', '孙三', '李四', '周五', '吴六'])
    const { clerk, staff } = office
    const line = ({ name, mobile }: { name: string; mobile: string }, at: number): XlsxCell[] => [
      name,
      mobile,
      '',
      5000 + at * 731,
      100 + at * 13,
      4900 + at * 718,
      '',
    ]
    const right = staff.map((one, at) => line(one, at))
    const upload = async (rows: XlsxCell[][], month: string) => {
      const info = await getUpload(clerk, book(head, rows))
      await clerk.must(wage.insertBatchTitle, { batch_id: info.batch_id, title: `${month}工资`, month })
      return info
    }
    const { batch_id: before } = await upload(right, '2026-09')
    const { plan_id } = await clerk.must(send.sendPaySheet, { batch_id: before })
    await clerk.must(send.doSend, { plan_id, looked: true })
    await world.product.jobs.drain()
    const wrong = right.map((row, at) => {
      const other = at === 1 ? right[3] : at === 3 ? right[1] : row
      return [...row.slice(0, 3), ...(other ?? []).slice(3)]
    })
    const info = await upload(wrong, '2026-10')
    const { problems, counts } = await clerk.must(wage.checkWageData, { batch_id: info.batch_id })
    const swapped = problems.find(({ kind }) => kind === 'swapped_rows')
    expect(swapped).toMatchObject({ name: '钱二', row: 3, other_row: 5, fix: ['swap', 'accept', 'skip'] })
    expect((await deal(clerk, info.batch_id, { fix: 'swap', problem_id: swapped?.id })).data).toMatchObject({ done: 1 })
    const after = await clerk.must(wage.checkWageData, { batch_id: info.batch_id })
    expect(after.problems.filter(({ kind }) => kind === 'swapped_rows')).toEqual([])
    expect(after.counts.totals).toEqual(counts.totals)
    const row = await clerk.must(wage.getSheetRow, { batch_id: info.batch_id, row: 3 })
    expect(row.cells).toMatchObject({ c0: '钱二', c3: '5731', c5: '5618' })
    expect((await downloaded(clerk, info.batch_id)).rows[4]?.slice(0, 6)).toEqual(
      (right[3] ?? []).slice(0, 6).map((cell) => (cell === '' ? null : cell)),
    )
    // And restored with one more.
    expect(after.last_edit).toMatchObject({ kind: 'swap', rows: [3, 5] })
    await clerk.must(wage.undoEdit, { batch_id: info.batch_id, edit_id: after.last_edit?.edit_id ?? '' })
    const again = await clerk.must(wage.checkWageData, { batch_id: info.batch_id })
    expect(again.problems.find(({ kind }) => kind === 'swapped_rows')).toMatchObject({ row: 3, other_row: 5 })
    expect([again.edited_cell_count, again.last_edit]).toEqual([0, null])
  })
})

describe('changed phone number', () => {
  it('saves a changed phone in the roster by a separate call and matches the row; the existing member has to confirm it first', async () => {
    const office = await openOffice(world, ['赵一', '钱二'])
    const { clerk, staff, corp } = office
    const [a, b] = staff
    // Nobody else's number.
    const changed = `136${a?.mobile.slice(3)}`
    const info = await getUpload(
      clerk,
      book(head, [
        [a?.name, changed, '', 8000, 500, 7500, ''],
        [b?.name, b?.mobile, '', 8000, 500, 7500, ''],
      ]),
    )
    const { batch_id } = info
    const { problems } = await clerk.must(wage.checkWageData, { batch_id })
    expect(problems.map(({ kind }) => kind)).toEqual(['unknown_person'])
    expect(problems[0]?.candidates.map(({ member_id }) => member_id)).toEqual([a?.member_id])
    expect(problems[0]?.row_summary?.mobile).toBe(changed)
    // Creating them in bulk would duplicate the member.
    expect((await deal(clerk, batch_id, { fix: 'create', kind: 'unknown_person' })).data).toMatchObject({
      done: 0,
      remaining_count: 0,
    })
    await clerk.must(member.editMemberInfo, { id: a?.member_id ?? '', mobile: changed })
    expect(await getKinds(clerk, batch_id)).toEqual([])
    const pending = await world.database.inCompany(corp.company_id, (tx) =>
      tx
        .selectFrom('member')
        .select('unconfirmed_at')
        .where('id', '=', a?.member_id ?? '')
        .executeTakeFirstOrThrow(),
    )
    expect(pending.unconfirmed_at).not.toBeNull()
  })
})

describe('undo', () => {
  const undo = (clerk: Caller, batch_id: string, edit_id: string) => clerk.call(wage.undoEdit, { batch_id, edit_id })
  const last = async (clerk: Caller, batch_id: string) => (await clerk.must(wage.checkWageData, { batch_id })).last_edit

  it('undoes corrected cells newest first, with status, selected member and accepted warnings, and keeps both in the audit log', async () => {
    const { clerk, batch_id, key, corp } = await broken()
    const row = () => clerk.must(wage.getSheetRow, { batch_id, row: 2 })
    const began = { row: await row(), kinds: await getKinds(clerk, batch_id) }
    expect(await last(clerk, batch_id)).toBe(null)
    const edit = (label: string, value: string) => deal(clerk, batch_id, { fix: 'edit', row: 2, column: key(label), value })
    await edit('姓名', '赵一')
    const middle = { row: await row(), kinds: await getKinds(clerk, batch_id) }
    await edit('姓名', '赵二')
    const notified = await last(clerk, batch_id)
    expect(notified).toMatchObject({
      kind: 'edit',
      rows: [2],
      cells: 1,
      name: '赵二',
      column: key('姓名'),
      from: '赵一',
      to: '赵二',
    })
    const first = await undo(clerk, batch_id, notified?.edit_id ?? '')
    expect(first.code).toBe(0)
    expect({ row: await row(), kinds: await getKinds(clerk, batch_id) }).toEqual(middle)
    // A repeated undo does not undo anything more.
    expect((await undo(clerk, batch_id, notified?.edit_id ?? '')).code).toBe(100409)
    const older = await last(clerk, batch_id)
    expect((await undo(clerk, batch_id, older?.edit_id ?? '')).code).toBe(0)
    expect({ row: await row(), kinds: await getKinds(clerk, batch_id) }).toEqual(began)
    expect(await last(clerk, batch_id)).toBe(null)
    const stored = await world.database.inCompany(corp.company_id, async (tx) => ({
      edits: await tx.selectFrom('sheet_edit').select(['undone_at', 'changed']).where('batch_id', '=', batch_id).execute(),
      lines: await tx.selectFrom('audit_log_entry').select('call').where('call', 'like', '%undoEdit%').execute(),
    }))
    expect(stored.edits.map(({ undone_at }) => undone_at !== null)).toEqual([true, true])
    expect(stored.edits.some(({ changed }) => changed.includes('赵一'))).toBe(false)
    expect(stored.lines.length).toBeGreaterThanOrEqual(2)
  })

  it('refuses to undo after the wage sheet was replaced, to readers, and to other users', async () => {
    const { clerk, batch_id, key, corp, staff } = await broken()
    await deal(clerk, batch_id, { fix: 'edit', row: 2, column: key('基本工资'), value: '9000' })
    const edit = await last(clerk, batch_id)
    const other = await world.signIn(await corp.person({ name: '别人', power: ['2'] }))
    expect((await undo(other, batch_id, edit?.edit_id ?? '')).code).toBe(100404)
    await getUpload(clerk, book(head, [[staff[0]?.name, staff[0]?.mobile, '', 8000, 500, 7500, '']]), { batch_id })
    expect(await last(clerk, batch_id)).toBe(null)
    expect((await undo(clerk, batch_id, edit?.edit_id ?? '')).code).toBe(100409)
  })
})
