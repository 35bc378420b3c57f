/**
 * Reads bounces from a customer's own mailbox, where they are mixed with personal mail. The mailbox is never changed:
 * it is opened read-only, only the header of each mail is read, and only possible bounces are opened. The connection
 * ends if a server sends more than was requested.
 */
import { isIP } from 'node:net'
import { ImapFlow, type ImapFlowOptions } from 'imapflow'
import type { Bounce, InboxCursor, InboxError, InboxReadResult, MailServerConfig } from '../carrier.ts'
import { NotPublicAddressError, resolvePublicAddress } from '../public-address.ts'
import { isPossibleBounce, maxMailBytes, parseBounce } from './bounce.ts'
import type { MailOptions } from './options.ts'

/** A read stops after this many mails and the next one continues, because other companies are waiting. */
const maxMailsPerRead = 500
const fetchSize = 100
const maxOpenedMails = 50
const defaultReadTimeoutMs = 25_000
const defaultStepTimeoutMs = 7_000
/** Maximum header size; anything behind that many Received lines is ignored. */
const maxHeaderBytes = 16 * 1024
/**
 * For a new mailbox, or after a change of UIDVALIDITY, only these days are read, because older bounces are no longer
 * relevant.
 */
const lookbackDays = 3

type ImapFailure = { code?: string; authenticationFailed?: boolean; tlsFailed?: boolean; message?: string }

function toInboxError(error: unknown, isTimeout: boolean): InboxError {
  if (error instanceof NotPublicAddressError) return 'not_public'
  const failure: ImapFailure = typeof error === 'object' && error !== null ? error : {}
  if (failure.authenticationFailed) return 'sign_in'
  if (
    failure.tlsFailed ||
    /certificate|altnames|\bssl\b|\btls\b|starttls/i.test(`${failure.code ?? ''} ${failure.message ?? ''}`)
  )
    return 'encryption'
  if (isTimeout) return 'timeout'
  return /TooLarge|Parser|Exceeded|TooMany/i.test(failure.code ?? '') ? 'unreadable' : 'no_connection'
}

async function buildImapOptions(
  app: MailServerConfig,
  { allowPrivateHosts, resolveHost, ca, stepTimeoutMs = defaultStepTimeoutMs }: MailOptions,
): Promise<ImapFlowOptions> {
  const address = await resolvePublicAddress(app.host, { allowPrivateHosts, resolveHost })
  const isName = isIP(app.host) === 0
  return {
    host: address,
    port: app.port,
    secure: app.security === 'tls',
    ...(isName ? { servername: app.host } : {}),
    ...(app.security === 'tls' ? {} : { doSTARTTLS: app.security === 'starttls' }),
    tls: { minVersion: 'TLSv1.2', ...(ca ? { ca } : {}) },
    auth: { user: app.user, pass: app.password },
    // Some servers reject clients that do not identify themselves.
    clientInfo: { name: 'xinhan' },
    logger: false,
    disableAutoIdle: true,
    disableCompression: true,
    connectionTimeout: stepTimeoutMs,
    greetingTimeout: stepTimeoutMs,
    socketTimeout: stepTimeoutMs,
    maxLineLength: 1024 * 1024,
    maxLiteralSize: maxMailBytes + maxHeaderBytes,
    maxResponseSize: 1024 * 1024,
    maxResponseTokens: 200_000,
  }
}

/** Returns the UIDs of new mails in order. */
async function listNewUids(client: ImapFlow, from: number | null, now: Date): Promise<number[]> {
  const since = new Date(now.getTime() - lookbackDays * 86_400_000)
  const uids = await client.search(from === null ? { since } : { uid: `${from}:*` }, { uid: true })
  // A server that is asked for UIDs after the last one returns the last one.
  return (uids || []).filter((uid) => uid >= (from ?? 0)).toSorted((a, b) => a - b)
}

/** Returns the mails among these that may be bounces, judging by their headers. */
async function filterPossibleBounces(client: ImapFlow, uids: readonly number[]): Promise<number[]> {
  const fetched = await client.fetchAll(
    uids.join(','),
    { uid: true, bodyParts: [{ key: 'header', start: 0, maxLength: maxHeaderBytes }] },
    { uid: true },
  )
  return fetched
    .filter(({ headers }) => isPossibleBounce(headers?.toString('latin1') ?? ''))
    .map(({ uid }) => uid)
    .toSorted((a, b) => a - b)
}

async function readBounces(client: ImapFlow, from: InboxCursor | null, now: Date): Promise<InboxReadResult> {
  await client.connect()
  const box = await client.mailboxOpen('INBOX', { readOnly: true })
  const validity = String(box.uidValidity)
  const lastUid = from && from.validity === validity ? from.uid : null
  const all = box.exists > 0 && (lastUid ?? 0) < box.uidNext ? await listNewUids(client, lastUid, now) : []
  const selected = all.slice(0, maxMailsPerRead)
  const bounces: Bounce[] = []
  let openedCount = 0
  for (let at = 0; at < selected.length; at += fetchSize) {
    const batch = selected.slice(at, at + fetchSize)
    for (const uid of await filterPossibleBounces(client, batch)) {
      if (openedCount === maxOpenedMails) return { cursor: { validity, uid }, bounces, hasMore: true }
      openedCount += 1
      const mail = await client.fetchOne(String(uid), { uid: true, source: { start: 0, maxLength: maxMailBytes } }, { uid: true })
      const bounce = mail && mail.source ? await parseBounce(mail.source) : null
      if (bounce) bounces.push(bounce)
    }
  }
  const last = selected.at(-1)
  const uid = last === undefined ? Math.max(lastUid ?? 0, box.uidNext) : last + 1
  return { cursor: { validity, uid }, bounces, hasMore: all.length > selected.length }
}

/** Reads the bounces received since `from`, where the last read ended. */
export async function readInbox(
  app: MailServerConfig,
  policy: MailOptions,
  { from, now }: { readonly from: InboxCursor | null; readonly now: Date },
): Promise<InboxReadResult> {
  let isTimeout = false
  let timer: NodeJS.Timeout | undefined
  let client: ImapFlow | undefined
  try {
    client = new ImapFlow(await buildImapOptions(app, policy))
    const connectionLost = new Promise<never>((_, reject) => {
      client?.on('error', reject)
      timer = setTimeout(() => {
        isTimeout = true
        reject(new Error('the mailbox took too long'))
      }, policy.readTimeoutMs ?? defaultReadTimeoutMs)
    })
    const inboxResult = await Promise.race([readBounces(client, from, now), connectionLost])
    return inboxResult
  } catch (error) {
    return { error: toInboxError(error, isTimeout) }
  } finally {
    clearTimeout(timer)
    client?.close()
  }
}
