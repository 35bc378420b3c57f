/** The state of a sender worker between its transactions, and the size of its next claim. */
import type { Channel } from '../contract/shared/schemas.ts'
import type { ChannelSender } from './channel-senders.ts'
import type { ConcurrencySlots } from './concurrency-slots.ts'
import { type DispatchDeps, getSender } from './dispatch.ts'
import type { ClaimedRow, DeliveryOutcome, NewRows } from './ledger.ts'

export type SenderLimits = {
  /** Number of rows claimed under a lease at once. */
  readonly claimSize: number
  /** Messages being sent at once, or as many as the carrier accepts in a call. */
  readonly maxInFlight: number
  /** Maximum number of messages counted, checked and recorded together (`rules/stage-size.ts`), at least one group. */
  readonly maxStageSize: number
  /** Time limit of a run, so that a small company waits only seconds behind a large one. */
  readonly runMs: number
  /** The longest wait within a run. */
  readonly maxInlineWaitMs: number
  /** A carrier that does not respond for this long has an unknown outcome; well within the lease. */
  readonly sendTimeoutMs: number
}

/** Shared by all runs of a process. */
export type SenderEngine = DispatchDeps & {
  readonly limits: SenderLimits
  /** Returns how many transactions this process has open, whatever their origin. */
  readonly countActiveTransactions: () => number
}

/** The state of one worker of a run between its transactions. */
export type SenderWorker = {
  readonly owner: string
  /** The second worker, which works only while the process is otherwise idle. */
  readonly isSecondary: boolean
  ready: readonly ClaimedRow[]
  outcomes: readonly DeliveryOutcome[]
  hasDirect: boolean
  /** The number of messages that the carrier's rate limit allows, and the time until the next one. */
  senderKey: string
  allowance: number
  pace_ms: number
}
/**
 * State shared by the workers of a run. A large batch has two: while the messages of one are being sent, the other
 * records its outcomes and counts its next ones.
 */
export type SharedRunState = {
  readonly endsAt: number
  readonly signal: AbortSignal
  readonly places: ConcurrencySlots
  /** The channel whose rows are claimed and started in one step, as long as such rows exist. */
  currentChannel: Channel | null
  errors: number
  rest_ms: number
  /** The number of messages sent together. */
  size: number
  /** Set when one worker failed, so that the other one ends too. */
  isEnded: boolean
  /** Open transactions of these workers, and when another one was last observed (performance.now). */
  ownTransactions: number
  lastOtherActivityAt: number
  /** Set when there is enough work for a second worker. */
  isLarge: boolean
  /** Pending update of the planner's statistics after many rows were written. */
  statisticsUpdate: Promise<void> | null
  /** Starts the second worker if it is not running. */
  startSecondWorker: () => void
}

/** For this long after other activity the sender uses one worker with small groups: users wait for pages, not for messages. */
const yieldAfterActivityMs = 500

/** Whether this process has other work: a request, another job. */
export function isProcessBusy(
  { countActiveTransactions }: Pick<SenderEngine, 'countActiveTransactions'>,
  both: SharedRunState,
): boolean {
  const now = performance.now()
  if (countActiveTransactions() > both.ownTransactions) both.lastOtherActivityAt = now
  return now - both.lastOtherActivityAt < yieldAfterActivityMs
}

/** The number of messages sent together now. */
const getStageSize = ({ size }: SharedRunState, line: ChannelSender | null): number =>
  Math.max(size, line?.description.maxPerCall ?? 1)

/**
 * Returns a request for claiming and starting rows in one step, where the rate limit need not be checked per message.
 * Null: rows are claimed first, and the limit is checked.
 */
export function getNewRowsRequest({ senders, pace }: SenderEngine, both: SharedRunState): NewRows | null {
  const { currentChannel } = both
  const line = currentChannel && getSender(senders, currentChannel)
  if (!line || line.description.rateLimit || pace.peek(line).count === 0) return null
  return { channel: currentChannel, count: getStageSize(both, line) }
}

/** Selects the next stage: of one channel, as many as are sent together and as the rate limit allows. */
export function selectStage(
  { senders }: SenderEngine,
  both: SharedRunState,
  { ready, allowance }: Pick<SenderWorker, 'ready' | 'allowance'>,
): readonly ClaimedRow[] {
  const [first] = ready
  if (!first) return []
  const most = getStageSize(both, getSender(senders, first.channel))
  const other = ready.findIndex((one) => one.channel !== first.channel)
  return ready.slice(0, Math.min(most, allowance, other < 0 ? most : other))
}

export async function requestAllowance(
  engine: SenderEngine,
  asker: string,
  both: SharedRunState,
  worker: SenderWorker,
): Promise<void> {
  worker.pace_ms = 0
  const channel = worker.ready[0]?.channel ?? both.currentChannel
  if (!channel) return
  const line = getSender(engine.senders, channel)
  if (line?.description.rateLimit && worker.allowance > 0 && worker.senderKey === line.key) return
  const want = selectStage(engine, both, { ready: worker.ready, allowance: Number.POSITIVE_INFINITY }).length
  const { count, wait_ms } = line ? await engine.pace.acquire(line, asker, want) : { count: want, wait_ms: 0 }
  Object.assign(worker, { senderKey: line?.key ?? '', allowance: count, pace_ms: wait_ms })
}
