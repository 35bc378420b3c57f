/**
 * A month of withholding from pay runs to the file for the tax office: locked, reopened, stopped, resumed; and access
 * to it.
 */

import { readXlsx } from 'hucre'
import { describe, expect, it } from 'vitest'
import { editMemberInfo } from '../../../server/contract/directory/members.ts'
import { errorCodes } from '../../../server/contract/errors.ts'
import { download } from '../../../server/contract/files/files.ts'
import * as wage from '../../../server/contract/sheets/sheet.ts'
import { compareWithholding } from '../../../server/contract/tax/comparison.ts'
import { type DeductionItem, saveDeduction } from '../../../server/contract/tax/deductions.ts'
import * as history from '../../../server/contract/tax/history.ts'
import { emptyDeduction } from '../../../server/contract/tax/kinds.ts'
import * as periods from '../../../server/contract/tax/periods.ts'
import { registerComputeJob } from '../../../server/modules/tax/period/compute.ts'
import { demoWorld } from '../../support/demo.ts'
import type { XlsxCell } from '../../support/files/xlsx.ts'
import { book, getUpload, type Office, openOffice } from '../../support/office.ts'
import { trial } from '../../support/run/trial.ts'
import { manyPeople, send } from '../../support/slips.ts'
import { getOpenIssues, lockPeriod } from '../../support/tax.ts'
import type { Caller, Person } from '../../support/world.ts'

const tax = { ...periods, ...history }
const world = demoWorld()
const head = [
  '姓名',
  '手机号',
  '应发工资',
  '养老保险(个人)',
  '医疗保险(个人)',
  '失业保险(个人)',
  '住房公积金(个人)',
  '个人所得税',
  '实发工资',
]
type Pay = { gross: number; tax: number }
/** 8 %, 2 %, 0.5 % and a housing fund of 1,000 on a base of 20,000: 3,100 a month. */
const own = [1600, 400, 100, 1000]

async function run(office: Office, month: string, pay: Pay[], staff = office.staff) {
  const rows = staff.map(({ name, mobile }, at) => {
    const { gross, tax: withheld } = pay[at] ?? { gross: 0, tax: 0 }
    return [name, mobile, gross, ...own, withheld, gross - 3100 - withheld]
  })
  const { batch_id } = await getUpload(office.clerk, book(head, rows))
  await office.clerk.must(wage.insertBatchTitle, { batch_id, title: `${month}工资`, month })
  return batch_id
}
async function sent(office: Office, month: string, pay: Pay[]) {
  const batch_id = await run(office, month, pay)
  await send(office.clerk, batch_id, ['link'])
  await world.product.jobs.drain()
  return batch_id
}
/** Two members who joined in October of this year. */
async function office(names = ['赵一', '钱二']) {
  const opened = await openOffice(world, names)
  for (const { member_id } of opened.staff) await opened.clerk.must(editMemberInfo, { id: member_id, entry_date: '2026-10-08' })
  return opened
}
const october = [
  { gross: 20_000, tax: 357 },
  { gross: 50_000, tax: 1670 },
]
/** The second payslip shows the tax of the month on its own. */
const november = [
  { gross: 20_000, tax: 357 },
  { gross: 50_000, tax: 1670 },
]
async function start(clerk: Caller, month: string, batch_id: string) {
  const { period_id } = await clerk.must(tax.createPeriod, { month })
  await clerk.must(tax.saveIncome, { period_id, from: { batch_id } })
  return period_id
}
async function computed(clerk: Caller, period_id: string) {
  await clerk.must(tax.computePeriod, { period_id })
  await world.product.jobs.drain()
  return (await clerk.must(tax.getHistoryDetail, { period_id })).list
}
const taxes = (list: Awaited<ReturnType<typeof computed>>) => list.map(({ name, result }) => [name, result?.tax_fen])
const createCompany = async (clerk: Caller, period_id: string) =>
  (await clerk.must(tax.checkPeriod, { period_id, pagesize: 100 })).list.map(({ kind, name, computed_fen, declared_fen }) => [
    kind,
    name,
    computed_fen,
    declared_fen,
  ])
const getState = async (clerk: Caller, period_id: string) => {
  const { status, member_count, done, needs_recompute } = await clerk.must(tax.getPeriod, { period_id })
  return { status, people: member_count, done, stale: needs_recompute }
}

