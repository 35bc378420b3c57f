/**
 * Attempts to make a wage sheet pay the wrong employee or the wrong amount: by correcting it, by answering questions,
 * by swapped headers.
 */
import { read as otherReader } from '@e965/xlsx'
import { describe, expect, it } from 'vitest'
import type { CallRequest } from '../../../server/contract/call.ts'
import * as fileCalls from '../../../server/contract/files/files.ts'
import * as send from '../../../server/contract/payslips/send.ts'
import * as wage from '../../../server/contract/sheets/sheet.ts'
import { newId } from '../../../server/shared/ids.ts'
import { demoWorld } from '../../support/demo.ts'
import { makeXlsx, type XlsxCell } from '../../support/files/xlsx.ts'
import { book, getColumn, getUpload, type Office, openOffice } from '../../support/office.ts'
import { salaries } from '../../support/slips.ts'
import type { Caller } from '../../support/world.ts'

const world = demoWorld(true)

const check = (clerk: Caller, batch_id: string) => clerk.must(wage.checkWageData, { batch_id })

describe('wage sheet file with issue comments', () => {
  const head = ['姓名', '手机号', '基本工资', '扣款', '实发工资']
  const written = async (clerk: Caller, batch_id: string) => {
    const { oss_path } = await clerk.must(wage.exportIssues, { batch_id })
    const headers = { cookie: clerk.headers.cookie ?? '' }
    const { rawPayload } = await world.product.app.inject({
      method: 'GET',
      url: fileCalls.download.path,
      query: { oss_path },
      headers,
    })
    const made = otherReader(rawPayload)
    const notes = made.SheetNames.map((name) => [
      name,
      Object.entries(made.Sheets[name] ?? {}).flatMap(([at, cell]) => (at.startsWith('!') || !cell.c ? [] : [at])),
    ])
    return { notes: Object.fromEntries(notes) as Record<string, string[]>, list: made.Sheets.问题清单 ?? {} }
  }

  it('allows downloading the annotated file only with current access to the batch, not after a share is revoked', async () => {
    const { clerk, corp, staff } = await openOffice(world, ['赵一', '钱二'])
    const { batch_id } = await getUpload(
      clerk,
      book(
        head,
        staff.map((one) => [one.name, one.mobile, 8000, 500, '待定']),
      ),
    )
    const { title_id } = await clerk.must(wage.insertBatchTitle, { batch_id, title: '十月', month: '2026-10' })
    const reader = await corp.person({ name: '读者', power: ['2'] })
    const caller = await world.signIn(reader)
    const { company_id } = corp
    const share = { company_id, id: newId(), title_id, admin_id: reader.admin_id ?? '', rights: 'view' as const }
    await world.database.inCompany(company_id, (tx) => tx.insertInto('title_share').values(share).execute())
    const fetched = async (oss_path: string) => {
      const headers = { cookie: caller.headers.cookie ?? '' }
      return world.product.app.inject({ method: 'GET', url: fileCalls.download.path, query: { oss_path }, headers })
    }
    const [one, two] = [await caller.must(wage.exportIssues, { batch_id }), await caller.must(wage.exportIssues, { batch_id })]
    expect((await fetched(one.oss_path)).rawPayload.toString('latin1', 0, 2)).toBe('PK')
    await world.database.inCompany(company_id, (tx) => tx.deleteFrom('title_share').where('id', '=', share.id).execute())
    expect((await fetched(two.oss_path)).rawPayload.toString('latin1', 0, 2)).not.toBe('PK')
    expect((await caller.call(wage.exportIssues, { batch_id })).code).toBe(100404)
  })

  it('places each comment in the column of its own sheet', async () => {
    const { clerk, staff } = await openOffice(world, ['赵一', '钱二', '孙三'])
    const [a, b, c] = staff.map((one): XlsxCell[] => [one.name, one.mobile, 8000, 500, 7500])
    const turned = (row: XlsxCell[] | undefined, net: XlsxCell) => [net, 500, 8000, row?.[1], row?.[0]]
    const { batch_id } = await getUpload(
      clerk,
      makeXlsx({
        sheets: [
          { name: '一部', rows: [head, a ?? [], b ?? []] },
          { name: '二部', rows: [['十月'], head.toReversed(), turned(c, '见备注')] },
        ],
      }),
      { sheet: '一部\n二部' },
    )
    expect((await check(clerk, batch_id)).problems.map(({ row, kind }) => [row, kind])).toEqual([[1_000_003, 'not_a_number']])
    expect((await written(clerk, batch_id)).notes).toEqual({ 问题清单: [], 一部: [], 二部: ['A3'] })
  })

  it('lists issues of converted payslip blocks without cell comments, because no cell of the file has their row', async () => {
    const { clerk, staff } = await openOffice(world, ['赵一', '钱二', '孙三'])
    const slips = staff.flatMap((one, at): XlsxCell[][] => [
      ['姓名', one.name, '手机号', one.mobile],
      ['基本工资', 8000 + at, '扣款', 500],
      ['实发工资', at === 1 ? '待定' : 7500 + at],
      [],
    ])
    const { batch_id } = await getUpload(
      clerk,
      makeXlsx({ sheets: [{ name: '工资条', rows: [['2026年10月工资条'], ...slips] }] }),
    )
    const { problems } = await check(clerk, batch_id)
    expect(problems.map(({ name, kind }) => [name, kind])).toEqual([['钱二', 'not_a_number']])
    const { notes, list } = await written(clerk, batch_id)
    expect(notes).toEqual({ 问题清单: [], 工资条: [] })
    expect([list.B2?.v, list.E2?.v]).toEqual(['—', `「钱二」${problems[0]?.message}`])
  })
})

