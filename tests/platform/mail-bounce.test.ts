/** Bounced email: the meaning of delivery reports of other servers, and how a mailbox full of unrelated mail is scanned. */
import { afterEach, describe, expect, test } from 'vitest'
import type { InboxReadResult } from '../../platform/carrier.ts'
import { isPossibleBounce, parseBounce } from '../../platform/mail/bounce.ts'
import { createInboxReader } from '../../platform/mail/index.ts'
import { mailFailureMessages } from '../../platform/mail/send-result.ts'
import {
  type BounceOptions,
  bounceMail,
  type ImapServer,
  type InboxBehaviour,
  startInbox,
} from '../support/outside/imap-server.ts'

const id = '01935b1e-7a00-7000-8000-00000000000a'
const mark = '0123456789abcdef0123456789abcdef'
const ours = `${id}.${mark}`
const read = (source: string) => parseBounce(Buffer.from(source.replace(/\r?\n/g, '\r\n')))
const getHead = (source: string) => source.slice(0, source.indexOf('\n\n'))
const back = (labels: string) => ({ id, mark, result: 'failed', message: `邮件被退回：${labels}` })

describe('meaning of a bounce report', () => {
  test.each<[string, Partial<BounceOptions>, object | null]>([
    ['an unknown mailbox name', {}, back(mailFailureMessages.mailbox)],
    ['a full mailbox', { status: '5.2.2', diagnostic: 'smtp; 552 5.2.2 over quota' }, back(mailFailureMessages.full)],
    ['a message classified as spam', { status: '5.7.1', diagnostic: 'smtp; 554 5.7.1 blocked' }, back(mailFailureMessages.spam)],
    ['a report with only a status', { status: '5.1.10', diagnostic: '' }, back(mailFailureMessages.mailbox)],
    [
      'a message abandoned after days',
      { status: '4.4.7', diagnostic: 'smtp; delivery time expired' },
      back('对方邮箱的服务器一直连不上或没有收下，请核对邮箱或改用其他渠道'),
    ],
    ['a temporary delay', { action: 'delayed', status: '4.4.1' }, { id, mark, result: 'delayed' }],
    ['a report in capitals', { action: 'FAILED' }, back(mailFailureMessages.mailbox)],
    ['delivered', { action: 'delivered', status: '2.0.0' }, null],
    ['a message relayed to a server that reports nothing', { action: 'relayed', status: '2.0.0' }, null],
    ["a report about another sender's message", { message_id: '1234@example.com' }, null],
    ['a report about our message without its mark', { message_id: id }, null],
    [
      'a report that names the message by its envelope only',
      { message_id: '1234', envelope: ours },
      back(mailFailureMessages.mailbox),
    ],
    ['a report with the whole message', { body: 2_000 }, back(mailFailureMessages.mailbox)],
    ['a report longer than the inspected size', { body: 300_000 }, back(mailFailureMessages.mailbox)],
  ])('%s', async (_, options, message) => {
    const match = await read(bounceMail({ message_id: ours, ...options }))
    if (message === null) expect(match).toBeNull()
    else expect(match).toMatchObject(message)
  })

  test('marks an address with several recipients as failed when all of them fail', async () => {
    const one = bounceMail({ message_id: ours })
    const more = (action: string) =>
      one.replace(
        '\n\n--part\nContent-Type: text/rfc822',
        `\n\nFinal-Recipient: rfc822; b@x.cn\nAction: ${action}\n\n--part\nContent-Type: text/rfc822`,
      )
    expect(await read(more('failed'))).toMatchObject({ result: 'failed' })
    expect(await read(more('delayed'))).toMatchObject({ result: 'delayed' })
    expect(await read(more('delivered'))).toBeNull()
  })

  test('accepts only a permanent code in free text for humans', async () => {
    const forPeople = (text: string) =>
      [
        'From: postmaster@mail.example.com',
        'Content-Type: multipart/mixed; boundary=p',
        '',
        '--p',
        'Content-Type: text/html',
        '',
        `<p>${text}</p>`,
        '--p',
        'Content-Type: message/rfc822',
        '',
        `Message-ID: <x>`,
        `X-Message-Mark: ${ours}`,
        '',
        'hello',
        '--p--',
        '',
      ].join('\n')
    const message = forPeople('退信原因：550 5.1.1 user unknown')
    expect(isPossibleBounce(getHead(message))).toBe(true)
    expect(await read(message)).toMatchObject(back(mailFailureMessages.mailbox))
    expect(await read(forPeople('您的邮件正在排队 4.4.1'))).toBeNull()
  })

  test('rejects garbage quickly', async () => {
    const options = { message_id: ours }
    for (const source of [
      '',
      '\n',
      bounceMail(options).slice(0, 700),
      `Content-Type: multipart/report\n\n${'\n '.repeat(30_000)}`,
      'a'.repeat(70_000),
    ])
      expect(await read(source)).toBeNull()
  })
})

