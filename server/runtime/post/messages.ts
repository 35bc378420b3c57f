/**
 * Messages about nothing that has rows of its own: notices, codes, invitations. Their book is `message`; a lot is one kind of one company, and
 * what is to be said lies sealed in the row until nothing can be tried any more.
 */
import { type RawBuilder, sql } from 'kysely'
import type { Clock } from '../clock.ts'
import type { Outdoors } from '../data/outdoors.ts'
import type { Database, Tx } from '../db.ts'
import { newId } from '../ids.ts'
import type { JobOptions, Jobs } from '../jobs.ts'
import type { Secrets } from '../secrets.ts'
import type { Departure, TriedRow } from './counter.ts'
import { type LedgerBook, type LedgerTx, lease_ms, type Marked } from './ledger.ts'
import { houseSealer, type Letter, openLetter, type Sealer, sealLetter } from './letters.ts'
import type { CarrierLines } from './lines.ts'
import { openTurns } from './sender.ts'
import type { LotGate, Subject } from './subject.ts'

/** Whose messages those are that belong to no company: the installation's own. */
export const nobody = '00000000-0000-0000-0000-000000000000'

export type NewMessage = {
  /** The carrier's reference too: the same id is one message, and is posted once. */
  readonly id: string
  readonly channel: 'sms' | 'platform' | 'email'
  /** What it is about, where a subject has a row of it. */
  readonly about?: string
  /** What it is charged as. */
  readonly pieces?: number
  /** Null where the subject knows it when the message leaves. */
  readonly letter: Letter | null
  /** Later it is not handed over any more. */
  readonly expires_at?: Date
  /** Never leaves: stands for one that does, so that it takes as long to post. */
  readonly decoy?: boolean
}
export type PostTx = LedgerTx & {
  readonly vault: Sealer
  readonly jobs: { send(name: string, data: Record<string, unknown>, options?: JobOptions): Promise<void> }
}
/** A transaction in which the installation itself posts: opened for `nobody`. */
export const houseTx = (
  { secrets, jobs }: { readonly secrets: Pick<Secrets, 'seal' | 'open'>; readonly jobs: Jobs },
  db: Tx,
  now: Date,
): PostTx => ({
  db,
  company_id: nobody,
  now,
  vault: houseSealer(secrets),
  jobs: { send: (name, data, options) => jobs.send(db, name, data, options) },
})
type MessageJob = { readonly company_id: string }

const a_statement = 500

/**
 * Leaves after the caller's transaction; if that is rolled back, never. `kind` names the lot, and the job that works it off. `owner`: whoever
 * will make the first try himself, at once.
 */
export async function post(
  { db, company_id, now, vault, jobs }: PostTx,
  kind: string,
  messages: readonly NewMessage[],
  { owner = null, ...options }: JobOptions & { owner?: string | null } = {},
): Promise<void> {
  if (messages.length === 0) return
  const rows = messages.map(({ id, channel, about = id, pieces = 1, letter, expires_at = null, decoy = false }) => ({
    company_id,
    id,
    kind,
    purpose: letter?.saying.kind ?? kind,
    about,
    channel,
    pieces,
    letter: letter && sealLetter(vault, id, letter),
    status: decoy ? ('cancelled' as const) : owner ? ('leased' as const) : ('queued' as const),
    attempts: owner ? 1 : 0,
    lease_by: owner,
    lease_until: owner && new Date(now.getTime() + lease_ms),
    due_at: now,
    expires_at,
    created_at: now,
  }))
  for (let from = 0; from < rows.length; from += a_statement)
    await db
      .insertInto('message')
      .values(rows.slice(from, from + a_statement))
      .onConflict((conflict) => conflict.columns(['company_id', 'id']).doNothing())
      .execute()
  await jobs.send(kind, { company_id }, options)
}

/** What became of these messages: where they stand, and what the carrier said. */
export async function messagesOf({ db, company_id }: Pick<LedgerTx, 'db' | 'company_id'>, ids: readonly string[]) {
  const rows = await db
    .selectFrom('message')
    .select(['id', 'status', 'message'])
    .where('company_id', '=', company_id)
    .where('id', '=', sql<string>`any(${ids}::uuid[])`)
    .execute()
  return new Map(rows.map((row) => [row.id, row]))
}

/** In SQL, of the message that `id` names: what the carrier said where it did not arrive; null where it did, or nobody knows. */
export const failureOf = (company_id: string, id: RawBuilder<unknown>): RawBuilder<string | null> => sql<string | null>`(
  select coalesce(message.message, '没有送达') from message
  where message.company_id = ${company_id} and message.id = ${id} and message.status = 'failed')`

export const messageBook = (kind: string): LedgerBook => ({
  table: 'message',
  lot: sql<boolean>`kind = ${kind}`,
  about: 'about',
})