describe('accepted issues', () => {
  const accept = (clerk: Caller, batch_id: string, kind: 'sum_mismatch' | 'negative_net') =>
    clerk.must(wage.dealWithSalaryList, { batch_id, actions: [{ kind, fix: 'accept' }] })

  it('reports an accepted issue again when its sum changes', async () => {
    const { clerk, staff } = await openOffice(world, ['赵一', '钱二', '孙三', '李四', '周五'])
    const info = await getUpload(
      clerk,
      book(
        ['姓名', '手机号', '基本工资', '奖金', '扣款', '实发工资'],
        staff.map((one, at) => [one.name, one.mobile, 8000 + at, 100 + at, 500, 7600 + at * 2 + (at === 2 ? 50 : 0)]),
      ),
    )
    const { batch_id } = info
    const mismatches = async () =>
      (await check(clerk, batch_id)).problems.flatMap(({ row, kind }) => (kind === 'sum_mismatch' ? [row] : []))
    expect(await mismatches()).toEqual([4])
    await accept(clerk, batch_id, 'sum_mismatch')
    expect(await mismatches()).toEqual([])
    await clerk.must(wage.checkRequireColumnData, {
      batch_id,
      columns: [],
      formula: { plus: [getColumn(info, '基本工资')], minus: [] },
    })
    expect(await mismatches()).toContain(4)
  })

  it('reports an accepted issue again when its amount changes to another unit', async () => {
    const { clerk, staff } = await openOffice(world, ['赵一', '钱二', '孙三'])
    const info = await getUpload(
      clerk,
      book(
        ['姓名', '手机号', '基本工资（万元）', '实发工资（万元）'],
        staff.map((one, at) => [one.name, one.mobile, at - 0.5, at - 0.5]),
      ),
    )
    const { batch_id } = info
    const format = (value: string) =>
      clerk.must(wage.checkRequireColumnData, { batch_id, columns: [], answers: [{ id: 'unit', value }] })
    const minus = async () => (await check(clerk, batch_id)).problems.filter(({ kind }) => kind === 'negative_net').length
    await format('yuan')
    expect(await minus()).toBe(1)
    await accept(clerk, batch_id, 'negative_net')
    expect(await minus()).toBe(0)
    await format('yuan')
    expect(await minus()).toBe(0)
    await format('wan')
    expect(await minus()).toBe(1)
  })
})

