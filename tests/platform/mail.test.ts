/**
 * The email sender against a real SMTP server: the outcome of each misbehaviour, and how many copies the server then
 * has.
 */
import { afterEach, describe, expect, test } from 'vitest'
import type { MailboxConfig, OutgoingMessage } from '../../platform/carrier.ts'
import { createMailSender } from '../../platform/mail/index.ts'
import { toMailContent } from '../../platform/mail/mail-content.ts'
import { mailFailureMessages } from '../../platform/mail/send-result.ts'
import { isPublicAddress, NotPublicAddressError, resolvePublicAddress } from '../../platform/public-address.ts'
import { getHeader, type MailBehaviour, type MailServer, sectionsOf, startMailServer } from '../support/outside/mail-server.ts'

const servers: MailServer[] = []
afterEach(async () => {
  await Promise.all(servers.splice(0).map((server) => server.close()))
})
const typical: Omit<MailboxConfig, 'port'> = {
  host: '127.0.0.1',
  security: 'none',
  user: 'hr@corp.example',
  password: 'authorised',
  from: 'hr@corp.example',
  sender: '示例公司',
}
async function open(behave: MailBehaviour & { step_ms?: number } = {}, options: Partial<MailboxConfig> = {}) {
  const server = await startMailServer(behave)
  servers.push(server)
  return {
    server,
    line: createMailSender(
      { ...typical, port: server.port, ...options },
      { allowPrivateHosts: true, ...(behave.step_ms ? { stepTimeoutMs: behave.step_ms } : {}) },
    ),
  }
}
const letter = (to: string, id = `id-${to}`): OutgoingMessage => ({
  id,
  to,
  kind: 'slip',
  text: '【薪函】示例公司：标题一句，正文一句：https://pay.example.cn/s/0123',
  variables: [],
  link: 'https://pay.example.cn/s/0123',
  name: '张*',
})
const one = async (line: Awaited<ReturnType<typeof open>>['line'], to = 'a@corp.example') => {
  const [message] = await line.send([letter(to)])
  if (!message) throw new Error('nothing was said')
  return message
}

test("accepts a message once with only its text and the product's id", async () => {
  const { server, line } = await open()
  expect(await one(line)).toMatchObject({ result: 'accepted' })
  expect(server.accepted).toHaveLength(1)
  const [mail] = server.accepted
  if (!mail) throw new Error('no mail')
  expect(getHeader(mail, 'Subject')).toBe('示例公司：标题一句')
  expect(getHeader(mail, 'From')).toContain('<hr@corp.example>')
  expect(getHeader(mail, 'Message-ID')).toBe('<id-a@corp.example@corp.example>')
  expect(getHeader(mail, 'Auto-Submitted')).toBe('auto-generated')
  const sections = sectionsOf(mail)
  expect(sections).toContain('https://pay.example.cn/s/0123')
  expect(sections).toContain('登录后才能查看')
})

test('sends ten messages over one connection', async () => {
  const { server, line } = await open()
  const all = Array.from({ length: 10 }, (_, at) => letter(`p${at}@corp.example`))
  expect((await line.send(all)).map(({ result }) => result)).toEqual(all.map(() => 'accepted'))
  expect([server.connections(), server.accepted.length]).toEqual([1, 10])
})

