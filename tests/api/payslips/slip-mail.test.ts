/**
 * Payslips announced by mail: a mailbox is verified before use, a real SMTP server, and every fault reported as what it
 * is.
 */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createInboxReader, createMailSender } from '../../../platform/mail/index.ts'
import * as member from '../../../server/contract/directory/members.ts'
import { errorCodes } from '../../../server/contract/errors.ts'
import { getNotificationList } from '../../../server/contract/notifications/notifications.ts'
import { getSlip } from '../../../server/contract/payslips/employee.ts'
import * as mail from '../../../server/contract/payslips/mailbox.ts'
import * as slip from '../../../server/contract/payslips/send.ts'
import { getUnreachableMemberList } from '../../../server/contract/payslips/unreachable-members.ts'
import { demo } from '../../support/demo.ts'
import { bounceMail, type ImapServer, startInbox } from '../../support/outside/imap-server.ts'
import { getHeader, type MailServer, startMailServer } from '../../support/outside/mail-server.ts'
import { deliveries, getNotices, makeBatch, salaries, send, smsLeft } from '../../support/slips.ts'
import type { Caller, Person } from '../../support/world.ts'

let server: MailServer
let head: Caller
let inbox: ImapServer
const policy = { allowPrivateHosts: true }
const { world, corp, clerk, payroll } = demo({
  own: {
    mail: {
      ...policy,
      openMail: (app) => createMailSender({ ...app, host: '127.0.0.1' }, policy),
      readInbox: (app, since) => createInboxReader(policy)({ ...app, host: '127.0.0.1' }, since),
    },
  },
})
const mailbox = {
  host: 'smtp.corp.example',
  security: 'none',
  user: 'hr@corp.example',
  from: 'hr@corp.example',
  sender: '人事部',
} as const
const password = 'authorised-42'
beforeAll(async () => {
  head = await world.signIn(await corp.person({ power: ['1'] }))
  server = await startMailServer({ sign_in: (_, provided) => (provided === password ? null : { reply: 535, text: 'no' }) })
  inbox = await startInbox({ sign_in: (provided) => provided === password })
})
afterAll(() => Promise.all([server.close(), inbox.close()]))

let count = 0
async function staff(options: { email?: boolean } = {}): Promise<Person & { email: string }> {
  const person = await corp.person()
  count += 1
  const email = options.email === false ? '' : `p${count}@corp.example`
  if (email) await payroll.must(member.editMemberInfo, { id: person.member_id, email })
  return { ...person, email }
}
const byPerson = async (batch_id: string, people: readonly Person[]) => {
  const [slips, rows] = [await salaries(world, corp, batch_id), await deliveries(world, corp, batch_id)]
  return people.map(({ member_id }) => {
    const own = slips.find((one) => one.member_id === member_id)
    return { slip: own?.status, mail: rows.find((row) => row.salary_id === own?.id && row.channel === 'email') }
  })
}

test('uses a mailbox only after it has sent a message, and never returns its password', async () => {
  const person = await staff()
  const plan = async () => payroll.must(slip.getSendPlan, { batch_id, channels: ['email', 'link'] })
  const batch_id = await makeBatch(world, clerk, [person])
  expect((await plan()).by_channel).toMatchObject({ email: 0, link: 1 })

  await head.must(mail.saveMailbox, { ...mailbox, port: server.port, password: 'a wrong one' })
  const refused = await head.must(mail.testMailbox, { to: 'hr@corp.example' })
  expect(refused).toEqual({ is_accepted: false, message: expect.stringContaining('授权码不正确'), inbox: null })
  expect((await plan()).by_channel).toMatchObject({ email: 0, link: 1 })

  await head.must(mail.saveMailbox, { ...mailbox, port: server.port, password })
  expect(await head.must(mail.testMailbox, { to: 'hr@corp.example' })).toEqual({ is_accepted: true, message: '', inbox: null })
  expect((await plan()).by_channel).toMatchObject({ email: 1, link: 0 })
  const saved = await payroll.must(mail.getMailbox, {})
  expect(saved.mail).toMatchObject({ host: mailbox.host, tested_at: expect.any(String) })
  expect(JSON.stringify(saved)).not.toContain(password)
  const stored = await world.database.inCompany(corp.company_id, (tx) => tx.selectFrom('company_mail').selectAll().execute())
  expect(stored.map((row) => row.password.includes(password))).toEqual([false])

  // A changed mailbox has to be verified again; without a new password the stored one is kept.
  await head.must(mail.saveMailbox, { ...mailbox, port: server.port, sender: '薪酬组' })
  expect((await plan()).by_channel).toMatchObject({ email: 0, link: 1 })
  expect(await head.must(mail.testMailbox, { to: 'hr@corp.example' })).toMatchObject({ is_accepted: true })
})

