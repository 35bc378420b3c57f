/**
 * A carrier for any SMTP server. One connection serves the messages of one call in sequence. SMTP cannot be queried
 * later: a message whose final reply was lost stays unknown, so nothing is sent again after its first byte was sent
 * without a reply.
 */
import { isIP } from 'node:net'
import { Readable } from 'node:stream'
import { setTimeout as sleep } from 'node:timers/promises'
import MailComposer from 'nodemailer/lib/mail-composer'
import SMTPConnection from 'nodemailer/lib/smtp-connection'
import { type Carrier, type MailboxConfig, type OutgoingMessage, rejectRecalls, type SendOutcome } from '../carrier.ts'
import { NotPublicAddressError, resolvePublicAddress } from '../public-address.ts'
import { formatMarkedId, markHeader, toMailContent } from './mail-content.ts'
import type { MailOptions } from './options.ts'
import type { MailStep } from './reply-reason.ts'
import { getResultForRest, type MailFailure, toMailSendResult } from './send-result.ts'

/** Maximum number of messages per connection; larger sets need several calls. */
const messagesPerConnection = 10
/** Limits for starting a message and for waiting for its reply: the caller waits 20 s for all of them. */
const startWithinMs = 8_000
const responseTimeoutMs = 16_000
const defaultStepTimeoutMs = 7_000

/** A failure with the step at which it occurred. */
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
/** The library replaces the error code of the socket by its own one, but the message text remains. */
const isUnencrypted = (libraryError: SmtpLibraryError & { message?: string }): boolean =>
  libraryError.code === 'ETLS' ||
  untrustedCodePattern.test(libraryError.code ?? '') ||
  /certificate|altnames|\bssl\b/i.test(libraryError.message ?? '')

function toSmtpError(error: unknown, started: boolean): SmtpError {
  if (error instanceof SmtpError) return error
  if (error instanceof NotPublicAddressError)
    return new SmtpError({ step: 'connect', reply: null, text: '', started: false, cause: 'not_public' })
  const libraryError: SmtpLibraryError & { message?: string } = typeof error === 'object' && error !== null ? error : {}
  // A code that was returned for this message; 2xx and 3xx are not errors.
  const reply = libraryError.responseCode !== undefined && libraryError.responseCode >= 400 ? libraryError.responseCode : null
  return new SmtpError({
    step: toMailStep(libraryError),
    reply,
    text: libraryError.response ?? '',
    started,
    ...(!started && isUnencrypted(libraryError) ? { cause: 'encryption' as const } : {}),
  })
}

/** A connection after greeting, encryption and sign-in; `connectionLost` rejects when the connection is lost. */
type SmtpSession = { readonly connection: SMTPConnection; readonly connectionLost: Promise<never> }

async function openSession(
  app: MailboxConfig,
  { allowPrivateHosts, resolveHost, ca, stepTimeoutMs = defaultStepTimeoutMs }: MailOptions,
): Promise<SmtpSession> {
  const address = await resolvePublicAddress(app.host, { allowPrivateHosts, resolveHost })
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
  // Handled by the step that waits for a reply; losing an idle connection does not matter.
  connectionLost.catch(() => undefined)
  const runStep = (start: (callback: (error?: Error | null) => void) => void): Promise<void> =>
    Promise.race([connectionLost, new Promise<void>((resolve, fail) => start((error) => (error ? fail(error) : resolve())))])
  try {
    await runStep((callback) => connection.connect(callback))
    if (app.user) await runStep((callback) => connection.login({ user: app.user, pass: app.password }, callback))
  } catch (error) {
    connection.close()
    throw error
  }
  return { connection, connectionLost }
}

const getSenderDomain = ({ from }: MailboxConfig): string => from.split('@')[1] ?? 'localhost'

/** Returns the id with the mark that proves it is ours if the message bounces. */
const getMessageName = ({ getMark }: MailboxConfig, { id }: OutgoingMessage): string =>
  getMark ? formatMarkedId(id, getMark(id)) : id

const buildMail = async (app: MailboxConfig, message: OutgoingMessage): Promise<Buffer> =>
  new MailComposer({
    from: { name: app.sender, address: app.from },
    to: message.to,
    ...toMailContent(message),
    // The id is the same for every attempt, so that recipients can detect duplicates.
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

/** Sends one message and resolves with the server's reply. Waits until `deadline` (performance.now). */
async function sendMessage(
  { connection, connectionLost }: SmtpSession,
  app: MailboxConfig,
  message: OutgoingMessage,
  deadline: number,
): Promise<string> {
  const bytes = await buildMail(app, message)
  let started = false
  // Read for the first time when the server has accepted sender and recipient and is ready for data.
  const stream = new Readable({
    read() {
      started = true
      this.push(bytes)
      this.push(null)
    },
  })
  const response = new Promise<string>((resolve, reject) => {
    // A server that supports DSN is asked to return only the header, with our id.
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
        // The remaining messages would fail as well.
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
      // After a rejection some servers continue and some do not; a new connection is reliable.
      session.connection.close()
      session = null
    }
  }
  session?.connection.quit()
  return outcomes
}

/** Returns the server's own reference for the message, for support requests to its operator. */
const toMessageRef = (response: string): string => response.replace(/\s+/g, ' ').slice(0, 120) || 'accepted'

export const createSmtpCarrier = (options: MailOptions): Carrier<MailboxConfig> => ({
  describe: () => ({ maxPerCall: messagesPerConnection, rateLimit: null, style: 'whole', signature: '薪函', canRecall: false }),
  send: (app, messages) => sendAll(app, options, messages),
  find: async (_, messages) => messages.map(({ id }) => ({ id, result: 'never_known' })),
  recall: (_, messages) => rejectRecalls(messages),
})
