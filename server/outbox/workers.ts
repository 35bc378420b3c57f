/**
 * The hands of a turn: each takes what is due, has it counted, hands it over and writes down what became of it, in a circle. A large lot has two: while
 * the messages of one are under way, what became of the other's is written and its next ones are counted.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { newId } from '../shared/ids.ts'
import { createSlots } from './concurrency-slots.ts'
import {
  type AttemptedRow,
  createCancelled,
  type DispatchDecision,
  dispatchGroup,
  finalizeWithoutRetry,
  resolveClaimed,
} from './dispatch.ts'
import {
  type ClaimedRow,
  type CompanyTx,
  claimRows,
  countPending,
  type DeliveryOutcome,
  recordOutcomes,
  releaseLeases,
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

type Done<Gate, Row> =
  | { readonly did: 'end'; readonly rest_ms: number | null }
  | { readonly did: 'nap'; readonly ms: number }
  | { readonly did: 'direct' | 'finish' }
  | { readonly did: 'claim'; readonly rows: ClaimedRow[]; readonly to: ReadonlyMap<string, string>; readonly lot: BatchSendState }
  | { readonly did: 'try'; readonly rows: Row[]; readonly gate: Gate; readonly tried: number }

const createRunState = ({ limits: { maxInFlight, runMs } }: SenderEngine, signal: AbortSignal): SharedRunState => ({
  endsAt: performance.now() + runMs,
  signal,
  places: createSlots(maxInFlight),
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
/** Only the first one does what goes `directly`. */
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

/** One hand, and a second one as soon as there is enough for it. What the last of them to end says is how the lot stands. */
export async function runSender<Of extends CompanyTx, Gate extends LockedBatch, Row extends AttemptedRow>(
  engine: SenderEngine,
  subject: MessageSource<Of, Gate, Row>,
  signal: AbortSignal,
  alive: Set<string>,
): Promise<number | null> {
  const both = createRunState(engine, signal)
  let rest_ms: number | null = null
  const hands: Promise<void>[] = []
  let second = false
  const work = async (isSecond: boolean): Promise<void> => {
    const owner = newId()
    if (isSecond) second = true
    alive.add(owner)
    try {
      rest_ms = await runWorker(engine, subject, both, createWorker(owner, isSecond, Boolean(subject.sendDirect)))
    } catch (error) {
      both.isEnded = true
      // What we hold is free at once instead of in a minute; if even that fails, the lease runs out.
      await subject.inBatchTx((of) => releaseLeases(of, subject.table, owner)).catch(() => undefined)
      throw error
    } finally {
      alive.delete(owner)
      if (isSecond) second = false
    }
  }
  const begin = (isSecond: boolean): void => {
    const hand = work(isSecond)
    // Heard below, once the one before has ended.
    hand.catch(() => undefined)
    hands.push(hand)
  }
  both.startSecondWorker = () => {
    if (!second) begin(true)
  }
  begin(false)
  // The first one to end may have begun the second.
  for (const hand of hands) await Promise.allSettled([hand])
  await both.statisticsUpdate
  await Promise.all(hands)
  return rest_ms
}

async function runWorker<Of extends CompanyTx, Gate extends LockedBatch, Row extends AttemptedRow>(
  engine: SenderEngine,
  subject: MessageSource<Of, Gate, Row>,
  both: SharedRunState,
  hand: SenderWorker,
): Promise<number | null> {
  const { limits } = engine
  for (;;) {
    const began = performance.now()
    const isShy = isProcessBusy(engine, both)
    if (isShy) both.size = limits.maxInFlight
    const tired = both.isEnded || both.signal.aborted || began > both.endsAt || (isShy && hand.isSecondary)
    if (!tired) await countTransaction(both, requestAllowance(engine, subject.company_id, both, hand))
    const done = await countTransaction(
      both,
      subject.inBatchTx((of) => performStep(engine, { subject, of, both, hand, tired })),
    )
    hand.outcomes = []
    if (done.did === 'end') return done.rest_ms
    if (done.did === 'finish')
      return countTransaction(
        both,
        subject.inBatchTx((of) => finishBatch(subject, of)),
      )
    if (done.did === 'nap') {
      await sleep(done.ms)
      both.rest_ms = 0
    }
    if (done.did === 'claim') {
      if (done.rows.length === limits.claimSize) {
        both.isLarge = true
        // Beside the first messages, which are few.
        both.statisticsUpdate ??= countTransaction(both, subject.onManyClaimed?.() ?? Promise.resolve()).catch(() => undefined)
      }
      Object.assign(hand, await resolveClaimed(engine, { ...done, withdrawn: subject.withdrawnMessage }))
    }
    if (done.did === 'try') {
      both.currentChannel = hand.ready[0]?.channel ?? both.currentChannel
      hand.ready = hand.ready.slice(done.tried)
      hand.allowance -= done.tried
      const stage = done.rows.map((row) => ({ row, departure: subject.decideDispatch(row, done.gate) }))
      await dispatchStage(engine, both, hand, { began, stage })
    }
  }
}

/** Its transactions are the hands' own. */
function countTransaction<T>(both: SharedRunState, work: Promise<T>): Promise<T> {
  both.ownTransactions += 1
  return work.finally(() => void (both.ownTransactions -= 1))
}