describe('from pay runs to the tax office', () => {
  it('computes two months step by step with wrongly withheld tax, the lock, and the next month based on it', async () => {
    const { clerk, staff, ...rest } = await office()
    const first = await start(clerk, '2026-10', await sent({ clerk, staff, ...rest }, '2026-10', october))
    expect(
      (await clerk.must(tax.getPeriod, { period_id: first })).sources.map(({ title, way, people }) => [title, way, people]),
    ).toEqual([['2026-10工资', 'wages', 2]])
    expect(await createCompany(clerk, first)).toEqual([
      ['no_card', '赵一', null, null],
      ['no_card', '钱二', null, null],
      ['not_computed', '赵一', null, null],
      ['not_computed', '钱二', null, null],
    ])
    // (20,000 − 5,000 − 3,100) × 3%; (50,000 − 5,000 − 3,100) × 10% − 2,520.
    expect(taxes(await computed(clerk, first))).toEqual([
      ['赵一', 35_700],
      ['钱二', 167_000],
    ])
    // A month of the year before need not be locked first.
    await clerk.must(tax.createPeriod, { month: '2025-12' })
    await lockPeriod(clerk, first)

    const sheet = await run({ clerk, staff, ...rest }, '2026-11', november)
    const mismatches = async () => {
      const { problems } = await clerk.must(wage.checkWageData, { batch_id: sheet })
      return problems.flatMap(({ kind, name, message }) => (kind === 'tax_mismatch' ? [[name, message]] : []))
    }
    expect(await mismatches()).toEqual([
      [
        '钱二',
        '个税少了：按本年累计和已登记的专项附加扣除应为 4,190.00，写的是 1,670.00：截至 11 月累计收入 100,000.00，减 减除费用 10,000.00、专项扣除 6,200.00，余 83,800.00 × 10% − 速算扣除数 2,520.00 − 已扣 1,670.00；请核对',
      ],
    ])
    // Entered deductions count at once, for both months: (83,800 − 6,000) × 10% − 2,520 − 1,670.
    const getSave = (version: number, items: DeductionItem[]) =>
      clerk.must(saveDeduction, { member_id: staff[1]?.member_id ?? '', version, items })
    await getSave(0, [{ ...emptyDeduction, kind: 'elderly', whose: '母亲', born: '1960-03-08', only_child: true }])
    expect(await mismatches()).toEqual([['钱二', expect.stringContaining('应为 3,590.00')]])
    await getSave(1, [])
    await send(clerk, sheet, ['link'])
    await world.product.jobs.drain()
    const second = await start(clerk, '2026-11', sheet)
    // (100,000 − 10,000 − 6,200) × 10% − 2,520 − 1,670.
    expect(taxes(await computed(clerk, second))).toEqual([
      ['赵一', 35_700],
      ['钱二', 419_000],
    ])
    const checked = await clerk.must(tax.checkPeriod, { period_id: second, kind: 'tax_differs' })
    expect(
      checked.list.map(({ name, computed_fen, declared_fen, message }) => [name, computed_fen, declared_fen, message]),
    ).toEqual([
      [
        '钱二',
        419_000,
        167_000,
        '工资表扣了 1,670.00，按累计预扣法应扣 4,190.00（累计应纳税所得额 83,800.00 × 10% − 速算扣除数 2,520.00 − 已预扣 1,670.00），少扣 2,520.00；请核对以前月份、专项附加扣除和入职月份',
      ],
    ])
    expect([checked.current.tax_fen, checked.previous?.tax_fen, checked.sheet_tax_fen]).toEqual([454_700, 202_700, 202_700])

    const person = await clerk.must(tax.getMemberTaxDetail, { period_id: second, member_id: staff[1]?.member_id ?? '' })
    expect(person.months.map(({ month, tax_fen }) => [month, tax_fen])).toEqual([['2026-10', 167_000]])
    expect(person.steps).toEqual([
      '累计减除费用 10,000.00 = 每月减除费用 5,000.00 × 2；依据：国家税务总局公告2018年第61号第六条',
      '累计应纳税所得额 83,800.00 = 累计收入 100,000.00 − 累计减除费用 10,000.00 − 累计专项扣除 6,200.00；依据：国家税务总局公告2018年第61号第六条',
      expect.stringContaining('累计应纳税额 5,860.00 = 累计应纳税所得额 83,800.00 × 10% − 速算扣除数 2,520.00；依据：'),
      '本期应预扣预缴税额 4,190.00 = 累计应纳税额 5,860.00 − 累计已预扣预缴 1,670.00；依据：国家税务总局公告2018年第61号第六条',
    ])
    const listed = await clerk.must(tax.getHistoryList, { year: 2026 })
    expect(listed.list.map(({ month, status, totals }) => [month, status, totals?.tax_fen])).toEqual([
      ['2026-11', 'computed', 454_700],
      ['2026-10', 'locked', 202_700],
    ])
  })

  it('starts a year at zero without the locked months of the year before', async () => {
    const opened = await office()
    const { clerk, staff } = opened
    for (const { member_id } of staff) await clerk.must(editMemberInfo, { id: member_id, entry_date: '2025-11-03' })
    const december = await start(clerk, '2025-12', await sent(opened, '2025-12', october))
    await computed(clerk, december)
    await lockPeriod(clerk, december)
    const january = await start(clerk, '2026-01', await sent(opened, '2026-01', october))
    // A first month, similar to October above.
    expect(taxes(await computed(clerk, january))).toEqual([
      ['赵一', 35_700],
      ['钱二', 167_000],
    ])
  })

  it('uses the wage sheet of a scheduled pay run, because its payslips do not exist yet', async () => {
    const opened = await office()
    const batch_id = await run(opened, '2026-10', october)
    const when = new Date(world.clock.now().getTime() + 2 * 86_400_000).toISOString()
    await send(opened.clerk, batch_id, ['link'], { when })
    const period = await start(opened.clerk, '2026-10', batch_id)
    expect(taxes(await computed(opened.clerk, period))).toEqual([
      ['赵一', 35_700],
      ['钱二', 167_000],
    ])
  })

  it('locks only for a request that names exactly the open issues', async () => {
    const opened = await office()
    const { clerk } = opened
    const period_id = await start(clerk, '2026-10', await sent(opened, '2026-10', october))
    await computed(clerk, period_id)
    const open = await getOpenIssues(clerk, period_id)
    expect(open.map(({ kind }) => kind)).toContain('no_card')
    const lock = (accepted_issues?: periods.TaxIssueCount[]) => clerk.call(tax.lockPeriod, { period_id, accepted_issues })
    const total = open.reduce((sum, { count }) => sum + count, 0)
    for (const accepted of [
      undefined,
      open.slice(1),
      open.map((one) => ({ ...one, count: one.count - 1 })),
      [...open, { kind: 'paid_after_leaving' as const, count: 1 }],
    ]) {
      const refused = await lock(accepted)
      expect([refused.code, refused.message]).toEqual([
        errorCodes.wrong_state.code,
        expect.stringContaining(`还有 ${total} 处没有处理`),
      ])
      expect(refused.data).toMatchObject({ open_issues: open })
    }
    expect((await getState(clerk, period_id)).status).toBe('computed')
    // What was open when the user looked is not open any more.
    await clerk.must(editMemberInfo, { id: opened.staff[0]?.member_id ?? '', id_card: '11010519900307451X' })
    expect((await lock(open)).code).toBe(errorCodes.wrong_state.code)
    expect((await lock((await getOpenIssues(clerk, period_id)).toReversed())).code).toBe(0)
  })

  it('rejects changes of a locked month, and marks later months until recomputed after reopening with a reason', async () => {
    const opened = await office()
    const { clerk } = opened
    const first = await start(clerk, '2026-10', await sent(opened, '2026-10', october))
    await computed(clerk, first)
    await lockPeriod(clerk, first)
    const member_id = opened.staff[0]?.member_id ?? ''
    const rows = [{ member_id, amounts: { income_fen: 3_000_000, pension_fen: 310_000 } }]
    for (const [call, input] of [
      [tax.saveIncome, { period_id: first, rows }],
      [tax.computePeriod, { period_id: first }],
      [tax.clearPeriod, { period_id: first }],
      [tax.lockPeriod, { period_id: first }],
    ] as const)
      expect((await clerk.call(call, input as never)).code, call.name).toBe(errorCodes.wrong_state.code)
    const second = await start(clerk, '2026-11', await sent(opened, '2026-11', november))
    await computed(clerk, second)
    await lockPeriod(clerk, second)

    expect((await clerk.call(tax.reopenPeriod, { period_id: first, reason: ' ' })).message).toBe('请写明重新打开的原因')
    expect(await clerk.must(tax.reopenPeriod, { period_id: first, reason: '十月漏了补贴' })).toEqual({
      months_to_recompute: ['2026-11'],
    })
    expect((await getState(clerk, second)).stale).toEqual(['2026-10'])
    await clerk.must(tax.saveIncome, { period_id: first, rows })
    expect((await clerk.call(tax.lockPeriod, { period_id: first })).message).toBe('这一期还没有计算完；请先计算')
    // (30,000 − 5,000 − 3,100) × 3%
    expect(taxes(await computed(clerk, first))[0]).toEqual(['赵一', 65_700])
    await lockPeriod(clerk, first)
    // After the period is locked again, it differs from the data that November is based on.
    expect((await getState(clerk, second)).stale).toEqual(['2026-10'])
    await clerk.must(tax.reopenPeriod, { period_id: second, reason: '十月改过' })
    expect((await clerk.call(tax.lockPeriod, { period_id: second })).message).toContain('2026-10 在本期计算之后改过')
    await clerk.must(tax.computePeriod, { period_id: second, action: 'again' })
    await world.product.jobs.drain()
    // (50,000 − 10,000 − 6,200) × 3% − 657
    expect(taxes((await clerk.must(tax.getHistoryDetail, { period_id: second })).list)[0]).toEqual(['赵一', 35_700])
    await lockPeriod(clerk, second)
    expect((await getState(clerk, second)).stale).toEqual([])
    const { events } = await clerk.must(tax.getPeriod, { period_id: first })
    expect(events.map(({ kind, by, reason }) => [kind, by, reason])).toEqual([
      ['locked', '薪资员', null],
      ['reopened', '薪资员', '十月漏了补贴'],
      ['locked', '薪资员', null],
      ['created', '薪资员', null],
    ])
  })

  it('does not compute a month while an earlier one is open', async () => {
    const opened = await office()
    const { clerk } = opened
    await clerk.must(tax.createPeriod, { month: '2026-10' })
    const second = await start(clerk, '2026-11', await sent(opened, '2026-11', november))
    expect((await clerk.call(tax.computePeriod, { period_id: second })).message).toContain('请先锁定 2026-10')
  })
})

