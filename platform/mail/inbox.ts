/**
 * A customer's own mailbox, in which the bounces of his messages lie among the mail of people. It is looked at and never changed: opened for reading
 * only, of each mail the header, and only what may be a bounce is opened. A server that says more than it was asked for is left.
 */
import { isIP } from 'node:net'
import { ImapFlow, type ImapFlowOptions } from 'imapflow'
import type { Bounce, InboxFault, InboxLook, InboxPlace, MailServerApp } from '../carrier.ts'
import { NotPublic, publicAddressOf } from '../public-address.ts'
import { bounceOf, mayBeBounce, most_bytes } from './bounce.ts'
import type { MailPolicy } from './index.ts'

/** A look ends after so much, and the next one goes on: other companies wait too. */
const most_mails = 500
const a_fetch = 100
const most_opened = 50
const a_look_ms = 25_000
const usual_step_ms = 7_000
/** Of the header; behind so many lines of Received nothing is looked for. */
const head_bytes = 16 * 1024
/** Where we have not been before, or the server counts anew: bounces come within these days, or nobody waits for them. */
const days_back = 3

type Failure = { code?: string; authenticationFailed?: boolean; tlsFailed?: boolean; message?: string }

function faultOf(error: unknown, late: boolean): InboxFault {
  if (error instanceof NotPublic) return 'not_public'
  const said: Failure = typeof error === 'object' && error !== null ? error : {}
  if (said.authenticationFailed) return 'sign_in'
  if (said.tlsFailed || /certificate|altnames|\bssl\b|\btls\b|starttls/i.test(`${said.code ?? ''} ${said.message ?? ''}`))
    return 'encryption'
  if (late) return 'timeout'
  return /TooLarge|Parser|Exceeded|TooMany/i.test(said.code ?? '') ? 'unreadable' : 'no_connection'
}

async function optionsFor(
  app: MailServerApp,
  { private_hosts, ca, step_ms = usual_step_ms }: MailPolicy,
): Promise<ImapFlowOptions> {
  const address = await publicAddressOf(app.host, { private_hosts })
  const isName = isIP(app.host) === 0
  return {
    host: address,
    port: app.port,
    secure: app.security === 'tls',
    ...(isName ? { servername: app.host } : {}),
    ...(app.security === 'tls' ? {} : { doSTARTTLS: app.security === 'starttls' }),
    tls: { minVersion: 'TLSv1.2', ...(ca ? { ca } : {}) },
    auth: { user: app.user, pass: app.password },
    // Some servers let nobody in who does not say what he is.
    clientInfo: { name: 'xinhan' },
    logger: false,
    disableAutoIdle: true,
    disableCompression: true,
    connectionTimeout: step_ms,
    greetingTimeout: step_ms,
    socketTimeout: step_ms,
    maxLineLength: 1024 * 1024,
    maxLiteralSize: most_bytes + head_bytes,
    maxResponseSize: 1024 * 1024,
    maxResponseTokens: 200_000,
  }
}

/** Which mails came since, in their order. */
async function arrived(client: ImapFlow, from: number | null, now: Date): Promise<number[]> {
  const since = new Date(now.getTime() - days_back * 86_400_000)
  const found = await client.search(from === null ? { since } : { uid: `${from}:*` }, { uid: true })
  // Asked for what comes after the last one, a server answers the last one.
  return (found || []).filter((uid) => uid >= (from ?? 0)).toSorted((a, b) => a - b)
}

/** The mails among these that may be bounces, by their headers. */
async function worthOpening(client: ImapFlow, uids: readonly number[]): Promise<number[]> {
  const heads = await client.fetchAll(
    uids.join(','),
    { uid: true, bodyParts: [{ key: 'header', start: 0, maxLength: head_bytes }] },
    { uid: true },
  )
  return heads
    .filter(({ headers }) => mayBeBounce(headers?.toString('latin1') ?? ''))
    .map(({ uid }) => uid)
    .toSorted((a, b) => a - b)
}

async function look(client: ImapFlow, from: InboxPlace | null, now: Date): Promise<InboxLook> {
  await client.connect()
  const box = await client.mailboxOpen('INBOX', { readOnly: true })
  const validity = String(box.uidValidity)
  const known = from && from.validity === validity ? from.uid : null
  const all = box.exists > 0 && (known ?? 0) < box.uidNext ? await arrived(client, known, now) : []
  const some = all.slice(0, most_mails)
  const bounces: Bounce[] = []
  let opened = 0
  for (let at = 0; at < some.length; at += a_fetch) {
    const lot = some.slice(at, at + a_fetch)
    for (const uid of await worthOpening(client, lot)) {
      if (opened === most_opened) return { place: { validity, uid }, bounces, more: true }
      opened += 1
      const mail = await client.fetchOne(String(uid), { uid: true, source: { start: 0, maxLength: most_bytes } }, { uid: true })
      const bounce = mail && mail.source ? await bounceOf(mail.source) : null
      if (bounce) bounces.push(bounce)
    }
  }
  const last = some.at(-1)
  const uid = last === undefined ? Math.max(known ?? 0, box.uidNext) : last + 1
  return { place: { validity, uid }, bounces, more: all.length > some.length }
}

/** What came back since `from`, where the last look ended. */
export async function lookIntoInbox(
  app: MailServerApp,
  policy: MailPolicy,
  { from, now }: { readonly from: InboxPlace | null; readonly now: Date },
): Promise<InboxLook> {
  let late = false
  let timer: NodeJS.Timeout | undefined
  let client: ImapFlow | undefined
  try {
    client = new ImapFlow(await optionsFor(app, policy))
    const lost = new Promise<never>((_, fail) => {
      client?.on('error', fail)
      timer = setTimeout(() => {
        late = true
        fail(new Error('the mailbox took too long'))
      }, policy.look_ms ?? a_look_ms)
    })
    const looked = await Promise.race([look(client, from, now), lost])
    return looked
  } catch (error) {
    return { fault: faultOf(error, late) }
  } finally {
    clearTimeout(timer)
    client?.close()
  }
}