export type MessageParts = {
  readonly database: Database
  readonly jobs: Jobs
  readonly clock: Clock
  readonly secrets: Secrets
  readonly lines: CarrierLines
}

/** Declares the job of a kind: one turn; a turn that leaves something asks for the next one. Answers how to send without a turn. */
export function openKind<Of extends LedgerTx, Gate extends LotGate, Row extends TriedRow>(
  { database, jobs, clock, lines }: MessageParts,
  kind: string,
  subjectOf: (company_id: string) => Subject<Of, Gate, Row>,
): { postNow: PostNow } {
  const { turn, firstTry } = openTurns({ database, clock, lines })
  const again = async (company_id: string, rest_ms: number | null): Promise<void> => {
    if (rest_ms === null) return
    const start_after = new Date(Date.now() + rest_ms)
    await database.inCompany(company_id, (tx) => jobs.send(tx, kind, { company_id }, { start_after }))
  }
  jobs.on<MessageJob>(kind, async ({ company_id }, context) => again(company_id, await turn(subjectOf(company_id), context)))
  return {
    async postNow(tx, { letter, ...message }) {
      const owner = newId()
      const { company_id } = tx
      // For a process that dies before it has sent it, or before it has written down what became of it.
      const start_after = new Date(Date.now() + lease_ms + 5_000)
      await post(tx, kind, [{ ...message, letter }], { owner, start_after })
      return async (outdoors) => {
        if (message.decoy) return
        const row = { id: message.id, channel: message.channel, attempts: 1 }
        const departure = { send: true, hide: letter.to, ...letter } as const
        await again(company_id, await firstTry(subjectOf(company_id), owner, { row, departure, outdoors }))
      }
    },
  }
}
/** Posts one message; what it answers is to be called when the transaction has committed: it sends the message at once, without a turn. */
export type PostNow = (
  tx: PostTx,
  message: NewMessage & { readonly letter: Letter },
) => Promise<(outdoors: Outdoors) => Promise<void>>

type MessageTx = LedgerTx & { readonly vault: Sealer }
type LetterGate = LotGate & { readonly vault: Sealer }
type LetterRow = TriedRow & { readonly letter: Buffer | null; readonly expires_at: Date | null; readonly now: Date }

/** A kind whose letters say all: who gets it and what it says was known when it was posted. */
export const letterSubject = (
  { database, clock, secrets }: Pick<MessageParts, 'database' | 'clock' | 'secrets'>,
  kind: string,
  company_id: string,
  onFailed: (message: Marked) => void,
): Subject<MessageTx, LetterGate, LetterRow> => ({
  company_id,
  book: messageBook(kind),
  withdrawn: '消息已取消',
  inLot: (fn) =>
    database.inCompany(company_id, async (tx) =>
      fn({ db: tx, company_id, now: clock.now(), vault: await sealerOf(secrets, tx, company_id) }),
    ),
  gate: async ({ vault }) => ({ state: 'active', vault }),
  async addresses({ db, vault }, rows) {
    const found = await db
      .selectFrom('message')
      .select(['id', 'letter'])
      .where('company_id', '=', company_id)
      .where(
        'id',
        'in',
        rows.map(({ id }) => id),
      )
      .execute()
    return new Map(found.map(({ id, letter }) => [id, letter ? openLetter(vault, id, letter).to : '']))
  },
  read: ({ now }) => sql<LetterRow>`select id, channel, attempts, letter, expires_at, ${now}::timestamptz as now from tried`,
  departure({ id, letter, expires_at, now }, { vault }): Departure {
    if (!letter || (expires_at && expires_at <= now))
      return { send: false, status: 'failed', code: 'late', message: '消息已过时，没有发送' }
    const { to, saying } = openLetter(vault, id, letter)
    return { send: true, to, saying, hide: to }
  },
  async settled({ db }, marked) {
    const done = marked.filter(({ status }) => status !== 'queued').map(({ id }) => id)
    if (done.length === 0) return
    for (const one of marked) if (one.status === 'failed') onFailed(one)
    await db.updateTable('message').set({ letter: null }).where('company_id', '=', company_id).where('id', 'in', done).execute()
  },
  finished: async () => undefined,
})

const sealerOf = async (secrets: Secrets, tx: Tx, company_id: string): Promise<Sealer> =>
  company_id === nobody ? houseSealer(secrets) : secrets.vault(tx, company_id)

/** What the installation itself has said is of no use to anybody after that. */
export const forgetOwnMessages = (database: Database, before: Date): Promise<unknown> =>
  database.inCompany(nobody, (tx) =>
    tx.deleteFrom('message').where('company_id', '=', nobody).where('created_at', '<', before).execute(),
  )

/** How many messages of a company went out by this way since then. */
export async function sentSince({ db, company_id }: PostTx, channel: 'platform' | 'sms', since: Date): Promise<number> {
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