test('opens only possible bounces', () => {
  const type = (text: string, from = 'a@x.cn') => isPossibleBounce(`From: ${from}\nContent-Type: ${text}`)
  expect(isPossibleBounce(getHead(bounceMail({ message_id: ours })))).toBe(true)
  expect(type('multipart/report; boundary=x')).toBe(true)
  expect(type('multipart/report;\n report-type="delivery-status"')).toBe(true)
  expect(type('multipart/report; report-type=disposition-notification')).toBe(false)
  expect(type('multipart/mixed; boundary=x')).toBe(false)
  expect(type('multipart/mixed; boundary=x', 'Mail <MAILER-DAEMON@x.cn>')).toBe(true)
  expect(type('text/plain', 'postmaster@x.cn')).toBe(false)
  expect(isPossibleBounce('')).toBe(false)
})

describe('a mailbox', () => {
  const boxes: ImapServer[] = []
  afterEach(async () => {
    await Promise.all(boxes.splice(0).map((box) => box.close()))
  })
  const open = async (behave: InboxBehaviour = {}) => {
    const box = await startInbox(behave)
    boxes.push(box)
    return box
  }
  const now = new Date('2026-11-20T10:00:00+08:00')
  const policy = { allowPrivateHosts: true, stepTimeoutMs: 60_000 }
  type Position = Extract<InboxReadResult, { cursor: unknown }>['cursor']
  const view = (
    box: ImapServer,
    from: Position | null = null,
    options: Partial<typeof policy & { readTimeoutMs: number }> = {},
  ) =>
    createInboxReader({ ...policy, ...options })(
      { host: '127.0.0.1', port: box.port, security: 'none', user: 'hr', password: 'pw' },
      { from, now },
    )
  const letter = 'From: a@x.cn\nContent-Type: multipart/mixed; boundary=z\nSubject: private\n\nwe meet at noon'

  test('finds bounces once, does not open other mail, and changes nothing', async () => {
    const box = await open()
    box.put(letter)
    box.put(bounceMail({ message_id: ours, body: 300_000 }))
    const first = await view(box)
    expect(first).toMatchObject({ cursor: { validity: '7', uid: 3 }, bounces: [{ id, mark, result: 'failed' }], hasMore: false })
    const position = 'cursor' in first ? first.cursor : null
    expect(await view(box, position)).toMatchObject({ cursor: { uid: 3 }, bounces: [], hasMore: false })
    box.put(bounceMail({ message_id: ours, action: 'delayed', status: '4.4.1' }))
    expect(await view(box, position)).toMatchObject({ cursor: { uid: 4 }, bounces: [{ result: 'delayed' }] })
    expect(box.requested.filter((one) => /BODY\.PEEK\[\]/.test(one)).map((one) => /FETCH (\S+)/.exec(one)?.[1])).toEqual([
      '2',
      '3',
    ])
    expect(
      box.requested.filter((one) => !/^(CAPABILITY|ID|LOGIN|LIST|LSUB|EXAMINE|UID SEARCH|UID FETCH|LOGOUT|NOOP)/.test(one)),
    ).toEqual([])
    // The server has renumbered its mails, so all of them are scanned again.
    box.validity = 8
    expect(await view(box, position)).toMatchObject({ cursor: { validity: '8', uid: 4 }, bounces: [{}, {}] })
  })

  test('leaves mail beyond the limit of one scan for the next one', async () => {
    const box = await open()
    for (let at = 0; at < 60; at += 1) box.put(bounceMail({ message_id: ours }))
    const first = await view(box)
    expect(first).toMatchObject({ cursor: { uid: 51 }, hasMore: true })
    expect('bounces' in first && first.bounces.length).toBe(50)
    expect(await view(box, 'cursor' in first ? first.cursor : null)).toMatchObject({ cursor: { uid: 61 }, hasMore: false })
  })

  test.each<[string, InboxBehaviour, string]>([
    ['a wrong password', { sign_in: () => false }, 'sign_in'],
    ['a server that closes the connection', { hang_up: 'UID SEARCH' }, 'no_connection'],
    ['a server that closes the connection at once', { hang_up: 'CAPABILITY' }, 'no_connection'],
    ['a server that sends nothing', { silent: 'EXAMINE' }, 'timeout'],
    ['a server without a greeting', { silent: 'greeting' }, 'timeout'],
    ['a server that sends more than requested', { literal: 1_000_000 }, 'unreadable'],
  ])('%s', async (_, behave, error) => {
    const box = await open(behave)
    box.put(bounceMail({ message_id: ours }))
    // A slow response is waited for; a silent server is not.
    expect(await view(box, null, error === 'timeout' ? { readTimeoutMs: 300 } : {})).toEqual({ error })
  })

  test('rejects addresses in the own network, closed ports and servers without the requested encryption', async () => {
    const box = await open()
    expect(await view(box, null, { allowPrivateHosts: false })).toEqual({ error: 'not_public' })
    expect(box.connections).toBe(0)
    const app = { host: '127.0.0.1', port: box.port, user: 'hr', password: 'pw' }
    for (const security of ['starttls', 'tls'] as const)
      expect(await createInboxReader(policy)({ ...app, security }, { from: null, now })).toEqual({
        error: 'encryption',
      })
    expect(box.requested).not.toContain('LOGIN')
    await box.close()
    expect(await view(box)).toEqual({ error: 'no_connection' })
  })
})