test('sends one mail to each member with an address and charges no message', async () => {
  const people = [await staff(), await staff(), await staff({ email: false })]
  const batch_id = await makeBatch(world, clerk, people)
  const before = await smsLeft(world, corp)
  const { plan } = await send(payroll, batch_id, ['email', 'link'])
  expect([plan.by_channel, plan.sms_needed]).toEqual([{ platform: 0, sms: 0, email: 2, link: 1 }, 0])
  await world.product.jobs.drain()
  expect(people.map(({ email }) => (email ? server.getCount(email) : 0))).toEqual([1, 1, 0])
  expect((await byPerson(batch_id, people)).map((one) => one.slip)).toEqual(['sent', 'sent', 'sent'])
  expect(await smsLeft(world, corp)).toBe(before)
  const info = await payroll.must(slip.getSendInfo, { batch_id })
  expect(info.by_channel).toContainEqual({ channel: 'email', count: 2, failed: 0 })
})

test('shows a rejected mail with its remedy and can send it again, and never repeats one with a lost reply', async () => {
  const [good, removed, lost] = [await staff(), await staff(), await staff()]
  const people = [good, removed, lost]
  server.behave.recipient = (address) => (address === removed.email ? { reply: 550, text: '5.1.1 unknown' } : null)
  server.behave.content = (to) => (to === lost.email ? 'hang_up' : null)
  const batch_id = await makeBatch(world, clerk, people)
  await send(payroll, batch_id, ['email'])
  await world.product.jobs.drain()
  // The lost one is queried again after its wait.
  world.clock.advance(60_000)
  await world.product.jobs.drain()
  world.clock.advance(60_000)
  await world.database.inCompany(corp.company_id, (tx) =>
    world.product.jobs.send(tx, 'send', { company_id: corp.company_id, batch_id }),
  )
  await world.product.jobs.drain()
  const became = await byPerson(batch_id, people)
  expect(became.map((one) => [one.slip, one.mail?.status])).toEqual([
    ['sent', 'accepted'],
    ['failed', 'failed'],
    ['sent', 'unknown'],
  ])
  expect(became[1]?.mail).toMatchObject({ code: 'mail_mailbox', message: expect.stringContaining('在花名册核对邮箱') })
  expect(people.map(({ email }) => server.getCount(email))).toEqual([1, 0, 1])

  server.behave.recipient = () => null
  server.behave.content = () => null
  const again = await payroll.must(slip.sendBatch, { batch_id, only: 'failed' })
  expect(again.queued).toBe(1)
  await world.product.jobs.drain()
  expect(people.map(({ email }) => server.getCount(email))).toEqual([1, 1, 1])
  expect((await byPerson(batch_id, people)).map((one) => one.slip)).toEqual(['sent', 'sent', 'sent'])
})

test('waits for a mailbox with a rate limit, reports it, continues automatically, and loses or duplicates nothing', async () => {
  const people = await Promise.all(Array.from({ length: 5 }, () => staff()))
  let is_limited = true
  let requested = 0
  server.behave.recipient = () => {
    requested += 1
    return is_limited && requested > 2 ? { reply: 550, text: 'Connection frequency limited' } : null
  }
  const batch_id = await makeBatch(world, clerk, people)
  await send(payroll, batch_id, ['email'])
  const sendOn = async () => {
    await world.database.inCompany(corp.company_id, (tx) =>
      world.product.jobs.send(tx, 'send', { company_id: corp.company_id, batch_id }),
    )
    await world.product.jobs.drain()
  }
  await sendOn()
  const getStatus = async () => {
    const { status, sent, queued, failed, unknown, delays } = await payroll.must(slip.getSendInfo, { batch_id })
    return { status, sent, queued, failed, unknown, waiting: delays }
  }
  const waiting = [{ channel: 'email', message: expect.stringContaining('发送太快') }]
  expect(await getStatus()).toEqual({ status: 'sending', sent: 2, queued: 3, failed: 0, unknown: 0, waiting })
  // During its backoff the mailbox is not contacted for any batch.
  world.clock.advance(200_000)
  await sendOn()
  expect(requested).toBe(3)
  world.clock.advance(101_000)
  await sendOn()
  expect(await getStatus()).toMatchObject({ sent: 2, queued: 3, waiting })
  expect(requested).toBe(4)
  is_limited = false
  world.clock.advance(301_000)
  await sendOn()
  expect(await getStatus()).toEqual({ status: 'sent', sent: 5, queued: 0, failed: 0, unknown: 0, waiting: [] })
  expect(people.map(({ email }) => server.getCount(email))).toEqual([1, 1, 1, 1, 1])
  const became = await byPerson(batch_id, people)
  expect(became.map((one) => [one.mail?.attempts, one.mail?.code, one.mail?.message])).toEqual(people.map(() => [1, null, null]))
  server.behave.recipient = () => null
})

