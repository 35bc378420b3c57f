/**
 * A company on each simulated platform from binding to unbinding: synced, matched, sent through its own application;
 * the card in the chat shows the status of the payslip. For members whom the platform cannot reach, the reason and
 * remedy are stated. trust.md D6, D14.
 */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createChatSender, createPlatforms, getSimulatorHosts } from '../../../platform/index.ts'
import { Simulator } from '../../../platform/simulator/index.ts'
import { editDepartment, getDepartList } from '../../../server/contract/directory/members.ts'
import { getChatReadStatus } from '../../../server/contract/payslips/chat-read-status.ts'
import * as employee from '../../../server/contract/payslips/employee.ts'
import * as slip from '../../../server/contract/payslips/send.ts'
import * as binding from '../../../server/contract/platform-binding/binding.ts'
import { registerChatStatusJob } from '../../../server/modules/payslips/send/chat-status.ts'
import { createChannelSender } from '../../../server/outbox/index.ts'
import { ManualClock } from '../../../server/shared/clock.ts'
import { type ChatCompany, chatCompany, departmentId, providers } from '../../support/outside/chat-company.ts'
import { deliveries, makeBatch, salaries, send, untilStopped } from '../../support/slips.ts'
import { type Caller, type Corp, type Person, startWorld, type World } from '../../support/world.ts'

const clock = new ManualClock('2026-11-20T10:00:00+08:00')
const simulator = new Simulator(() => clock.now().getTime())
simulator.state.limits.isEnabled = false
let world: World
let platforms: ReturnType<typeof createPlatforms>
beforeAll(async () => {
  const hosts = getSimulatorHosts(await simulator.listen())
  platforms = createPlatforms({ hosts, now: () => clock.now().getTime() })
  world = await startWorld({ platforms, clock })
})
afterAll(async () => {
  await world.close()
  await simulator.close()
})

type Bound = { corp: Corp; chat: ChatCompany; head: Caller; zhang: Person; li: Person; wang: Person }
const drain = () => world.product.jobs.drain()

async function bound(provider: (typeof providers)[number]): Promise<Bound> {
  const chat = chatCompany(simulator, provider)
  const corp = await world.createCompany({ provider: null })
  const head = await world.signIn(await corp.person({ name: '沈知遥', power: ['1', '2'] }))
  const { both, plain, shut, app } = chat
  const getContext = (one: typeof both) =>
    corp.person({ name: one.name, ...(one.employee_no ? { employee_no: one.employee_no } : {}) })
  const [zhang, li, wang] = [await getContext(both), await getContext(plain), await getContext(shut)]
  const { app_id, agent_id, secret, corp_id } = app
  await head.must(binding.bindPlatform, { provider, corp_id, app_id, agent_id, secret })
  await drain()
  const { sync } = await head.must(binding.getSyncStatus)
  await head.must(binding.applySync, { sync_id: sync?.sync_id ?? '' })
  await drain()
  // Members whom two attributes do not match are linked by an administrator.
  const decisions = [
    [both, zhang],
    [plain, li],
    [shut, wang],
  ] as const
  await head.must(binding.combinePlatform, {
    decisions: decisions.map(([there, { member_id }]) => ({ platform_user_id: getId(there.user_id, provider), member_id })),
  })
  return { corp, chat, head, zhang, li, wang }
}
const getId = (user_id: string, provider: string) => (provider === 'wecom' ? user_id.toLowerCase() : user_id)

const getOwner = ({ company_id }: Corp) =>
  world.database.inCompany(company_id, (tx) =>
    tx.selectFrom('admin').select(['id as admin_id', 'company_id']).executeTakeFirstOrThrow(),
  )
async function sent({ corp, head }: Bound, people: readonly Person[], title = '2026年10月工资') {
  const batch_id = await makeBatch(world, await getOwner(corp), people, { title })
  await send(head, batch_id, ['platform'])
  await drain()
  return batch_id
}
const getCards = ({ chat }: Bound, user_id: string) => simulator.state.inbox.listVisibleTo(chat.corp_id, user_id)
/** Runs the job at once; it would otherwise combine the events of half a minute. */
async function notifiedNow({ corp, chat }: Bound, asks: { line?: boolean; requested?: () => Promise<void> } = {}) {
  const plain = createChannelSender(createChatSender(platforms, chat.app))
  const line: typeof plain = {
    ...plain,
    updateMessage: async (...of) => {
      await asks.requested?.()
      return plain.updateMessage(...of)
    },
  }
  const { cards } = registerChatStatusJob({
    ...world,
    jobs: { ...world.product.jobs, register: () => undefined, send: async () => undefined },
    senders: { sms: null, getPlatformSender: async () => (asks.line === false ? null : line), getMailSender: async () => null },
    origin: 'http://127.0.0.1:8080',
  })
  await cards({ company_id: corp.company_id }, untilStopped)
}
const standsOn = async ({ corp }: Bound, batch_id: string) =>
  (await deliveries(world, corp, batch_id))
    .filter(({ status }) => status === 'accepted')
    .map(({ card_state, card_failure, card_requested }) => [card_state, card_failure, card_requested])