describe('input of a period', () => {
  it('includes a wage sheet that was not sent, if it is checked', async () => {
    const opened = await office()
    const period_id = await start(opened.clerk, '2026-10', await run(opened, '2026-10', october))
    expect(taxes(await computed(opened.clerk, period_id)).map(([, fen]) => fen)).toEqual([35_700, 167_000])
  })

  it('counts a pay run added twice once, and keeps manual entries when it is removed', async () => {
    const opened = await office()
    const { clerk, staff } = opened
    const batch_id = await sent(opened, '2026-10', october)
    const period_id = await start(clerk, '2026-10', batch_id)
    expect(await clerk.must(tax.saveIncome, { period_id, from: { batch_id } })).toEqual({ people: 2, saved: 0, removed: 0 })
    const member_id = staff[0]?.member_id ?? ''
    await clerk.must(tax.saveIncome, { period_id, rows: [{ member_id, amounts: { income_fen: 2_100_000 } }] })
    expect((await createCompany(clerk, period_id)).filter(([kind]) => kind === 'by_hand')).toEqual([
      ['by_hand', '赵一', 2_100_000, 2_000_000],
    ])
    expect(await clerk.must(tax.saveIncome, { period_id, remove_batch: { batch_id } })).toEqual({
      people: 1,
      saved: 1,
      removed: 1,
    })
    expect(
      (await clerk.must(tax.getHistoryDetail, { period_id })).list.map(({ name, income_fen }) => [name, income_fen]),
    ).toEqual([['赵一', 2_100_000]])
    expect(await clerk.must(tax.saveIncome, { period_id, remove: [member_id] })).toEqual({ people: 0, saved: 0, removed: 1 })
  })

  it("taxes a bonus pay run separately once a year, and refuses the second with the member's name", async () => {
    const opened = await office(['孙三'])
    const { clerk } = opened
    const first = await start(clerk, '2026-10', await sent(opened, '2026-10', october))
    const bonus = await run(opened, '2026-10', [{ gross: 36_000, tax: 0 }])
    await clerk.must(tax.saveIncome, { period_id: first, from: { batch_id: bonus, income_kind: 'bonus' } })
    const [one] = await computed(clerk, first)
    expect([one?.result?.tax_fen, one?.result?.bonus_tax_fen, one?.bonus_fen]).toEqual([35_700, 108_000, 3_600_000])
    await lockPeriod(clerk, first)
    const second = await start(clerk, '2026-11', await sent(opened, '2026-11', november))
    await clerk.must(tax.saveIncome, { period_id: second, from: { batch_id: bonus, income_kind: 'bonus' } })
    expect((await computed(clerk, second))[0]?.result?.refused).toContain('今年已经用过一次')
    expect((await clerk.call(tax.lockPeriod, { period_id: second })).message).toContain('还有 1 人没有算出结果')
  })

  it('includes opening balances and the tax actually withheld', async () => {
    const { clerk, staff } = await openOffice(world, ['李四'])
    const member_id = staff[0]?.member_id ?? ''
    const { period_id } = await clerk.must(tax.createPeriod, { month: '2026-10' })
    await clerk.must(tax.saveIncome, {
      period_id,
      rows: [{ member_id, amounts: { income_fen: 1_000_000 }, withheld_fen: 10_000 }],
    })
    const year = { member_id, tax_year: 2026, first_income_of_year: false, prior_year_under_60000: false }
    const opening = { through_month: 9, income_fen: 9_000_000, special_fen: 0, withheld_fen: 135_000 }
    expect(await clerk.must(tax.saveTaxYear, { ...year, opening })).toEqual({ months_to_recompute: ['2026-10'] })
    // (100,000 − 50,000) × 10% − 2,520 − 1,350
    const [one] = await computed(clerk, period_id)
    expect([one?.result?.tax_fen, one?.result?.withheld_fen, one?.result?.months_counted]).toEqual([113_000, 10_000, 10])
    expect(await createCompany(clerk, period_id)).toEqual([
      ['no_card', '李四', null, null],
      ['no_entry', '李四', null, null],
    ])
    await lockPeriod(clerk, period_id)
    expect((await clerk.call(tax.saveTaxYear, { ...year, opening: { ...opening, through_month: 10 } })).message).toContain(
      '2026-10 已经在这里锁定',
    )
    expect(
      (await clerk.call(tax.saveTaxYear, { ...year, opening: null, first_income_of_year: true, prior_year_under_60000: true }))
        .message,
    ).toContain('不能同时适用')
  })

  it.each([
    ['2018-12', '累计预扣法自 2019-01 起适用，请选择之后的月份'],
    ['2027-02', '最晚只能建到 2026-12；税款所属期是发工资的月份'],
  ])('refuses to create a month: %s', async (month, message) => {
    const { clerk } = await openOffice(world, [])
    expect((await clerk.call(tax.createPeriod, { month })).message).toBe(message)
  })
  it('creates a month once, and deletes it unless it was ever locked', async () => {
    const { clerk } = await openOffice(world, [])
    const { period_id } = await clerk.must(tax.createPeriod, { month: '2026-10' })
    expect((await clerk.call(tax.createPeriod, { month: '2026-10' })).message).toBe('2026-10 已经有一期，请在列表里打开它')
    await clerk.must(tax.clearPeriod, { period_id })
    expect((await clerk.must(tax.getPeriodList, {})).list).toEqual([])
  })
})

