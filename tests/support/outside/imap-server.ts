/**
 * An IMAP4rev1 mailbox (RFC 3501) in the test's own process: LOGIN, EXAMINE, UID SEARCH, UID FETCH of headers and first
 * bytes. It records its commands and can be configured to misbehave.
 */
import { createServer, type Socket } from 'node:net'

export type InboxBehaviour = {
  /** Decides whether a password may sign in. */
  sign_in?: (password: string) => boolean
  /** The command at which the server hangs up. */
  hang_up?: string
  silent?: string
  /** The number of bytes that the server declares for a literal, whatever was requested. */
  literal?: number
}
type Stored = { readonly uid: number; readonly source: Buffer }

export async function startInbox(behave: InboxBehaviour = {}) {
  const stored: Stored[] = []
  const requested: string[] = []
  const open = new Set<Socket>()
  let next = 1
  const box = { validity: 7, behave, requested, connections: 0 }

  const fetched = (mail: Stored, items: string): Buffer => {
    const [, section, bytes] = /BODY\.PEEK\[(HEADER)?\](?:<0\.(\d+)>)?/i.exec(items) ?? []
    const full = section ? mail.source.subarray(0, mail.source.indexOf('\r\n\r\n') + 4) : mail.source
    const part = bytes ? full.subarray(0, Number(bytes)) : full
    const name = `BODY[${section ?? ''}]${bytes ? '<0>' : ''}`
    return Buffer.concat([
      Buffer.from(`* ${stored.indexOf(mail) + 1} FETCH (UID ${mail.uid} ${name} {${box.behave.literal ?? part.length}}\r\n`),
      box.behave.literal ? Buffer.alloc(box.behave.literal, 0x61) : part,
      Buffer.from(')\r\n'),
    ])
  }
  const inRange = (uid: number, range: string): boolean =>
    range.split(',').some((one) => {
      const [from = '', to = from] = one.split(':')
      const top = stored.at(-1)?.uid ?? 0
      const [low, high] = [Number(from), to === '*' ? top : Number(to)]
      // A range that begins after the last mail contains the last mail.
      return to === '*' && low > top ? uid === top : uid >= low && uid <= high
    })

  const answer = (socket: Socket, tag: string, command: string): void => {
    const format = (...lines: string[]) => socket.write(lines.map((line) => `${line}\r\n`).join(''))
    const ok = (...lines: string[]) => format(...lines, `${tag} OK done`)
    const [, name = '', rest = ''] = /^(UID \w+|\w+) ?(.*)$/is.exec(command) ?? []
    const verb = name.toUpperCase()
    requested.push(verb === 'LOGIN' ? verb : command)
    if (box.behave.hang_up === verb) return void socket.destroy()
    if (box.behave.silent === verb) return
    if (verb === 'CAPABILITY') return void ok('* CAPABILITY IMAP4rev1 ID')
    if (verb === 'ID') return void ok('* ID ("name" "test")')
    if (verb === 'LOGIN') {
      const password = /"?([^" ]+)"?$/.exec(rest)?.[1] ?? ''
      return void ((box.behave.sign_in?.(password) ?? true) ? ok() : format(`${tag} NO [AUTHENTICATIONFAILED] no`))
    }
    if (verb === 'LIST') return void ok('* LIST (\\HasNoChildren) "/" "INBOX"')
    if (verb === 'EXAMINE')
      return void format(
        `* ${stored.length} EXISTS`,
        `* OK [UIDVALIDITY ${box.validity}] fine`,
        `* OK [UIDNEXT ${next}] fine`,
        `${tag} OK [READ-ONLY] done`,
      )
    if (verb === 'UID SEARCH') {
      const range = /UID (\S+)/i.exec(rest)?.[1]
      return void ok(
        `* SEARCH ${stored
          .filter(({ uid }) => !range || inRange(uid, range))
          .map(({ uid }) => uid)
          .join(' ')}`.trim(),
      )
    }
    if (verb === 'UID FETCH') {
      const [range = '', ...items] = rest.split(' ')
      for (const mail of stored.filter(({ uid }) => inRange(uid, range))) socket.write(fetched(mail, items.join(' ')))
      return void ok()
    }
    if (verb === 'LOGOUT') return void ok('* BYE bye')
    // Commands that would change the mailbox do not exist here.
    format(`${tag} BAD what?`)
  }

  const server = createServer((socket) => {
    socket.setNoDelay(true)
    box.connections += 1
    open.add(socket)
    socket.on('close', () => open.delete(socket))
    socket.on('error', () => undefined)
    let rest = ''
    socket.on('data', (bytes) => {
      const lines = `${rest}${bytes.toString('latin1')}`.split('\r\n')
      rest = lines.pop() ?? ''
      for (const line of lines) answer(socket, line.slice(0, line.indexOf(' ')), line.slice(line.indexOf(' ') + 1))
    })
    if (box.behave.silent !== 'greeting') socket.write('* OK ready\r\n')
  })
  await new Promise<void>((done) => {
    server.listen(0, '127.0.0.1', () => done())
  })
  const address = server.address()
  return Object.assign(box, {
    port: typeof address === 'object' && address ? address.port : 0,
    /** Adds a mail and returns its uid. */
    put: (source: string): number => {
      stored.push({ uid: next, source: Buffer.from(source.replace(/\r?\n/g, '\r\n')) })
      next += 1
      return next - 1
    },
    close: () => {
      for (const socket of open) socket.destroy()
      return new Promise<void>((done) => server.close(() => done()))
    },
  })
}
export type ImapServer = Awaited<ReturnType<typeof startInbox>>

