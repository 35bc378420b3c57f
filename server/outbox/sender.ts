/**
 * The sender: takes what a lot has in its book out into the world.
 *
 * Doing a turn twice, in two processes, or again after a crash at any point is harmless: a row is taken under a lease that only one
 * sender holds; every try is counted before the message leaves; a row whose last try has an unknown outcome is looked up at the
 * carrier, by its own unchanging id, before anything is repeated; and results are written only by the holder of the lease.
 * No transaction is open around a message that is under way. What comes next is decided in `rules/next.ts`; here it is only done.
 */

import type { Database } from '../database/database.ts'
import type { NoTransaction } from '../database/no-transaction.ts'
import type { Clock } from '../shared/clock.ts'
import { createCarrierRateLimiter } from './carrier-rate.ts'
import type { ChannelSenders } from './channel-senders.ts'
import { type AttemptedRow, type DispatchDecision, dispatchGroup, getSender } from './dispatch.ts'
import { type CompanyTx, type DeliveryOutcome, recordOutcomes } from './ledger.ts'
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

/** When a turn is to end, and that no transaction is open around it. */
export type SenderContext = { readonly signal: AbortSignal; readonly noTransaction: NoTransaction }

/** Turns of this process. Their owners are alive: leases of anybody else belong to another node, or to the dead. */
export function createSender({ database, clock, lines, limits }: SenderDeps) {
  const within: SenderLimits = { ...defaultLimits, ...limits }
  const { sms } = lines
  // What is tried without a turn (a code) leaves by the house's own lines.
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

  /** Answers how long to rest before the next turn; null when nothing is left to do. */
  async function rotate<Of extends CompanyTx, Gate extends LockedBatch, Row extends AttemptedRow>(
    subject: MessageSource<Of, Gate, Row>,
    { signal, noTransaction }: SenderContext,
  ): Promise<number | null> {
    const wait_ms = (await (subject.start && subject.inBatchTx(subject.start))) ?? null
    if (wait_ms !== null) return wait_ms
    const email = await lines.getMailSender(subject.company_id)
    const platform = await lines.getPlatformSender(subject.company_id)
    return runSender({ ...sections, noTransaction, senders: { ...app, email, platform } }, subject, signal, alive)
  }

  /**
   * The first try of a row that was written as begun: leased by `owner`, one try counted. It needs no turn; should this process die, the
   * next turn finds a lease that has run out, and asks the carrier. Answers as `turn` does.
   */
  async function firstTry<Of extends CompanyTx, Gate extends LockedBatch, Row extends AttemptedRow>(
    subject: MessageSource<Of, Gate, Row>,
    owner: string,
    {
      row,
      dispatch,
      noTransaction,
    }: { readonly row: AttemptedRow; readonly dispatch: DispatchDecision; readonly noTransaction: NoTransaction },
  ): Promise<number | null> {
    const engine: SenderEngine = { ...sections, noTransaction: noTransaction }
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
