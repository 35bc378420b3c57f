/**
 * Messages without rows of their own: notifications, codes, invites. Their table is `message`; a batch is one kind of
 * one company, and the content is stored encrypted in the row until no further attempt is possible.
 */
import { type RawBuilder, sql } from 'kysely'
import type { Secrets } from '../crypto/secrets.ts'
import type { CompanyTimeTx } from '../database/company-tx.ts'
import type { Database, Tx } from '../database/database.ts'
import type { NoTransaction } from '../database/no-transaction.ts'
import { systemCompanyId } from '../jobs/companies.ts'
import type { JobOptions, JobQueue } from '../jobs/queue.ts'
import type { Clock } from '../shared/clock.ts'
import { newId } from '../shared/ids.ts'
import type { ChannelSenders } from './channel-senders.ts'
import type { AttemptedRow, DispatchDecision } from './dispatch.ts'
import { leaseMs, type OutboxTable, type SettledRow } from './ledger.ts'
import type { LockedBatch, MessageSource } from './message-source.ts'
import {
  type AddressedContent,
  type ContentSealer,
  createSystemSealer,
  openMessageContent,
  sealMessageContent,
} from './sealed-content.ts'
import { createSender } from './sender.ts'

export type NewMessage = {
  /** The id is also the reference for the carrier: the same id is one message, and is sent once. */
  readonly id: string
  readonly channel: 'sms' | 'platform' | 'email'
  /** The subject's row, where there is one. */
  readonly subject_id?: string
  /** The number of charged segments. */
  readonly segments?: number
  /** The content is null where the subject provides it at the time of sending. */
  readonly content: AddressedContent | null
  /** After this time, the message is not sent any more. */
  readonly expires_at?: Date
  /** A message that is never sent. It takes the place of a real message, so that the response takes the same time. */
  readonly isDecoy?: boolean
}
export type OutboxTx = CompanyTimeTx & {
  readonly vault: ContentSealer
  readonly jobs: { send(name: string, data: Record<string, unknown>, options?: JobOptions): Promise<void> }
}
/** Creates the context for messages of the installation itself: a transaction opened for `systemCompanyId`. */
export const createSystemTx = (
  { secrets, jobs }: { readonly secrets: Pick<Secrets, 'seal' | 'open'>; readonly jobs: JobQueue },
  db: Tx,
  now: Date,
): OutboxTx => ({
  db,
  company_id: systemCompanyId,
  now,
  vault: createSystemSealer(secrets),
  jobs: { send: (name, data, options) => jobs.send(db, name, data, options) },
})
type MessageJob = { readonly company_id: string }

const rowsPerStatement = 500

/**
 * Enqueues messages, sent after the caller's transaction has committed; never if it is rolled back. `kind` names the
 * batch and its job. `owner`: set by a caller who will make the first attempt immediately.
 */
export async function enqueueMessages(
  { db, company_id, now, vault, jobs }: OutboxTx,
  kind: string,
  messages: readonly NewMessage[],
  { owner = null, ...options }: JobOptions & { owner?: string | null } = {},
): Promise<void> {
  if (messages.length === 0) return
  const rows = messages.map(({ id, channel, subject_id = id, segments = 1, content, expires_at = null, isDecoy = false }) => ({
    company_id,
    id,
    kind,
    purpose: content?.message.kind ?? kind,
    subject_id,
    channel,
    segments,
    letter: content && sealMessageContent(vault, id, content),
    status: isDecoy ? ('cancelled' as const) : owner ? ('leased' as const) : ('queued' as const),
    attempts: owner ? 1 : 0,
    lease_by: owner,
    lease_until: owner && new Date(now.getTime() + leaseMs),
    due_at: now,
    expires_at,
    created_at: now,
  }))
  for (let from = 0; from < rows.length; from += rowsPerStatement)
    await db
      .insertInto('message')
      .values(rows.slice(from, from + rowsPerStatement))
      .onConflict((conflict) => conflict.columns(['company_id', 'id']).doNothing())
      .execute()
  await jobs.send(kind, { company_id }, options)
}

/** Returns the status of these messages and the carrier's response. */
export async function getMessages({ db, company_id }: Pick<CompanyTimeTx, 'db' | 'company_id'>, ids: readonly string[]) {
  const rows = await db
    .selectFrom('message')
    .select(['id', 'status', 'message'])
    .where('company_id', '=', company_id)
    .where('id', '=', sql<string>`any(${ids}::uuid[])`)
    .execute()
  return new Map(rows.map((row) => [row.id, row]))
}

/** Builds SQL for the message named by `id`: the carrier's error if it did not arrive; null if it did, or if that is unknown. */
export const selectFailureMessage = (company_id: string, id: RawBuilder<unknown>): RawBuilder<string | null> => sql<
  string | null
>`(
  select coalesce(message.message, '没有送达') from message
  where message.company_id = ${company_id} and message.id = ${id} and message.status = 'failed')`

export const createMessageTable = (kind: string): OutboxTable => ({
  table: 'message',
  inBatch: sql<boolean>`kind = ${kind}`,
  subjectColumn: 'subject_id',
})

export type MessageDeps = {
  readonly database: Database
  readonly jobs: JobQueue
  readonly clock: Clock
  readonly secrets: Secrets
  readonly senders: ChannelSenders
}