describe('two headers swapped since last month', () => {
  const head = ['姓名', '手机号', '基本工资', '加班费', '应发合计', '养老保险', '个人所得税', '实发工资']
  const month = ({ staff }: Office, seed: number, names = head) =>
    book(
      names,
      staff.map((one, at) => {
        const [base, extra, pension, tax] = [8000 + at * 100, seed * 37 + at * 11, 600 + at * 8, seed * 3 + at]
        return [one.name, one.mobile, base, extra, base + extra, pension, tax, base + extra - pension - tax]
      }),
    )
  const swap = (one: string, other: string) => head.map((label) => (label === one ? other : label === other ? one : label))
  const september = async () => {
    const office = await openOffice(world, ['赵一', '钱二', '孙三', '李四', '周五'])
    const { clerk } = office
    const { batch_id } = await getUpload(clerk, month(office, 1))
    await clerk.must(wage.insertBatchTitle, { batch_id, title: '工资', month: '2026-09' })
    const { plan_id } = await clerk.must(send.sendPaySheet, { batch_id })
    await clerk.must(send.doSend, { plan_id, looked: true })
    await world.product.jobs.drain()
    return office
  }

  it.each([
    ['实发工资', '应发合计'],
    ['基本工资', '养老保险'],
    ['实发工资', '基本工资'],
    ['加班费', '个人所得税'],
  ])('blocks sending after a header swap until an administrator has checked %s and %s', async (one, other) => {
    const office = await september()
    const { clerk } = office
    const right = await getUpload(clerk, month(office, 2))
    await clerk.must(wage.insertBatchTitle, { batch_id: right.batch_id, title: '工资', month: '2026-10' })
    expect((await check(clerk, right.batch_id)).problems).toEqual([])
    await clerk.must(wage.clearBatchTitle, { batch_id: right.batch_id })
    const info = await getUpload(clerk, month(office, 2, swap(one, other)))
    const { batch_id } = info
    await clerk.must(wage.insertBatchTitle, { batch_id, title: '工资', month: '2026-10' })
    const { problems, counts } = await check(clerk, batch_id)
    expect([counts.status, problems.some(({ level, row }) => level === 'error' && row === 0)]).toEqual(['draft', true])
    expect((await clerk.call(send.sendPaySheet, { batch_id })).code).toBe(100409)
  })
})

it('uses the selected one of two net pay columns, and the other one when the answer changes', async () => {
  const { clerk, staff } = await openOffice(world, ['赵一', '钱二', '孙三', '李四', '周五'])
  const info = await getUpload(
    clerk,
    book(
      ['姓名', '手机号', '基本工资', '扣款', '实发工资', '实发金额'],
      [
        ...staff.map((one, at): XlsxCell[] => [
          one.name,
          one.mobile,
          8000 + at,
          500,
          7400 + at * 3,
          7500 + at + (at === 2 ? 1 : 0),
        ]),
        ['合计', null, 40_010, 2500, 37_030, 37_511],
      ],
    ),
  )
  const [requested] = info.questions
  const { batch_id } = info
  const format = async (value: string) => {
    await clerk.must(wage.checkRequireColumnData, { batch_id, columns: [], answers: [{ id: requested?.id ?? '', value }] })
    const now = await clerk.must(wage.getTitleInfo, { batch_id })
    return [
      now.columns.filter(({ role }) => role === 'net').map(({ label }) => label),
      now.formula?.holds,
      now.totals_row?.net_fen,
    ]
  }
  expect([requested?.kind, requested?.suggested, info.formula?.net]).toEqual(['net', '', getColumn(info, '实发金额')])
  const [first, second] = ['实发工资', '实发金额'].map((label) => `net:${getColumn(info, label)}`) as [string, string]
  const asRead = [['实发金额'], 4, 3_751_100]
  expect(await format(first)).toEqual([['实发工资'], undefined, null])
  expect(await format(second)).toEqual(asRead)
  expect(await format(first)).toEqual([['实发工资'], undefined, null])
  expect(await format('')).toEqual(asRead)
})

