/** News and to-dos, for administrators of every kind of company. */
import { describe, expect, it } from 'vitest'
import { clearRole } from '../../../server/contract/access/administrators.ts'
import * as contract from '../../../server/contract/agency/agency.ts'
import { errorCodes } from '../../../server/contract/errors.ts'
import { demoWorld } from '../../support/demo.ts'
import { makeBatch } from '../../support/slips.ts'

const world = demoWorld()

describe('news list', () => {
  it('shows news to administrators only and returns not found for an unknown id', async () => {
    const corp = await world.createCompany()
    const employee = await world.signIn(await corp.person())
    expect((await employee.call(contract.getNewsList)).code).toBe(errorCodes.not_permitted.code)
    const people = await world.signIn(await corp.person({ power: ['3'] }))
    expect((await people.call(contract.getNewsDetail, { id: 'constructor' })).code).toBe(errorCodes.not_found.code)
    expect((await people.call(contract.getNewsDetail, { id: 'x'.repeat(61) })).code).toBe(errorCodes.invalid.code)
  })

  it('lists news newest first, filtered by kind and page, and opens every entry', async () => {
    const agency = await world.createCompany({ corp_role: 20 })
    const caller = await world.signIn(await agency.person({ power: ['1'] }))
    const { list, page } = await caller.must(contract.getNewsList, { pagesize: 100 })
    expect(page.total).toBe(list.length)
    expect(list.map((one) => one.at)).toEqual(
      list
        .map((one) => one.at)
        .toSorted()
        .toReversed(),
    )
    expect(new Set(list.map((one) => one.id)).size).toBe(list.length)
    const own = await caller.must(contract.getNewsList, { kind: 'agency' })
    expect(own.list.map((one) => one.kind)).toEqual(Array(own.page.total).fill('agency'))
    expect(own.page.total).toBeGreaterThan(0)
    const second = await caller.must(contract.getNewsList, { pagesize: 1, page: 2 })
    expect(second.list).toEqual([list[1]])
    for (const { id, title } of list) {
      const detail = await caller.must(contract.getNewsDetail, { id })
      expect(detail.title).toBe(title)
      expect(detail.paragraphs.every((paragraph) => paragraph.length > 20)).toBe(true)
    }
  })
})

describe('to-do list', () => {
  it('shows to-dos about pay only to payroll administrators, and never to an agency', async () => {
    const corp = await world.createCompany()
    const wages = await corp.person({ power: ['2'] })
    const draft = await makeBatch(world, wages, await corp.people(1))
    const getList = async (power: ('1' | '2' | '3' | '4')[]) =>
      (await (await world.signIn(await corp.person({ power }))).must(contract.getTodoList)).list
    expect((await (await world.signIn(wages)).must(contract.getTodoList)).list).toEqual([
      { kind: 'draft', count: 1, batch_id: draft },
    ])
    expect(await getList(['4'])).toEqual([{ kind: 'draft', count: 1, batch_id: draft }])
    // Another administrator's draft.
    expect(await getList(['2'])).toEqual([])
    expect(await getList(['1'])).toEqual([])
    expect(await getList(['3'])).toEqual([])
    // The user's own draft from when they still had the payroll power.
    const before = await corp.person({ power: ['1', '2'] })
    await makeBatch(world, before, await corp.people(1))
    await (await world.signIn(await corp.person({ power: ['4'] }))).must(clearRole, {
      user_id: before.admin_id ?? '',
      power: '2',
    })
    expect((await (await world.signIn(before)).must(contract.getTodoList)).list).toEqual([])
    const agency = await world.createCompany({ corp_role: 20 })
    const agent = await agency.person({ power: ['1', '2'] })
    await makeBatch(world, agent, await agency.people(1))
    expect((await (await world.signIn(agent)).must(contract.getTodoList)).list).toEqual([])
  })
})
