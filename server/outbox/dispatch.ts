/**
 * Sends a group of messages through carriers, and interprets an acceptance, a rejection, a missing response or a
 * request to slow down for the ledger. No transaction is open here.
 */
import type { LookupOutcome, SendOutcome } from '../../platform/carrier.ts'
import type { MessageContent } from '../contract/messages/sms-templates.ts'
import { type Channel, maskMobile } from '../contract/shared/schemas.ts'
import type { NoTransaction } from '../database/no-transaction.ts'
import type { Clock } from '../shared/clock.ts'
import type { CarrierRateLimiter } from './carrier-rate.ts'
import { type ChannelSender, type CompanySenders, findDeliveries, sendMessages } from './channel-senders.ts'
import type { ConcurrencySlots } from './concurrency-slots.ts'
import { type ClaimedRow, type DeliveryOutcome, leaseMs } from './ledger.ts'
import { type BatchSendState, maxConsecutiveErrors } from './rules/next-step.ts'
import { clampPauseMs, decideAfterError, decideAfterLookup, getBackoffMs, getLookupDelayMs } from './rules/outcome.ts'

/** The subject's decision right before a message is sent: whether it is still wanted, its address, and its content. */
export type DispatchDecision =
  | {
      readonly send: true
      readonly to: string
      readonly message: MessageContent
      /** Masked: displayed in the demo. */
      readonly name?: string
      /** A phone that a carrier's error message may contain; it is displayed masked. */
      readonly maskedPhone?: string
    }
  | { readonly send: false; readonly status: 'cancelled' | 'failed'; readonly code: string; readonly message: string }

/** A row whose attempt has started. */
export type AttemptedRow = { readonly id: string; readonly channel: Channel; readonly attempts: number }

/**
 * If `outcome` is null, the lease of the row was lost. `error` means that there was no response; `pauseMs` is the pause
 * that the carrier requested.
 */
export type AttemptResult = { readonly outcome: DeliveryOutcome | null; readonly error: boolean; readonly pauseMs: number }

export const unknownOutcome = {
  code: 'unknown',
  message: '多次尝试后仍不能确认是否送达，系统不会自动重发；可联系员工确认，或再提醒一次',
}
const no_line = { code: 'not_configured', message: '这个渠道还没有配置，请改用其他渠道' }

export type DispatchDeps = {
  readonly noTransaction: NoTransaction
  readonly clock: Clock
  readonly senders: CompanySenders
  readonly pace: CarrierRateLimiter
  readonly sendTimeoutMs: number
}

/** Limits the concurrent calls, and checks right before each whether it may be sent. `last`: the last one is next. */
export type DispatchLimits = {
  readonly maxInFlight: number
  readonly slots: Pick<ConcurrencySlots, 'run'>
  canSend(): boolean
  onLast(): void
}
const unlimitedDispatch: DispatchLimits = {
  maxInFlight: Number.POSITIVE_INFINITY,
  slots: { run: (work) => work() },
  canSend: () => true,
  onLast: () => undefined,
}

export const getSender = (lines: CompanySenders, channel: Channel): ChannelSender | null =>
  channel === 'link' ? null : lines[channel]

type Ready = { readonly id: string; readonly to: string; readonly message: MessageContent; readonly name?: string }
/** `held` means that the message was not sent because it was too late. */
type Message = SendOutcome | { readonly id: string; readonly result: 'held' }

/** Sends a group; returns one result per row. `began` (performance.now) is when its attempts were counted. */
export async function dispatchGroup(
  sections: DispatchDeps,
  group: readonly { readonly row: AttemptedRow; readonly dispatch: DispatchDecision }[],
  began: number,
  at: DispatchLimits = unlimitedDispatch,
): Promise<AttemptResult[]> {
  const { clock, senders, sendTimeoutMs } = sections
  // A process that was suspended and resumed may have lost the lease long ago: then the row belongs to another worker.
  const isOurs = () => performance.now() - began <= leaseMs - sendTimeoutMs
  if (!isOurs()) return group.map(() => plainResult(null))
  const content = new Map<string, Message>()
  const byLine = Map.groupBy(group, ({ row }) => getSender(senders, row.channel))
  await Promise.all(
    [...byLine].map(async ([line, some]) => {
      const messages = some.flatMap(({ row: { id }, dispatch }) => (dispatch.send ? [{ id, ...dispatch }] : []))
      if (!line) return
      const mayLeave = () => isOurs() && at.canSend()
      for (const one of await sendInCalls(sections, line, messages, { ...at, canSend: mayLeave })) content.set(one.id, one)
    }),
  )
  return group.map(({ row, dispatch }) => {
    if (!dispatch.send) {
      const { send: _, ...result } = dispatch
      return plainResult({ id: row.id, ...result })
    }
    if (!getSender(senders, row.channel)) return plainResult({ id: row.id, status: 'failed', ...no_line })
    return toAttemptResult(row, dispatch, content.get(row.id), clock.now())
  })
}

