/**
 * The workers of a run: each claims due rows, counts their attempt, sends them and records the outcomes, in a loop. A
 * large batch has two: while the messages of one are being sent, the other records its outcomes and counts its next
 * ones.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import type { CompanyTimeTx } from '../database/company-tx.ts'
import { newId } from '../shared/ids.ts'
import { createSemaphore } from './concurrency-slots.ts'
import {
  type AttemptedRow,
  createCancelledOutcome,
  type DispatchDecision,
  dispatchGroup,
  finalizeWithoutRetry,
  resolveClaimedDeliveries,
} from './dispatch.ts'
import {
  type ClaimedRow,
  claimRows,
  countPending,
  type DeliveryOutcome,
  recordOutcomes,
  releaseLeases,
  repairFutureInstants,
  startAttempts,
  startFirstAttempts,
} from './ledger.ts'
import type { LockedBatch, MessageSource } from './message-source.ts'
import { type BatchSendState, decideNextStep, maxConsecutiveErrors } from './rules/next-step.ts'
import { maxPauseMs } from './rules/outcome.ts'
import { getNextStageSize, maxStageAgeMs } from './rules/stage-size.ts'
import {
  getNewRowsRequest,
  isProcessBusy,
  requestAllowance,
  type SenderEngine,
  type SenderWorker,
  type SharedRunState,
  selectStage,
} from './worker-state.ts'

type Done<Batch, Row> =
  | { readonly did: 'end'; readonly rest_ms: number | null }
  | { readonly did: 'nap'; readonly ms: number }
  | { readonly did: 'direct' | 'finish' }
  | {
      readonly did: 'claim'
      readonly rows: ClaimedRow[]
      readonly to: ReadonlyMap<string, string>
      readonly batch: BatchSendState
    }
  | { readonly did: 'try'; readonly rows: Row[]; readonly batch: Batch; readonly tried: number }

const createRunState = ({ limits: { maxInFlight, runMs } }: SenderEngine, signal: AbortSignal): SharedRunState => ({
  endsAt: performance.now() + runMs,
  signal,
  places: createSemaphore(maxInFlight),
  currentChannel: null,
  errors: 0,
  rest_ms: 0,
  size: maxInFlight,
  isEnded: false,
  ownTransactions: 0,
  lastOtherActivityAt: Number.NEGATIVE_INFINITY,
  isLarge: false,
  statisticsUpdate: null,
  startSecondWorker: () => undefined,
})
/** Only the first worker does direct deliveries (`directly`). */
const createWorker = (owner: string, isSecond: boolean, directly: boolean): SenderWorker => ({
  owner,
  isSecondary: isSecond,
  ready: [],
  outcomes: [],
  hasDirect: !isSecond && directly,
  senderKey: '',
  allowance: 0,
  pace_ms: 0,
})

/** Runs one worker, and a second once there is enough work. The result of the last to end is the state of the batch. */
export async function runSender<Tx extends CompanyTimeTx, Batch extends LockedBatch, Row extends AttemptedRow>(
  engine: SenderEngine,
  subject: MessageSource<Tx, Batch, Row>,
  signal: AbortSignal,
  alive: Set<string>,
): Promise<number | null> {
  const both = createRunState(engine, signal)
  let rest_ms: number | null = null
  const workers: Promise<void>[] = []
  let second = false
  const work = async (isSecond: boolean): Promise<void> => {
    const owner = newId()
    if (isSecond) second = true
    alive.add(owner)
    try {
      rest_ms = await runWorker(engine, subject, both, createWorker(owner, isSecond, Boolean(subject.sendDirect)))
    } catch (error) {
      both.isEnded = true
      // Releases the leases at once instead of after a minute; if even that fails, they expire.
      await subject.inBatchTx((tx) => releaseLeases(tx, subject.table, owner)).catch(() => undefined)
      throw error
    } finally {
      alive.delete(owner)
      if (isSecond) second = false
    }
  }
  const begin = (isSecond: boolean): void => {
    const worker = work(isSecond)
    // The error is handled below, once the previous worker has ended.
    worker.catch(() => undefined)
    workers.push(worker)
  }
  both.startSecondWorker = () => {
    if (!second) begin(true)
  }
  begin(false)
  // The first worker to end may have started the second.
  for (const worker of workers) await Promise.allSettled([worker])
  await both.statisticsUpdate
  await Promise.all(workers)
  return rest_ms
}

