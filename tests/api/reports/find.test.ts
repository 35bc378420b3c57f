/**
 * The search box: by part of a name, a month, or pinyin initials; only accessible results, and no pay for users without
 * access to payslips.
 */
import { expect, test } from 'vitest'
import { getOrderList } from '../../../server/contract/billing/orders.ts'
import * as employee from '../../../server/contract/payslips/employee.ts'
import { search } from '../../../server/contract/reports/search.ts'
import { spellMissingNames } from '../../../server/modules/directory/file/name-spelling.ts'
import { newId } from '../../../server/shared/ids.ts'
import { demo } from '../../support/demo.ts'
import { makeBatch, send } from '../../support/slips.ts'

const { world, corp, clerk, payroll } = demo()

test('finds members, pay runs, titles, payslips and questions, each only for users with access', async () => {
  const shop = await corp.department('门店')
  const dev = await corp.department('研发')
  const wang = await corp.person({ name: '王晓云', department_ids: [shop] })
  const wan = await corp.person({ name: '万小勇', department_ids: [dev] })
  await spellMissingNames(world, corp.company_id)
  const batch_id = await makeBatch(world, clerk, [wang, wan], { title: '金丝雀绩效工资', month: '2026-10' })
  await send(payroll, batch_id, ['link'])
  await world.product.jobs.drain()
  const reader = await world.signIn(wang)
  const { list } = await reader.must(employee.getSlipList, {})
  await reader.must(employee.feedbackSlip, { slip_id: list[0]?.slip_id ?? '', content: '请核对' })

  const all = await payroll.must(search, { text: 'wxy' })
  expect(all.members.map(({ name }) => name).toSorted()).toEqual(['万小勇', '王晓云'])
  expect(all.slips).toHaveLength(2)
  expect(all.feedback).toMatchObject([{ name: '王晓云', title: '金丝雀绩效工资', status: 'open' }])
  for (const text of ['丝雀绩', 'jsq', '2026年10月', '2026-10'])
    expect(await payroll.must(search, { text })).toMatchObject({
      batches: [{ batch_id, month: '2026-10' }],
      titles: [{ month: '2026-10' }],
    })
  expect(await payroll.must(search, { text: '没有的东西' })).toEqual({
    members: [],
    batches: [],
    titles: [],
    slips: [],
    feedback: [],
    orders: [],
  })
  // A typed wildcard is matched literally.
  expect((await payroll.must(search, { text: '%' })).members).toEqual([])

  // A payroll administrator of one department with no shared pay runs: finds their members, no pay run and no payslip.
  const part = await world.signIn(await corp.person({ power: ['2'], scope: { all: false, department_ids: [dev] } }))
  expect(await part.must(search, { text: 'wxy' })).toMatchObject({
    members: [{ name: '万小勇', department: '研发' }],
    slips: [],
    feedback: [],
  })
  expect((await part.must(search, { text: '金丝雀' })).batches).toEqual([])
  // Enterprise and member administrators find members only.
  for (const power of ['1', '3'] as const) {
    const head = await world.signIn(await corp.person({ power: [power] }))
    const { members, ...pay } = await head.must(search, { text: '王晓云' })
    expect(members).toHaveLength(1)
    expect(pay).toEqual({ batches: [], titles: [], slips: [], feedback: [], orders: [] })
  }
})

test('finds an order by number, product, buyer, month or initials, for users who may buy', async () => {
  const order_no = `XH${'0123456789ABCDEF01234567'}`
  const created_at = new Date('2026-10-31T20:00:00Z')
  await world.database.inCompany(corp.company_id, async (tx) => {
    const order = {
      company_id: corp.company_id,
      id: newId(),
      order_no,
      product_id: 'sms-1000',
      product_name: '短信 1000 条',
      count: 1,
    }
    const paid = { amount_fen: 10_000, pay_type: 'transfer' as const, status: 'waiting' as const, by_name: '钱多多' }
    await tx
      .insertInto('pay_order')
      .values({ ...order, ...paid, account_id: clerk.account_id, created_at, expires_at: created_at })
      .execute()
  })
  const head = await world.signIn(await corp.person({ power: ['1'] }))
  for (const caller of [head, payroll])
    for (const text of [order_no.slice(5, 12).toLowerCase(), '短信', '钱多', '2026年11月', 'dx'])
      expect((await caller.must(search, { text })).orders, text).toEqual([
        { order_no, name: '短信 1000 条', status: 'waiting', at: '2026-11-01T04:00:00.000+08:00' },
      ])
  expect((await head.must(getOrderList, { order_no })).page.total).toBe(1)
  expect((await head.must(getOrderList, { order_no: `XH${'F'.repeat(24)}` })).page.total).toBe(0)
  const keeper = await world.signIn(await corp.person({ power: ['3'] }))
  expect((await keeper.must(search, { text: '短信' })).orders).toEqual([])
  const other = await world.createCompany()
  const outsider = await world.signIn(await other.person({ power: ['4'] }))
  expect((await outsider.must(search, { text: order_no })).orders).toEqual([])
})
