/** The first tax period of a company that starts in the middle of a year: opening balances for everybody at once. */

import { expect, it } from 'vitest'
import { editMemberInfo } from '../../../server/contract/directory/members.ts'
import { errorCodes } from '../../../server/contract/errors.ts'
import * as wage from '../../../server/contract/sheets/sheet.ts'
import * as history from '../../../server/contract/tax/history.ts'
import { importOpening, importSentMonths } from '../../../server/contract/tax/opening.ts'
import * as periods from '../../../server/contract/tax/periods.ts'
import { demoWorld } from '../../support/demo.ts'
import type { XlsxCell } from '../../support/files/xlsx.ts'
import { book, getUpload, type Office, openOffice } from '../../support/office.ts'
import { send } from '../../support/slips.ts'
import type { Caller } from '../../support/world.ts'

const world = demoWorld()
const clientHead =
  '姓名 税款所属期起 所得项目 本期收入 累计收入额 累计减除费用 累计专项扣除 累计赡养老人 累计应纳税所得额 已缴税额 应补(退)税额'.split(
    ' ',
  )
/** Ten months of 20,000 with 2,000 of insurance and 3,000 for a parent: 10,000 a month are taxable. */
const client = (name: string, month = '2026-10-01', taxable = 100_000): XlsxCell[] => [
  name,
  month,
  '正常工资薪金',
  20_000,
  200_000,
  50_000,
  20_000,
  30_000,
  taxable,
  6_480,
  1_000,
]
const importFile = (clerk: Caller, input: { period_id: string; through_month?: number; apply?: '1' }, rows: XlsxCell[][]) =>
  clerk.call(importOpening, input, { file: { name: '税款计算.xlsx', bytes: book(clientHead, rows) } })

/** A company hired before this year, with its first period in November. */
async function november(names: readonly string[]) {
  const opened = await openOffice(world, names)
  for (const { member_id } of opened.staff) await opened.clerk.must(editMemberInfo, { id: member_id, entry_date: '2024-03-01' })
  const { period_id } = await opened.clerk.must(periods.createPeriod, { month: '2026-11' })
  const rows = opened.staff.map(({ member_id }) => ({
    member_id,
    amounts: { income_fen: 2_000_000, social_fen: 200_000 },
    additional_cumulative_fen: 3_300_000,
  }))
  await opened.clerk.must(periods.saveIncome, { period_id, rows })
  return { ...opened, period_id }
}
async function compute(clerk: Caller, period_id: string) {
  await clerk.must(periods.computePeriod, { period_id })
  await world.product.jobs.drain()
  const { list } = await clerk.must(history.getHistoryDetail, { period_id })
  return list.map(({ name, result }) => [name, result?.tax_fen])
}
const countGaps = async (clerk: Caller, period_id: string) =>
  (await clerk.must(periods.checkPeriod, { period_id })).kinds.find(({ kind }) => kind === 'months_gap')?.count ?? 0

it("imports everybody's sums of the year from the result file of the tax client, and computes the month from them", async () => {
  const { clerk, period_id } = await november(['赵一', '钱二', '孙三'])
  await compute(clerk, period_id)
  expect(await countGaps(clerk, period_id)).toBe(3)

  const rows = ['赵一', '钱二', '孙三', '没有人'].map((name) => client(name))
  const { data: plan } = await importFile(clerk, { period_id }, rows)
  expect(plan).toMatchObject({
    applied: false,
    through_month: 10,
    people: 3,
    counts: { new: 3, changed: 0, same: 0, rejected: 1 },
    rows: [
      { change: 'rejected', name: '没有人', row: 5 },
      { change: 'new', name: '赵一', income_fen: 20_000_000, special_fen: 2_000_000, withheld_fen: 748_000 },
      { change: 'new' },
      { change: 'new' },
    ],
    months_to_recompute: [],
  })
  expect(await countGaps(clerk, period_id)).toBe(3)
  const { data: applied } = await importFile(clerk, { period_id, apply: '1' }, rows)
  expect(applied).toMatchObject({ applied: true, people: 3, months_to_recompute: ['2026-11'] })
  expect(await countGaps(clerk, period_id)).toBe(0)
  // (220,000 − 55,000 − 22,000 − 33,000) × 10% − 2,520 − 7,480.
  expect(await compute(clerk, period_id)).toEqual(['赵一', '钱二', '孙三'].map((name) => [name, 100_000]))
  const { data: again } = await importFile(clerk, { period_id, apply: '1' }, rows)
  expect(again).toMatchObject({ people: 0, counts: { new: 0, changed: 0, same: 3, rejected: 1 }, months_to_recompute: [] })
})

