/** Counts the queries and transactions of a call: session and rights are read in the transaction that relies on them. */
import { Client } from 'pg'
import { beforeAll, describe, expect, it } from 'vitest'
import * as role from '../../../server/contract/access/administrators.ts'
import type { Call, CallRequest } from '../../../server/contract/call.ts'
import * as member from '../../../server/contract/directory/members.ts'
import { errorCodes } from '../../../server/contract/errors.ts'
import * as employee from '../../../server/contract/payslips/employee.ts'
import * as slip from '../../../server/contract/payslips/send.ts'
import { demo } from '../../support/demo.ts'
import { makeBatch, salaries, send } from '../../support/slips.ts'
import type { Caller } from '../../support/world.ts'

const { world, corp, clerk, payroll } = demo()

let slip_id = ''
const callers: Record<string, Caller> = {}
beforeAll(async () => {
  const person = await corp.person()
  const batch_id = await makeBatch(world, clerk, [person])
  await send(payroll, batch_id, ['link'])
  await world.product.jobs.drain()
  slip_id = (await salaries(world, corp, batch_id))[0]?.id ?? ''
  callers.employee = await world.signIn(person)
  callers.keeper = await world.signIn(await corp.person({ power: ['3'], scope: { all: false, department_ids: [corp.root_id] } }))
  callers.clerk = payroll
})

type Query = (this: Client, query: unknown, ...more: unknown[]) => unknown
/** Returns the statements sent to the database meanwhile, in order, without those of the queue's own polling. */
async function sentBy(work: () => Promise<unknown>): Promise<string[]> {
  const prototype = Client.prototype as unknown as { query: Query }
  const { query } = prototype
  const sent: string[] = []
  prototype.query = function (provided, ...more) {
    const text = typeof provided === 'string' ? provided : String((provided as { text?: string }).text)
    if (!text.includes('pgboss.')) sent.push(text)
    return query.call(this, provided, ...more)
  }
  try {
    await work()
  } finally {
    prototype.query = query
  }
  return sent
}

const calls: readonly (readonly [
  string,
  string,
  Call,
  () => CallRequest<Call>,
  { code: number; most: number; transactions: number },
])[] = [
  ['an employee opens a payslip', 'employee', employee.getSlip, () => ({ slip_id }), { code: 0, most: 14, transactions: 1 }],
  [
    'an administrator lists the roster within a scope',
    'keeper',
    member.getMemberList,
    () => ({}),
    { code: 0, most: 10, transactions: 1 },
  ],
  ['a change is saved', 'clerk', slip.setFeedback, () => ({ status: true }), { code: 0, most: 11, transactions: 1 }],
  [
    'a forbidden call is refused and logged',
    'employee',
    role.clearRole,
    () => ({ user_id: clerk.admin_id, power: '2' }),
    { code: errorCodes.not_permitted.code, most: 12, transactions: 2 },
  ],
]

describe('database round trips', () => {
  it.each(calls)('%s', async (_, who, call, input, expected) => {
    const caller = callers[who] as Caller
    // The company's key is in memory after the first call.
    await caller.call(call, input())
    let code = -1
    const sent = await sentBy(async () => {
      code = (await caller.call(call, input())).code
    })
    const started = sent.filter((one) => /^(begin|start transaction)/i.test(one)).length
    expect({ code, transactions: started, most: Math.max(sent.length, expected.most) }, sent.join('\n')).toEqual(expected)
  })
})