test('fails mail with the reason if the mailbox has no quota, and can send it again the next day', async () => {
  const people = [await staff(), await staff()]
  server.behave.sender = () => ({ reply: 550, text: 'User is over flow' })
  const batch_id = await makeBatch(world, clerk, people)
  await send(payroll, batch_id, ['email'])
  await world.product.jobs.drain()
  const became = await byPerson(batch_id, people)
  expect(became.map((one) => [one.slip, one.mail?.code])).toEqual(people.map(() => ['failed', 'mail_quota']))
  expect(became[0]?.mail?.message).toContain('今天的发送量已达上限')
  expect((await head.must(mail.testMailbox, { to: 'hr@corp.example' })).message).toContain('今天的发送量已达上限')
  server.behave.sender = () => null
  await payroll.must(slip.sendBatch, { batch_id, only: 'failed' })
  await world.product.jobs.drain()
  expect(people.map(({ email }) => server.getCount(email))).toEqual([1, 1])
})

describe('bounced mail', () => {
  const view = async () => {
    await world.database.inCompany(corp.company_id, (tx) =>
      world.product.jobs.send(tx, 'bounces', { company_id: corp.company_id }),
    )
    await world.product.jobs.drain()
  }
  const getName = (email: string): string => {
    const mail = server.accepted.findLast(({ to }) => to === email)
    return mail ? getHeader(mail, 'X-Message-Mark') : ''
  }
  const receiving = { host: 'imap.corp.example', security: 'none' } as const

  test('fails bounced mail with its reason and falls back; delayed, forged and repeated bounces change nothing', async () => {
    const provided = { ...mailbox, port: server.port, password, inbox: { ...receiving, port: inbox.port } }
    await head.must(mail.saveMailbox, provided)
    inbox.behave.hang_up = 'EXAMINE'
    expect(await head.must(mail.testMailbox, { to: 'hr@corp.example' })).toMatchObject({
      is_accepted: true,
      inbox: expect.stringContaining('连不上'),
    })
    delete inbox.behave.hang_up
    inbox.put('From: somebody@corp.example\nSubject: lunch\n\nat noon')
    expect(await head.must(mail.testMailbox, { to: 'hr@corp.example' })).toMatchObject({ is_accepted: true, inbox: null })
    expect((await payroll.must(mail.getMailbox, {})).mail?.inbox).toMatchObject({
      ...receiving,
      read_at: expect.any(String),
      fault: null,
    })

    const people = [await staff(), await staff(), await staff(), await staff()]
    const [removed, late, forged, viewed] = people.map(({ email }) => email)
    const batch_id = await makeBatch(world, clerk, people)
    await send(payroll, batch_id, ['email', 'link'])
    await world.product.jobs.drain()
    const [first, second] = [getName(removed ?? ''), getName(late ?? '')]
    inbox.put(bounceMail({ message_id: first, status: '4.4.1', action: 'delayed' }))
    inbox.put(bounceMail({ message_id: first, body: 200_000 }))
    inbox.put(bounceMail({ message_id: first, status: '4.4.1', action: 'delayed' }))
    inbox.put(bounceMail({ message_id: second, status: '4.4.1', action: 'delayed' }))
    // Another member's mark in this message, and a mark that does not exist.
    inbox.put(bounceMail({ message_id: getName(forged ?? '').replace(/\w{32}$/, first.slice(-32)) }))
    inbox.put(bounceMail({ message_id: `${getName(forged ?? '').slice(0, 37)}${'0'.repeat(32)}` }))
    const slips = await salaries(world, corp, batch_id)
    const salary_id = slips.find(({ member_id }) => member_id === people[3]?.member_id)?.id ?? ''
    await (await world.signIn(people[3] ?? clerk)).must(getSlip, { slip_id: salary_id })
    inbox.put(bounceMail({ message_id: getName(viewed ?? '') }))
    await view()

    const getStatus = async () => (await byPerson(batch_id, people)).map((one) => [one.slip, one.mail?.status, one.mail?.code])
    const after = [
      ['sent', 'failed', 'undelivered'],
      ['sent', 'accepted', 'delayed'],
      ['sent', 'accepted', null],
      // This member has viewed the payslip, whatever happened to the mail.
      ['viewed', 'failed', 'undelivered'],
    ]
    expect(await getStatus()).toEqual(after)
    const info = await payroll.must(slip.getSendInfo, { batch_id })
    expect(info.fallbacks).toMatchObject([
      { from: 'email', to: 'link', message: expect.stringContaining('邮件被退回：邮箱地址不存在') },
    ])
    // The server has restarted its numbering, and everything is read once more.
    inbox.validity += 1
    await view()
    expect(await getStatus()).toEqual(after)
    expect(inbox.requested.filter((one) => /^(STORE|UID STORE|SELECT|EXPUNGE|APPEND)/.test(one))).toEqual([])
  })

  test('fails without another channel and appears in the list of unreachable members', async () => {
    const person = await staff()
    const batch_id = await makeBatch(world, clerk, [person])
    await send(payroll, batch_id, ['email'])
    await world.product.jobs.drain()
    inbox.put(bounceMail({ message_id: getName(person.email), status: '5.2.2', diagnostic: 'smtp; 552 5.2.2 over quota' }))
    await view()
    expect(await byPerson(batch_id, [person])).toMatchObject([
      { slip: 'failed', mail: { message: expect.stringContaining('邮箱已满') } },
    ])
    const { list } = await payroll.must(getUnreachableMemberList, { issue: 'bounced' })
    expect(list.find(({ member_id }) => member_id === person.member_id)?.why).toContain('邮件被退回')
    expect((await getNotices(world, corp, batch_id)).some(({ text }) => text.includes('邮件被退回'))).toBe(true)
  })
})

