/**
 * The sender: sends the messages of a batch in an outbox table.
 *
 * A run may be repeated, executed in two processes, or repeated after a crash at any point: a row is claimed under a
 * lease with a single holder; every attempt is counted before the message is sent; a row whose last attempt has an
 * unknown outcome is looked up at the carrier, by its own unchanging id, before anything is repeated; and results are
 * recorded only by the holder of the lease. No transaction is open while a message is being sent. The next step is
 * decided in `rules/next-step.ts`; here it is only executed.
 */

import type { CompanyTimeTx } from '../database/company-tx.ts'
import type { Database } from '../database/database.ts'
import type { NoTransaction } from '../database/no-transaction.ts'
import type { Clock } from '../shared/clock.ts'
import { createCarrierRateLimiter } from './carrier-rate.ts'
import type { ChannelSenders } from './channel-senders.ts'
import { type AttemptedRow, type DispatchDecision, dispatchGroup, getSender } from './dispatch.ts'
import { type DeliveryOutcome, recordOutcomes } from './ledger.ts'
import type { LockedBatch, MessageSource } from './message-source.ts'
import type { SenderEngine, SenderLimits } from './worker-state.ts'
import { runSender } from './workers.ts'

export type { SenderLimits }

const defaultLimits: SenderLimits = {
  claimSize: 96,
  maxInFlight: 8,
  maxStageSize: 256,
  runMs: 2500,
  maxInlineWaitMs: 1000,
  sendTimeoutMs: 20_000,
}

export type SenderDeps = {
  readonly database: Database
  readonly clock: Clock
  readonly lines: ChannelSenders
  readonly limits?: Partial<SenderLimits>
}

/** The signal that ends the run, and the proof that no transaction is open around it. */
export type SenderContext = { readonly signal: AbortSignal; readonly noTransaction: NoTransaction }

/** Creates the runs of this process. Their owners are alive: leases of others belong to another node or a dead process. */
export function createSender({ database, clock, lines, limits }: SenderDeps) {
  const within: SenderLimits = { ...defaultLimits, ...limits }
  const { sms } = lines
  // Messages sent without a run (codes) use the installation's own senders.
  const app = { sms, platform: null, email: null }
  const pace = createCarrierRateLimiter(database, clock)
  const { countActiveTransactions } = database
  const sections: Omit<SenderEngine, 'noTransaction'> = {
    clock,
    senders: app,
    limits: within,
    pace,
    countActiveTransactions,
    sendTimeoutMs: within.sendTimeoutMs,
  }
  const alive = new Set<string>()

  /** Returns how long to wait before the next run; null when nothing is left to do. */
  async function rotate<Tx extends CompanyTimeTx, Batch extends LockedBatch, Row extends AttemptedRow>(
    subject: MessageSource<Tx, Batch, Row>,
    { signal, noTransaction }: SenderContext,
  ): Promise<number | null> {
    const wait_ms = (await (subject.start && subject.inBatchTx(subject.start))) ?? null
    if (wait_ms !== null) return wait_ms
    const email = await lines.getMailSender(subject.company_id)
    const platform = await lines.getPlatformSender(subject.company_id)
    return runSender({ ...sections, noTransaction, senders: { ...app, email, platform } }, subject, signal, alive)
  }

  /**
   * Makes the first attempt of a row that was inserted as started: it is leased by `owner`, and one attempt is counted.
   * It needs no run; if this process dies, the next run finds an expired lease and queries the carrier. Returns the
   * same as `run`.
   */
  async function firstTry<Tx extends CompanyTimeTx, Batch extends LockedBatch, Row extends AttemptedRow>(
    subject: MessageSource<Tx, Batch, Row>,
    owner: string,
    {
      row,
      dispatch,
      noTransaction,
    }: { readonly row: AttemptedRow; readonly dispatch: DispatchDecision; readonly noTransaction: NoTransaction },
  ): Promise<number | null> {
    const engine: SenderEngine = { ...sections, noTransaction }
    const began = performance.now()
    const line = getSender(app, row.channel)
    const allowed =
      !line || (line.description.rateLimit ? await engine.pace.acquire(line, subject.company_id, 1) : engine.pace.peek(line))
    const outcomes: DeliveryOutcome[] = []
    if (allowed === true || allowed.count > 0) {
      for (const { outcome } of await dispatchGroup(engine, [{ row, dispatch }], began)) if (outcome) outcomes.push(outcome)
    } else {
      const due_at = new Date(clock.now().getTime() + allowed.wait_ms)
      outcomes.push({ id: row.id, status: 'queued', due_at, last_unclear_at: null, uncounted: true })
    }
    await subject.inBatchTx(async (of) => subject.onSettled(of, await recordOutcomes(of, subject.table, owner, outcomes)))
    const [later] = outcomes.flatMap(({ due_at }) => due_at ?? [])
    return later ? Math.max(0, later.getTime() - clock.now().getTime()) : null
  }

  const owners: ReadonlySet<string> = alive
  return { run: rotate, sendFirstAttempt: firstTry, activeOwners: owners }
}
