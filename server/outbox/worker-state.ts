/** What a hand of the sender holds between its transactions, and how much it takes next. */
import type { Channel } from '../contract/shared/schemas.ts'
import type { ChannelSender } from './channel-senders.ts'
import type { ConcurrencySlots } from './concurrency-slots.ts'
import { type DispatchDeps, getSender } from './dispatch.ts'
import type { ClaimedRow, DeliveryOutcome, NewRows } from './ledger.ts'

export type SenderLimits = {
  /** Rows taken under a lease at once. */
  readonly claimSize: number
  /** Messages under way at once, or as many as the carrier takes in a call. */
  readonly maxInFlight: number
  /** Most messages that are counted, asked for again and marked together: as many as leave within a blink (`rules/stage.ts`), a group at least. */
  readonly maxStageSize: number
  /** A turn ends after so long, so that a small company waits seconds behind a large one. */
  readonly runMs: number
  /** A turn stays for a wait of so long. */
  readonly maxInlineWaitMs: number
  /** A carrier that says nothing for so long has an unknown outcome; well within the lease. */
  readonly sendTimeoutMs: number
}

/** What all turns of a process have in common. */
export type SenderEngine = DispatchDeps & {
  readonly limits: SenderLimits
  /** How many transactions this process has open, whosever they are. */
  readonly countActiveTransactions: () => number
}

/** What one of a turn's hands holds between its transactions. */
export type SenderWorker = {
  readonly owner: string
  /** Only while nobody else is at work here. */
  readonly isSecondary: boolean
  ready: readonly ClaimedRow[]
  outcomes: readonly DeliveryOutcome[]
  hasDirect: boolean
  /** So many the pace of this line lets go, and how long it takes until the next one may. */
  senderKey: string
  allowance: number
  pace_ms: number
}
/**
 * What the hands of a turn share. A large lot has two: while the messages of one are under way, what became of the other's is written down and
 * its next ones are counted.
 */
export type SharedRunState = {
  readonly endsAt: number
  readonly signal: AbortSignal
  readonly places: ConcurrencySlots
  /** The channel whose rows are taken and begun at once, as long as there are such. */
  currentChannel: Channel | null
  errors: number
  rest_ms: number
  /** How many go together. */
  size: number
  /** One of them failed: the other one ends, too. */
  isEnded: boolean
  /** Transactions of these hands that are open, and when somebody else's was last seen (performance.now). */
  ownTransactions: number
  lastOtherActivityAt: number
  /** There is enough for a second hand. */
  isLarge: boolean
  /** While the planner is told that many rows were written. */
  statisticsUpdate: Promise<void> | null
  /** Begins it, where there is none. */
  startSecondWorker: () => void
}

/** So long after somebody else was at work the post goes about its own with one hand, a few at a time: a page is waited for, a message is not. */
const yieldAfterActivityMs = 500

/** Whether somebody else is at work in this process: a request, another job. */
export function isProcessBusy(
  { countActiveTransactions }: Pick<SenderEngine, 'countActiveTransactions'>,
  both: SharedRunState,
): boolean {
  const now = performance.now()
  if (countActiveTransactions() > both.ownTransactions) both.lastOtherActivityAt = now
  return now - both.lastOtherActivityAt < yieldAfterActivityMs
}

/** How many go together now. */
const getStageSize = ({ size }: SharedRunState, line: ChannelSender | null): number =>
  Math.max(size, line?.description.maxPerCall ?? 1)

/** Where the pace needs not be asked message by message rows are taken as they leave. Null: they are claimed first, and asked for. */
export function getNewRowsRequest({ senders, pace }: SenderEngine, both: SharedRunState): NewRows | null {
  const { currentChannel } = both
  const line = currentChannel && getSender(senders, currentChannel)
  if (!line || line.description.rateLimit || pace.peek(line).count === 0) return null
  return { channel: currentChannel, count: getStageSize(both, line) }
}

/** The next stage: of one channel, as many as go together and as the pace lets go. */
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
