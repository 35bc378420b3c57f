/**
 * A real SMTP server in the test's own process, which stores accepted mail and can be configured to misbehave at any
 * step.
 */
import { SMTPServer } from 'smtp-server'

export type AcceptedMail = { readonly to: string; readonly source: string }
type Message = { reply: number; text: string } | 'hang_up' | 'silent' | null
export type MailBehaviour = {
  /** Before the greeting. */
  connect?: () => Message
  sign_in?: (user: string, password: string) => Message
  sender?: (address: string) => Message
  recipient?: (address: string) => Message
  /**
   * Called after the whole message has arrived. `keeps` (default): the server has stored the message, whatever it
   * responds.
   */
  content?: (to: string) => Message
  keeps?: boolean
  /** Offers STARTTLS with an untrusted certificate. */
  encrypts?: boolean
}

export async function startMailServer(behave: MailBehaviour = {}) {
  const accepted: AcceptedMail[] = []
  let connected = 0
  const answer = (server: SMTPServer, id: string, message: Message, done: (error?: Error | null) => void): void => {
    if (message === null) return done()
    if (message === 'silent') return
    if (message === 'hang_up') {
      for (const connection of server.connections) if (connection.id === id) connection.close()
      return
    }
    done(Object.assign(new Error(message.text), { responseCode: message.reply }))
  }
  const server: SMTPServer = new SMTPServer({
    logger: false,
    disableReverseLookup: true,
    authOptional: true,
    allowInsecureAuth: true,
    disabledCommands: behave.encrypts ? [] : ['STARTTLS'],
    onConnect(session, done) {
      connected += 1
      answer(server, session.id, behave.connect?.() ?? null, done)
    },
    onAuth({ username, password }, session, done) {
      answer(server, session.id, behave.sign_in?.(username ?? '', password ?? '') ?? null, (error) =>
        error ? done(error) : done(null, { user: username }),
      )
    },
    onMailFrom: ({ address }, session, done) => answer(server, session.id, behave.sender?.(address) ?? null, done),
    onRcptTo: ({ address }, session, done) => answer(server, session.id, behave.recipient?.(address) ?? null, done),
    onData(stream, session, done) {
      const sections: Buffer[] = []
      stream.on('data', (part: Buffer) => sections.push(part))
      stream.on('end', () => {
        const [to] = session.envelope.rcptTo.map(({ address }) => address)
        if (behave.keeps ?? true) accepted.push({ to: to ?? '', source: Buffer.concat(sections).toString('utf8') })
        answer(server, session.id, behave.content?.(to ?? '') ?? null, done)
      })
    },
  })
  server.on('error', () => undefined)
  await new Promise<void>((done) => {
    server.listen(0, '127.0.0.1', () => done())
  })
  const address = server.server.address()
  const port = typeof address === 'object' && address ? address.port : 0
  return {
    port,
    /** The accepted mail by the server's own count. */
    accepted,
    behave,
    connections: () => connected,
    /** Returns how many mails an address got. */
    getCount: (to: string) => accepted.filter((mail) => mail.to === to).length,
    close: () => new Promise<void>((done) => server.close(() => done())),
  }
}
export type MailServer = Awaited<ReturnType<typeof startMailServer>>

/** Returns a header of a message, unfolded and decoded as far as the product's own format needs it. */
export function getHeader({ source }: AcceptedMail, name: string): string {
  const head = source.slice(0, source.indexOf('\r\n\r\n')).replace(/\r\n[ \t]+/g, ' ')
  const line = new RegExp(`^${name}: (.*)$`, 'im').exec(head)?.[1] ?? ''
  return line.replace(/=\?UTF-8\?([BQ])\?([^?]*)\?=\s*/gi, (_, form: string, text: string) =>
    form.toUpperCase() === 'B'
      ? Buffer.from(text, 'base64').toString('utf8')
      : Buffer.from(
          text
            .replaceAll('_', ' ')
            .replace(/=([0-9A-F]{2})/gi, (__, hex: string) => String.fromCharCode(Number.parseInt(hex, 16))),
          'latin1',
        ).toString('utf8'),
  )
}
/** Returns the decoded parts of a message. */
export const sectionsOf = ({ source }: AcceptedMail): string =>
  source
    .split(/\r\n--[^\r\n]+/)
    .map((part) => {
      const [head = '', ...body] = part.split('\r\n\r\n')
      const text = body.join('\r\n\r\n')
      if (/base64/i.test(head)) return Buffer.from(text, 'base64').toString('utf8')
      return Buffer.from(
        text.replace(/=\r\n/g, '').replace(/=([0-9A-F]{2})/g, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16))),
        'latin1',
      ).toString('utf8')
    })
    .join('\n')
