/**
 * The sender: the job `send` takes what a batch has in the ledger out into the world.
 *
 * Doing this job twice, in two processes, or again after a crash at any point is harmless: a row is taken under a lease that only one
 * sender holds; every try is counted before the message leaves; a row whose last try has an unknown outcome is looked up at the
 * gateway, by its own unchanging id, before anything is repeated; and results are written only by the holder of the lease.
 * No transaction is open while a message is under way.
 */
import { sql } from 'kysely'
import type { Clock } from '../../runtime/clock.ts'
import type { Database } from '../../runtime/db.ts'
import { newId } from '../../runtime/ids.ts'
import type { JobContext, Jobs } from '../../runtime/jobs.ts'
import type { CarrierLines } from '../../runtime/post/index.ts'
import type { Secrets } from '../../runtime/secrets.ts'
import { notify } from '../desk/index.ts'
import { setBatchStatus } from '../sheet/index.ts'
import {
  acceptLinks,
  beginTry,
  type Claimed,
  claim,
  type Gate,
  gate,
  mark,
  type Of,
  type Outcome,
  openRows,
  release,
} from './claims.ts'
import { openGateways, unknown } from './gateways.ts'
import { startIn } from './ledger.ts'
import { resumeAll } from './resume.ts'
import { afterLookup, untilAskedAgain } from './rules/outcome.ts'

export type SenderParts = {
  readonly database: Database
  readonly jobs: Jobs
  readonly clock: Clock
  readonly secrets: Secrets
  readonly lines: CarrierLines
  readonly origin: string
  readonly log: { error(about: object, message: string): void }
  readonly pace?: Partial<Pace>
}
export type Pace = {
  /** Rows taken under a lease at once. */
  readonly chunk: number
  /** Messages under way at once; they are asked for again, and marked, together. */
  readonly group: number
  /** A turn ends after so long or so many messages, so that a small company waits seconds behind a large one. */
  readonly turn_ms: number
  readonly turn_messages: number
  /** A gateway that says nothing for so long has an unknown outcome; well within the lease. */
  readonly patience_ms: number
}
const usual: Pace = { chunk: 96, group: 8, turn_ms: 2500, turn_messages: 2000, patience_ms: 20_000 }
/** So many silent failures one after another mean that the gateway is away: the rest keeps its tries for later. */
const enough_errors = 16
const away_ms = 15_000
const count_every_ms = 20_000
const longest_rest_ms = 15 * 60_000

export type SendData = { readonly company_id: string; readonly batch_id: string }
type Batch = Pick<Gate, 'status' | 'title' | 'corp_name'>

/** A transaction of the sender's, about one batch. */
const openBatches =
  ({ database, secrets, clock }: SenderParts) =>
  <T>(company_id: string, batch_id: string, fn: (of: Of) => Promise<T>): Promise<T> =>
    database.inCompany(company_id, async (tx) =>
      fn({ db: tx, company_id, batch_id, now: clock.now(), vault: await secrets.vault(tx, company_id) }),
    )

