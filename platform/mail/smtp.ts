/**
 * Any SMTP server. A connection serves the messages of one call, one after another. SMTP keeps no books that can be asked: a message whose last answer
 * was lost stays unknown for ever, so nothing is repeated once its first byte has left without an answer.
 */
import { isIP } from 'node:net'
import { Readable } from 'node:stream'
import { setTimeout as sleep } from 'node:timers/promises'
import MailComposer from 'nodemailer/lib/mail-composer'
import SMTPConnection from 'nodemailer/lib/smtp-connection'
import { type Carrier, type MailApp, neverRecalled, type OutgoingMessage, type SendOutcome } from '../carrier.ts'
import { NotPublic, publicAddressOf } from '../public-address.ts'
import type { MailPolicy } from './index.ts'
import { mailOf, mark_header, markedId } from './letter.ts'
import { type MailFault, verdictForRest, verdictOf } from './refusal.ts'
import type { MailStep } from './reply-reason.ts'

/** As many as one connection is used for; who has more calls again. */
const a_connection = 10
/** No message is begun after so long, and none is waited for longer: whoever called waits 20 s for all of them. */
const begin_within_ms = 8_000
const patience_ms = 16_000
const usual_step_ms = 7_000

/** A fault with where it happened. */
class Failed extends Error {
  readonly fault: MailFault
  constructor(fault: MailFault) {
    super('the mail server did not take it')
    this.fault = fault
  }
}

type Told = { code?: string; responseCode?: number; response?: string; command?: string }

const stepOf = ({ code, command = '' }: Told): MailStep => {
  if (code === 'EAUTH' || command.startsWith('AUTH')) return 'sign_in'
  if (command === 'MAIL FROM') return 'sender'
  if (command === 'RCPT TO') return 'recipient'
  return command === 'DATA' ? 'content' : 'connect'
}
const untrusted = /^(CERT_|ERR_TLS|DEPTH_|SELF_SIGNED|UNABLE_TO_|HOSTNAME_MISMATCH)/
/** A library between us and the socket writes its own code over the reason; the words stay. */
const isUnencrypted = (told: Told & { message?: string }): boolean =>
  told.code === 'ETLS' || untrusted.test(told.code ?? '') || /certificate|altnames|\bssl\b/i.test(told.message ?? '')

function failed(error: unknown, begun: boolean): Failed {
  if (error instanceof Failed) return error
  if (error instanceof NotPublic) return new Failed({ step: 'connect', reply: null, text: '', begun: false, cause: 'not_public' })
  const told: Told & { message?: string } = typeof error === 'object' && error !== null ? error : {}
  // A code that came with an answer to this message; 2 and 3 are no faults.
  const reply = told.responseCode !== undefined && told.responseCode >= 400 ? told.responseCode : null
  return new Failed({
    step: stepOf(told),
    reply,
    text: told.response ?? '',
    begun,
    ...(!begun && isUnencrypted(told) ? { cause: 'encryption' as const } : {}),
  })
}

/** A connection that is greeted, encrypted and signed in; `gone` fails when it is lost. */
type Session = { readonly connection: SMTPConnection; readonly gone: Promise<never> }

async function connected(app: MailApp, { private_hosts, ca, step_ms = usual_step_ms }: MailPolicy): Promise<Session> {
  const address = await publicAddressOf(app.host, { private_hosts })
  const isName = isIP(app.host) === 0
  const connection = new SMTPConnection({
    host: address,
    ...(isName ? { servername: app.host } : {}),
    port: app.port,
    secure: app.security === 'tls',
    requireTLS: app.security === 'starttls',
    ignoreTLS: app.security === 'none',
    name: domainOf(app),
    connectionTimeout: step_ms,
    greetingTimeout: step_ms,
    socketTimeout: step_ms,
    allowInternalNetworkInterfaces: private_hosts,
    tls: { minVersion: 'TLSv1.2', ...(isName ? { servername: app.host } : {}), ...(ca ? { ca } : {}) },
  })
  const gone = new Promise<never>((_, fail) => {
    connection.on('error', fail)
    connection.on('end', () => fail(new Error('the mail server hung up')))
  })
  // Heard by whoever waits for an answer; a connection that is lost at rest concerns nobody.
  gone.catch(() => undefined)
  const step = (begin: (told: (error?: Error | null) => void) => void): Promise<void> =>
    Promise.race([gone, new Promise<void>((done, fail) => begin((error) => (error ? fail(error) : done())))])
  try {
    await step((told) => connection.connect(told))
    if (app.user) await step((told) => connection.login({ user: app.user, pass: app.password }, told))
  } catch (error) {
    connection.close()
    throw error
  }
  return { connection, gone }
}

