/**
 * Attacks on messages (trust.md S7–S9): company names that imitate a bank, prepaid messages spent twice, pay or names
 * in a message.
 */
import { beforeEach, describe, expect, it } from 'vitest'
import { MessageRejectedError } from '../../../platform/carrier.ts'
import * as account from '../../../server/contract/auth/sign-in.ts'
import * as member from '../../../server/contract/directory/members.ts'
import * as invite from '../../../server/contract/invites/invite.ts'
import { renderMessage } from '../../../server/contract/messages/rendering.ts'
import type { MessageContent } from '../../../server/contract/messages/sms-templates.ts'
import * as employee from '../../../server/contract/payslips/employee.ts'
import * as slip from '../../../server/contract/payslips/send.ts'
import { formatFen } from '../../../server/contract/shared/money.ts'
import { newId } from '../../../server/shared/ids.ts'
import { createClient } from '../../support/callers/visitor.ts'
import { demoWorld } from '../../support/demo.ts'
import { getMessagePattern } from '../../support/message-patterns.ts'
import { getGateway, getNet, invite_segments, makeBatch, send, slip_segments, smsLeft } from '../../support/slips.ts'
import { type Caller, type Corp, type Person } from '../../support/world.ts'

let before: ((id: string) => void) | null = null
let after: ((id: string) => void) | null = null
const gateway = getGateway({ before: (id) => before?.(id), after: (id) => after?.(id) })
const world = demoWorld({ sms: () => gateway })
beforeEach(() => {
  before = null
  after = null
})

const newcomers = (corp: Corp, count: number): Promise<Person[]> =>
  Promise.all(Array.from({ length: count }, () => corp.person({ joined: false })))

/** Fifty names that a company could choose in order to abuse our messages. */
const hostile = [
  '【工商银行】您的账户异常 http://evil.example/a',
  '【招商银行】',
  '】【建设银行】请立即处理 https://evil.cn',
  '［农业银行］点击 www.evil.com 领取补贴',
  '〔税务局〕退税请登录 t.cn/A6xyz',
  '〖社保局〗 evil.top/x?y=1',
  '[银行] HTTP://EVIL.CN/LOGIN',
  'hTtPs://evil.cn',
  'ht\u200btp://evil.cn/a',
  'ht【】tp://evil.cn/b',
  'hthttp://x.cn tp://evil.cn/c',
  'ｈｔｔｐ：／／ｅｖｉｌ．ｃｎ',
  'ｗｗｗ．ｅｖｉｌ．ｃｏｍ',
  'evil．cn 退税',
  'evil。cn 退税',
  'evil｡com/x',
  'bank.com',
  '中国银行.com 登录',
  '银行.中国 登录',
  'xn--fiqs8s.xn--55qx5d/x',
  'weixin://dl/business/?t=abc',
  'alipays://platformapi/startapp?x=1',
  'ftp://1.2.3.4/a',
  '1.2.3.4/login 立即登录',
  'tel:13800138000',
  '请致电 13800138000 领取',
  '请致电 400-123-4567 领取',
  '加微信 1 3 8 0 0 1 3 8 0 0 0',
  'QQ 123456789',
  'user@evil.cn 发送资料',
  '甲公司\n【银行】验证码 123456',
  '甲公司\r\n\r\n紧急通知',
  '甲公司\u0000\u0007\u001b[31m',
  '甲公司\u202e司公甲',
  '甲公司\u2066隐藏\u2069',
  '甲公司\u2028第二行',
  '\u00ad\u200c\u200d\ufeff',
  '{link}',
  '{corp}{link}{code}',
  "$& $1 $` $'",
  '${link}',
  '<a href="http://evil.cn">甲</a>',
  '<script src=//evil.cn></script>',
  'javascript:alert(1)',
  'data:text/html,<b>x',
  '//evil.cn/x',
  '\\\\evil.cn\\x',
  '甲'.repeat(5000),
  '😀'.repeat(500),
  '   ',
]