describe('several sheets in one batch', () => {
  const head = ['姓名', '手机号', '基本工资', '扣款', '实发工资']
  const line = (one: { name: string; mobile: string } | undefined, net: XlsxCell = 7500): XlsxCell[] => [
    one?.name,
    one?.mobile,
    8000,
    500,
    net,
  ]
  const two = async () => {
    const office = await openOffice(world, ['赵一', '钱二', '孙三', '李四'])
    const { clerk, staff } = office
    const [a, b, c, d] = staff
    const sheets = [
      { name: '一部', rows: [head, line(a), line(b)] },
      { name: '二部', rows: [['十月'], head, line(c), line(d, '见备注'), line({ name: '路人', mobile: '' })] },
    ]
    const info = await getUpload(clerk, makeXlsx({ sheets }), { sheet: '一部\n二部' })
    await clerk.must(wage.insertBatchTitle, { batch_id: info.batch_id, title: '十月', month: '2026-10' })
    return { ...office, info, batch_id: info.batch_id }
  }

  it('edits, matches, skips, restores, previews and pays rows of the second sheet by their own numbers', async () => {
    const { clerk, corp, staff, batch_id } = await two()
    const match = await check(clerk, batch_id)
    expect(match.problems.map(({ id, name }) => `${name} ${id}`)).toEqual([
      '李四 1000004:not_a_number:c4',
      '路人 1000005:no_contact:c1',
    ])
    const deal = (actions: CallRequest<typeof wage.dealWithSalaryList>['actions']) =>
      clerk.must(wage.dealWithSalaryList, { batch_id, actions })
    await deal([{ problem_id: '1000004:not_a_number:c4', fix: 'edit', value: '7,500.00' }])
    await deal([{ problem_id: '1000005:no_contact:c1', fix: 'skip' }])
    expect((await check(clerk, batch_id)).skipped).toEqual([{ row: 1_000_005, name: '路人' }])
    expect((await deal([{ fix: 'restore', row: 1_000_005 }])).done).toBe(1)
    const helper = await corp.person({ name: '帮工' })
    await deal([{ problem_id: '1000005:no_contact:c1', fix: 'match', member_id: helper.member_id }])
    expect((await check(clerk, batch_id)).counts).toMatchObject({ errors: 0, status: 'checked' })
    const slip = await clerk.must(wage.getPreview, { batch_id, row: 1_000_004 })
    expect([slip.name, slip.net?.fen]).toEqual(['李四', 750_000])
    const { plan_id } = await clerk.must(send.sendPaySheet, { batch_id })
    await clerk.must(send.doSend, { plan_id, looked: true })
    await world.product.jobs.drain()
    expect((await salaries(world, corp, batch_id)).map(({ row_no, member_id }) => [row_no, member_id])).toEqual(
      [2, 3, 1_000_003, 1_000_004, 1_000_005].map((row, at) => [row, [...staff, helper][at]?.member_id]),
    )
    const { list } = await clerk.must(send.getWageDetail, { batch_id })
    expect(list.every(({ net_fen }) => net_fen === 750_000)).toBe(true)
  })

  it('keeps the decisions of a sheet under its new row numbers when it is read alone again', async () => {
    const { clerk, batch_id } = await two()
    await clerk.must(wage.dealWithSalaryList, {
      batch_id,
      actions: [
        { problem_id: '1000005:no_contact:c1', fix: 'skip' },
        { problem_id: '1000004:not_a_number:c4', fix: 'skip' },
      ],
    })
    const alone = await clerk.must(wage.uploadWageExcel, { batch_id, sheet: '二部' })
    expect([alone.rows, alone.parts.map(({ sheet }) => sheet)]).toEqual([3, ['二部']])
    const { skipped, counts } = await check(clerk, batch_id)
    expect(skipped).toEqual([
      { row: 4, name: '李四' },
      { row: 5, name: '路人' },
    ])
    expect(counts).toMatchObject({ rows: 3, errors: 0, status: 'checked' })
    expect((await clerk.must(wage.getPreviewMember, { batch_id })).list.map(({ row, name }) => [row, name])).toEqual([
      [3, '孙三'],
    ])
  })
})

