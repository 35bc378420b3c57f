/**
 * Members whom a payslip may not reach, known before pay day; the status of a member's invite. Nobody out of scope is
 * named or counted.
 */
import { beforeEach, describe, expect, it } from 'vitest'
import { MessageRejectedError, sendOneByOne } from '../../../platform/carrier.ts'
import * as contract from '../../../server/contract/directory/members.ts'
import * as invite from '../../../server/contract/invites/invite.ts'
import * as employee from '../../../server/contract/payslips/employee.ts'
import { getUnreachableMemberList } from '../../../server/contract/payslips/unreachable-members.ts'
import { createDemoSender } from '../../../server/demo/sender.ts'
import { getInviteStatus } from '../../../server/modules/invites/rules/invite-status.ts'
import { demoWorld } from '../../support/demo.ts'
import { freshPhone } from '../../support/random.ts'
import { makeBatch, send } from '../../support/slips.ts'
import type { Caller, Corp, Person } from '../../support/world.ts'

/** Phones that the gateway refuses. */
const dead = new Set<string>()
const world = demoWorld({
  sms: (database) => {
    const line = createDemoSender(database, 'sms')
    return {
      ...line,
      send: (messages) =>
        sendOneByOne(messages, async (message) => {
          if (dead.has(message.to)) throw new MessageRejectedError('INVALID', '号码不存在')
          await line.send([message])
          return { ref: message.id }
        }),
    }
  },
})
let corp: Corp
let sales = ''
let clerk: Person
let payroll: Caller
let limited: Caller

beforeEach(async () => {
  dead.clear()
  corp = await world.createCompany({ name: '云杉' })
  sales = await corp.department('销售部')
  clerk = await corp.person({ name: '薪资员', power: ['2'] })
  payroll = await world.signIn(clerk)
  limited = await world.signIn(
    await corp.person({ name: '销售的', power: ['3'], scope: { all: false, department_ids: [sales] } }),
  )
})
async function paid(people: readonly Person[]): Promise<void> {
  const batch_id = await makeBatch(world, clerk, people)
  await send(payroll, batch_id)
  await world.product.jobs.drain()
}
const getProblems = async (by: Caller = payroll) =>
  new Map(
    (await by.must(getUnreachableMemberList, { pagesize: 100 })).list.map(({ name, problems, why }) => [name, { problems, why }]),
  )
const getStates = async (person: Person) => {
  const [one] = (await payroll.must(invite.getInviteStatuses, { member_ids: [person.member_id] })).list
  return [one?.state, one?.reason]
}