/** Registers the job of a kind: one run of the sender; unfinished work schedules the next. Returns a sender without a job. */
export function registerMessageKind<Tx extends CompanyTimeTx, Batch extends LockedBatch, Row extends AttemptedRow>(
  { database, jobs, clock, senders }: MessageDeps,
  kind: string,
  getSubject: (company_id: string) => MessageSource<Tx, Batch, Row>,
): { postNow: SendNow } {
  const { run, sendFirstAttempt } = createSender({ database, clock, lines: senders })
  const again = async (company_id: string, rest_ms: number | null): Promise<void> => {
    if (rest_ms === null) return
    const start_after = new Date(Date.now() + rest_ms)
    await database.inCompany(company_id, (tx) => jobs.send(tx, kind, { company_id }, { start_after }))
  }
  jobs.register<MessageJob>(kind, async ({ company_id }, context) =>
    again(company_id, await run(getSubject(company_id), context)),
  )
  return {
    async postNow(tx, { content, ...message }) {
      const owner = newId()
      const { company_id } = tx
      // The job is queued in case this process dies before it has sent the message, or before it has recorded the
      // outcome.
      const start_after = new Date(Date.now() + leaseMs + 5_000)
      await enqueueMessages(tx, kind, [{ ...message, content }], { owner, start_after })
      return async (noTransaction) => {
        if (message.isDecoy) return
        const row = { id: message.id, channel: message.channel, attempts: 1 }
        const dispatch = { send: true, maskedPhone: content.to, ...content } as const
        await again(company_id, await sendFirstAttempt(getSubject(company_id), owner, { row, dispatch, noTransaction }))
      }
    },
  }
}
/** Enqueues one message; the returned function, called after the commit, sends the message at once, without a job. */
export type SendNow = (
  tx: OutboxTx,
  message: NewMessage & { readonly content: AddressedContent },
) => Promise<(noTransaction: NoTransaction) => Promise<void>>

type MessageCompanyTx = CompanyTimeTx & { readonly vault: ContentSealer }
type LockedMessageBatch = LockedBatch & { readonly vault: ContentSealer }
type MessageRow = AttemptedRow & { readonly letter: Buffer | null; readonly expires_at: Date | null; readonly now: Date }

/** Creates the source of a kind whose rows are complete: recipient and content were known when they were enqueued. */
export const createMessageSource = (
  { database, clock, secrets }: Pick<MessageDeps, 'database' | 'clock' | 'secrets'>,
  kind: string,
  company_id: string,
  onFailed: (message: SettledRow) => void,
): MessageSource<MessageCompanyTx, LockedMessageBatch, MessageRow> => ({
  company_id,
  table: createMessageTable(kind),
  withdrawnMessage: '消息已取消',
  inBatchTx: (fn) =>
    database.inCompany(company_id, async (tx) =>
      fn({ db: tx, company_id, now: clock.now(), vault: await getSealer(secrets, tx, company_id) }),
    ),
  lockBatch: async ({ vault }) => ({ state: 'active', vault }),
  async getAddresses({ db, vault }, rows) {
    const matches = await db
      .selectFrom('message')
      .select(['id', 'letter'])
      .where('company_id', '=', company_id)
      .where(
        'id',
        'in',
        rows.map(({ id }) => id),
      )
      .execute()
    return new Map(matches.map(({ id, letter }) => [id, letter ? openMessageContent(vault, id, letter).to : '']))
  },
  selectAttempted: ({ now }) =>
    sql<MessageRow>`select id, channel, attempts, letter, expires_at, ${now}::timestamptz as now from tried`,
  decideDispatch({ id, letter, expires_at, now }, { vault }): DispatchDecision {
    if (!letter || (expires_at && expires_at <= now))
      return { send: false, status: 'failed', code: 'late', message: '消息已过时，没有发送' }
    const { to, message } = openMessageContent(vault, id, letter)
    return { send: true, to, message, maskedPhone: to }
  },
  async onSettled({ db }, marked) {
    const done = marked.filter(({ status }) => status !== 'queued').map(({ id }) => id)
    if (done.length === 0) return
    for (const one of marked) if (one.status === 'failed') onFailed(one)
    await db.updateTable('message').set({ letter: null }).where('company_id', '=', company_id).where('id', 'in', done).execute()
  },
  onFinished: async () => undefined,
})

const getSealer = async (secrets: Secrets, tx: Tx, company_id: string): Promise<ContentSealer> =>
  company_id === systemCompanyId ? createSystemSealer(secrets) : secrets.vault(tx, company_id)

/** Deletes messages of the installation itself that are no longer useful. */
export const deleteSystemMessages = (database: Database, before: Date): Promise<unknown> =>
  database.inCompany(systemCompanyId, (tx) =>
    tx.deleteFrom('message').where('company_id', '=', systemCompanyId).where('created_at', '<', before).execute(),
  )

export async function countSentSince({ db, company_id }: OutboxTx, channel: 'platform' | 'sms', since: Date): Promise<number> {
  const { count } = await db
    .selectFrom('message')
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .where('company_id', '=', company_id)
    .where('channel', '=', channel)
    .where('done_at', '>=', since)
    .where('status', 'in', ['accepted', 'unknown'])
    .executeTakeFirstOrThrow()
  return Number(count)
}
