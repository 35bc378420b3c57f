/** A locked month as its members see it, step by step; and the annual reconciliation of all members. */

import { expect, it } from 'vitest'
import { clearMember, editMemberInfo } from '../../../server/contract/directory/members.ts'
import { errorCodes } from '../../../server/contract/errors.ts'
import { download } from '../../../server/contract/files/files.ts'
import { getSlip, getSlipList, getYearSummary } from '../../../server/contract/payslips/employee.ts'
import { exportOwnData, getSlipChanges } from '../../../server/contract/payslips/employee-data.ts'
import { getSlipTax } from '../../../server/contract/payslips/employee-tax.ts'
import { withdrawBatchPaySheet } from '../../../server/contract/payslips/send.ts'
import * as wage from '../../../server/contract/sheets/sheet.ts'
import { getReconciliationDetail, getReconciliationList } from '../../../server/contract/tax/comparison.ts'
import * as periods from '../../../server/contract/tax/periods.ts'
import { demoWorld } from '../../support/demo.ts'
import { zipEntries } from '../../support/files/xlsx.ts'
import { book, getUpload, openOffice } from '../../support/office.ts'
import { send } from '../../support/slips.ts'
import { lockPeriod } from '../../support/tax.ts'

const world = demoWorld()
const head = ['姓名', '手机号', '应发工资', '社保', '个人所得税', '实发工资']

async function paidMonth(rules: NonNullable<Parameters<typeof send>[3]>['rules'] = {}) {
  const office = await openOffice(world, ['赵一', '钱二'])
  const { clerk, staff } = office
  for (const { member_id } of staff) await clerk.must(editMemberInfo, { id: member_id, entry_date: '2026-10-08' })
  const rows = staff.map(({ name, mobile }, at) => [name, mobile, 20_000 + at * 30_000, 3_100, 357, 16_543 + at * 30_000])
  const { batch_id } = await getUpload(clerk, book(head, rows))
  await clerk.must(wage.insertBatchTitle, { batch_id, title: '十月工资', month: '2026-10' })
  await send(clerk, batch_id, ['link'], { rules })
  await world.product.jobs.drain()
  const { period_id } = await clerk.must(periods.createPeriod, { month: '2026-10' })
  await clerk.must(periods.saveIncome, { period_id, from: { batch_id } })
  await clerk.must(periods.computePeriod, { period_id })
  await world.product.jobs.drain()
  return { ...office, period_id, batch_id }
}

it('shows employees their own tax computation once the month is locked, and nothing where a payslip is withheld', async () => {
  const { clerk, staff, period_id } = await paidMonth()
  const [me, other] = staff
  if (!me || !other) throw new Error('no staff')
  const own = await world.signIn(me)
  const [slip] = (await own.must(getSlipList, {})).list
  const slip_id = slip?.slip_id ?? ''
  expect(await own.must(getSlipTax, { slip_id })).toEqual({ tax: null, is_hidden: false })
  expect((await own.must(getYearSummary, { year: 2026 })).tax).toBeNull()
  await lockPeriod(clerk, period_id)

  const { tax } = await own.must(getSlipTax, { slip_id })
  expect(tax).toMatchObject({
    month: '2026-10',
    cum_income_fen: 2_000_000,
    cum_basic_fen: 500_000,
    cum_special_fen: 310_000,
    cum_taxable_fen: 1_190_000,
    rate_ppm: 30_000,
    tax_fen: 35_700,
  })
  expect(tax?.steps.at(-1)).toBe(
    '本期应预扣预缴税额 357.00 = 累计应纳税额 357.00 − 累计已预扣预缴 0.00；依据：国家税务总局公告2018年第61号第六条',
  )
  expect((await own.must(getYearSummary, { year: 2026 })).tax).toEqual(tax)
  expect((await own.must(getYearSummary, { year: 2025 })).tax).toBeNull()
  expect((await (await world.signIn(other)).call(getSlipTax, { slip_id })).code).toBe(errorCodes.not_found.code)

  // A month later the cumulative amounts have crossed a tax bracket: the payslip text says so, although its columns do
  // not.
  const more = await getUpload(clerk, book(head, [[me.name, me.mobile, 40_000, 3_100, 2_547, 34_353]]))
  await clerk.must(wage.insertBatchTitle, { batch_id: more.batch_id, title: '十一月工资', month: '2026-11' })
  await send(clerk, more.batch_id, ['link'])
  await world.product.jobs.drain()
  const next = (await own.must(getSlipList, {})).list.find(({ month }) => month === '2026-11')?.slip_id ?? ''
  const why = async () =>
    (await own.must(getSlipChanges, { slip_id: next })).changes.find(({ label }) => label === '个人所得税')?.text
  expect(await why()).not.toContain('税率')
  const november = await clerk.must(periods.createPeriod, { month: '2026-11' })
  await clerk.must(periods.saveIncome, { period_id: november.period_id, from: { batch_id: more.batch_id } })
  await clerk.must(periods.computePeriod, { period_id: november.period_id })
  await world.product.jobs.drain()
  await lockPeriod(clerk, november.period_id)
  expect(await why()).toMatch(/：累计应纳税所得额 [\d,.]+ 元，超过了 36,000.00 元，税率由 3% 升为 10%。$/)

  // A payslip of last year, possibly paid in this one, requires a second confirmation: a total would reveal it.
  const rows = [[me.name, me.mobile, 1_000, 0, 0, 1_000]]
  const { batch_id } = await getUpload(clerk, book(head, rows))
  await clerk.must(wage.insertBatchTitle, { batch_id, title: '去年九月补发', month: '2025-09' })
  await send(clerk, batch_id, ['link'], { rules: { view_password: true } })
  await world.product.jobs.drain()
  expect(await own.must(getSlipTax, { slip_id })).toEqual({ tax: null, is_hidden: true })
  expect(await why()).not.toContain('税率')
  expect((await own.must(getYearSummary, { year: 2026 })).tax).toBeNull()
})