describe('file for the tax office', () => {
  const wages =
    '工号, *姓名, *证件类型, *证件号码, 本期收入, 本期免税收入, 基本养老保险费, 基本医疗保险费, 失业保险费, 住房公积金, 累计子女教育, 累计继续教育, 累计住房贷款利息, 累计住房租金, 累计赡养老人, 累计3岁以下婴幼儿照护, 累计个人养老金, 企业(职业)年金, 商业健康保险, 税延养老保险, 公务交通费用, 通讯费用, 律师办案费用, 西藏附加减除费用, 其他, 准予扣除的捐赠额, 减免税额, 协定减免, 备注'

  it('writes the columns of the official client with correct amounts for another reader, and requires access to all its members', async () => {
    const opened = await office()
    const { clerk, staff } = opened
    await clerk.must(editMemberInfo, { id: staff[0]?.member_id ?? '', employee_no: '007', id_card: '11010519900307451X' })
    const period_id = await start(clerk, '2026-10', await sent(opened, '2026-10', october))
    expect((await clerk.call(tax.exportDeclaration, { period_id })).message).toContain('还没有计算完')
    await computed(clerk, period_id)
    const { oss_path, file_name, rows, missing_id_card_count } = await clerk.must(tax.exportDeclaration, { period_id })
    expect([file_name, rows, missing_id_card_count]).toEqual(['正常工资薪金收入-2026-10.xlsx', 2, 1])
    const bytes = (await clerk.call(download, { oss_path, file_name })).data as unknown as Buffer
    const [sheet] = (await readXlsx(bytes)).sheets
    expect(sheet?.name).toBe('正常工资薪金收入')
    expect(sheet?.rows[0]).toEqual(wages.split(', '))
    expect(sheet?.rows[1]?.slice(0, 10)).toEqual([
      '007',
      '赵一',
      '居民身份证',
      '11010519900307451X',
      20_000,
      null,
      1600,
      400,
      100,
      1000,
    ])
    expect(sheet?.rows[2]?.slice(0, 5)).toEqual([null, '钱二', null, null, 50_000])
    expect((await clerk.call(tax.exportDeclaration, { period_id, kind: 'bonus' })).message).toBe(
      '这一期没有单独计税的全年一次性奖金',
    )
    expect((await clerk.must(tax.exportDeclaration, { period_id, kind: 'people' })).file_name).toBe('人员信息-2026-10.xlsx')
    // How the tax was computed, with the same text as on the member's page.
    const steps = await clerk.must(tax.exportDeclaration, { period_id, kind: 'steps' })
    expect([steps.file_name, steps.rows]).toEqual(['个税计算过程-2026-10.xlsx', 2])
    const read = (await clerk.call(download, { oss_path: steps.oss_path, file_name: steps.file_name })).data as unknown as Buffer
    const messages = (await readXlsx(read)).sheets[0]?.rows ?? []
    const own = await clerk.must(tax.getMemberTaxDetail, { period_id, member_id: staff[0]?.member_id ?? '' })
    expect(messages.filter((row) => row[1] === '赵一').map((row) => row[3])).toEqual(own.steps)
    expect(own.steps.length).toBeGreaterThan(3)
    // A file with everybody's amounts needs a recent proof of identity.
    const longAgo = new Date(world.clock.now().getTime() - 11 * 60_000)
    await world.database.withoutCompany((tx) =>
      tx
        .updateTable('session')
        .set({ created_at: longAgo, verified_at: null })
        .where('company_id', '=', opened.corp.company_id)
        .execute(),
    )
    expect((await clerk.call(tax.exportDeclaration, { period_id })).code).toBe(errorCodes.view_locked.code)
  })

  it('compares the results of the official client by member, and stores nothing of them', async () => {
    const opened = await office(['赵一', '钱二', '孙三'])
    const { clerk, staff } = opened
    const period_id = await start(clerk, '2026-10', await sent(opened, '2026-10', [...october, { gross: 6_000, tax: 0 }]))
    const head = ['工号', '姓名', '税款所属期起', '所得项目', '本期收入', '累计收入额', '累计应纳税所得额', '应补(退)税额']
    const compare = (rows: XlsxCell[][]) =>
      clerk.call(compareWithholding, { period_id }, { file: { name: '税款计算.xlsx', bytes: book(head, rows) } })
    const right = ['', '赵一', '2026-10-01', '正常工资薪金', 20_000, 20_000, 11_900, 357]
    expect((await compare([right])).message).toContain('还没有计算完')
    await computed(clerk, period_id)
    expect((await compare([['', '赵一', '2026-09-01', '正常工资薪金', 20_000, 20_000, 11_900, 357]])).message).toBe(
      '文件里是 2026-09 的税款，这一期是 2026-10；请选择同一个月的文件',
    )
    expect((await compare([])).code).toBe(errorCodes.unreadable_sheet.code)
    const { data } = await compare([
      right,
      ['', '钱二', '2026-10-01', '正常工资薪金', 51_000, 51_000, 42_900, 1_770],
      ['', '没有人', '2026-10-01', '正常工资薪金', 1, 1, 0, 0],
      ['', '赵一', '2026-10-01', '劳务报酬', 1, 1, 0, 0],
    ])
    expect(data).toMatchObject({
      counts: { same: 1, differs: 1, only_file: 0, only_here: 1, fault: 1 },
      ours_due_fen: 202_700,
      theirs_due_fen: 212_700,
      other_items: 1,
      rows: [
        { kind: 'fault', name: '没有人', row: 4 },
        {
          kind: 'differs',
          name: '钱二',
          member_id: staff[1]?.member_id,
          message: '本期收入不同：请核对引入的工资条和扣缴端填报的收入',
          fields: [
            { field: 'income', computed: 5_000_000, declared: 5_100_000 },
            { field: 'cum_income', computed: 5_000_000, declared: 5_100_000 },
            { field: 'cum_taxable', computed: 4_190_000, declared: 4_290_000 },
            { field: 'due', computed: 167_000, declared: 177_000 },
          ],
        },
        { kind: 'only_here', name: '孙三' },
      ],
    })
  })
})

