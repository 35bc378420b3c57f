/** What a reminder or a resend costs, stated before it is sent: the same people and SMS that sending then uses. */
import { beforeEach, describe, expect, it } from 'vitest'
import { getIndex } from '../../../server/contract/company/company.ts'
import * as employee from '../../../server/contract/payslips/employee.ts'
import * as slip from '../../../server/contract/payslips/send.ts'
import { demoWorld } from '../../support/demo.ts'
import { makeBatch, salaries, send, slip_segments, smsLeft } from '../../support/slips.ts'
import type { Caller, Corp, Person } from '../../support/world.ts'

let corp: Corp
let payer: Person
let caller: Caller
const world = demoWorld(true)
beforeEach(async () => {
  world.clock.set('2026-11-16T10:00:00+08:00')
  corp = await world.createCompany()
  payer = await corp.person({ power: ['2'], name: '王会计' })
  caller = await world.signIn(payer)
})

async function sent(count: number) {
  const people = await corp.people(count)
  const batch_id = await makeBatch(world, payer, people)
  await send(caller, batch_id, ['sms'], { rules: { confirm: true, feedback: true } })
  await world.product.jobs.drain()
  return { batch_id, people, ids: (await salaries(world, corp, batch_id)).map(({ id }) => id) }
}
const view = async (person: Person | undefined, slip_id: string | undefined) => {
  if (person && slip_id) await (await world.signIn(person)).must(employee.getSlip, { slip_id })
}

describe('cost of a reminder', () => {
  it('counts whom a reminder reaches and its SMS, which sending then uses', async () => {
    const { batch_id, people, ids } = await sent(3)
    await view(people[0], ids[0])
    const input = { batch_id, only: 'unviewed' as const }
    const before = await smsLeft(world, corp)
    const cost = await caller.must(slip.getResendCost, input)
    expect(cost).toMatchObject({ people: 2, sms_people: 2, sms_needed: 2 * cost.sms_per_recipient, sms_left: before })
    expect(await smsLeft(world, corp)).toBe(before)
    expect(await caller.must(slip.sendBatch, input)).toMatchObject({ queued: 2 })
    expect(before - (await smsLeft(world, corp))).toBe(cost.sms_needed)
    expect(await caller.must(slip.getResendCost, { ...input, salary_ids: [ids[1] ?? ''] })).toMatchObject({ people: 1 })
    // Nobody is reminded a fourth time on a day.
    await caller.must(slip.sendBatch, input)
    await caller.must(slip.sendBatch, input)
    expect(await caller.must(slip.getResendCost, input)).toMatchObject({ people: 0, sms_needed: 0 })
  })

  it('counts withdrawn payslips that are sent again', async () => {
    const { batch_id } = await sent(2)
    await caller.must(slip.withdrawBatchPaySheet, { batch_id, reason: '有误' })
    expect(await caller.must(slip.getResendCost, { batch_id, only: 'withdrawn' })).toMatchObject({
      people: 2,
      sms_needed: 2 * slip_segments,
    })
  })

  it('is refused to administrators who may not send the batch', async () => {
    const { batch_id } = await sent(1)
    const other = await world.signIn(await corp.person({ power: ['3'] }))
    expect((await other.call(slip.getResendCost, { batch_id, only: 'unviewed' })).code).toBe(100403)
  })
})

describe('what is missing this month', () => {
  it('counts uploads, and recipients who have not viewed or confirmed', async () => {
    const counts = async () => (await caller.must(getIndex)).counts
    expect(await counts()).toMatchObject({ uploaded: 0, unsent: 0, sent: 0 })
    const { people, ids } = await sent(3)
    await view(people[0], ids[0])
    await makeBatch(world, payer, await corp.people(2), { title: '奖金' })
    expect(await counts()).toMatchObject({ uploaded: 2, unsent: 2, sent: 3, viewed: 1, unconfirmed: 1 })
    // In the next month nothing was uploaded yet.
    world.clock.set('2026-12-01T10:00:00+08:00')
    caller = await world.signIn(payer)
    expect(await counts()).toMatchObject({ uploaded: 0 })
  })
})
