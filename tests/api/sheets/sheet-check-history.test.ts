/**
 * Checks that need other pay runs, tested through the calls: what blocks the check also blocks sending, and every
 * remedy is tried.
 */
import { describe, expect, it } from 'vitest'
import * as send from '../../../server/contract/payslips/send.ts'
import * as wage from '../../../server/contract/sheets/sheet.ts'
import { demoWorld } from '../../support/demo.ts'
import { makeXlsx, type XlsxCell } from '../../support/files/xlsx.ts'
import { type Caller, type Person } from '../../support/world.ts'

const world = demoWorld()

/** Base, overtime, insurance, tax. */
type Pay = [base: number, overtime: number, insurance: number, tax: number]
const typical: Pay[] = [
  [8_000, 120, 1_012.4, 20],
  [9_500, 0, 1_208.2, 30],
  [7_200, 310, 860.8, 10],
  [12_000, 0, 1_468, 40],
  [8_100, 88, 1_022.4, 22],
  [6_100, 450, 790.4, 5],
]
const labels = ['姓名', '手机号', '基本工资', '加班费', '应发合计', '社保', '个税', '实发工资']
const getLine = (one: Person, [base, overtime, insurance, tax]: Pay): XlsxCell[] => [
  one.name,
  one.mobile,
  base,
  overtime,
  base + overtime,
  insurance,
  tax,
  Math.round((base + overtime - insurance - tax) * 100) / 100,
]
type Options = { title?: string; sheet?: string; rows?: XlsxCell[][]; kind?: 'monthly' | 'bonus' }
async function company() {
  const corp = await world.createCompany()
  const clerk = await world.signIn(await corp.person({ name: '薪资员', power: ['2'] }))
  const staff: Person[] = []
  for (const name of ['赵一', '钱二', '孙三', '李四', '周五', '吴六']) staff.push(await corp.person({ name }))
  const upload = async (month: string, pays: Pay[], { title, sheet = '工资', rows = [], kind = 'monthly' }: Options = {}) => {
    const lines = pays.map((pay, at) => getLine(staff[at] as Person, pay))
    const bytes = makeXlsx({ sheets: [{ name: sheet, rows: [...(title ? [[title]] : []), labels, ...lines, ...rows] }] })
    const { batch_id } = await clerk.must(wage.uploadWageExcel, {}, { file: { name: `${month}.xlsx`, bytes } })
    await clerk.must(wage.insertBatchTitle, { batch_id, title: `${month} 工资`, month, kind })
    return batch_id
  }
  const sent = async (batch_id: string) => {
    const { plan_id } = await clerk.must(send.sendPaySheet, { batch_id })
    await clerk.must(send.doSend, { plan_id, looked: true })
    await world.product.jobs.drain()
    expect((await clerk.must(send.getSendInfo, { batch_id })).status).toBe('sent')
  }
  return { corp, clerk, staff, upload, sent }
}
const notify = async (clerk: Caller, batch_id: string) =>
  (await clerk.must(wage.checkWageData, { batch_id })).problems.map(({ id, level }) => `${id} ${level}`)
const later = (pays: Pay[]): Pay[] =>
  pays.map(([base, overtime, insurance, tax], at) => [base, overtime + 10 + at, insurance, tax])