it('omits from the data copy the months of a year in which a payslip was closed, or closes before it was viewed', async () => {
  const { clerk, corp, staff, period_id, batch_id } = await paidMonth({ burn_after_minutes: 5 })
  await lockPeriod(clerk, period_id)
  const [me] = staff
  if (!me) throw new Error('no staff')
  const own = await world.signIn(me)
  const proven = () =>
    world.database.withoutCompany((tx) =>
      tx
        .updateTable('session')
        .set({ view_until: new Date(world.clock.now().getTime() + 600_000) })
        .where('account_id', '=', me.account_id)
        .execute(),
    )
  const copy = async () => {
    await proven()
    const { oss_path, file_name } = await own.must(exportOwnData)
    const bytes = (await own.call(download, { oss_path, file_name })).data as unknown as Buffer
    const { tax_months, not_in_it } = JSON.parse((zipEntries(bytes)['我的资料.json'] ?? Buffer.alloc(0)).toString())
    return { months: tax_months.map((one: { month: string }) => one.month), says: not_in_it.join() }
  }
  expect(await copy()).toEqual({ months: [], says: expect.stringContaining('2026 年的个税') })
  const [line] = (await own.must(getSlipList, {})).list
  await own.must(getSlip, { slip_id: line?.slip_id ?? '', confirm_open: true })
  expect(await copy()).toEqual({ months: ['2026-10'], says: expect.not.stringContaining('2026 年的个税') })
  const earlier = new Date(world.clock.now().getTime() - 6 * 60_000)
  await world.database.inCompany(corp.company_id, (tx) =>
    tx.updateTable('payslip').set({ viewed_at: earlier }).where('batch_id', '=', batch_id).execute(),
  )
  expect((await copy()).months).toEqual([])
  await clerk.must(withdrawBatchPaySheet, { batch_id })
  expect((await copy()).months).toEqual(['2026-10'])
})

it('lists the annual reconciliation of all members: additional tax and refunds, with each step', async () => {
  const { clerk, staff, period_id, batch_id } = await paidMonth()
  expect(await clerk.must(getReconciliationList, { year: 2026 })).toMatchObject({ list: [], locked: [], open: ['2026-10'] })
  await lockPeriod(clerk, period_id)
  // Withheld: 357 and 1,670 in one month; 60,000 of the year are exempt.
  const { list, counts, refund_fen, ...notified } = await clerk.must(getReconciliationList, { year: 2026 })
  expect(
    list.map(({ name, months, withheld_fen, tax_fen, due_fen, better_bonus_method }) => [
      name,
      months,
      withheld_fen,
      tax_fen,
      due_fen,
      better_bonus_method,
    ]),
  ).toEqual([
    ['赵一', 1, 35_700, 0, -35_700, 'merged'],
    ['钱二', 1, 167_000, 0, -167_000, 'merged'],
  ])
  expect([counts, refund_fen, notified.payable_fen, notified.locked]).toEqual([
    { owes: 0, back: 2, even: 0, other_way: 0 },
    202_700,
    0,
    ['2026-10'],
  ])
  expect((await clerk.must(getReconciliationList, { year: 2026, name: '钱二' })).list).toHaveLength(1)
  expect((await clerk.must(getReconciliationList, { year: 2026, kind: 'owes' })).list).toEqual([])
  const member_id = staff[0]?.member_id ?? ''
  const request = { member_id, year: 2026, elsewhere_fen: 10_000_000 }
  const { due_fen, exemption_limits, steps } = await clerk.must(getReconciliationDetail, request)
  // (120,000 − 60,000 − 3,100) × 10% − 2,520 − 357
  expect([due_fen, steps.at(-1)]).toEqual([281_300, expect.stringContaining('应补税额 2,813.00')])
  // The statutory amounts of that year apply, not those of the page.
  expect(exemption_limits).toEqual({ income_fen: 12_000_000, due_fen: 40_000 })
  expect((await clerk.call(getReconciliationDetail, { ...request, year: 2025 })).code).toBe(errorCodes.not_found.code)

  // A terminated member sees nothing before confirming their identity, even if no payslip of the year requires it.
  const [me] = staff
  if (!me) throw new Error('no staff')
  const getYear = async () => (await (await world.signIn(me)).must(getYearSummary, { year: 2026 })).tax
  await clerk.must(withdrawBatchPaySheet, { batch_id })
  expect(await getYear()).toMatchObject({ month: '2026-10' })
  await clerk.must(clearMember, { id: me.member_id })
  expect(await getYear()).toBeNull()
})