export type BounceOptions = {
  /** The id as in the returned message. */
  readonly message_id: string
  readonly action?: string
  readonly status?: string
  readonly diagnostic?: string
  /** The id is in the machine-readable part only; the returned message is another one. */
  readonly envelope?: string
  /** The whole message is returned, with this number of characters. */
  readonly body?: number
}
/** Builds a delivery report in the format of RFC 3464. */
export const bounceMail = (options: BounceOptions): string => {
  const { message_id, action = 'failed', status = '5.1.1', diagnostic = 'smtp; 550 5.1.1 no such user', envelope, body } = options
  return [
    'Return-Path: <>',
    'Received: from mx.example.com by mail.example.com; Fri, 20 Nov 2026 10:00:00 +0800',
    'From: Mail Delivery Subsystem <MAILER-DAEMON@mail.example.com>',
    'To: <hr@corp.example>',
    'Subject: Undelivered Mail Returned to Sender',
    'Auto-Submitted: auto-replied',
    'MIME-Version: 1.0',
    'Content-Type: multipart/report; report-type=delivery-status;',
    ' boundary="part"',
    '',
    'This is a multi-part message in MIME format.',
    '--part',
    'Content-Type: text/plain; charset=us-ascii',
    '',
    'Your message could not be delivered.',
    '--part',
    'Content-Type: message/delivery-status',
    '',
    'Reporting-MTA: dns; mail.example.com',
    ...(envelope ? [`Original-Envelope-Id: ${envelope}`] : []),
    '',
    'Final-Recipient: rfc822; somebody@example.com',
    `Action: ${action}`,
    `Status: ${status}`,
    `Diagnostic-Code: ${diagnostic}`,
    '',
    '--part',
    `Content-Type: ${body === undefined ? 'text/rfc822-headers' : 'message/rfc822'}`,
    '',
    'From: <hr@corp.example>',
    `Message-ID: <${message_id}@corp.example>`,
    'Subject: =?UTF-8?B?5bel6LWE5p2h?=',
    '',
    ...(body === undefined
      ? []
      : [
          'x'
            .repeat(70)
            .concat('\n')
            .repeat(Math.ceil(body / 71)),
        ]),
    '--part--',
    '',
  ].join('\n')
}