describe('comparison with last month', () => {
  it('blocks check and sending for two rows with exchanged amounts until they are accepted', async () => {
    const { clerk, upload, sent } = await company()
    await sent(await upload('2026-09', typical))
    const [a, b, c, ...rest] = later(typical) as [Pay, Pay, Pay, ...Pay[]]
    const october = await upload('2026-10', [c, b, a, ...rest])
    const { counts, problems } = await clerk.must(wage.checkWageData, { batch_id: october })
    expect(problems.map(({ id }) => id)).toEqual(['2:swapped_rows:'])
    expect(problems[0]?.message).toContain('「赵一」（第 2 行）和「孙三」（第 4 行）')
    expect(counts).toMatchObject({ errors: 1, status: 'draft' })
    // Setting columns also checks for errors, and so does the plan.
    await clerk.must(wage.checkRequireColumnData, { batch_id: october, columns: [] })
    expect((await clerk.must(wage.getTitleInfo, { batch_id: october })).status).toBe('draft')
    expect(await clerk.call(send.sendPaySheet, { batch_id: october })).toMatchObject({ code: 100409, data: { errors: 1 } })
    const { counts: after, done } = await clerk.must(wage.dealWithSalaryList, {
      batch_id: october,
      actions: [{ problem_id: '2:swapped_rows:', fix: 'accept' }],
    })
    expect({ done, errors: after.errors, status: after.status }).toEqual({ done: 1, errors: 0, status: 'checked' })
    await sent(october)
  })

  it("reports a shift, another unit, and last month's file in the comparison", async () => {
    const { clerk, upload, sent } = await company()
    await sent(await upload('2026-09', typical))
    const now = later(typical)
    const shifted = await upload('2026-10', [...now.slice(1), now[0] as Pay])
    expect((await notify(clerk, shifted)).some((one) => one.includes('shifted_rows') && one.endsWith('error'))).toBe(true)

    const scaled = await upload(
      '2026-10',
      now.map(([base, overtime, insurance, tax]) => [base, overtime, insurance * 100, tax]),
    )
    expect(await notify(clerk, scaled)).toContain('0:scale_changed:c5 error')
    const { counts } = await clerk.must(wage.dealWithSalaryList, {
      batch_id: scaled,
      actions: [{ kind: 'scale_changed', fix: 'accept' }],
    })
    expect(counts.kinds.map(({ kind }) => kind)).not.toContain('scale_changed')

    const same = await upload('2026-10', typical)
    expect(await notify(clerk, same)).toEqual(['0:unchanged: warning', '0:same_file: warning'])
  })

  it("uses a member's own months to decide what is unusual", async () => {
    const { clerk, upload, sent } = await company()
    const with4 = (month: number, base: number): Pay[] =>
      typical.map(([own, overtime, insurance, tax], at) => [at === 3 ? base : own, overtime + month, insurance, tax])
    for (const month of [5, 6, 7]) await sent(await upload(`2026-0${month}`, with4(month, 12_000)))
    // Much more once: afterwards the usual amount is not questioned, and an extra zero is.
    const august = await upload('2026-08', with4(8, 30_000))
    expect(await notify(clerk, august)).toEqual(['5:item_outlier:c2 warning', '5:net_outlier:c7 warning'])
    await clerk.must(wage.dealWithSalaryList, {
      batch_id: august,
      actions: [
        { kind: 'item_outlier', fix: 'accept' },
        { kind: 'net_outlier', fix: 'accept' },
      ],
    })
    await sent(august)
    expect(await notify(clerk, await upload('2026-09', with4(9, 12_000)))).toEqual([])
    const { problems } = await clerk.must(wage.checkWageData, { batch_id: await upload('2026-09', with4(9, 120_000)) })
    expect(problems.map(({ kind }) => kind)).toEqual(['item_outlier', 'net_outlier'])
    expect(problems[0]?.message).toContain('此前 4 个月通常在 12,000.00 左右')
  })
})

describe('members to review before sending', () => {
  it('requires a confirmed review of a first wage sheet, and none in the next month', async () => {
    const { corp, clerk, staff, upload, sent } = await company()
    const first = await upload('2026-09', typical)
    const { plan_id, spot_checks } = await clerk.must(send.sendPaySheet, { batch_id: first })
    expect(spot_checks.map(({ row, reason }) => `${row} ${reason}`)).toEqual([
      '2 first',
      '3 everybody',
      '4 everybody',
      '5 unusual',
      '6 everybody',
      '7 last',
    ])
    expect(spot_checks[3]).toMatchObject({ name: staff[3]?.name, net_fen: 1_049_200 })
    const refused = await clerk.call(send.doSend, { plan_id })
    expect(refused).toMatchObject({ code: 100409, data: { spot_checks: 6 } })
    expect(refused.message).toContain('请先看过列出的 6 位员工的工资条')
    expect(await clerk.call(send.doSend, { plan_id, looked: false })).toMatchObject({ code: 100409 })
    await clerk.must(send.doSend, { plan_id, looked: true })
    await world.product.jobs.drain()
    const stored = await world.database.inCompany(corp.company_id, (tx) =>
      tx
        .selectFrom('send_plan')
        .select(['spot_checks', 'spot_checked_by', 'spot_checked_at'])
        .where('id', '=', plan_id)
        .executeTakeFirstOrThrow(),
    )
    expect(stored).toMatchObject({
      spot_checks: [2, 3, 4, 5, 6, 7].map((row) => ({ row })),
      spot_checked_by: expect.any(String),
      spot_checked_at: expect.any(Date),
    })

    const second = await upload('2026-10', later(typical))
    const plan = await clerk.must(send.sendPaySheet, { batch_id: second })
    expect(plan.spot_checks).toEqual([])
    await clerk.must(send.doSend, { plan_id: plan.plan_id })
    await world.product.jobs.drain()
    // Every amount differs a little, and two members received nearly what the other one had before.
    const blur = [1.04, 0.97, 1.03, 0.96, 0.98, 1.05]
    const yuan = (value: number, at: number) => Math.round(value * (blur[at] ?? 1))
    const varied = later(typical).map(
      ([base, overtime, insurance, tax], at): Pay => [
        yuan(base, at),
        yuan(overtime, at) + 7,
        yuan(insurance, at),
        yuan(tax, at) + 1,
      ],
    )
    varied[0] = [7_250, 240, 875, 14]
    varied[2] = [7_900, 190, 990, 16]
    const unclear = await upload('2026-11', varied)
    expect((await clerk.must(send.sendPaySheet, { batch_id: unclear })).spot_checks.length).toBeGreaterThan(0)
    await sent(unclear)
  })
})