describe('the stored password', () => {
  const saved = () =>
    ({ ...mailbox, port: server.port, inbox: { host: 'imap.corp.example', port: inbox.port, security: 'none' } }) as const
  test('stays with its user and servers: a change of any of them without a new password is refused', async () => {
    await head.must(mail.saveMailbox, { ...saved(), password })
    const before = await world.database.inCompany(corp.company_id, (tx) => tx.selectFrom('company_mail').selectAll().execute())
    const { inbox: own, ...rest } = saved()
    const changes = [
      { host: 'smtp.other.example' },
      { port: server.port + 1 },
      { security: 'tls' },
      { user: 'ceo@corp.example' },
      { inbox: { ...own, host: 'imap.other.example' } },
      { inbox: { ...own, port: own.port + 1 } },
      { inbox: { ...own, security: 'tls' } },
    ] as const
    for (const change of changes) {
      const answer = await head.call(mail.saveMailbox, { ...saved(), ...change })
      expect([answer.code, answer.data], JSON.stringify(change)).toEqual([errorCodes.invalid.code, { field: 'password' }])
      expect(answer.message).toContain('重新填写密码')
    }
    expect(await world.database.inCompany(corp.company_id, (tx) => tx.selectFrom('company_mail').selectAll().execute())).toEqual(
      before,
    )
    await head.must(mail.saveMailbox, { ...rest, sender: '人力资源', from: 'pay@corp.example' })
    // An inbox that was not there before is another place, too.
    expect((await head.call(mail.saveMailbox, saved())).code).toBe(errorCodes.invalid.code)
    await head.must(mail.saveMailbox, { ...saved(), host: 'smtp.other.example', password })
  })

  test('is set by enterprise and system administrators only, and the others of them are notified', async () => {
    const other = await corp.person({ power: ['4'] })
    const notices = async () =>
      (await (await world.signIn(other)).must(getNotificationList, {})).list.filter(({ kind }) => kind === 'security')
    await head.must(mail.saveMailbox, { ...saved(), sender: '财务部', host: 'smtp.other.example' })
    expect(await notices()).toEqual([])
    for (const caller of [payroll, await world.signIn(await corp.person({ power: ['2', '3'] }))]) {
      for (const [call, input] of [
        [mail.saveMailbox, { ...saved(), password }],
        [mail.testMailbox, { to: 'a@b.cn' }],
        [mail.deleteMailbox, {}],
      ] as const)
        expect((await caller.call(call, input as never)).code).toBe(errorCodes.not_permitted.code)
      expect((await caller.call(mail.getMailbox, {})).code).toBe(0)
    }
    expect((await payroll.must(mail.getMailbox, {})).disabled_reason).toContain('只有企业管理员或系统管理员')
    expect((await head.must(mail.getMailbox, {})).disabled_reason).toBe(null)
    await head.must(mail.saveMailbox, { ...saved(), password })
    expect((await notices()).map(({ text }) => text)).toEqual([expect.stringContaining('服务器 smtp.corp.example')])
    await head.must(mail.deleteMailbox, {})
    expect((await notices())[0]?.text).toContain('删除了发件邮箱')
    expect((await payroll.must(mail.getMailbox, {})).mail).toBeNull()
  })
})