export function openSender(parts: SenderParts) {
  const { database, jobs, clock } = parts
  const inBatch = openBatches(parts)
  const pace = { ...usual, ...parts.pace }
  const gateways = openGateways(parts, pace.patience_ms)
  /** Turns of this process: leases of anybody else belong to another node, or to the dead. */
  const turns = new Set<string>()
  let counted_at = Number.NEGATIVE_INFINITY

  /** One turn; a turn that leaves something asks for the next one. */
  async function send({ company_id, batch_id }: SendData, { signal }: Pick<JobContext, 'signal'>): Promise<void> {
    const owner = newId()
    turns.add(owner)
    try {
      const rest_ms = await turn(company_id, batch_id, owner, signal)
      if (rest_ms !== null)
        await database.inCompany(company_id, (tx) => jobs.send(tx, 'send', { company_id, batch_id }, startIn(rest_ms)))
    } catch (error) {
      // What we hold is free at once instead of in a minute; if even that fails, the lease runs out.
      await inBatch(company_id, batch_id, (of) => release(of, owner)).catch(() => undefined)
      throw error
    } finally {
      turns.delete(owner)
    }
  }

  /** Answers how long to rest before the next turn; null when nothing is left to do. */
  async function turn(company_id: string, batch_id: string, owner: string, signal: AbortSignal): Promise<number | null> {
    const ends = performance.now() + pace.turn_ms
    let ready: string[] = []
    let outcomes: Outcome[] = []
    let asked = 0
    let errors = 0
    let slow_ms = 0
    let links = true
    const wait_ms = await inBatch(company_id, batch_id, begin)
    if (wait_ms !== null) return wait_ms
    for (;;) {
      const began = performance.now()
      const step = await inBatch(company_id, batch_id, async (of) => {
        const batch = await gate(of, 'share')
        if (!batch) return { rest_ms: null }
        await mark(of, owner, batch.status === 'withdrawn' ? outcomes.map(withoutAgain) : outcomes)
        const active = batch.status === 'sending' || batch.status === 'sent'
        const tired = signal.aborted || performance.now() > ends || asked >= pace.turn_messages
        if (ready.length > 0 && batch.status === 'withdrawn') await mark(of, owner, ready.map(cancelled))
        // All channels rest with the one whose gateway asked for patience: the next turn finds their rows as they are.
        if (tired || slow_ms > 0 || errors >= enough_errors || (ready.length > 0 && !active)) {
          await release(of, owner)
          return { rest_ms: active ? slow_ms || (errors >= enough_errors ? away_ms : 0) : null }
        }
        if (ready.length > 0) return { batch, group: await beginTry(of, owner, ready.slice(0, pace.group)) }
        if (active && links && (links = (await acceptLinks(of)) > 0)) return { batch }
        const claimed = await claim(of, owner, active, pace.chunk)
        return claimed.length > 0 ? { batch, claimed, active } : { nothing: true }
      })
      outcomes = []
      if (step.rest_ms !== undefined) return step.rest_ms
      if (step.nothing) return inBatch(company_id, batch_id, finish)
      if (step.claimed) {
        if (step.claimed.length === pace.chunk) await countAgain()
        const sorted = await sort(step.claimed, step.batch, step.active)
        ready = sorted.ready
        outcomes = sorted.outcomes
      } else if (step.group) {
        ready = ready.slice(pace.group)
        const results = await Promise.all(step.group.map((one) => gateways.deliver(one, step.batch, began)))
        for (const { outcome, error, wait_ms: asked_ms = 0 } of results) {
          slow_ms = Math.max(slow_ms, asked_ms)
          errors = error ? errors + 1 : outcome?.status === 'accepted' ? 0 : errors
          if (outcome) outcomes.push(outcome)
        }
        asked += step.group.length
      }
    }
  }

  /** A large batch has just been written: the planner should know, or each message costs a look at all of them. */
  async function countAgain(): Promise<void> {
    if (performance.now() - counted_at < count_every_ms) return
    counted_at = performance.now()
    await database.outside((tx) => sql`select count_again()`.execute(tx), { timeout_ms: 20_000 }).catch(() => undefined)
  }

  /** A scheduled batch begins when its time has come; answers the wait until then. */
  async function begin(of: Of): Promise<number | null> {
    const batch = await gate(of, 'update')
    if (batch?.status !== 'scheduled') return null
    const wait_ms = (batch.scheduled_at?.getTime() ?? 0) - of.now.getTime()
    if (wait_ms > 0) return wait_ms
    await setBatchStatus(of, of.batch_id, ['scheduled'], 'sending')
    return null
  }

  /** Of claimed rows: which may be sent, and what is already known of those that were tried before. */
  async function sort(
    claimed: readonly Claimed[],
    batch: Batch,
    active: boolean,
  ): Promise<{ ready: string[]; outcomes: Outcome[] }> {
    const ready: string[] = []
    const outcomes: Outcome[] = []
    const unclear = claimed.filter((row) => row.attempts > 0)
    const found = await gateways.lookUp(unclear)
    const now = clock.now()
    for (const row of claimed) {
      const { id, attempts, was_until } = row
      const said = found.get(id) ?? 'none'
      const taken = typeof said === 'object' ? said : null
      const since_ms = was_until ? now.getTime() - was_until.getTime() : 0
      const verdict =
        attempts === 0 ? 'send' : afterLookup({ found: typeof said === 'object' ? 'taken' : said, attempts, since_ms })
      if (taken && verdict === 'accepted') outcomes.push({ id, status: 'accepted', ref: taken.ref })
      else if (verdict === 'unknown') outcomes.push({ id, status: 'unknown', ...unknown })
      else if (verdict === 'later' || (!active && batch.status === 'paused'))
        outcomes.push({
          id,
          status: 'queued',
          due_at: new Date(now.getTime() + (verdict === 'later' ? untilAskedAgain(attempts, since_ms) : 0)),
          tried_at: was_until,
        })
      else if (!active) outcomes.push(cancelled(id))
      else ready.push(id)
    }
    return { ready, outcomes }
  }

  /** Nothing can be taken now: either it is a matter of time, or the batch is done. */
  async function finish(of: Of): Promise<number | null> {
    const batch = await gate(of, 'update')
    if (!batch) return null
    const active = batch.status === 'sending' || batch.status === 'sent'
    const open = await openRows(of, active)
    if (open.count > 0) return Math.min(longest_rest_ms, Math.max(1000, (open.next?.getTime() ?? 0) - of.now.getTime()))
    if (!active) return null
    const closed = await setBatchStatus(of, of.batch_id, ['sending'], 'sent', { sent_at: batch.sent_at ?? of.now })
    if (closed) await tellOwner(of, batch)
    return null
  }

  return { send, resumeAll: (options: { sole: boolean }) => resumeAll(parts, options, turns) }
}

const cancelled = (id: string): Outcome => ({ id, status: 'cancelled', code: 'withdrawn', message: '工资条已撤回' })

/** In a batch that is withdrawn nothing is tried again: what surely did not leave is cancelled, of the rest nobody can say. */
const withoutAgain = (one: Outcome): Outcome =>
  one.status !== 'queued'
    ? one
    : one.uncounted && !one.tried_at
      ? cancelled(one.id)
      : { id: one.id, status: 'unknown', ...unknown }

async function tellOwner(of: Of, batch: Gate): Promise<void> {
  const { db, company_id, batch_id } = of
  const rows = await db
    .selectFrom('salary')
    .select(({ fn }) => ['status', fn.countAll<number>().as('count')])
    .where('company_id', '=', company_id)
    .where('batch_id', '=', batch_id)
    .groupBy('status')
    .execute()
  const count = (...statuses: string[]) =>
    rows.filter((row) => statuses.includes(row.status)).reduce((sum, row) => sum + Number(row.count), 0)
  const failed = count('failed')
  const sent = count('sent', 'viewed', 'confirmed')
  const text =
    failed > 0
      ? `「${batch.title}」已发送 ${sent} 人，${failed} 人发送失败，请查看原因后重发`
      : `「${batch.title}」已发送给 ${sent} 人`
  await notify(of, batch.owner_id, { kind: failed > 0 ? 'failed' : 'sent', text, batch_id })
}