it('asks for the month that the file does not state, and refuses sums that cannot be right', async () => {
  const { clerk, period_id } = await november(['赵一', '钱二'])
  const withoutMonth = [client('赵一', '')]
  expect((await importFile(clerk, { period_id }, withoutMonth)).data).toMatchObject({ through_month: null, people: 1 })
  expect((await importFile(clerk, { period_id, apply: '1' }, withoutMonth)).message).toContain('累计截至几月')
  expect((await importFile(clerk, { period_id, through_month: 10 }, withoutMonth)).data).toMatchObject({ through_month: 10 })
  expect((await importFile(clerk, { period_id }, [client('赵一', '2026-11-01')])).message).toContain('这一期之前最后一个月')
  expect((await importFile(clerk, { period_id }, [client('赵一', '2025-10-01')])).message).toContain('同一年')
  // The client's taxable income is lower than its sums: a column is missing, such as another deduction.
  const doubtful = [client('赵一', '2026-10-01', 90_000), client('钱二'), client('钱二')]
  expect((await importFile(clerk, { period_id }, doubtful)).data?.rows.map(({ name, reason }) => [name, reason])).toEqual([
    ['赵一', expect.stringContaining('算出的应纳税所得额是 100,000.00，文件里是 90,000.00')],
    ['钱二', '这个人在文件里有几行，请只留一行'],
    ['钱二', '这个人在文件里有几行，请只留一行'],
  ])
  const bytes = book(['姓名', '本期收入', '累计收入额', '应补(退)税额'], [['赵一', 1, 1, 0]])
  expect((await clerk.call(importOpening, { period_id }, { file: { name: '税款计算.xlsx', bytes } })).message).toContain(
    '没有「累计专项扣除」「已缴税额」',
  )
})

const wageHead = ['姓名', '手机号', '应发工资', '社保', '个人所得税', '实发工资']
async function sendMonth({ clerk, staff }: Pick<Office, 'clerk' | 'staff'>, month: string, names: readonly string[]) {
  const rows = staff
    .filter(({ name }) => names.includes(name))
    .map(({ name, mobile }) => [name, mobile, 20_000, 2_000, 390, 17_610])
  const { batch_id } = await getUpload(clerk, book(wageHead, rows))
  await clerk.must(wage.insertBatchTitle, { batch_id, title: `${month}工资`, month })
  await send(clerk, batch_id, ['link'])
  await world.product.jobs.drain()
  return batch_id
}

it('starts the year from the payslips that were sent, except for members with a month without payslip', async () => {
  const opened = await openOffice(world, ['李四', '周五'])
  const { clerk, staff } = opened
  for (const { member_id } of staff) await clerk.must(editMemberInfo, { id: member_id, entry_date: '2026-09-01' })
  const september = await sendMonth(opened, '2026-09', ['李四'])
  const october = await sendMonth(opened, '2026-10', ['李四', '周五'])
  const { period_id } = await clerk.must(periods.createPeriod, { month: '2026-11' })
  const rows = staff.map(({ member_id }) => ({ member_id, amounts: { income_fen: 2_000_000, social_fen: 200_000 } }))
  await clerk.must(periods.saveIncome, { period_id, rows })
  const input = { period_id, batch_ids: [september, october], paid_after_months: 0 }
  expect(await clerk.must(importSentMonths, input)).toMatchObject({
    applied: false,
    through_month: 10,
    people: 1,
    rows: [
      { change: 'rejected', name: '周五', reason: expect.stringMatching(/^9 月没有工资条/) },
      { change: 'new', name: '李四', income_fen: 4_000_000, special_fen: 400_000, withheld_fen: 78_000 },
    ],
  })
  // Paid in the month after: the wages of October belong to the period itself.
  const later = await clerk.call(importSentMonths, { ...input, paid_after_months: 1 })
  expect([later.code, later.message]).toEqual([errorCodes.wrong_state.code, expect.stringContaining('2026-10工资')])
  await clerk.must(importSentMonths, { ...input, apply: true })
  // (60,000 − 15,000 − 6,000) × 10% − 2,520 − 780.
  expect((await compute(clerk, period_id)).find(([name]) => name === '李四')).toEqual(['李四', 60_000])
})