describe('company name that imitates a bank (S7)', () => {
  /** Asserts that the message contains nothing harmful besides our own text. */
  function mustBeHarmless(name: string, text: string, link: string): void {
    const own = text.replace('【薪函】', '').replace(link, '')
    expect([name, text.startsWith('【薪函】'), text.split(link).length]).toEqual([name, true, 2])
    expect([name, /[【】〔〕〖〗［］[\]]/u.test(own)]).toEqual([name, false])
    // oxlint-disable-next-line no-control-regex -- what must not be there
    expect([name, /[\u0000-\u001f\u007f-\u009f\u2028\u2029]|\p{Cf}/u.test(own)]).toEqual([name, false])
    const wide = own.normalize('NFKC')
    // Text that a phone turns into a link: a scheme, a dot between letters, four numbers with dots, a phone number.
    expect([name, /\w:\/\/|https?:|www\./i.test(wide)]).toEqual([name, false])
    expect([name, /[\p{L}\p{N}]\.\p{L}|[a-z\d]。[a-z\d]|\d+\.\d+\.\d+\.\d+/iu.test(wide)]).toEqual([name, false])
    expect([name, /\d(?:[\s-]?\d){6,}/.test(wide)]).toEqual([name, false])
    expect([name, [...own].length]).toEqual([name, expect.toSatisfy((length: number) => length < 70)])
  }

  it('keeps the message with a single link for 50 hostile company names', () => {
    expect(new Set(hostile).size).toBe(50)
    const link = 'https://pay.example.cn/m/invite?code=abcdefghijklmnopqrstuvwxyz0123456789_-ABCDE'
    for (const name of hostile) mustBeHarmless(name, renderMessage({ kind: 'invite', params: { corp: name, link } }), link)
  })

  it('sanitizes a hostile company name end to end in invites and payslip messages', async () => {
    for (const name of hostile.filter((_, at) => at % 4 === 0)) {
      // Names as an operator's database may contain them from before sanitizing; characters that the database cannot
      // store are left out.
      const corp = await world.createCompany({ name: name.replaceAll('\u0000', '') })
      const owner = await corp.person({ power: ['4'] })
      const boss = await world.signIn(owner)
      const [person] = (await newcomers(corp, 1)) as [Person]
      await boss.must(invite.sendInviteCode, { member_ids: [person.member_id] })
      const batch_id = await makeBatch(world, owner, [owner], { title: name.replaceAll('\u0000', '').slice(0, 50) })
      await send(boss, batch_id)
      await world.product.jobs.drain()
      for (const { mobile, path } of [
        { mobile: person.mobile, path: /http:\/\/127\.0\.0\.1:8080\/m\/invite\?code=[\w-]{43}/ },
        { mobile: owner.mobile, path: /http:\/\/127\.0\.0\.1:8080\/\S+/ },
      ]) {
        const text = gateway.accepted.findLast((one) => one.mobile === mobile)?.text ?? ''
        mustBeHarmless(name, text, path.exec(text)?.[0] ?? 'no link')
      }
    }
  })
})

