/** Slips announced by mail: a mailbox that is tried before it is used, a real SMTP server, and every fault told as what it is. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openMail } from '../../platform/mail/index.ts'
import * as member from '../../server/contract/member.ts'
import * as slip from '../../server/contract/slip.ts'
import * as mail from '../../server/contract/wage/mail.ts'
import { demo } from '../kit/demo.ts'
import { type MailServer, startMailServer } from '../kit/outside/mail-server.ts'
import { deliveries, makeBatch, salaries, send, smsLeft } from '../kit/slips.ts'
import type { Person } from '../kit/world.ts'

let server: MailServer
const policy = { private_hosts: true }
const { world, corp, clerk, payroll } = demo({
  own: { mail: { ...policy, openMail: (app) => openMail({ ...app, host: '127.0.0.1' }, policy) } },
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
  server = await startMailServer({ sign_in: (_, given) => (given === password ? null : { reply: 535, text: 'no' }) })
})
afterAll(() => server.close())

let count = 0
async function staff(wish: { email?: boolean } = {}): Promise<Person & { email: string }> {
  const person = await corp.person()
  count += 1
  const email = wish.email === false ? '' : `p${count}@corp.example`
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

test('a mailbox is used only after a message by it was taken; its password is never told', async () => {
  const person = await staff()
  const plan = async () => payroll.must(slip.getSendPlan, { batch_id, channels: ['email', 'link'] })
  const batch_id = await makeBatch(world, clerk, [person])
  expect((await plan()).by_channel).toMatchObject({ email: 0, link: 1 })

  await payroll.must(mail.setMail, { ...mailbox, port: server.port, password: 'a wrong one' })
  const refused = await payroll.must(mail.testMail, { to: 'hr@corp.example' })
  expect(refused).toEqual({ taken: false, message: expect.stringContaining('授权码不正确') })
  expect((await plan()).by_channel).toMatchObject({ email: 0, link: 1 })

  await payroll.must(mail.setMail, { ...mailbox, port: server.port, password })
  expect(await payroll.must(mail.testMail, { to: 'hr@corp.example' })).toEqual({ taken: true, message: '' })
  expect((await plan()).by_channel).toMatchObject({ email: 1, link: 0 })
  const kept = await payroll.must(mail.getMail, {})
  expect(kept.mail).toMatchObject({ host: mailbox.host, tested_at: expect.any(String) })
  expect(JSON.stringify(kept)).not.toContain(password)
  const stored = await world.database.inCompany(corp.company_id, (tx) => tx.selectFrom('company_mail').selectAll().execute())
  expect(stored.map((row) => row.password.includes(password))).toEqual([false])

  // What is changed has to be tried anew; without a password the one that is kept stays.
  await payroll.must(mail.setMail, { ...mailbox, port: server.port, sender: '薪酬组' })
  expect((await plan()).by_channel).toMatchObject({ email: 0, link: 1 })
  expect(await payroll.must(mail.testMail, { to: 'hr@corp.example' })).toMatchObject({ taken: true })
})

test('everybody with an address gets one mail and pays for no message', async () => {
  const people = [await staff(), await staff(), await staff({ email: false })]
  const batch_id = await makeBatch(world, clerk, people)
  const before = await smsLeft(world, corp)
  const { plan } = await send(payroll, batch_id, ['email', 'link'])
  expect([plan.by_channel, plan.sms_needed]).toEqual([{ platform: 0, sms: 0, email: 2, link: 1 }, 0])
  await world.product.jobs.drain()
  expect(people.map(({ email }) => (email ? server.countOf(email) : 0))).toEqual([1, 1, 0])
  expect((await byPerson(batch_id, people)).map((one) => one.slip)).toEqual(['sent', 'sent', 'sent'])
  expect(await smsLeft(world, corp)).toBe(before)
  const info = await payroll.must(slip.getSendInfo, { batch_id })
  expect(info.by_channel).toContainEqual({ channel: 'email', count: 2, failed: 0 })
})

test('a refusal is told with its remedy and sent again when asked; a lost reply is unknown, and nobody gets it twice', async () => {
  const [good, gone, lost] = [await staff(), await staff(), await staff()]
  const people = [good, gone, lost]
  server.behave.recipient = (address) => (address === gone.email ? { reply: 550, text: '5.1.1 unknown' } : null)
  server.behave.content = (to) => (to === lost.email ? 'hang_up' : null)
  const batch_id = await makeBatch(world, clerk, people)
  await send(payroll, batch_id, ['email'])
  await world.product.jobs.drain()
  // The lost one is looked at again after its wait.
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
  expect(people.map(({ email }) => server.countOf(email))).toEqual([1, 0, 1])

  server.behave.recipient = () => null
  server.behave.content = () => null
  const again = await payroll.must(slip.sendBatch, { batch_id, only: 'failed' })
  expect(again.queued).toBe(1)
  await world.product.jobs.drain()
  expect(people.map(({ email }) => server.countOf(email))).toEqual([1, 1, 1])
  expect((await byPerson(batch_id, people)).map((one) => one.slip)).toEqual(['sent', 'sent', 'sent'])
})

test('who manages some departments may look, not change; an unencrypted server only inside', async () => {
  const part = await corp.person({ power: ['2'], scope: { all: false, department_ids: [corp.root_id] } })
  const caller = await world.signIn(part)
  const given = { ...mailbox, port: server.port, password }
  expect((await caller.ask(mail.setMail, given)).message).toContain('只管理部分部门')
  expect((await caller.ask(mail.testMail, { to: 'a@b.cn' })).message).toContain('只管理部分部门')
  expect((await caller.ask(mail.clearMail, {})).message).toContain('只管理部分部门')
  await payroll.must(mail.clearMail, {})
  expect((await payroll.must(mail.getMail, {})).mail).toBeNull()
})