async function runWorker<Tx extends CompanyTimeTx, Batch extends LockedBatch, Row extends AttemptedRow>(
  engine: SenderEngine,
  subject: MessageSource<Tx, Batch, Row>,
  both: SharedRunState,
  worker: SenderWorker,
): Promise<number | null> {
  const { limits } = engine
  for (;;) {
    const began = performance.now()
    const isShy = isProcessBusy(engine, both)
    if (isShy) both.size = limits.maxInFlight
    const tired = both.isEnded || both.signal.aborted || began > both.endsAt || (isShy && worker.isSecondary)
    if (!tired) await countTransaction(both, requestAllowance(engine, subject.company_id, both, worker))
    const done = await countTransaction(
      both,
      subject.inBatchTx((tx) => performStep(engine, { subject, tx, both, worker, tired })),
    )
    worker.outcomes = []
    if (done.did === 'end') return done.rest_ms
    if (done.did === 'finish')
      return countTransaction(
        both,
        subject.inBatchTx((tx) => finishBatch(subject, tx)),
      )
    if (done.did === 'nap') {
      await sleep(done.ms)
      both.rest_ms = 0
    }
    if (done.did === 'claim') {
      if (done.rows.length === limits.claimSize) {
        both.isLarge = true
        // The update runs in parallel with the first messages, which are few.
        both.statisticsUpdate ??= countTransaction(both, subject.onManyClaimed?.() ?? Promise.resolve()).catch(() => undefined)
      }
      Object.assign(worker, await resolveClaimedDeliveries(engine, { ...done, withdrawn: subject.withdrawnMessage }))
    }
    if (done.did === 'try') {
      both.currentChannel = worker.ready[0]?.channel ?? both.currentChannel
      worker.ready = worker.ready.slice(done.tried)
      worker.allowance -= done.tried
      const stage = done.rows.map((row) => ({ row, dispatch: subject.decideDispatch(row, done.batch) }))
      await dispatchStage(engine, both, worker, { began, stage })
    }
  }
}

/** Counts its transaction as one of the workers' own. */
function countTransaction<T>(both: SharedRunState, work: Promise<T>): Promise<T> {
  both.ownTransactions += 1
  return work.finally(() => void (both.ownTransactions -= 1))
}

/** Rows whose attempt was counted at `began` (performance.now), with recipients and content. */
type Stage = {
  readonly began: number
  readonly stage: readonly { readonly row: AttemptedRow; readonly dispatch: DispatchDecision }[]
}

/** Sends the messages that were just counted and checked, and records the outcomes. */
async function dispatchStage(
  engine: SenderEngine,
  both: SharedRunState,
  worker: SenderWorker,
  { began, stage }: Stage,
): Promise<void> {
  const { maxInFlight, maxStageSize: most } = engine.limits
  const mayLeave = () =>
    !both.isEnded &&
    !both.signal.aborted &&
    both.rest_ms === 0 &&
    both.errors < maxConsecutiveErrors &&
    performance.now() - began < maxStageAgeMs
  const { places } = both
  const { results, took_ms } = await places.runInOrder(async (last) => {
    const from = performance.now()
    const messages = await dispatchGroup(engine, stage, began, {
      maxInFlight,
      slots: places,
      canSend: mayLeave,
      onLast: last,
    })
    return { results: messages, took_ms: performance.now() - from }
  })
  const isCalm = results.every(({ error, pauseMs }) => !error && pauseMs === 0)
  if (!isCalm) both.size = maxInFlight
  else if (stage.length >= both.size)
    both.size = getNextStageSize({ size: both.size, took_ms, min: maxInFlight, max: Math.max(maxInFlight, most) })
  // The second worker is started only after the carrier has responded.
  if (isCalm && both.isLarge && !isProcessBusy(engine, both)) both.startSecondWorker()
  for (const { outcome, error, pauseMs } of results) {
    both.rest_ms = Math.max(both.rest_ms, pauseMs)
    both.errors = error ? both.errors + 1 : outcome?.status === 'accepted' ? 0 : both.errors
  }
  worker.outcomes = results.flatMap(({ outcome }) => (outcome ? [outcome] : []))
}