it('keeps edited cells when more or fewer sheets of the same file are read', async () => {
  const { clerk, staff } = await openOffice(world, ['赵一', '钱二'])
  const [a, b] = staff
  const head = ['姓名', '手机号', '基本工资', '实发工资']
  const info = await getUpload(
    clerk,
    makeXlsx({
      sheets: [
        { name: '一部', rows: [head, [a?.name, a?.mobile, 8000, 8000]] },
        { name: '二部', rows: [['十月'], head.toReversed(), ['待定', 8000, '139', b?.name]] },
      ],
    }),
    { sheet: '二部' },
  )
  const { batch_id } = info
  const { problems } = await check(clerk, batch_id)
  const getId = (kind: string) => problems.find((one) => one.kind === kind)?.id ?? kind
  await clerk.must(wage.dealWithSalaryList, {
    batch_id,
    actions: [
      { problem_id: getId('not_a_number'), fix: 'edit', value: '7,999.50' },
      { problem_id: getId('bad_mobile'), fix: 'edit', value: b?.mobile ?? '' },
    ],
  })
  for (const [sheet, nets] of [
    ['一部\n二部', [800_000, 799_950]],
    ['二部', [799_950]],
  ] as const) {
    await clerk.must(wage.uploadWageExcel, { batch_id, sheet })
    const { list } = await clerk.must(wage.getPreviewMember, { batch_id })
    expect(list.map(({ net_fen }) => net_fen)).toEqual(nets)
    expect((await check(clerk, batch_id)).problems).toEqual([])
  }
  const { message } = await clerk.call(wage.uploadWageExcel, { batch_id, sheet: 'x'.repeat(6_000) })
  expect(message).toBe(`没有名为「${'x'.repeat(31)}」的工作表，请重新选择`)
})

it("hides the pay run's name in a template made from a shared pay run", async () => {
  const { clerk, corp, staff } = await openOffice(world, ['赵一', '钱二'])
  const { batch_id } = await getUpload(
    clerk,
    book(
      ['姓名', '手机号', '基本工资', '实发工资'],
      staff.map((one) => [one.name, one.mobile, 8000, 8000]),
    ),
  )
  const { title_id } = await clerk.must(wage.insertBatchTitle, { batch_id, title: '高管十月', month: '2026-10' })
  const reader = await corp.person({ name: '读者', power: ['2'] })
  const { company_id } = corp
  await world.database.inCompany(company_id, (tx) =>
    tx
      .insertInto('title_share')
      .values({ company_id, id: newId(), title_id, admin_id: reader.admin_id ?? '', rights: 'view' as const })
      .execute(),
  )
  for (const [caller, title] of [
    [await world.signIn(reader), null],
    [clerk, '高管十月'],
  ] as const) {
    await caller.must(wage.insertTemplate, { batch_id, name: '月薪' })
    const { list } = await caller.must(wage.getTemplateList, {})
    expect(list.map((one) => [one.name, one.title])).toEqual([['月薪', title]])
  }
})

