/** The undo period: nothing is sent, 撤销 costs nothing, and 立即发送 does not wait for its end. */
import { beforeEach, describe, expect, test } from 'vitest'
import * as company from '../../../server/contract/company/company.ts'
import { errorCodes } from '../../../server/contract/errors.ts'
import * as slip from '../../../server/contract/payslips/send.ts'
import { demo } from '../../support/demo.ts'
import {
  deliveries,
  getGateway,
  makeBatch,
  manyPeople,
  salaries,
  send,
  sender,
  smsLeft,
  untilStopped,
} from '../../support/slips.ts'
import type { Caller } from '../../support/world.ts'

const { world, corp, clerk } = demo({ own: true, each: true, company: { undo_seconds: 60 } })
let caller: Caller
let batch_id: string
beforeEach(async () => {
  caller = await world.signIn(clerk)
  batch_id = await makeBatch(world, clerk, await manyPeople(world, corp, 3))
})
const rotate = async () => {
  const gateway = getGateway()
  const rests: number[] = []
  await sender(world, gateway, {}, (ms) => rests.push(ms)).send({ company_id: corp.company_id, batch_id }, untilStopped)
  return { accepted: gateway.accepted.length, rests }
}
/** What the list and the home page show about it. */
const getSoon = async () => {
  const lists = [await caller.must(slip.getWageList, {}), await caller.must(company.getIndex, {})]
  return lists.map((one) => ('list' in one ? one.list : one.batches).find((batch) => batch.batch_id === batch_id)?.soon)
}
const info = () => caller.must(slip.getSendInfo, { batch_id })

describe('undo period of sixty seconds', () => {
  test('sends nothing before the undo period ends, and everything afterwards', async () => {
    expect((await send(caller, batch_id)).status).toBe('scheduled')
    expect(await info()).toMatchObject({ status: 'scheduled', undo_seconds: 60, queued: 3 })
    expect((await caller.must(slip.getWageDetail, { batch_id })).batch).toMatchObject({ undo_seconds: 60 })
    expect(await getSoon()).toEqual([true, true])
    world.clock.advance(59_000)
    const early = await rotate()
    expect(early.accepted).toBe(0)
    expect(early.rests[0]).toBeGreaterThan(0)
    expect((await info()).undo_seconds).toBe(1)
    world.clock.advance(1_000)
    expect((await rotate()).accepted).toBe(3)
    expect(await info()).toMatchObject({ status: 'sent', undo_seconds: null, sent: 3 })
    expect(await getSoon()).toEqual([false, false])
    expect((await rotate()).accepted).toBe(0)
  })

  test('charges nothing when a send is undone, leaves no delivery, and allows a new plan', async () => {
    const before = await smsLeft(world, corp)
    await send(caller, batch_id)
    expect(await smsLeft(world, corp)).toBeLessThan(before)
    expect((await caller.must(slip.pauseSend, { batch_id })).status).toBe('checked')
    expect(await smsLeft(world, corp)).toBe(before)
    expect(await deliveries(world, corp, batch_id)).toEqual([])
    expect((await salaries(world, corp, batch_id)).every(({ status }) => status === 'waiting')).toBe(true)
    world.clock.advance(61_000)
    expect((await rotate()).accepted).toBe(0)
    await send(caller, batch_id)
    world.clock.advance(61_000)
    expect((await rotate()).accepted).toBe(3)
  })

  test('refuses to undo a send after the undo period, and withdraws sent payslips instead', async () => {
    await send(caller, batch_id)
    world.clock.advance(60_000)
    await rotate()
    expect((await caller.call(slip.pauseSend, { batch_id })).code).toBe(errorCodes.wrong_state.code)
  })
})

describe('immediate sending', () => {
  test('skips the undo period, with one message per member for two requests', async () => {
    await send(caller, batch_id)
    expect((await caller.must(slip.sendNow, { batch_id })).status).toBe('sending')
    expect((await caller.call(slip.sendNow, { batch_id })).code).toBe(errorCodes.wrong_state.code)
    expect((await rotate()).accepted).toBe(3)
  })

  test('skips a scheduled time for an immediate send', async () => {
    const when = new Date(world.clock.now().getTime() + 86_400_000).toISOString()
    await send(caller, batch_id, ['sms'], { when })
    expect((await info()).undo_seconds).toBeNull()
    await caller.must(slip.sendNow, { batch_id })
    expect((await rotate()).accepted).toBe(3)
    expect((await info()).scheduled_at).toBeNull()
  })

  test('sends without an undo period if the company disabled it', async () => {
    await caller.must(slip.setSendRule, { undo_seconds: 0 })
    expect((await send(caller, batch_id)).status).toBe('sending')
  })
})
