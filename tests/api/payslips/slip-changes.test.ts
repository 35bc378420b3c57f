/** Explains the change of net pay since last month from the two visible payslips only. */
import { expect, test } from 'vitest'
import { errorCodes } from '../../../server/contract/errors.ts'
import * as employee from '../../../server/contract/payslips/employee.ts'
import { getSlipChanges } from '../../../server/contract/payslips/employee-data.ts'
import * as slip from '../../../server/contract/payslips/send.ts'
import { demo } from '../../support/demo.ts'
import { makeBatch, salaries, send } from '../../support/slips.ts'
import type { Person } from '../../support/world.ts'

const { world, corp, clerk, payroll } = demo({ own: true })

async function paid(person: Person, month: string, rules = {}): Promise<string> {
  const batch_id = await makeBatch(world, clerk, [person], { month })
  await send(payroll, batch_id, ['link'], { rules: { confirm: true, ...rules } })
  await world.product.jobs.drain()
  return (await salaries(world, corp, batch_id))[0]?.id ?? ''
}
const edit = (salary_id: string, key: string, value: string) =>
  payroll.must(slip.editSalaryDetail, { salary_id, cells: [{ key, value }], reason: '更正', mismatch_reason: '更正' })

test('explains the difference between payslips with one sentence per item', async () => {
  const person = await corp.person()
  const own = await world.signIn(person)
  const first = await paid(person, '2026-08')
  const call = (slip_id: string) => own.must(getSlipChanges, { slip_id })
  expect(await call(first)).toEqual({ compared_to: null, difference_fen: 0, changes: [] })
  const second = await paid(person, '2026-09')
  expect(await call(second)).toEqual({ compared_to: '上月', difference_fen: 0, changes: [] })
  await edit(second, 'c2', '9000')
  await edit(second, 'c3', '200')
  const { slip: visible, previous } = await own.must(employee.getSlip, { slip_id: second })
  const { difference_fen, changes, compared_to } = await call(second)
  expect(difference_fen).toBe((visible.net?.fen ?? 0) - (previous?.net_fen ?? 0))
  expect(changes.reduce((sum, { effect_fen }) => sum + effect_fen, 0)).toBe(difference_fen)
  expect([compared_to, changes.map(({ text }) => text).slice(0, 2)]).toEqual([
    '上月',
    ['「基本工资」比上月多 874.53 元（8,125.47 → 9,000.00）。', '「个人所得税」比上月多扣 76.55 元（123.45 → 200.00）。'],
  ])
})

test('does not mention an earlier payslip that is not visible, and explains nothing from a locked one', async () => {
  const person = await corp.person()
  const own = await world.signIn(person)
  const closing = await paid(person, '2026-08', { burn_after_minutes: 5 })
  const second = await paid(person, '2026-09')
  await own.must(employee.getSlip, { slip_id: closing, confirm_open: true })
  world.clock.advance(6 * 60_000)
  expect((await own.must(getSlipChanges, { slip_id: second })).compared_to).toBeNull()
  expect((await own.call(getSlipChanges, { slip_id: closing })).code).toBe(errorCodes.slip_closed.code)
  const locked = await paid(person, '2026-10', { view_password: true })
  expect((await own.call(getSlipChanges, { slip_id: locked })).code).toBe(errorCodes.view_locked.code)
})