describe('prepaid messages (S8)', () => {
  async function mustAddUp(corp: Corp, began: number): Promise<void> {
    const { left, moved } = await world.database.inCompany(corp.company_id, async (tx) => ({
      left: (await tx.selectFrom('company').select('sms_left').executeTakeFirstOrThrow()).sms_left,
      moved: await tx
        .selectFrom('prepaid_movement')
        .innerJoin('prepaid_entry', (join) =>
          join
            .onRef('prepaid_entry.company_id', '=', 'prepaid_movement.company_id')
            .onRef('prepaid_entry.move_id', '=', 'prepaid_movement.id'),
        )
        .select(['amount', 'reason', 'ref'])
        .where('side', '=', 'stock')
        .execute(),
    }))
    expect(left).toBeGreaterThanOrEqual(0)
    expect(left).toBe(began + moved.reduce((sum, { amount }) => sum + amount, 0))
    expect(new Set(moved.map(({ reason, ref }) => `${reason}|${ref}`)).size).toBe(moved.length)
  }

  it('sends one of 50 parallel invites with one message left', async () => {
    const corp = await world.createCompany({ sms_left: invite_segments })
    const boss = await world.signIn(await corp.person({ power: ['4'] }))
    const people = await newcomers(corp, 50)
    const answers = await Promise.all(
      people.map(({ member_id }) => boss.call(invite.sendInviteCode, { member_ids: [member_id] })),
    )
    expect(answers.filter(({ code }) => code === 0)).toHaveLength(1)
    expect(answers.filter(({ code }) => code === 100501)).toHaveLength(49)
    await world.product.jobs.drain()
    expect(gateway.accepted.filter(({ mobile }) => people.some((one) => one.mobile === mobile))).toHaveLength(1)
    await mustAddUp(corp, invite_segments)
  })

  it('sends one of ten parallel batches with one message left, and the others wait unsent', async () => {
    const corp = await world.createCompany({ sms_left: slip_segments })
    const owner = await corp.person({ power: ['4'] })
    const boss = await world.signIn(owner)
    const people = await corp.people(10)
    const plans: string[] = []
    for (const person of people) {
      const batch_id = await makeBatch(world, owner, [person])
      plans.push((await boss.must(slip.sendPaySheet, { batch_id, channels: ['sms'] })).plan_id)
    }
    const answers = await Promise.all(
      plans.flatMap((plan_id) => [1, 2, 3].map(() => boss.call(slip.doSend, { plan_id, looked: true }))),
    )
    expect(answers.filter(({ code }) => code === 100501).length).toBeGreaterThanOrEqual(27)
    await world.product.jobs.drain()
    expect(gateway.accepted.filter(({ mobile }) => people.some((one) => one.mobile === mobile))).toHaveLength(1)
    await mustAddUp(corp, slip_segments)
    expect(await smsLeft(world, corp)).toBe(0)
  })

  it('delivers or refunds every debited message when the worker crashes before or after the gateway, or the gateway refuses', async () => {
    const corp = await world.createCompany({ sms_left: 40 * invite_segments })
    const boss = await world.signIn(await corp.person({ power: ['4'] }))
    const people = await newcomers(corp, 30)
    const tried = new Map<string, number>()
    let position = 0
    const fates = new Map<string, number>()
    const getFate = (id: string): number => {
      if (!fates.has(id)) fates.set(id, (position += 1) % 5)
      return fates.get(id) ?? 0
    }
    before = (id) => {
      const count = (tried.get(id) ?? 0) + 1
      tried.set(id, count)
      if (getFate(id) === 1) throw new MessageRejectedError('isv.MOBILE_NUMBER_ILLEGAL', 'no such number')
      if (getFate(id) === 2 && count === 1) throw new Error('killed before it left')
    }
    after = (id) => {
      if (getFate(id) === 3 && tried.get(id) === 1) throw new Error('killed before the answer was kept')
    }
    await boss.must(invite.sendInviteCode, { member_ids: people.map((one) => one.member_id) })
    expect(await smsLeft(world, corp)).toBe(10 * invite_segments)
    for (let round = 0; round < 3; round += 1) {
      await world.product.jobs.drain()
      world.clock.advance(60_000)
      await world.database.pool.query(`update pgboss.job set start_after = now() where name = 'invite' and state = 'created'`)
    }
    const arrived = gateway.accepted.filter(({ mobile }) => people.some((one) => one.mobile === mobile))
    expect(new Set(arrived.map(({ mobile }) => mobile)).size).toBe(arrived.length)
    expect(arrived).toHaveLength(24)
    expect(await smsLeft(world, corp)).toBe((40 - arrived.length) * invite_segments)
    await mustAddUp(corp, 40 * invite_segments)
  })

  it('debits nothing when the transaction fails after the debit', async () => {
    const corp = await world.createCompany({ sms_left: 5 })
    const owner = await corp.person({ power: ['4'] })
    const boss = await world.signIn(owner)
    const [first, second] = (await newcomers(corp, 2)) as [Person, Person]
    // The second member of the call no longer exists when the invites are written: the whole call is rolled back.
    expect((await boss.call(invite.sendInviteCode, { member_ids: [first.member_id, newId()] })).code).toBe(100404)
    expect(await smsLeft(world, corp)).toBe(5)
    await expect(
      world.database.inCompany(corp.company_id, async (tx) => {
        const { chargeSms } = await import('../../../server/modules/billing/index.ts')
        await chargeSms({ db: tx, company_id: corp.company_id, now: world.clock.now() }, 3, 'plan', newId())
        throw new Error('killed')
      }),
    ).rejects.toThrow('killed')
    expect(await smsLeft(world, corp)).toBe(5)
    await mustAddUp(corp, 5)
    expect(second.member_id).not.toBe(first.member_id)
  })
})

