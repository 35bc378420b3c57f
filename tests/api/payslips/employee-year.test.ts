/** The employee's year counts the employee's own payslips in their current state, and nobody else's. */
import { expect, it } from 'vitest'
import * as employee from '../../../server/contract/payslips/employee.ts'
import * as slip from '../../../server/contract/payslips/send.ts'
import { demo } from '../../support/demo.ts'
import { getNet, makeBatch, salaries, send } from '../../support/slips.ts'
import type { Person } from '../../support/world.ts'

const { world, corp, clerk, payroll } = demo()

async function paid(people: readonly Person[], month: string, rules: NonNullable<Parameters<typeof send>[3]>['rules'] = {}) {
  const batch_id = await makeBatch(world, clerk, people, { month })
  await send(payroll, batch_id, ['link'], { rules })
  await world.product.jobs.drain()
  return batch_id
}
const summary = async (person: Person, year = 2026) => (await world.signIn(person)).must(employee.getYearSummary, { year })

it("adds up the employee's payslips of the year, without other years and other employees", async () => {
  const [me, other] = [await corp.person(), await corp.person()]
  await paid([other, me], '2026-08')
  await paid([me], '2026-09')
  await paid([me], '2025-12')
  const { months, total } = await summary(me)
  expect(months.map(({ month, slips, net_fen }) => [month, slips, net_fen])).toEqual([
    ['2026-08', 1, getNet(3)],
    ['2026-09', 1, getNet(2)],
  ])
  expect([total.slips, total.kept_back, total.net_fen]).toEqual([2, 0, getNet(3) + getNet(2)])
  expect((await summary(other)).total).toMatchObject({ slips: 1, net_fen: getNet(2) })
  expect((await summary(me, 2025)).total).toMatchObject({ slips: 1, net_fen: getNet(2) })
  expect((await summary(me, 2024)).months).toEqual([])
})

it('excludes a payslip after its withdrawal', async () => {
  const me = await corp.person()
  const batch_id = await paid([me], '2026-08')
  await paid([me], '2026-09')
  const [row] = await salaries(world, corp, batch_id)
  await payroll.must(slip.withdrawSingleSalary, { salary_id: row?.id ?? '', reason: '发错了' })
  expect((await summary(me)).months.map(({ month }) => month)).toEqual(['2026-09'])
})

it('omits payslips that require the view password first, and states that they are omitted', async () => {
  const me = await corp.person()
  await paid([me], '2026-08', { view_password: true })
  await paid([me], '2026-09')
  const { months, total } = await summary(me)
  expect(months.map(({ month, kept_back, net_fen }) => [month, kept_back, net_fen])).toEqual([
    ['2026-08', 1, null],
    ['2026-09', 0, getNet(2)],
  ])
  expect([total.kept_back, total.net_fen]).toEqual([1, getNet(2)])
})
