/** What a hand of the sender holds between its transactions, and how much it takes next. */
import type { Channel } from '../contract/shared/schemas.ts'
import type { ChannelSender } from './channel-senders.ts'
import type { ConcurrencySlots } from './concurrency-slots.ts'
import { type DispatchDeps, getSender } from './dispatch.ts'
import type { ClaimedRow, DeliveryOutcome, NewRows } from './ledger.ts'

export type SenderLimits = {
  /** Rows taken under a lease at once. */
  readonly chunk: number
  /** Messages under way at once, or as many as the carrier takes in a call. */
  readonly group: number
  /** Most messages that are counted, asked for again and marked together: as many as leave within a blink (`rules/stage.ts`), a group at least. */
  readonly stage: number
  /** A turn ends after so long, so that a small company waits seconds behind a large one. */
  readonly turn_ms: number
  /** A turn stays for a wait of so long. */
  readonly nap_ms: number
  /** A carrier that says nothing for so long has an unknown outcome; well within the lease. */
  readonly patience_ms: number
}

/** What all turns of a process have in common. */
export type SenderEngine = DispatchDeps & {
  readonly within: SenderLimits
  /** How many transactions this process has open, whosever they are. */
  readonly underWay: () => number
}

/** What one of a turn's hands holds between its transactions. */
export type SenderWorker = {
  readonly owner: string
  /** Only while nobody else is at work here. */
  readonly second: boolean
  ready: readonly ClaimedRow[]
  outcomes: readonly DeliveryOutcome[]
  direct: boolean
  /** So many the pace of this line lets go, and how long it takes until the next one may. */
  line: string
  room: number
  pace_ms: number
}
/**
 * What the hands of a turn share. A large lot has two: while the messages of one are under way, what became of the other's is written down and
 * its next ones are counted.
 */
export type SharedRunState = {
  readonly ends: number
  readonly signal: AbortSignal
  readonly places: ConcurrencySlots
  /** The channel whose rows are taken and begun at once, as long as there are such. */
  of: Channel | null
  errors: number
  rest_ms: number
  /** How many go together. */
  size: number
  /** One of them failed: the other one ends, too. */
  over: boolean
  /** Transactions of these hands that are open, and when somebody else's was last seen (performance.now). */
  inside: number
  seen_at: number
  /** There is enough for a second hand. */
  large: boolean
  /** While the planner is told that many rows were written. */
  counted: Promise<void> | null
  /** Begins it, where there is none. */
  more: () => void
}

/** So long after somebody else was at work the post goes about its own with one hand, a few at a time: a page is waited for, a message is not. */
const yieldAfterActivityMs = 500

/** Whether somebody else is at work in this process: a request, another job. */
export function isProcessBusy({ underWay }: Pick<SenderEngine, 'underWay'>, both: SharedRunState): boolean {
  const now = performance.now()
  if (underWay() > both.inside) both.seen_at = now
  return now - both.seen_at < yieldAfterActivityMs
}

/** How many go together now. */
const getStageSize = ({ size }: SharedRunState, line: ChannelSender | null): number =>
  Math.max(size, line?.description.at_once ?? 1)

/** Where the pace needs not be asked message by message rows are taken as they leave. Null: they are claimed first, and asked for. */
export function getNewRowsRequest({ lines, pace }: SenderEngine, both: SharedRunState): NewRows | null {
  const { of } = both
  const line = of && getSender(lines, of)
  if (!line || line.description.pace || pace.heard(line).count === 0) return null
  return { channel: of, count: getStageSize(both, line) }
}

/** The next stage: of one channel, as many as go together and as the pace lets go. */
export function selectStage(
  { lines }: SenderEngine,
  both: SharedRunState,
  { ready, room }: Pick<SenderWorker, 'ready' | 'room'>,
): readonly ClaimedRow[] {
  const [first] = ready
  if (!first) return []
  const most = getStageSize(both, getSender(lines, first.channel))
  const other = ready.findIndex((one) => one.channel !== first.channel)
  return ready.slice(0, Math.min(most, room, other < 0 ? most : other))
}

export async function requestAllowance(
  engine: SenderEngine,
  asker: string,
  both: SharedRunState,
  hand: SenderWorker,
): Promise<void> {
  hand.pace_ms = 0
  const channel = hand.ready[0]?.channel ?? both.of
  if (!channel) return
  const line = getSender(engine.lines, channel)
  if (line?.description.pace && hand.room > 0 && hand.line === line.key) return
  const want = selectStage(engine, both, { ready: hand.ready, room: Number.POSITIVE_INFINITY }).length
  const { count, wait_ms } = line ? await engine.pace.allow(line, asker, want) : { count: want, wait_ms: 0 }
  Object.assign(hand, { line: line?.key ?? '', room: count, pace_ms: wait_ms })
}