const domainOf = ({ from }: MailApp): string => from.split('@')[1] ?? 'localhost'

/** The id, and with it what proves it ours where the message comes back. */
const nameOf = ({ markOf }: MailApp, { id }: OutgoingMessage): string => (markOf ? markedId(id, markOf(id)) : id)

const bytesOf = async (app: MailApp, message: OutgoingMessage): Promise<Buffer> =>
  new MailComposer({
    from: { name: app.sender, address: app.from },
    to: message.to,
    ...mailOf(message),
    // The same for every try, so that whoever was given it twice can tell.
    messageId: `<${nameOf(app, message)}@${domainOf(app)}>`,
    headers: {
      'Auto-Submitted': 'auto-generated',
      'X-Auto-Response-Suppress': 'All',
      ...(app.markOf ? { [mark_header]: nameOf(app, message) } : {}),
    },
    disableFileAccess: true,
    disableUrlAccess: true,
  })
    .compile()
    .build()

/** Hands one message over; resolves with what the server said. Waits until `until` (performance.now). */
async function hand({ connection, gone }: Session, app: MailApp, message: OutgoingMessage, until: number): Promise<string> {
  const bytes = await bytesOf(app, message)
  let begun = false
  // Read for the first time when the server has taken sender and recipient, and says that it listens.
  const stream = new Readable({
    read() {
      begun = true
      this.push(bytes)
      this.push(null)
    },
  })
  const said = new Promise<string>((done, fail) => {
    // A server that can is asked to return the header only, and our name with it.
    const dsn = { ret: 'HDRS', envid: nameOf(app, message) } as const
    connection.send({ from: app.from, to: [message.to], size: bytes.length, dsn }, stream, (error, info) =>
      error ? fail(error) : done(info?.response ?? ''),
    )
  })
  const answered = new AbortController()
  const late = sleep(Math.max(0, until - performance.now()), undefined, { signal: answered.signal }).then((): never => {
    throw new Error('the mail server did not answer in time')
  })
  try {
    return await Promise.race([said, gone, late])
  } catch (error) {
    throw failed(error, begun)
  } finally {
    answered.abort()
    late.catch(() => undefined)
    said.catch(() => undefined)
  }
}

async function sendAll(app: MailApp, policy: MailPolicy, messages: readonly OutgoingMessage[]): Promise<SendOutcome[]> {
  const began = performance.now()
  const until = began + patience_ms
  const outcomes: SendOutcome[] = []
  let session: Session | null = null
  for (const [at, message] of messages.entries()) {
    const { id } = message
    if (performance.now() - began > begin_within_ms) {
      outcomes.push({ id, result: 'put_off', wait_s: 1, one_address: true })
      continue
    }
    if (!session)
      try {
        session = await connected(app, policy)
      } catch (error) {
        // Nobody of the rest would get further.
        const verdict = verdictOf(failed(error, false).fault)
        for (const rest of messages.slice(at)) outcomes.push({ id: rest.id, ...verdict })
        return outcomes
      }
    try {
      outcomes.push({ id, result: 'accepted', ref: refOf(await hand(session, app, message, until)) })
    } catch (error) {
      const { fault } = failed(error, false)
      const verdict = verdictOf(fault)
      outcomes.push({ id, ...verdict })
      const verdict_for_rest = verdictForRest(fault, verdict)
      if (verdict_for_rest) {
        session.connection.close()
        return [...outcomes, ...messages.slice(at + 1).map((rest) => ({ id: rest.id, ...verdict_for_rest }))]
      }
      // After a no some servers go on and some do not: a new connection is sure.
      session.connection.close()
      session = null
    }
  }
  session?.connection.quit()
  return outcomes
}

/** What the server calls it, for whoever asks the server's keeper. */
const refOf = (response: string): string => response.replace(/\s+/g, ' ').slice(0, 120) || 'accepted'

export const smtpCarrier = (policy: MailPolicy): Carrier<MailApp> => ({
  describe: () => ({ at_once: a_connection, pace: null, texts: 'whole', signature: '薪函', recalls: false }),
  send: (app, messages) => sendAll(app, policy, messages),
  lookup: async (_, messages) => messages.map(({ id }) => ({ id, result: 'never_known' })),
  recall: (_, messages) => neverRecalled(messages),
})