/** Sends call after call with as many messages as the carrier accepts. Stops when asked to slow down or unanswered. */
async function sendInCalls(
  { noTransaction, pace, sendTimeoutMs }: DispatchDeps,
  line: ChannelSender,
  messages: readonly Ready[],
  { maxInFlight, slots, canSend, onLast }: DispatchLimits,
): Promise<Message[]> {
  const content: Message[] = []
  let isOpen = true
  let silent = 0
  const { maxPerCall } = line.description
  let from = 0
  const worker = async () => {
    while (from < messages.length) {
      const some = messages.slice(from, from + maxPerCall)
      from += maxPerCall
      await slots.run(async () => {
        if (from >= messages.length) onLast()
        if (!isOpen || !canSend()) return void content.push(...some.map(({ id }) => ({ id, result: 'held' as const })))
        const outcomes = await sendMessages(noTransaction, line, some, sendTimeoutMs)
        content.push(...outcomes)
        for (const { result } of outcomes) silent = result === 'unclear' ? silent + 1 : 0
        // Applies to everyone who shares the carrier. A limit on a single address does not delay others.
        const rests = outcomes.flatMap((one) =>
          one.result === 'put_off' && !one.recipientOnly ? [clampPauseMs(one.retryAfterSeconds)] : [],
        )
        if (rests.length > 0 || silent >= maxConsecutiveErrors) isOpen = false
        if (rests.length > 0) await pace.pause(line, Math.max(...rests))
      })
    }
  }
  const workers = Math.min(Math.ceil(messages.length / maxPerCall), Math.max(1, Math.ceil(maxInFlight / maxPerCall)))
  await Promise.all(Array.from({ length: workers }, worker))
  return content
}

const plainResult = (outcome: DeliveryOutcome | null): AttemptResult => ({ outcome, error: false, pauseMs: 0 })

function toAttemptResult(
  { id, attempts }: AttemptedRow,
  { maskedPhone }: Extract<DispatchDecision, { send: true }>,
  message: Message | undefined,
  now: Date,
): AttemptResult {
  if (message?.result === 'accepted') return plainResult({ id, status: 'accepted', ref: message.ref })
  if (message?.result === 'refused')
    return plainResult({ id, status: 'failed', code: message.code, message: formatErrorMessage(message.message, maskedPhone) })
  if (message?.result === 'put_off') {
    // Certainly not accepted, so the attempt does not count. An earlier attempt of the same row was looked up right
    // before this one and not found; it is looked up again before the next.
    const wait_ms = clampPauseMs(message.retryAfterSeconds)
    const due_at = new Date(now.getTime() + wait_ms)
    const reason =
      message.message === undefined ? {} : { code: message.code ?? '', message: formatErrorMessage(message.message, maskedPhone) }
    const outcome: DeliveryOutcome = {
      id,
      status: 'queued',
      due_at,
      last_unclear_at: attempts > 1 ? now : null,
      uncounted: true,
      ...reason,
    }
    // A limit on a single address does not delay others.
    return { outcome, error: false, pauseMs: message.recipientOnly ? 0 : wait_ms }
  }
  if (message?.result === 'held')
    return plainResult({ id, status: 'queued', due_at: now, last_unclear_at: attempts > 1 ? now : null, uncounted: true })
  if (decideAfterError(attempts) === 'unknown')
    return { outcome: { id, status: 'unknown', ...unknownOutcome }, error: true, pauseMs: 0 }
  const due_at = new Date(now.getTime() + getBackoffMs(attempts, Math.random()))
  return { outcome: { id, status: 'queued', due_at, last_unclear_at: now }, error: true, pauseMs: 0 }
}

/** A carrier's message may contain the phone; it is displayed, so it is masked and shortened. */
function formatErrorMessage(message: string, hide: string | undefined): string {
  const text = hide ? message.replaceAll(hide, maskMobile(hide)) : message
  return text.slice(0, 200) || '渠道拒绝了这条消息'
}