describe('reachability report', () => {
  it("names the reason and the carrier's message for each unreachable member, and omits reachable ones", async () => {
    const well = await corp.person({ name: '看过的' })
    const blind = await corp.person({ name: '没看的' })
    const removed = await corp.person({ name: '号码死了' })
    await corp.person({ name: '没加入', joined: false })
    const other = await corp.person({ name: '换了号' })
    dead.add(removed.mobile)
    await paid([well, blind, removed, other])
    const reader = await world.signIn(well)
    const [slip] = (await reader.must(employee.getSlipList, {})).list
    await reader.must(employee.getSlip, { slip_id: slip?.slip_id ?? '' })
    await payroll.must(contract.editMemberInfo, { id: other.member_id, mobile: freshPhone() })
    const matches = await getProblems()
    expect(matches.get('没看的')).toEqual({ problems: ['never_viewed'], why: null })
    expect(matches.get('号码死了')).toMatchObject({ problems: expect.arrayContaining(['bounced']), why: '号码不存在' })
    expect(matches.get('没加入')).toEqual({ problems: ['not_joined'], why: null })
    expect(matches.get('换了号')?.problems).toEqual(expect.arrayContaining(['unconfirmed']))
    expect(matches.has('看过的')).toBe(false)
    const { counts, list } = await payroll.must(getUnreachableMemberList, { issue: 'bounced' })
    expect([counts.bounced, list.map(({ name }) => name)]).toEqual([1, ['号码死了']])
  })

  it('counts only those whom nothing reaches as unreachable, and lists the people of one wage sheet', async () => {
    const [invited, well] = [await corp.person({ name: '没加入', joined: false }), await corp.person({ name: '收得到' })]
    const changed = await corp.person({ name: '换了号' })
    await payroll.must(contract.editMemberInfo, { id: changed.member_id, mobile: freshPhone() })
    const all = await payroll.must(getUnreachableMemberList, {})
    expect([all.unreachable_count, all.counts.not_joined]).toEqual([1, 2])
    const batch_id = await makeBatch(world, clerk, [invited, well])
    const ofBatch = await payroll.must(getUnreachableMemberList, { batch_id })
    expect([ofBatch.list.map(({ name }) => name), ofBatch.unreachable_count]).toEqual([['没加入'], 0])
    const other = await world.signIn(await corp.person({ name: '别的薪资员', power: ['2'] }))
    expect((await other.call(getUnreachableMemberList, { batch_id })).code).not.toBe(0)
  })

  it('limits the reachability report to the scope and to member administrators', async () => {
    await corp.person({ name: '金丝雀', joined: false })
    await corp.person({ name: '在销售', joined: false, department_ids: [sales] })
    const { list, counts } = await limited.must(getUnreachableMemberList, {})
    expect([list.map(({ name }) => name), counts.not_joined]).toEqual([['在销售'], 1])
    for (const caller of [
      await world.signIn(await corp.person({ power: ['1'] })),
      await world.signIn(await corp.person()),
      world.anybody,
    ])
      expect((await caller.call(getUnreachableMemberList)).code).not.toBe(0)
  })
})

describe('invite status', () => {
  it('returns the invite status none, sent, opened, or failed with its reason, and expired after a phone change', async () => {
    const [first, second] = [await corp.person({ joined: false }), await corp.person({ joined: false })]
    expect(await getStates(first)).toEqual(['none', null])
    dead.add(second.mobile)
    await payroll.must(invite.sendInviteCode, { member_ids: [first.member_id, second.member_id] })
    expect(await getStates(first)).toEqual(['queued', null])
    await world.product.jobs.drain()
    expect(await getStates(first)).toEqual(['sent', null])
    expect(await getStates(second)).toEqual(['failed', '号码不存在'])
    const text = (await world.outbox()).findLast(({ mobile }) => mobile === first.mobile)?.text ?? ''
    await world.anybody.must(invite.getInvite, { code: /code=([\w-]+)/.exec(text)?.[1] ?? '' })
    expect(await getStates(first)).toEqual(['opened', null])
    const [line] = (await payroll.must(invite.getInviteList, { member_id: first.member_id })).list
    expect(line).toMatchObject({ state: 'opened', channel: 'sms', opened_at: expect.any(String) })
    await payroll.must(contract.editMemberInfo, { id: first.member_id, mobile: freshPhone() })
    expect(await getStates(first)).toEqual(['expired', '这次邀请发给了原来的手机号'])
  })

  const now = new Date('2026-11-20T10:00:00+08:00')
  const preload = new Date('2026-11-22T10:00:00+08:00')
  const past = new Date('2026-11-19T10:00:00+08:00')
  const one = {
    forCurrentPhone: true,
    opened_at: null,
    used_at: null,
    expires_at: preload,
    message: { status: 'accepted', message: null },
  }
  it.each([
    ['a joined member, whatever was sent', true, one, 'joined'],
    ['an expired invite that was opened', false, { ...one, opened_at: past, expires_at: past }, 'expired'],
    ['an invite with unknown delivery', false, { ...one, message: { status: 'unknown', message: null } }, 'sent'],
    [
      'an invite withdrawn before sending',
      false,
      { ...one, expires_at: past, message: { status: 'cancelled', message: null } },
      'failed',
    ],
    ['an invite used by a member who is no longer joined', false, { ...one, used_at: past }, 'joined'],
  ] as const)('%s', (_, joined, newest, state) => {
    expect(getInviteStatus(joined, newest, now).state).toBe(state)
  })
})