it('leaves a card locked by another transaction to the next run without waiting', async () => {
  const context = await bound('lark')
  const batch_id = await sent(context, [context.zhang])
  const [{ id: slip_id } = { id: '' }] = await salaries(world, context.corp, batch_id)
  await (await world.signIn(context.zhang)).must(employee.getSlip, { slip_id })
  const [requested, over] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  let other: Promise<unknown> = Promise.resolve()
  const notified = notifiedNow(context, {
    requested: async () => {
      other = world.database.inCompany(context.corp.company_id, async (tx) => {
        await tx.selectFrom('delivery').select('id').where('batch_id', '=', batch_id).forUpdate().execute()
        requested.resolve()
        await over.promise
      })
      await requested.promise
    },
  })
  await notified.finally(over.resolve)
  await other
  expect(await standsOn(context, batch_id)).toEqual([[null, null, 'viewed']])
  clock.advance(120_000)
  await notifiedNow(context)
  expect(await standsOn(context, batch_id)).toEqual([['viewed', null, null]])
})

describe.each(providers)('%s', (provider) => {
  it('shows sent, viewed, confirmed and withdrawn on the card, sends a new card after a resend, and ends with unbinding', async () => {
    const context = await bound(provider)
    const { corp, chat, head, zhang, li } = context
    const batch_id = await sent(context, [zhang, li])
    const [card] = getCards(context, chat.both.user_id)
    // The link names the company whose application signs the user in: several may be bound here.
    expect(card?.card.link).toMatch(new RegExp(`/entry\\?page=/m/slip/[^&]+&corp=${chat.corp_id}$`))
    expect(JSON.stringify(card?.card.lines)).not.toContain('corp')
    expect(card?.raw).not.toMatch(/8,?000|张三/)
    const [slip_id = ''] = (await salaries(world, corp, batch_id)).map(({ id }) => id)
    // Read in the chat does not mean opened: the status is queried from platforms that report it.
    const readThere = async () => (await head.must(getChatReadStatus, { salary_id: slip_id })).message?.read
    const tells = provider !== 'wecom'
    expect(await readThere()).toBe(tells ? 'unread' : 'not_told')
    for (const one of getCards(context, chat.both.user_id)) simulator.state.inbox.markRead(one)
    expect(await readThere()).toBe(tells ? 'read' : 'not_told')
    if (tells) {
      simulator.addError({ provider, kind: 'cut', times: 5 })
      expect(await readThere()).toBe('unsure')
      for (const error of simulator.state.faults) error.remaining = 0
    }
    const his = await world.signIn(zhang)
    await his.must(employee.getSlip, { slip_id })
    await notifiedNow(context)
    // A WeCom card can be updated once; that is reserved for a withdrawal.
    const once = provider === 'wecom'
    const render = () => getCards(context, chat.both.user_id).map(({ card: one }) => `${one.title} ${one.statusText ?? ''}`)
    if (!once) expect(render()[0]).toContain('已查看')
    await head.must(slip.withdrawBatchPaySheet, { batch_id })
    await drain()
    expect(render()[0]).toContain('已撤回')
    expect(getCards(context, chat.plain.user_id)[0]?.isRecalled).toBe(false)
    expect(await standsOn(context, batch_id)).toEqual([
      ['withdrawn', null, null],
      ['withdrawn', null, null],
    ])
    // The plan states today's remaining quota of the platform.
    const draft = await makeBatch(world, await getOwner(corp), [zhang, li], { title: '2026年9月工资' })
    const { platform_quota } = await head.must(slip.getSendPlan, { batch_id: draft, channels: ['platform'] })
    const left = {
      lark: { day: null, person: null, minutes: 1 },
      wecom: { day: { limit: 600, remaining: 598, is_estimate: true }, person: null, minutes: null },
      dingtalk: { day: null, person: { limit: 500, remaining: 499 }, minutes: 1 },
    }[provider]
    expect(platform_quota).toEqual({ provider, ...left, exceeding_count: 0 })
    // The same text is delivered a second time all the same (D6).
    const again = await sent(context, [zhang, li], '2026年10月工资（补）')
    expect(getCards(context, chat.both.user_id).length).toBe(2)
    expect(new Set(getCards(context, chat.both.user_id).map(({ raw }) => raw)).size).toBe(2)
    // There is no other administrator: the binding ends at once, and later changes have no channel.
    await head.must(binding.applyUnBindingPlatform, { reason: '换平台' })
    await head.must(slip.withdrawBatchPaySheet, { batch_id: again })
    await notifiedNow(context, { line: false })
    expect((await standsOn(context, again))[0]).toEqual([null, 'unbound', null])
    expect(render()[0]).not.toContain('已撤回')
  })

  it('removes a card that can no longer be updated, or states why it stays, with a single request', async () => {
    const context = await bound(provider)
    const { head, zhang, chat } = context
    const batch_id = await sent(context, [zhang])
    const path = { lark: undefined, wecom: '/update_template_card', dingtalk: '/status_bar/update' }[provider]
    const code = { lark: 230031, wecom: 40058, dingtalk: 400002 }[provider]
    await head.must(slip.withdrawBatchPaySheet, { batch_id })
    simulator.addError({ provider, kind: 'refuse', code, ...(path ? { path } : {}) })
    await drain()
    expect(await standsOn(context, batch_id)).toEqual([['recalled', null, null]])
    expect(getCards(context, chat.both.user_id).every(({ isRecalled }) => isRecalled)).toBe(true)
    const requested = simulator.calls.length
    await notifiedNow(context)
    expect(simulator.calls.length).toBe(requested)
  })

  it('states reason and remedy for each member whom the platform cannot reach', async () => {
    const context = await bound(provider)
    const { corp, wang, li, chat } = context
    simulator.removeUser(chat.plain)
    const batch_id = await sent(context, [li, wang])
    const notified = (await deliveries(world, corp, batch_id)).map(({ status, message }) => [status, message])
    const shut =
      provider === 'wecom' ? '这个人没有接口许可，请在管理后台为他分配' : '这个人屏蔽或停用了应用的消息，请改用其他渠道'
    expect(notified).toContainEqual(['failed', expect.stringContaining(shut)])
    const away = provider === 'lark' ? '平台上没有这个人' : '不在应用的可见范围内'
    expect(notified).toContainEqual(['failed', expect.stringContaining(away)])
  })

  it('sends nothing to a member linked to another user between plan and send, nor to the other member (D14)', async () => {
    const context = await bound(provider)
    const { corp, zhang, chat, head } = context
    const batch_id = await makeBatch(world, await getOwner(corp), [zhang])
    await send(head, batch_id, ['platform'])
    const other = { platform_user_id: getId(chat.plain.user_id, provider), member_id: zhang.member_id }
    await head.must(binding.combinePlatform, { decisions: [other] })
    await drain()
    expect(await deliveries(world, corp, batch_id)).toMatchObject([{ status: 'failed', code: 'identity' }])
    expect([chat.both, chat.plain].flatMap(({ user_id }) => getCards(context, user_id))).toEqual([])
  })

  it("uses the platform's department order, and keeps an order set locally until it changes on the platform", async () => {
    const { head, chat, corp } = await bound(provider)
    const { corp_id } = chat
    const order = async () => ((await head.must(getDepartList)).list[0]?.child ?? []).map(({ NAME }) => NAME)
    const sync = async () => {
      await head.must(binding.applySync, {})
      await drain()
      return order()
    }
    // Larger values come first; on Lark, smaller ones do.
    const there = await order()
    expect(there).toEqual(provider === 'lark' ? ['研发', '财务'] : ['财务', '研发'])
    const finance = { provider, corp_id, id: departmentId(provider, 4), parent_id: departmentId(provider, 1), name: '财务' }
    simulator.saveDepartment({ ...finance, order: 5 })
    expect(await sync()).toEqual(there.toReversed())
    const keeper = await world.signIn(await corp.person({ power: ['3'] }))
    const [first] = (await head.must(getDepartList)).list[0]?.child ?? []
    await keeper.must(editDepartment, { id: first?.ID ?? '', before_id: null })
    expect(await sync()).toEqual(there)
  })

  it('keeps the address when a link to the same user is confirmed again', async () => {
    const { head, chat, zhang, corp } = await bound(provider)
    const same = { platform_user_id: getId(chat.both.user_id, provider), member_id: zhang.member_id }
    await head.must(binding.combinePlatform, { decisions: [same] })
    const member = await world.database.inCompany(corp.company_id, (tx) =>
      tx.selectFrom('member').select('platform_user_id').where('id', '=', zhang.member_id).executeTakeFirstOrThrow(),
    )
    expect(member.platform_user_id).toBe(same.platform_user_id)
  })
})
