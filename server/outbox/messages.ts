/**
 * Messages about nothing that has rows of its own: notices, codes, invitations. Their book is `message`; a lot is one kind of one company, and
 * what is to be said lies sealed in the row until nothing can be tried any more.
 */
import { type RawBuilder, sql } from 'kysely'
import type { Secrets } from '../crypto/secrets.ts'
import type { Database, Tx } from '../database/database.ts'
import type { NoTransaction } from '../database/no-transaction.ts'
import type { JobOptions, JobQueue } from '../jobs/queue.ts'
import type { Clock } from '../shared/clock.ts'
import { newId } from '../shared/ids.ts'
import type { ChannelSenders } from './channel-senders.ts'
import type { AttemptedRow, DispatchDecision } from './dispatch.ts'
import { type CompanyTx, leaseMs, type OutboxTable, type SettledRow } from './ledger.ts'
import type { LockedBatch, MessageSource } from './message-source.ts'
import {
  type AddressedContent,
  type ContentSealer,
  createSystemSealer,
  openMessageContent,
  sealMessageContent,
} from './sealed-content.ts'
import { createSender } from './sender.ts'

/** Whose messages those are that belong to no company: the installation's own. */
export const systemCompanyId = '00000000-0000-0000-0000-000000000000'

export type NewMessage = {
  /** The carrier's reference too: the same id is one message, and is posted once. */
  readonly id: string
  readonly channel: 'sms' | 'platform' | 'email'
  /** What it is about, where a subject has a row of it. */
  readonly subject_id?: string
  /** What it is charged as. */
  readonly segments?: number
  /** Null where the subject knows it when the message leaves. */
  readonly content: AddressedContent | null
  /** Later it is not handed over any more. */
  readonly expires_at?: Date
  /** Never leaves: stands for one that does, so that it takes as long to post. */
  readonly isDecoy?: boolean
}
export type OutboxTx = CompanyTx & {
  readonly vault: ContentSealer
  readonly jobs: { send(name: string, data: Record<string, unknown>, options?: JobOptions): Promise<void> }
}
/** A transaction in which the installation itself posts: opened for `systemCompanyId`. */
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
 * Leaves after the caller's transaction; if that is rolled back, never. `kind` names the lot, and the job that works it off. `owner`: whoever
 * will make the first try himself, at once.
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
    subject_id: subject_id,
    channel,
    segments: segments,
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

/** What became of these messages: where they stand, and what the carrier said. */
export async function getMessages({ db, company_id }: Pick<CompanyTx, 'db' | 'company_id'>, ids: readonly string[]) {
  const rows = await db
    .selectFrom('message')
    .select(['id', 'status', 'message'])
    .where('company_id', '=', company_id)
    .where('id', '=', sql<string>`any(${ids}::uuid[])`)
    .execute()
  return new Map(rows.map((row) => [row.id, row]))
}

/** In SQL, of the message that `id` names: what the carrier said where it did not arrive; null where it did, or nobody knows. */
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

/** Declares the job of a kind: one turn; a turn that leaves something asks for the next one. Answers how to send without a turn. */
export function registerMessageKind<Of extends CompanyTx, Gate extends LockedBatch, Row extends AttemptedRow>(
  { database, jobs, clock, senders }: MessageDeps,
  kind: string,
  getSubject: (company_id: string) => MessageSource<Of, Gate, Row>,
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
      // For a process that dies before it has sent it, or before it has written down what became of it.
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
/** Posts one message; what it answers is to be called when the transaction has committed: it sends the message at once, without a turn. */
export type SendNow = (
  tx: OutboxTx,
  message: NewMessage & { readonly content: AddressedContent },
) => Promise<(outdoors: NoTransaction) => Promise<void>>

type MessageCompanyTx = CompanyTx & { readonly vault: ContentSealer }
type LockedMessageBatch = LockedBatch & { readonly vault: ContentSealer }
type MessageRow = AttemptedRow & { readonly letter: Buffer | null; readonly expires_at: Date | null; readonly now: Date }

/** A kind whose letters say all: who gets it and what it says was known when it was posted. */
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

/** What the installation itself has said is of no use to anybody after that. */
export const deleteSystemMessages = (database: Database, before: Date): Promise<unknown> =>
  database.inCompany(systemCompanyId, (tx) =>
    tx.deleteFrom('message').where('company_id', '=', systemCompanyId).where('created_at', '<', before).execute(),
  )

/** How many messages of a company went out by this way since then. */
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
