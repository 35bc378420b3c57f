/**
 * Any SMTP server. A connection serves the messages of one call, one after another. SMTP keeps no books that can be asked: a message whose last answer
 * was lost stays unknown for ever, so nothing is repeated once its first byte has left without an answer.
 */
import { isIP } from 'node:net'
import { Readable } from 'node:stream'
import { setTimeout as sleep } from 'node:timers/promises'
import MailComposer from 'nodemailer/lib/mail-composer'
import SMTPConnection from 'nodemailer/lib/smtp-connection'
import { type Carrier, type MailboxConfig, type OutgoingMessage, rejectRecalls, type SendOutcome } from '../carrier.ts'
import { NotPublicAddressError, resolvePublicAddress } from '../public-address.ts'
import type { MailOptions } from './index.ts'
import { formatMarkedId, markHeader, toMailContent } from './mail-content.ts'
import type { MailStep } from './reply-reason.ts'
import { getResultForRest, type MailFailure, toMailSendResult } from './send-result.ts'

/** As many as one connection is used for; who has more calls again. */
const messagesPerConnection = 10
/** No message is begun after so long, and none is waited for longer: whoever called waits 20 s for all of them. */
const startWithinMs = 8_000
const responseTimeoutMs = 16_000
const defaultStepTimeoutMs = 7_000

/** A fault with where it happened. */
class SmtpError extends Error {
  readonly failure: MailFailure
  constructor(error: MailFailure) {
    super('the mail server did not take it')
    this.failure = error
  }
}

type SmtpLibraryError = { code?: string; responseCode?: number; response?: string; command?: string }

const toMailStep = ({ code, command = '' }: SmtpLibraryError): MailStep => {
  if (code === 'EAUTH' || command.startsWith('AUTH')) return 'sign_in'
  if (command === 'MAIL FROM') return 'sender'
  if (command === 'RCPT TO') return 'recipient'
  return command === 'DATA' ? 'content' : 'connect'
}
const untrustedCodePattern = /^(CERT_|ERR_TLS|DEPTH_|SELF_SIGNED|UNABLE_TO_|HOSTNAME_MISMATCH)/
/** A library between us and the socket writes its own code over the reason; the words stay. */
const isUnencrypted = (libraryError: SmtpLibraryError & { message?: string }): boolean =>
  libraryError.code === 'ETLS' ||
  untrustedCodePattern.test(libraryError.code ?? '') ||
  /certificate|altnames|\bssl\b/i.test(libraryError.message ?? '')

function toSmtpError(error: unknown, started: boolean): SmtpError {
  if (error instanceof SmtpError) return error
  if (error instanceof NotPublicAddressError)
    return new SmtpError({ step: 'connect', reply: null, text: '', started: false, cause: 'not_public' })
  const libraryError: SmtpLibraryError & { message?: string } = typeof error === 'object' && error !== null ? error : {}
  // A code that came with an answer to this message; 2 and 3 are no faults.
  const reply = libraryError.responseCode !== undefined && libraryError.responseCode >= 400 ? libraryError.responseCode : null
  return new SmtpError({
    step: toMailStep(libraryError),
    reply,
    text: libraryError.response ?? '',
    started: started,
    ...(!started && isUnencrypted(libraryError) ? { cause: 'encryption' as const } : {}),
  })
}

/** A connection that is greeted, encrypted and signed in; `connectionLost` fails when it is lost. */
type SmtpSession = { readonly connection: SMTPConnection; readonly connectionLost: Promise<never> }

async function openSession(
  app: MailboxConfig,
  { allowPrivateHosts, ca, stepTimeoutMs = defaultStepTimeoutMs }: MailOptions,
): Promise<SmtpSession> {
  const address = await resolvePublicAddress(app.host, { allowPrivateHosts: allowPrivateHosts })
  const isName = isIP(app.host) === 0
  const connection = new SMTPConnection({
    host: address,
    ...(isName ? { servername: app.host } : {}),
    port: app.port,
    secure: app.security === 'tls',
    requireTLS: app.security === 'starttls',
    ignoreTLS: app.security === 'none',
    name: getSenderDomain(app),
    connectionTimeout: stepTimeoutMs,
    greetingTimeout: stepTimeoutMs,
    socketTimeout: stepTimeoutMs,
    allowInternalNetworkInterfaces: allowPrivateHosts,
    tls: { minVersion: 'TLSv1.2', ...(isName ? { servername: app.host } : {}), ...(ca ? { ca } : {}) },
  })
  const connectionLost = new Promise<never>((_, reject) => {
    connection.on('error', reject)
    connection.on('end', () => reject(new Error('the mail server hung up')))
  })
  // Heard by whoever waits for an answer; a connection that is lost at rest concerns nobody.
  connectionLost.catch(() => undefined)
  const runStep = (start: (told: (error?: Error | null) => void) => void): Promise<void> =>
    Promise.race([connectionLost, new Promise<void>((resolve, fail) => start((error) => (error ? fail(error) : resolve())))])
  try {
    await runStep((callback) => connection.connect(callback))
    if (app.user) await runStep((callback) => connection.login({ user: app.user, pass: app.password }, callback))
  } catch (error) {
    connection.close()
    throw error
  }
  return { connection, connectionLost: connectionLost }
}