describe('concurrent changes', () => {
  const lastRecord = (company_id: string) =>
    world.database.inCompany(company_id, async (tx) => {
      const line = tx.selectFrom('audit_log_entry').select('details').orderBy('id', 'desc').limit(1)
      return (await line.executeTakeFirstOrThrow()).details
    })
  const head = ['姓名', '手机号', '基本工资', '实发工资']
  it('does not read another sheet of a file that was replaced meanwhile', async () => {
    const { clerk, staff, corp } = await openOffice(world, ['赵一', '钱二'])
    const getBook = (pay: number) =>
      makeXlsx({
        sheets: ['一部', '二部'].map((name, at) => ({
          name,
          rows: [head, [staff[at]?.name, staff[at]?.mobile, pay + at, pay + at]],
        })),
      })
    const { batch_id } = await getUpload(clerk, getBook(5000), { sheet: '一部' })
    const answers = await Promise.all([
      clerk.call(wage.uploadWageExcel, { batch_id, sheet: '二部' }),
      clerk.call(wage.uploadWageExcel, { batch_id }, { file: { name: '修正.xlsx', bytes: getBook(9000) } }),
      clerk.call(wage.uploadWageExcel, { batch_id, sheet: '二部' }),
    ])
    expect(answers[1]?.code).toBe(0)
    expect(answers.every(({ code }) => code === 0 || code === 100409)).toBe(true)
    // The rows belong to the stored file, whichever upload was last.
    const { list } = await clerk.must(wage.getDetailUpload, { batch_id })
    const again = await clerk.must(wage.uploadWageExcel, { batch_id, sheet: '二部' })
    const stored = (await clerk.must(wage.getDetailUpload, { batch_id })).list[0]?.cells['c3']?.value
    expect([again.rows, stored, list[0]?.cells['c3']?.value.startsWith('9')]).toEqual([1, '9001', true])
    const files = await world.database.inCompany(corp.company_id, (tx) => tx.selectFrom('file').select('id').execute())
    expect(files.length).toBe(1)
  })

  it('voids a plan after the wage sheet was answered, replaced or compared for replacement', async () => {
    const { clerk, staff, corp } = await openOffice(world, ['赵一', '钱二', '孙三'])
    const sheet = (pay: number) =>
      book(
        head,
        staff.map((one) => [one.name, one.mobile, pay, pay]),
      )
    const { batch_id } = await getUpload(clerk, sheet(5000))
    await clerk.must(wage.insertBatchTitle, { batch_id, title: '十月', month: '2026-10' })
    const first = await clerk.must(send.sendPaySheet, { batch_id })
    world.clock.advance(1_000)
    const notified = await getUpload(clerk, sheet(9000), { batch_id, compare_only: '1' })
    expect(notified.difference?.changed_count).toBe(3)
    expect(await lastRecord(corp.company_id)).toEqual({ batch_id, compared: 1 })
    await clerk.must(wage.uploadWageExcel, { batch_id }, { file: { name: 'b.xlsx', bytes: sheet(9000) } })
    expect((await clerk.call(send.doSend, { plan_id: first.plan_id, looked: true })).code).toBe(100409)
    await check(clerk, batch_id)
    const second = await clerk.must(send.sendPaySheet, { batch_id })
    const [sent, replaced, answered] = await Promise.all([
      clerk.call(send.doSend, { plan_id: second.plan_id, looked: true }),
      clerk.call(wage.uploadWageExcel, { batch_id }, { file: { name: 'c.xlsx', bytes: sheet(1) } }),
      clerk.call(wage.checkRequireColumnData, { batch_id, columns: [], formula: null }),
    ])
    expect([sent.code, replaced.code, answered.code].every((code) => code === 0 || code === 100409)).toBe(true)
    await world.product.jobs.drain()
    const { list } = await clerk.must(send.getWageDetail, { batch_id })
    // Either the whole plan was sent unchanged, or nothing was sent.
    expect(sent.code === 0 ? list.map(({ net_fen }) => net_fen) : []).toEqual(sent.code === 0 ? [900_000, 900_000, 900_000] : [])
    expect((await clerk.call(wage.uploadWageExcel, { batch_id }, { file: { name: 'c.xlsx', bytes: sheet(1) } })).code).toBe(
      sent.code === 0 ? 100409 : 0,
    )
  })
})

describe('storage limit for wage sheets', () => {
  it.each([
    ['of one user', 2, true],
    ['of one company', 5, false],
  ])('refuses an upload beyond the limit %s with a message and stores nothing', async (_, gigabytes, isOwn) => {
    const { clerk, corp, staff } = await openOffice(world, ['赵一'])
    const { company_id } = corp
    const sheet = book(['姓名', '手机号', '实发工资'], [[staff[0]?.name ?? '', staff[0]?.mobile ?? '', 8000]])
    const { batch_id } = await getUpload(clerk, sheet)
    const keep = (size: number) =>
      world.database.inCompany(company_id, async (tx) => {
        const file = await tx.selectFrom('file').selectAll().where('kind', '=', 'sheet').executeTakeFirstOrThrow()
        const account_id = isOwn ? file.account_id : (staff[0]?.account_id ?? '')
        await tx
          .insertInto('file')
          .values({ ...file, id: newId(), account_id, size })
          .execute()
      })
    const count = () =>
      world.database.inCompany(company_id, async (tx) => (await tx.selectFrom('file').select('id').execute()).length)
    for (let at = 0; at < gigabytes - 1; at++) await keep(1024 ** 3)
    await clerk.must(wage.uploadWageExcel, {}, { file: { name: '还有.xlsx', bytes: sheet } })
    await keep(1024 ** 3)
    const before = await count()
    const refused = await clerk.call(wage.uploadWageExcel, {}, { file: { name: '满了.xlsx', bytes: sheet } })
    expect(refused).toMatchObject({ code: 100409, message: expect.stringContaining(`占满 ${gigabytes} GB`) })
    expect(await count()).toBe(before)
    // Existing wage sheets can still be compared and changed.
    await clerk.must(wage.getTitleInfo, { batch_id })
  })
})
