/** What-if computation of a member's withholding, with its steps and the effect of one changed amount. */
import { expect, it } from 'vitest'
import { errorCodes } from '../../../server/contract/errors.ts'
import { previewTax } from '../../../server/contract/tax/preview.ts'
import { demo } from '../../support/demo.ts'

const { world, corp, payroll } = demo()
const months = (count: number, income_fen: number) => Array.from({ length: count }, (_, at) => ({ month: at + 1, income_fen }))
const year = { tax_year: 2026, hire_month: null }

it('shows the months with their steps without changing anything', async () => {
  const match = await payroll.must(previewTax, { ...year, months: months(2, 1_000_000) })
  expect(match.months.map(({ tax_fen }) => tax_fen)).toEqual([15_000, 15_000])
  expect(match).toMatchObject({ total_fen: 30_000, changed: null })
  expect(match.months[1]?.steps.at(-1)).toBe(
    '本期应预扣预缴税额 150.00 = 累计应纳税额 300.00 − 累计已预扣预缴 150.00；依据：国家税务总局公告2018年第61号第六条',
  )
})

it('applies one changed amount to all later months', async () => {
  const match = await payroll.must(previewTax, {
    ...year,
    months: months(3, 2_000_000),
    change: { month: 2, field: 'additional_fen', to_fen: 300_000 },
  })
  expect(match.months.map(({ tax_fen }) => tax_fen)).toEqual([45_000, 45_000, 108_000])
  expect(match.changed?.months.map(({ tax_fen }) => tax_fen)).toEqual([45_000, 36_000, 87_000])
  expect(match.changed?.difference_fen).toBe(-30_000)
})

it('continues from an opening balance and the tax actually withheld', async () => {
  const opening = {
    through_month: 4,
    income_fen: 10_000_000,
    special_fen: 1_600_000,
    additional_fen: 800_000,
    withheld_fen: 308_000,
  }
  const may = { month: 5, income_fen: 2_500_000, special_fen: 400_000, additional_fen: 200_000 }
  const match = await payroll.must(previewTax, { ...year, opening, months: [may, { ...may, month: 6 }] })
  expect(match.months.map(({ tax_fen, months_counted }) => [tax_fen, months_counted])).toEqual([
    [140_000, 5],
    [140_000, 6],
  ])
})

it.each<[string, Record<string, unknown>, string]>([
  ['a year without tax law', { tax_year: 2018 }, '没有适用于 2018-01 的规定'],
  ['both flags', { first_income_of_year: true, prior_year_under_60000: true }, '不能同时适用；请只选一项'],
  ['a nonexistent month', { change: { month: 9, field: 'income_fen', to_fen: 1 } }, '没有 9 月；请先填写这个月'],
  ['a missing month', { months: [] }, '请至少填写一个月'],
  ['a month without a year', { months: [{ month: 13, income_fen: 1 }] }, '月份应在 1 到 12 之间'],
  ['an implausibly high amount', { months: [{ month: 1, income_fen: 1e15 }] }, '金额太大，请核对'],
])('refuses %s', async (_what, more, message) => {
  const { code, message: sentence, data } = await payroll.call(previewTax, { ...year, months: months(1, 1), ...more })
  expect(code).toBe(errorCodes.invalid.code)
  expect(`${sentence} ${JSON.stringify(data)}`).toContain(message)
})

it('refuses administrators without the payroll power', async () => {
  const other = await world.signIn(await corp.person({ power: ['1', '3'] }))
  expect((await other.call(previewTax, { ...year, months: months(1, 1) })).code).toBe(errorCodes.not_permitted.code)
})