describe('interrupted computation', () => {
  const many = async (count: number) => {
    const opened = await openOffice(world, [])
    const people = await manyPeople(world, opened.corp, count)
    const { period_id } = await opened.clerk.must(tax.createPeriod, { month: '2026-01' })
    const rows = people.map(({ member_id }, at) => ({ member_id, amounts: { income_fen: 1_000_000 + at * 100 } }))
    for (let from = 0; from < count; from += 500)
      await opened.clerk.must(tax.saveIncome, { period_id, rows: rows.slice(from, from + 500) })
    return { ...opened, period_id }
  }
  /** The job as run by another node, to be stopped halfway. */
  function job() {
    let work: ((data: never, context: never) => Promise<void>) | null = null
    const jobs = { ...world.product.jobs, register: (_: string, run: typeof work) => (work = run) }
    registerComputeJob({ ...world, jobs } as never)
    return async (data: object, slots: number) => {
      let left = slots
      const throwIfAborted = () => {
        if (left-- <= 0) throw new Error('killed')
      }
      await work?.(data as never, { signal: { throwIfAborted }, retryCount: 0 } as never).catch((error: Error) => {
        if (error.message !== 'killed') throw error
      })
    }
  }

  const people = { full: 10_000, sample: 300, of: 'people of a month' }
  trial(
    'tax-period',
    'keeps the results of a job that dies halfway, and continues without computing any member twice',
    people,
    async ({ size, says }) => {
      const { clerk, corp, period_id } = await many(size)
      // Of two slots one is stopped, of forty every third.
      const slots = Math.max(1, Math.floor(size / 250 / 3))
      const done = slots * 250
      const begins = await clerk.must(tax.computePeriod, { period_id })
      expect(begins).toEqual({ status: 'computing', done: 0, people: size })
      expect((await clerk.call(tax.computePeriod, { period_id })).code).toBe(errorCodes.wrong_state.code)
      const rows = () =>
        world.database.inCompany(corp.company_id, (tx) =>
          tx
            .selectFrom('tax_income')
            .select(['id', 'result', 'run_id'])
            .where('period_id', '=', period_id)
            .orderBy('id')
            .execute(),
        )
      const { run_id } = await world.database.inCompany(corp.company_id, (tx) =>
        tx.selectFrom('tax_period').select('run_id').where('id', '=', period_id).executeTakeFirstOrThrow(),
      )
      await job()({ company_id: corp.company_id, period_id, run_id }, slots)
      expect(await getState(clerk, period_id)).toEqual({ status: 'computing', people: size, done, stale: [] })
      await clerk.must(tax.computePeriod, { period_id, action: 'stop' })
      // The queue's own job finds that it was stopped.
      await world.product.jobs.drain()
      expect(await getState(clerk, period_id)).toEqual({ status: 'stopped', people: size, done, stale: [] })
      const half = (await rows()).filter((row) => row.run_id === run_id)
      const began = performance.now()
      await clerk.must(tax.computePeriod, { period_id })
      await world.product.jobs.drain()
      says(`${size - done} people in ${Math.round((performance.now() - began) / 100) / 10} s`)
      expect(await getState(clerk, period_id)).toEqual({ status: 'computed', people: size, done: size, stale: [] })
      const after = new Map((await rows()).map((row) => [row.id, row.result]))
      expect(half.length).toBe(done)
      expect(half.every(({ id, result }) => result && after.get(id)?.equals(result))).toBe(true)
      // Each has (10,000 − 5,000) × 3%, plus three fen for each further yuan.
      const { totals } = await clerk.must(tax.getHistoryDetail, { period_id })
      expect([totals?.people, totals?.tax_fen]).toEqual([size, size * 15_000 + (size * (size - 1) * 3) / 2])
    },
  )
})