type InBatch<Tx extends CompanyTimeTx, Batch extends LockedBatch, Row extends AttemptedRow> = {
  readonly subject: MessageSource<Tx, Batch, Row>
  readonly tx: Tx
  readonly both: SharedRunState
  readonly worker: SenderWorker
  readonly tired: boolean
}

/** Records the outcomes of the last step, and executes the transactional part of the next one. */
async function performStep<Tx extends CompanyTimeTx, Batch extends LockedBatch, Row extends AttemptedRow>(
  engine: SenderEngine,
  { subject, tx, both, worker, tired }: InBatch<Tx, Batch, Row>,
): Promise<Done<Batch, Row>> {
  const lock = await subject.lockBatch(tx, 'share')
  if (!lock) return { did: 'end', rest_ms: null }
  const { owner, ready, hasDirect, pace_ms } = worker
  const write = async (outcomes: readonly DeliveryOutcome[]) =>
    subject.onSettled(tx, await recordOutcomes(tx, subject.table, owner, outcomes))
  const sure = finalizeWithoutRetry(subject.withdrawnMessage)
  if (worker.outcomes.length > 0) await write(lock.state === 'withdrawn' ? worker.outcomes.map(sure) : worker.outcomes)
  const { errors, rest_ms } = both
  const { maxInlineWaitMs } = engine.limits
  const step = decideNextStep({
    batch: lock.state,
    ready: ready.length,
    direct: hasDirect,
    mustStop: tired,
    pauseMs: rest_ms,
    rateWaitMs: pace_ms,
    maxInlineWaitMs,
    errors,
  })
  switch (step.step) {
    case 'stop':
      return { did: 'end', rest_ms: null }
    case 'rest':
      if (step.cancel) await write(ready.map(({ id }) => createCancelledOutcome(id, subject.withdrawnMessage)))
      await releaseLeases(tx, subject.table, owner)
      return { did: 'end', rest_ms: step.ms }
    case 'nap':
      return { did: 'nap', ms: step.ms }
    case 'try': {
      const ids = selectStage(engine, both, worker).map(({ id }) => id)
      const rows = await startAttempts(tx, subject.table, { owner, read: subject.selectAttempted(tx) }, ids)
      return { did: 'try', batch: lock, rows, tried: ids.length }
    }
    case 'direct':
      worker.hasDirect = ((await subject.sendDirect?.(tx)) ?? 0) > 0
      return { did: 'direct' }
    case 'claim': {
      const fresh = step.scope === 'due' ? getNewRowsRequest(engine, both) : null
      const started = fresh
        ? await startFirstAttempts(tx, subject.table, { owner, read: subject.selectAttempted(tx) }, fresh)
        : []
      if (started.length > 0) return { did: 'try', batch: lock, rows: started, tried: 0 }
      both.currentChannel = null
      const rows = await claimRows(tx, subject.table, { owner, which: step.scope, count: engine.limits.claimSize })
      if (rows.length === 0) return { did: 'finish' }
      const unclear = rows.filter((row) => row.attempts > 0)
      const to = unclear.length > 0 ? await subject.getAddresses(tx, unclear) : new Map<string, string>()
      return { did: 'claim', rows, to, batch: lock.state }
    }
  }
}

/** Handles the case that no row can be claimed: either rows become due later, or the batch is done. */
async function finishBatch<Tx extends CompanyTimeTx, Batch extends LockedBatch, Row extends AttemptedRow>(
  subject: MessageSource<Tx, Batch, Row>,
  tx: Tx,
): Promise<number | null> {
  const lock = await subject.lockBatch(tx, 'update')
  if (!lock) return null
  const active = lock.state === 'active'
  let open = await countPending(tx, subject.table, active)
  if (open.count > 0 && (await repairFutureInstants(tx, subject.table, active && !lock.hasScheduledRows)) > 0)
    open = await countPending(tx, subject.table, active)
  if (open.count > 0) return Math.min(maxPauseMs, Math.max(1000, (open.next?.getTime() ?? 0) - tx.now.getTime()))
  if (active) await subject.onFinished(tx)
  return null
}