describe('cumulative tax of the year', () => {
  it('questions tax above the cumulative maximum, and makes no guess where payslips are not visible', async () => {
    const { clerk, upload, sent, corp, staff } = await company()
    const month = (tax: number): Pay[] => [[20_000, 0, 3_000, tax]]
    for (const at of [1, 2]) await sent(await upload(`2026-0${at}`, month(360 + at / 100)))
    const march = await upload('2026-03', month(3_600))
    const matches = (await clerk.must(wage.checkWageData, { batch_id: march })).problems.filter(
      ({ kind }) => kind === 'tax_mismatch',
    )
    expect(matches.map(({ id, level }) => `${id} ${level}`)).toEqual(['2:tax_mismatch:c6 warning'])
    expect(matches[0]?.message).toContain('1–3 月收入 60,000.00，减 5,000 × 3 个月、社保公积金 9,000.00，余 36,000.00 × 3%')
    expect((await notify(clerk, await upload('2026-03', month(360)))).filter((one) => one.includes('tax'))).toEqual([])

    // Another administrator paid the same member as well: the visible payslips are not the whole year.
    const other = await world.signIn(await corp.person({ name: '另一位', power: ['2'] }))
    const bytes = makeXlsx({ sheets: [{ name: '奖金', rows: [labels, getLine(staff[0] as Person, [50_000, 0, 0, 1_000])] }] })
    const { batch_id } = await other.must(wage.uploadWageExcel, {}, { file: { name: '奖金.xlsx', bytes } })
    await other.must(wage.insertBatchTitle, { batch_id, title: '奖金', month: '2026-02', kind: 'bonus' })
    const { plan_id } = await other.must(send.sendPaySheet, { batch_id })
    await other.must(send.doSend, { plan_id, looked: true })
    await world.product.jobs.drain()
    expect((await notify(clerk, march)).filter((one) => one.includes('tax'))).toEqual([])
  })
})

describe('issues of the whole wage sheet', () => {
  it('reports another month in the sheet, wrong totals, and an earlier upload under another name', async () => {
    const { clerk, upload } = await company()
    const totals = typical.reduce(
      (sum, pay) => getLine({ name: '' } as Person, pay).map((cell, at) => Number(cell) + (sum[at] ?? 0)),
      [] as number[],
    )
    const row = ['合计', null, ...totals.slice(2).map((sum, at) => (at === 1 ? sum + 5 : Math.round(sum * 100) / 100))]
    const options: Options = { title: '2026年9月工资表', rows: [row] }
    const first = await upload('2026-10', typical, options)
    expect(await notify(clerk, first)).toEqual(['0:other_month: warning', '9:total_row_mismatch:c3 warning'])
    // The same cells are uploaded in a different file.
    const second = await upload('2026-10', typical, { ...options, sheet: '工资 (2)' })
    expect(await notify(clerk, second)).toEqual([
      '0:same_file: warning',
      '0:other_month: warning',
      '9:total_row_mismatch:c3 warning',
    ])
    const { counts } = await clerk.must(wage.dealWithSalaryList, {
      batch_id: second,
      actions: [
        { kind: 'same_file', fix: 'accept' },
        { problem_id: '0:other_month:', fix: 'accept' },
        { kind: 'total_row_mismatch', fix: 'accept' },
      ],
    })
    expect(counts).toMatchObject({ errors: 0, warnings: 0, status: 'checked' })
  })

  it('asks about members in hidden rows until it is answered', async () => {
    const { clerk, staff } = await company()
    const rows = [labels, ...typical.map((pay, at) => getLine(staff[at] as Person, pay))]
    const bytes = makeXlsx({ sheets: [{ name: '工资', rows, hidden_rows: [4, 6] }] })
    const { batch_id, questions } = await clerk.must(wage.uploadWageExcel, {}, { file: { name: '十月.xlsx', bytes } })
    expect(await notify(clerk, batch_id)).toEqual(['4:hidden_row:c0 warning', '6:hidden_row:c0 warning'])
    await clerk.must(wage.dealWithSalaryList, { batch_id, actions: [{ problem_id: '4:hidden_row:c0', fix: 'accept' }] })
    expect(await notify(clerk, batch_id)).toEqual(['6:hidden_row:c0 warning'])
    const id = questions.find(({ kind }) => kind === 'hidden_rows')?.id ?? ''
    await clerk.must(wage.checkRequireColumnData, { batch_id, columns: [], answers: [{ id, value: 'keep' }] })
    expect(await notify(clerk, batch_id)).toEqual([])
  })
})