describe('mail server faults', () => {
  const format = (reply: number, text: string) => () => ({ reply, text })
  const refused = (code: keyof typeof mailFailureMessages) => ({
    result: 'refused',
    code: `mail_${code}`,
    message: mailFailureMessages[code],
  })
  const soon = (recipientOnly: boolean) => ({ result: 'put_off', recipientOnly })
  const too_fast = { result: 'put_off', recipientOnly: false, code: 'mail_pace' }
  /** `lies` is the number of copies that the server has by its own count. */
  test.each<[string, MailBehaviour & { step_ms?: number }, object, number]>([
    ['an unknown mailbox', { recipient: format(550, '5.1.1 no such user') }, refused('mailbox'), 0],
    ['a full mailbox', { recipient: format(552, '5.2.2 mailbox full') }, refused('full'), 0],
    ['a message classified as spam', { content: format(554, '5.7.1 spam'), keeps: false }, refused('spam'), 0],
    ['a sender address that is not permitted', { sender: format(553, '5.7.1 not yours') }, refused('sender'), 0],
    ['a daily limit', { sender: format(550, 'daily quota exceeded') }, refused('quota'), 0],
    ['a wrong password', { sign_in: format(535, '5.7.8 no') }, refused('sign_in'), 0],
    ['greylisting', { recipient: format(451, '4.7.1 try later') }, soon(true), 0],
    ['too many concurrent connections', { sender: format(421, '4.7.0 slow down') }, soon(false), 0],
    ['a rate limit with the code of an unknown address', { recipient: format(550, 'Connection frequency limited') }, too_fast, 0],
    ['a rate limit after the message', { content: format(550, 'Domain frequency limited'), keeps: false }, too_fast, 0],
    ['a refused connection', { connect: format(421, 'too many connections') }, soon(false), 0],
    ['a connection closed before any message', { recipient: () => 'hang_up' }, soon(false), 0],
    ['a silence before any message', { recipient: () => 'silent', step_ms: 500 }, soon(false), 0],
    ['a lost reply', { content: () => 'hang_up' }, { result: 'unclear' }, 1],
    // The time is long enough that the steps before the silence never time out.
    ['a silence after the message', { content: () => 'silent', step_ms: 5_000 }, { result: 'unclear' }, 1],
    ['an acceptance followed by a shutdown', { content: format(421, 'shutting down') }, { result: 'unclear' }, 1],
    ['a rejection after the message', { content: format(554, 'transaction failed') }, refused('content'), 1],
    ['a delay after the message', { content: format(451, '4.3.0 busy'), keeps: false }, soon(true), 0],
    ['no encryption', {}, refused('encryption'), 0],
    ['a certificate that nobody knows', { encrypts: true }, refused('encryption'), 0],
  ])('%s', async (what, behave, outcome, lies) => {
    const encrypted = what === 'no encryption' || what === 'a certificate that nobody knows'
    const { server, line } = await open(behave, encrypted ? { security: 'starttls' } : {})
    expect(await one(line)).toMatchObject(outcome)
    expect(server.getCount('a@corp.example')).toBe(lies)
  })

  test('delays and fails no other recipients because of one bad address', async () => {
    const { server, line } = await open({
      recipient: (address) => (address.startsWith('bad') ? { reply: 550, text: '5.1.1 unknown' } : null),
    })
    const outcomes = await line.send([letter('a@corp.example'), letter('bad@corp.example'), letter('c@corp.example')])
    expect(outcomes.map(({ result }) => result)).toEqual(['accepted', 'refused', 'accepted'])
    expect(server.accepted.map(({ to }) => to)).toEqual(['a@corp.example', 'c@corp.example'])
  })

  test('stops a sender over the rate limit, and makes untried messages due before the tried one', async () => {
    let requested = 0
    const { server, line } = await open({
      recipient: () => {
        requested += 1
        return requested < 3 ? null : { reply: 550, text: 'Ip frequency limited' }
      },
    })
    const outcomes = await line.send(['a', 'b', 'c', 'd', 'e'].map((name) => letter(`${name}@corp.example`)))
    expect(outcomes.map((outcome) => (outcome.result === 'put_off' ? outcome.retryAfterSeconds : outcome.result))).toEqual([
      'accepted',
      'accepted',
      300,
      299,
      299,
    ])
    expect([requested, server.connections(), server.accepted.length]).toEqual([3, 1, 2])
  })

  test('reports a wrong password for all messages and tries it once', async () => {
    const { server, line } = await open({ sign_in: format(535, 'no') })
    const outcomes = await line.send([letter('a@corp.example'), letter('b@corp.example')])
    expect(outcomes.map(({ result }) => result)).toEqual(['refused', 'refused'])
    expect(server.connections()).toBe(1)
  })

  test('sends nothing when no server listens', async () => {
    const { server, line } = await open()
    await server.close()
    expect(await one(line)).toMatchObject({ result: 'put_off', recipientOnly: false })
  })

  test('can never look up a tried message', async () => {
    const { line } = await open()
    expect(await line.find([{ id: 'x', to: 'a@corp.example', attemptedAt: new Date() }])).toEqual([
      { id: 'x', result: 'never_known' },
    ])
  })
})

describe('permitted mail server addresses', () => {
  test.each([
    ['8.8.8.8', true],
    ['2606:4700::1111', true],
    ['127.0.0.1', false],
    ['10.0.0.8', false],
    ['172.16.5.4', false],
    ['192.168.1.1', false],
    ['169.254.169.254', false],
    ['168.63.129.16', false],
    ['::7f00:1', false],
    ['4000::1', false],
    ['100.64.0.1', false],
    ['0.0.0.0', false],
    ['224.0.0.1', false],
    ['::1', false],
    ['fd00::1', false],
    ['fe80::1', false],
    ['::ffff:10.0.0.1', false],
    ['64:ff9b::a00:1', false],
    ['2002:a00:1::', false],
    ['no address', false],
  ])('%s', (address, may) => {
    expect(isPublicAddress(address)).toBe(may)
  })

  test('rejects a name that also resolves to an internal address, and connects only to the checked address', async () => {
    const leads = (...to: string[]) => ({ allowPrivateHosts: false, resolveHost: async () => to })
    await expect(resolvePublicAddress('mail.example', leads('8.8.8.8', '10.0.0.1'))).rejects.toThrow(NotPublicAddressError)
    await expect(resolvePublicAddress('mail.example', leads())).rejects.toThrow(NotPublicAddressError)
    expect(await resolvePublicAddress('mail.example', leads('8.8.4.4'))).toBe('8.8.4.4')
  })

  test('does not let a customer make the server connect to itself', async () => {
    const server = await startMailServer()
    servers.push(server)
    const line = createMailSender({ ...typical, port: server.port }, { allowPrivateHosts: false })
    expect(await one(line)).toMatchObject({ result: 'refused', code: 'mail_not_public' })
    expect(server.connections()).toBe(0)
  })
})

test('sends an email with a readable subject and text escaped in HTML', () => {
  const labels = toMailContent({
    text: '【薪函】甲<b>公司：标题一句，正文一句：https://x.cn/s/1',
    link: 'https://x.cn/s/1',
  })
  expect(labels.subject).toBe('甲<b>公司：标题一句')
  expect(labels.html).toContain('甲&lt;b&gt;公司')
  expect(labels.html).not.toContain('<b>')
  expect(toMailContent({ text: '【薪函】这是一封测试邮件，收到说明可以使用', link: null }).text).not.toContain('http')
})