/** Rows whose try was counted at `began` (performance.now), and what they say to whom. */
type Stage = {
  readonly began: number
  readonly stage: readonly { readonly row: AttemptedRow; readonly departure: DispatchDecision }[]
}

/** Hands over what was just counted and looked at, and takes down what was said of it. */
async function dispatchStage(
  engine: SenderEngine,
  both: SharedRunState,
  hand: SenderWorker,
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
    const said = await dispatchGroup(engine, stage, began, { maxInFlight: maxInFlight, slots: places, canSend: mayLeave, onLast: last })
    return { results: said, took_ms: performance.now() - from }
  })
  const isCalm = results.every(({ error, pauseMs }) => !error && pauseMs === 0)
  if (!isCalm) both.size = maxInFlight
  else if (stage.length >= both.size)
    both.size = getNextStageSize({ size: both.size, took_ms, min: maxInFlight, max: Math.max(maxInFlight, most) })
  // Not before the carrier has shown that it is there.
  if (isCalm && both.isLarge && !isProcessBusy(engine, both)) both.startSecondWorker()
  for (const { outcome, error, pauseMs } of results) {
    both.rest_ms = Math.max(both.rest_ms, pauseMs)
    both.errors = error ? both.errors + 1 : outcome?.status === 'accepted' ? 0 : both.errors
  }
  hand.outcomes = results.flatMap(({ outcome }) => (outcome ? [outcome] : []))
}

type InLot<Of extends CompanyTx, Gate extends LockedBatch, Row extends AttemptedRow> = {
  readonly subject: MessageSource<Of, Gate, Row>
  readonly of: Of
  readonly both: SharedRunState
  readonly hand: SenderWorker
  readonly tired: boolean
}

/** Writes what the last step came to, and does the next one as far as it belongs into the transaction. */
async function performStep<Of extends CompanyTx, Gate extends LockedBatch, Row extends AttemptedRow>(
  engine: SenderEngine,
  { subject, of, both, hand, tired }: InLot<Of, Gate, Row>,
): Promise<Done<Gate, Row>> {
  const gate = await subject.lockBatch(of, 'share')
  if (!gate) return { did: 'end', rest_ms: null }
  const { owner, ready, hasDirect, pace_ms } = hand
  const write = async (outcomes: readonly DeliveryOutcome[]) =>
    subject.onSettled(of, await recordOutcomes(of, subject.table, owner, outcomes))
  const sure = finalizeWithoutRetry(subject.withdrawnMessage)
  if (hand.outcomes.length > 0) await write(gate.state === 'withdrawn' ? hand.outcomes.map(sure) : hand.outcomes)
  const { errors, rest_ms } = both
  const { maxInlineWaitMs } = engine.limits
  const step = decideNextStep({ batch: gate.state, ready: ready.length, direct: hasDirect, mustStop: tired, pauseMs: rest_ms, rateWaitMs: pace_ms, maxInlineWaitMs, errors })
  switch (step.step) {
    case 'stop':
      return { did: 'end', rest_ms: null }
    case 'rest':
      if (step.cancel) await write(ready.map(({ id }) => createCancelled(id, subject.withdrawnMessage)))
      await releaseLeases(of, subject.table, owner)
      return { did: 'end', rest_ms: step.ms }
    case 'nap':
      return { did: 'nap', ms: step.ms }
    case 'try': {
      const ids = selectStage(engine, both, hand).map(({ id }) => id)
      const rows = await startAttempts(of, subject.table, { owner, read: subject.selectAttempted(of) }, ids)
      return { did: 'try', gate, rows, tried: ids.length }
    }
    case 'direct':
      hand.hasDirect = ((await subject.sendDirect?.(of)) ?? 0) > 0
      return { did: 'direct' }
    case 'claim': {
      const fresh = step.scope === 'due' ? getNewRowsRequest(engine, both) : null
      const begun = fresh ? await startFirstAttempts(of, subject.table, { owner, read: subject.selectAttempted(of) }, fresh) : []
      if (begun.length > 0) return { did: 'try', gate, rows: begun, tried: 0 }
      both.currentChannel = null
      const rows = await claimRows(of, subject.table, { owner, which: step.scope, count: engine.limits.claimSize })
      if (rows.length === 0) return { did: 'finish' }
      const unclear = rows.filter((row) => row.attempts > 0)
      const to = unclear.length > 0 ? await subject.getAddresses(of, unclear) : new Map<string, string>()
      return { did: 'claim', rows, to, lot: gate.state }
    }
  }
}

/** Nothing can be taken now: either it is a matter of time, or the lot is done. */
async function finishBatch<Of extends CompanyTx, Gate extends LockedBatch, Row extends AttemptedRow>(
  subject: MessageSource<Of, Gate, Row>,
  of: Of,
): Promise<number | null> {
  const gate = await subject.lockBatch(of, 'update')
  if (!gate) return null
  const active = gate.state === 'active'
  const open = await countPending(of, subject.table, active)
  if (open.count > 0) return Math.min(maxPauseMs, Math.max(1000, (open.next?.getTime() ?? 0) - of.now.getTime()))
  if (active) await subject.onFinished(of)
  return null
}