const getSenderDomain = ({ from }: MailboxConfig): string => from.split('@')[1] ?? 'localhost'

/** The id, and with it what proves it ours where the message comes back. */
const getMessageName = ({ getMark }: MailboxConfig, { id }: OutgoingMessage): string =>
  getMark ? formatMarkedId(id, getMark(id)) : id

const buildMail = async (app: MailboxConfig, message: OutgoingMessage): Promise<Buffer> =>
  new MailComposer({
    from: { name: app.sender, address: app.from },
    to: message.to,
    ...toMailContent(message),
    // The same for every try, so that whoever was given it twice can tell.
    messageId: `<${getMessageName(app, message)}@${getSenderDomain(app)}>`,
    headers: {
      'Auto-Submitted': 'auto-generated',
      'X-Auto-Response-Suppress': 'All',
      ...(app.getMark ? { [markHeader]: getMessageName(app, message) } : {}),
    },
    disableFileAccess: true,
    disableUrlAccess: true,
  })
    .compile()
    .build()

/** Hands one message over; resolves with what the server said. Waits until `deadline` (performance.now). */
async function sendMessage(
  { connection, connectionLost }: SmtpSession,
  app: MailboxConfig,
  message: OutgoingMessage,
  deadline: number,
): Promise<string> {
  const bytes = await buildMail(app, message)
  let started = false
  // Read for the first time when the server has taken sender and recipient, and says that it listens.
  const stream = new Readable({
    read() {
      started = true
      this.push(bytes)
      this.push(null)
    },
  })
  const response = new Promise<string>((resolve, reject) => {
    // A server that can is asked to return the header only, and our name with it.
    const dsn = { ret: 'HDRS', envid: getMessageName(app, message) } as const
    connection.send({ from: app.from, to: [message.to], size: bytes.length, dsn }, stream, (error, info) =>
      error ? reject(error) : resolve(info?.response ?? ''),
    )
  })
  const abortController = new AbortController()
  const timeout = sleep(Math.max(0, deadline - performance.now()), undefined, { signal: abortController.signal }).then(
    (): never => {
      throw new Error('the mail server did not answer in time')
    },
  )
  try {
    return await Promise.race([response, connectionLost, timeout])
  } catch (error) {
    throw toSmtpError(error, started)
  } finally {
    abortController.abort()
    timeout.catch(() => undefined)
    response.catch(() => undefined)
  }
}

async function sendAll(app: MailboxConfig, options: MailOptions, messages: readonly OutgoingMessage[]): Promise<SendOutcome[]> {
  const startedAt = performance.now()
  const deadline = startedAt + responseTimeoutMs
  const outcomes: SendOutcome[] = []
  let session: SmtpSession | null = null
  for (const [at, message] of messages.entries()) {
    const { id } = message
    if (performance.now() - startedAt > startWithinMs) {
      outcomes.push({ id, result: 'put_off', retryAfterSeconds: 1, recipientOnly: true })
      continue
    }
    if (!session)
      try {
        session = await openSession(app, options)
      } catch (error) {
        // Nobody of the rest would get further.
        const sendResult = toMailSendResult(toSmtpError(error, false).failure)
        for (const rest of messages.slice(at)) outcomes.push({ id: rest.id, ...sendResult })
        return outcomes
      }
    try {
      outcomes.push({ id, result: 'accepted', ref: toMessageRef(await sendMessage(session, app, message, deadline)) })
    } catch (error) {
      const { failure } = toSmtpError(error, false)
      const sendResult = toMailSendResult(failure)
      outcomes.push({ id, ...sendResult })
      const restResult = getResultForRest(failure, sendResult)
      if (restResult) {
        session.connection.close()
        return [...outcomes, ...messages.slice(at + 1).map((rest) => ({ id: rest.id, ...restResult }))]
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
const toMessageRef = (response: string): string => response.replace(/\s+/g, ' ').slice(0, 120) || 'accepted'

export const createSmtpCarrier = (options: MailOptions): Carrier<MailboxConfig> => ({
  describe: () => ({ maxPerCall: messagesPerConnection, rateLimit: null, style: 'whole', signature: '薪函', canRecall: false }),
  send: (app, messages) => sendAll(app, options, messages),
  find: async (_, messages) => messages.map(({ id }) => ({ id, result: 'never_known' })),
  recall: (_, messages) => rejectRecalls(messages),
})