type ClaimedOfBatch = {
  readonly rows: readonly ClaimedRow[]
  readonly to: ReadonlyMap<string, string>
  readonly batch: BatchSendState
  readonly withdrawn: string
}
type Sorted = { readonly ready: readonly ClaimedRow[]; readonly outcomes: readonly DeliveryOutcome[] }

/**
 * Sorts claimed rows into those that may be sent and those whose earlier attempt is resolved. `to` contains the current
 * address of such rows, which carriers need to look up an earlier attempt.
 */
export async function resolveClaimedDeliveries(
  sections: DispatchDeps,
  { rows, to, batch, withdrawn }: ClaimedOfBatch,
): Promise<Sorted> {
  const ready: ClaimedRow[] = []
  const outcomes: DeliveryOutcome[] = []
  const matches = await findAll(
    sections,
    rows.filter((row) => row.attempts > 0),
    to,
  )
  const now = sections.clock.now()
  for (const row of rows) {
    const { id, attempts, was_until } = row
    const message = matches.get(id) ?? 'none'
    const accepted = typeof message === 'object' && 'ref' in message ? message : null
    const tells_in_ms = typeof message === 'object' && 'tells_in_ms' in message ? message.tells_in_ms : undefined
    const since_ms = was_until ? now.getTime() - was_until.getTime() : 0
    const result =
      attempts === 0
        ? 'send'
        : decideAfterLookup({ match: accepted ? 'taken' : typeof message === 'object' ? 'unsure' : message, attempts, since_ms })
    if (accepted && result === 'accepted') outcomes.push({ id, status: 'accepted', ref: accepted.ref })
    else if (result === 'unknown') outcomes.push({ id, status: 'unknown', ...unknownOutcome })
    else if (result === 'later' || batch === 'held') {
      const wait_ms = result === 'later' ? getLookupDelayMs(attempts, since_ms, tells_in_ms) : 0
      outcomes.push({ id, status: 'queued', due_at: new Date(now.getTime() + wait_ms), last_unclear_at: was_until })
    } else if (batch !== 'active') outcomes.push(createCancelledOutcome(id, withdrawn))
    else ready.push(row)
  }
  return { ready, outcomes }
}

/**
 * `none` means certainly not accepted. `unsure`: the carrier cannot tell yet, because its records are delayed. `never`:
 * it has no records. `silent`: it could not be queried.
 */
type Match = { readonly ref: string } | { readonly tells_in_ms: number } | 'none' | 'unsure' | 'never' | 'silent'

async function findAll(
  { noTransaction, clock, senders, sendTimeoutMs }: DispatchDeps,
  rows: readonly ClaimedRow[],
  to: ReadonlyMap<string, string>,
): Promise<Map<string, Match>> {
  const matches = new Map<string, Match>()
  for (const [line, some] of Map.groupBy(rows, ({ channel }) => getSender(senders, channel))) {
    if (!line) continue
    const requested = some.map(({ id, was_until }) => ({ id, to: to.get(id) ?? '', attemptedAt: was_until ?? clock.now() }))
    const existing = await findDeliveries(noTransaction, line, requested, sendTimeoutMs)
    for (const { id } of some) matches.set(id, existing ? toLookup(existing.get(id)) : 'silent')
  }
  return matches
}

const wordMap = { not_accepted: 'none', unsure: 'unsure', never_known: 'never' } as const
function toLookup(existing: LookupOutcome | undefined): Match {
  if (existing?.result === 'accepted') return { ref: existing.ref }
  if (existing?.result === 'unsure' && existing.retryInMs !== undefined) return { tells_in_ms: existing.retryInMs }
  return existing ? wordMap[existing.result] : 'unsure'
}

export const createCancelledOutcome = (id: string, message: string): DeliveryOutcome => ({
  id,
  status: 'cancelled',
  code: 'withdrawn',
  message,
})

/**
 * In a withdrawn batch nothing is retried: what was certainly not sent is cancelled, and the rest has an unknown
 * outcome.
 */
export const finalizeWithoutRetry =
  (withdrawn: string) =>
  (one: DeliveryOutcome): DeliveryOutcome =>
    one.status !== 'queued'
      ? one
      : one.uncounted && !one.last_unclear_at
        ? createCancelledOutcome(one.id, withdrawn)
        : { id: one.id, status: 'unknown', ...unknownOutcome }