describe('access to tax periods', () => {
  async function split() {
    const opened = await office(['周五'])
    const shop = await opened.corp.department('门店')
    const near: Person = await opened.corp.person({ name: '吴六', department_ids: [shop] })
    opened.staff.push(near)
    const person = await opened.corp.person({ power: ['2'], scope: { all: false, department_ids: [shop] } })
    const narrow = await world.signIn(person)
    const period_id = await start(
      opened.clerk,
      '2026-10',
      await sent(opened, '2026-10', [
        { gross: 27_654.32, tax: 0 },
        { gross: 30_000, tax: 0 },
      ]),
    )
    await computed(opened.clerk, period_id)
    return { ...opened, narrow, near, period_id }
  }

  it('shows a department administrator its members without totals or titles of others, and refuses lock and export', async () => {
    const { narrow, near, staff, period_id } = await split()
    const viewed = await narrow.must(tax.getHistoryDetail, { period_id })
    expect([viewed.list.map(({ name }) => name), viewed.page.total, viewed.totals]).toEqual([['吴六'], 1, null])
    expect((await narrow.must(tax.getHistoryList, {})).list.map(({ member_count, totals }) => [member_count, totals])).toEqual([
      [1, null],
    ])
    expect(await narrow.must(tax.getPeriod, { period_id })).toMatchObject({
      covers_everyone: false,
      sources: [{ title: null, batch_id: null }],
    })
    const checked = await narrow.must(tax.checkPeriod, { period_id })
    expect([checked.current.people, checked.list.every(({ member_id }) => member_id === near.member_id)]).toEqual([1, true])
    const other = staff[0]?.member_id ?? ''
    expect((await narrow.call(tax.getMemberTaxDetail, { period_id, member_id: other })).code).toBe(errorCodes.not_found.code)
    const year = { tax_year: 2026, first_income_of_year: false, prior_year_under_60000: false, opening: null }
    expect((await narrow.call(tax.saveTaxYear, { member_id: other, ...year })).code).toBe(errorCodes.not_found.code)
    expect(
      (await narrow.call(tax.saveIncome, { period_id, rows: [{ member_id: other, amounts: { income_fen: 1 } }] })).message,
    ).toContain('没有找到这位员工')
    expect(await narrow.must(tax.saveIncome, { period_id, remove: [other] })).toEqual({ people: 1, saved: 0, removed: 0 })
    for (const call of [tax.lockPeriod, tax.exportDeclaration, tax.clearPeriod])
      expect([call.name, (await narrow.call(call, { period_id } as never)).code]).toEqual([
        call.name,
        errorCodes.not_permitted.code,
      ])
  })

  it('stores no unencrypted amount in a table, the audit log or the queue', async () => {
    const { corp, clerk, staff } = await split()
    await clerk.must(tax.saveTaxYear, {
      member_id: staff[0]?.member_id ?? '',
      tax_year: 2026,
      first_income_of_year: false,
      prior_year_under_60000: false,
      opening: { through_month: 9, income_fen: 2_765_432, withheld_fen: 0 },
    })
    const text = await world.database.inCompany(corp.company_id, async (tx) => {
      const all = []
      for (const table of ['tax_period', 'tax_income', 'tax_year', 'tax_period_event', 'audit_log_entry'] as const)
        all.push(
          JSON.stringify(await tx.selectFrom(table).selectAll().execute(), (_, value: unknown) =>
            isBytes(value) ? 'sealed' : value,
          ),
        )
      return all.join('\n')
    })
    expect(text).toContain('sealed')
    // An id may contain any five digits.
    expect(text.replaceAll(/[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}/g, '')).not.toMatch(/27654|2765432|27,654/)
    const queue = JSON.stringify((await world.database.pool.query('select data from pgboss.job')).rows)
    expect(queue).not.toMatch(/27654|2765432/)
  })
})
const isBytes = (value: unknown): boolean =>
  value instanceof Uint8Array || (typeof value === 'object' && value !== null && 'type' in value && value.type === 'Buffer')
