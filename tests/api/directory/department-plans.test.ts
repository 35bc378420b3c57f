/** How PostgreSQL executes queries for the members of departments: right after an import it has no statistics. */
import { CompiledQuery } from 'kysely'
import { Client } from 'pg'
import { beforeAll, expect, test, vi } from 'vitest'
import * as contract from '../../../server/contract/directory/members.ts'
import { demo } from '../../support/demo.ts'
import type { Caller } from '../../support/world.ts'

const { world, corp } = demo()
let head: Caller
let keeper: Caller
beforeAll(async () => {
  const one = await corp.person({ power: ['4'] })
  head = await world.signIn(one)
  keeper = await world.signIn(await corp.person({ power: ['3'], scope: { all: false, department_ids: [corp.root_id] } }))
})

type Sent = { text: string; values: unknown[] }
/** Returns the queries about members and departments that a call sends. */
async function sentBy(call: () => Promise<{ code: number }>): Promise<Sent[]> {
  const watch = vi.spyOn(Client.prototype, 'query')
  try {
    expect((await call()).code).toBe(0)
    return watch.mock.calls
      .map(([provided, values]) => (typeof provided === 'string' ? { text: provided, values } : provided) as Partial<Sent>)
      .flatMap(({ text = '', values = [] }) =>
        /^\s*(select|with)/.test(text) && /member_department/.test(text) ? [{ text, values }] : [],
      )
  } finally {
    watch.mockRestore()
  }
}

const getPlan = (sent: Sent): Promise<string> =>
  world.database.inCompany(corp.company_id, async (tx) => {
    const { rows } = await tx.executeQuery(CompiledQuery.raw(`explain (costs off) ${sent.text}`, sent.values))
    return rows.map((row) => Object.values(row as object)[0]).join('\n')
  })

/** PostgreSQL scans an array computed by a query from the beginning for every row. */
const walked = /ANY \((?:\(InitPlan|\$\d)/

test.each([
  ['a department', () => head.call(contract.getDepartment, { id: corp.root_id })],
  ['its subdepartments', () => head.call(contract.getSonDepartList, { id: corp.root_id })],
  ['its members', () => head.call(contract.getMemberList, { department_id: corp.root_id })],
  ["the members of an administrator's scope", () => keeper.call(contract.getMemberList, {})],
] as const)('reads by index instead of scanning: %s', async (_, call) => {
  const sent = await sentBy(call)
  const plans = await Promise.all(sent.map(getPlan))
  expect(plans.length).toBeGreaterThan(0)
  expect(plans.some((plan) => plan.includes('hashed SubPlan'))).toBe(true)
  for (const plan of plans) expect(plan).not.toMatch(walked)
})
