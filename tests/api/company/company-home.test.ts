/** Home page and administrators with the demo companies: counts of accessible batches, and of no others. Refusals first. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import * as roles from '../../../server/contract/access/administrators.ts'
import * as agency from '../../../server/contract/agency/agency.ts'
import * as contract from '../../../server/contract/company/company.ts'
import { getWageDetail } from '../../../server/contract/payslips/send.ts'
import { seed } from '../../../server/demo/index.ts'
import { makeBatch, send } from '../../support/slips.ts'
import { type Caller, type Corp, type Person, sharedWorld, type World } from '../../support/world.ts'

const noCounts = {
  batches: 0,
  sent_batches: 0,
  total: 0,
  sent: 0,
  viewed: 0,
  uploaded: 0,
  unsent: 0,
  unconfirmed: 0,
}
let world: World
let mobiles: Map<string, Caller>
const caller = (mobile: string): Caller => {
  const match = mobiles.get(mobile)
  if (!match) throw new Error('nobody has that phone')
  return match
}
const [head, one, wages, sales, people, employee] = [1, 2, 3, 4, 5, 7].map((at) => `1990001000${at}`) as [
  string,
  string,
  string,
  string,
  string,
  string,
]
const [agent, agencyHead, kitchenHead] = ['19900030002', '19900030001', '19900020001'] as const

beforeAll(async () => {
  world = await sharedWorld()
  await seed({ database: world.database, secrets: world.secrets, now: world.clock.now() })
  mobiles = new Map()
  for (const mobile of [head, one, wages, sales, people, employee, agent, agencyHead, kitchenHead]) {
    const account = await world.database.withoutCompany((tx) =>
      tx.selectFrom('account').select('id').where('mobile', '=', mobile).executeTakeFirstOrThrow(),
    )
    const member = await world.database.asPerson({ account_id: account.id }, (tx) =>
      tx.selectFrom('member').select(['id', 'company_id', 'name']).where('account_id', '=', account.id).executeTakeFirstOrThrow(),
    )
    const person: Person = {
      account_id: account.id,
      member_id: member.id,
      company_id: member.company_id,
      admin_id: null,
      name: member.name,
      mobile,
    }
    mobiles.set(mobile, await world.signIn(person))
  }
})
afterAll(() => world.close())

describe('denied home page', () => {
  it.each([
    ['an employee', employee, 100403],
    ['payroll administrators (power 3)', people, 100403],
    ['agencies', agencyHead, 100403],
  ])('denies the home page to %s', async (_who, mobile, code) => {
    expect((await caller(mobile).call(contract.getIndex)).code).toBe(code)
  })

  it('shows administrators to power 1 and 4 only', async () => {
    for (const mobile of [wages, people, employee]) expect((await caller(mobile).call(roles.getUserList)).code).toBe(100403)
  })

  it('shows served companies to agencies only', async () => {
    for (const mobile of [head, wages, employee]) expect((await caller(mobile).call(agency.getCorpList)).code).toBe(100403)
  })
})

describe('home page', () => {
  it('shows payroll administrators their own batches with progress', async () => {
    const home = await caller(wages).must(contract.getIndex)
    expect(home).toMatchObject({ month: '2026-11', members: 128, sms_left: 5000 })
    expect(home.batches.map((batch) => batch.title)).toEqual(['2026年10月工资'])
    const [batch] = home.batches
    expect(batch).toMatchObject({ total: 128, sent: 127, failed: 1, feedback: 2, status: 'sent' })
    expect(batch && batch.confirmed < batch.viewed && batch.viewed < batch.sent).toBe(true)
    expect(home.trend.map((line) => line.month)).toEqual(['2026-05', '2026-06', '2026-07', '2026-08', '2026-09', '2026-10'])
    expect(home.trend.every((line) => (line.net_fen ?? 0) > 1e8 && (line.gross_fen ?? 0) > (line.net_fen ?? 0))).toBe(true)
    expect(home.todos.map((todo) => [todo.kind, todo.count])).toEqual([
      ['failed', 1],
      ['feedback', 2],
      ['unviewed', (batch?.sent ?? 0) - (batch?.viewed ?? 0)],
    ])
    expect(home.todos.find((todo) => todo.kind === 'failed')?.batch_id).toBe(batch?.batch_id)
    const detail = await caller(wages).must(getWageDetail, { batch_id: batch?.batch_id ?? '' })
    expect(batch?.remindable).toBe(detail.batch.remindable)
    // The gateway has reported on the demo's text messages.
    expect(detail.list.some(({ channel, delivered_at }) => channel === 'sms' && delivered_at !== null)).toBe(true)
  })

  it('shows another payroll administrator only their own bonuses and the members of their departments', async () => {
    const home = await caller(sales).must(contract.getIndex)
    expect(home.members).toBe(38)
    expect(home.trend.map((line) => line.month)).toEqual(['2026-06', '2026-09'])
    expect(home.trend.every((line) => line.people === 36)).toBe(true)
    expect([home.batches, home.counts.batches]).toEqual([[], 0])
  })

  it('counts every batch of the month, including those beyond the newest twenty', async () => {
    const corp = await world.createCompany()
    const boss = await corp.person({ power: ['4'] })
    const own = await world.signIn(boss)
    for (let at = 0; at < 22; at += 1)
      await makeBatch(
        world,
        boss,
        Array.from({ length: (at % 3) + 1 }, () => ({ ...boss, name: '李四' })),
      )
    const { batches, counts } = await own.must(contract.getIndex)
    expect(batches).toHaveLength(20)
    const people = 7 * 6 + 1
    expect(counts).toEqual({ ...noCounts, batches: 22, uploaded: 22, total: people, unsent: people })
  })

  it('offers no reminders for employees outside the current scope', async () => {
    const corp = await world.createCompany()
    const boss = await world.signIn(await corp.person({ power: ['4'] }))
    const shop = await corp.department('门店')
    const clerk = await corp.person({ power: ['2'] })
    const own = await world.signIn(clerk)
    const people = [await corp.person({ department_ids: [shop] }), await corp.person(), await corp.person()]
    await send(own, await makeBatch(world, clerk, people), ['link'])
    await world.product.jobs.drain()
    const unviewed = (home: Awaited<ReturnType<typeof indexOf>>) => home.todos.filter(({ kind }) => kind === 'unviewed')
    const indexOf = (one: Caller) => one.must(contract.getIndex)
    expect(unviewed(await indexOf(own))).toMatchObject([{ count: 3 }])
    // The link channel alone sends no message.
    expect((await indexOf(own)).batches).toMatchObject([{ sent: 3, remindable: 0 }])
    const scope = { all: false, department_ids: [shop] }
    await boss.must(roles.editUserScope, { user_id: clerk.admin_id ?? '', scope })
    expect(unviewed(await indexOf(await world.signIn(clerk)))).toMatchObject([{ count: 1 }])
  })

  it('adds up all batches for power 4', async () => {
    const all = await caller(head).must(contract.getIndex)
    const [hisWages, hisBonus] = [await caller(wages).must(contract.getIndex), await caller(sales).must(contract.getIndex)]
    const of = (trend: typeof all.trend) => trend.find((line) => line.month === '2026-09')
    expect(of(all.trend)?.net_fen).toBe((of(hisWages.trend)?.net_fen ?? 0) + (of(hisBonus.trend)?.net_fen ?? 0))
    expect(of(all.trend)?.people).toBe(of(hisWages.trend)?.people)
  })

  it('shows power 1 headcounts but no amounts', async () => {
    const home = await caller(one).must(contract.getIndex)
    expect(home).toMatchObject({ batches: [], todos: [], members: 128 })
    expect(home.trend).toHaveLength(6)
    expect(home.trend.every((line) => line.gross_fen === null && line.net_fen === null && line.people > 100)).toBe(true)
  })

  it('shows an empty home page with guidance in a new company', async () => {
    const corp: Corp = await world.createCompany({ sms_left: 0 })
    const fresh = await world.signIn(await corp.person({ power: ['4'] }))
    expect(await fresh.must(contract.getIndex)).toEqual({
      month: '2026-11',
      counts: noCounts,
      batches: [],
      todos: [],
      trend: [],
      members: 1,
      sms_left: 0,
    })
  })
})

describe('administrators', () => {
  it('lists administrators with powers and scope and masked phones', async () => {
    const { list, page } = await caller(one).must(roles.getUserList)
    expect(page.total).toBe(5)
    expect(list.map((admin) => admin.power)).toEqual(expect.arrayContaining([['4'], ['1'], ['2'], ['2'], ['3']]))
    const limited = list.find((admin) => !admin.scope.all)
    expect(limited).toMatchObject({
      name: '江望舒',
      mobile_masked: '199****0004',
      scope: { all: false, departments: ['市场部', '销售部'] },
    })
  })

  it('filters administrators by power and by a literal name', async () => {
    expect((await caller(head).must(roles.getUserList, { power: '2' })).page.total).toBe(2)
    expect((await caller(head).must(roles.getUserList, { name: '望舒' })).list.map((admin) => admin.name)).toEqual(['江望舒'])
    expect((await caller(head).must(roles.getUserList, { name: '%' })).list).toEqual([])
  })
})

describe('agencies', () => {
  it('lists the companies that an agency serves', async () => {
    const { list } = await caller(agent).must(agency.getCorpList)
    expect(list.map((corp) => corp.name)).toEqual(['小满餐饮'])
    expect((await caller(agencyHead).must(agency.getCorpList)).list).toEqual(list)
  })
})