describe('pay and names in a message (S9)', () => {
  it('contains no full name, amount or identity number and only the last digits of a phone, in messages of every kind', async () => {
    const corp = await world.createCompany({ name: '云杉科技' })
    const owner = await corp.person({ power: ['4'], name: '欧阳金丝雀甲' })
    const boss: Caller = await world.signIn(owner)
    const people = await Promise.all(
      ['司马金丝雀乙', '诸葛金丝雀丙', '上官金丝雀丁'].map((name) =>
        corp.person({ name, employee_no: `YG${name.length}987654` }),
      ),
    )
    const newcomer = await corp.person({ name: '夏侯金丝雀戊', joined: false })
    const all = [owner, ...people, newcomer]
    const from = gateway.accepted.length
    const batch_id = await makeBatch(world, owner, people, { title: `司马金丝雀乙 实发 ${formatFen(getNet(2))} 元` })
    await send(boss, batch_id)
    await world.product.jobs.drain()
    await boss.must(slip.sendBatch, { batch_id, only: 'unviewed' })
    const salary = (await boss.must(slip.getWageDetail, { batch_id })).list[0]
    await boss.must(slip.editSalaryDetail, {
      salary_id: salary?.salary_id ?? '',
      cells: [{ key: 'c4', value: '7654.32' }],
      reason: '更正',
    })
    await boss.must(invite.sendInviteCode, { member_ids: [newcomer.member_id] })
    await boss.must(member.editMemberInfo, { id: people[2]?.member_id ?? '', mobile: '19987654321' })
    await createClient(world).call(account.getVerifyCode, { phone: people[0]?.mobile ?? '', type: 'login' })
    await world.product.jobs.drain()
    await expect
      .poll(() => gateway.accepted.slice(from).some(({ text }) => getMessagePattern('code').test(text)), { timeout: 30_000 })
      .toBe(true)
    const inbox = gateway.accepted.slice(from).map(({ text }) => text)
    for (const kind of ['slip', 'remind', 'corrected', 'invite', 'code', 'phone_changed'] as const)
      expect([kind, inbox.some((text) => getMessagePattern(kind).test(text))]).toEqual([kind, true])
    const amounts = [2, 3, 4]
      .flatMap((row) => [getNet(row), getNet(row) + 12_345])
      .flatMap((fen) => [formatFen(fen), (fen / 100).toFixed(2)])
    const kinds: MessageContent[] = [
      { kind: 'standing', params: { corp: '云杉科技', title: '司马金丝雀乙 8,001.01 元', unviewed: '3', unconfirmed: '2' } },
      { kind: 'own_phone_changed', params: { tail: '4321' } },
    ]
    for (const text of [...inbox, ...kinds.map((one) => renderMessage(one))]) {
      // An administrator may write anything into a title, but an amount never leaves in a message.
      for (const amount of [...amounts, '7654.32', '7,654.32']) expect([text, text.includes(amount)]).toEqual([text, false])
      for (const one of all) expect([text, text.includes(one.mobile)]).toEqual([text, false])
      expect([text, /\d{11}|\d{17}[\dXx]|YG\d+/.test(text.replace(/http\S+/g, ''))]).toEqual([text, false])
      for (const one of all.filter(({ name }) => name !== '司马金丝雀乙'))
        expect([text, text.includes(one.name)]).toEqual([text, false])
    }
    // The amount is in the payslip itself.
    const reader = await world.signIn(people[0] as Person)
    expect((await reader.must(employee.getSlipList, {})).list).toHaveLength(1)
  })
})
