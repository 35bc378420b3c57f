/**
 * What the sender asks of carriers for a group of messages, and what a yes, a no, a silence or a plea for patience means for the ledger.
 * No transaction is open here.
 */
import type { LookupOutcome, SendOutcome } from '../../platform/carrier.ts'
import type { MessageContent } from '../contract/shared/message-templates.ts'
import { type Channel, maskMobile } from '../contract/shared/schemas.ts'
import type { NoTransaction } from '../database/no-transaction.ts'
import type { Clock } from '../shared/clock.ts'
import type { CarrierRateLimiter } from './carrier-rate.ts'
import { type ChannelSender, type CompanySenders, findDeliveries, sendMessages } from './channel-senders.ts'
import type { ConcurrencySlots } from './concurrency-slots.ts'
import { type ClaimedRow, type DeliveryOutcome, leaseMs } from './ledger.ts'
import { type BatchSendState, maxConsecutiveErrors } from './rules/next-step.ts'
import { clampPauseMs, decideAfterError, decideAfterLookup, getBackoffMs, getLookupDelayMs } from './rules/outcome.ts'

/** Said by a subject right before a message leaves: whether it is still wanted, where it goes, and what it says. */
export type DispatchDecision =
  | {
      readonly send: true
      readonly to: string
      readonly message: MessageContent
      /** Masked: for the eyes of the demo. */
      readonly name?: string
      /** A phone that the words of a refusal may name; it is shown masked. */
      readonly maskedPhone?: string
    }
  | { readonly send: false; readonly status: 'cancelled' | 'failed'; readonly code: string; readonly message: string }

/** A row whose try has begun. */
export type AttemptedRow = { readonly id: string; readonly channel: Channel; readonly attempts: number }

/** `outcome` null: the row is not ours any more. `error`: a silence. `rest_ms`: the carrier wants to be left alone for so long. */
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

/** At most so many calls are under way, and right before each it is asked whether it may still leave. `last`: the last one is about to. */
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
/** `held`: did not leave, because it was too late for it. */
type Message = SendOutcome | { readonly id: string; readonly result: 'held' }

/** Hands over a group; one result a row. `began` (performance.now) is when its tries were counted. */
export async function dispatchGroup(
  sections: DispatchDeps,
  group: readonly { readonly row: AttemptedRow; readonly dispatch: DispatchDecision }[],
  began: number,
  at: DispatchLimits = unlimitedDispatch,
): Promise<AttemptResult[]> {
  const { clock, senders, sendTimeoutMs } = sections
  // A process that was stopped and woken may have lost the lease long ago: then the row belongs to somebody else.
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

/** Call after call, as many messages in each as the line takes. Whoever asks for patience, or says nothing again and again, is not asked on. */
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
        // Heard by all who share the line. One address that has had enough makes nobody else wait.
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
    // Surely not taken, so the try does not count. An earlier try of the same row was looked up right before this one and not found; it is
    // looked up again before the next.
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
    // One address that has had enough makes nobody else wait.
    return { outcome, error: false, pauseMs: message.recipientOnly ? 0 : wait_ms }
  }
  if (message?.result === 'held')
    return plainResult({ id, status: 'queued', due_at: now, last_unclear_at: attempts > 1 ? now : null, uncounted: true })
  if (decideAfterError(attempts) === 'unknown')
    return { outcome: { id, status: 'unknown', ...unknownOutcome }, error: true, pauseMs: 0 }
  const due_at = new Date(now.getTime() + getBackoffMs(attempts, Math.random()))
  return { outcome: { id, status: 'queued', due_at, last_unclear_at: now }, error: true, pauseMs: 0 }
}

/** What a carrier says may name the phone; it is shown, so it is masked and short. */
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
 * Of claimed rows: which may be sent, and what is already known of those that were tried before. `to`: where the person of such a row lives
 * now, as carriers want to know who are asked for an earlier try.
 */
export async function resolveClaimed(sections: DispatchDeps, { rows, to, batch, withdrawn }: ClaimedOfBatch): Promise<Sorted> {
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
    } else if (batch !== 'active') outcomes.push(createCancelled(id, withdrawn))
    else ready.push(row)
  }
  return { ready, outcomes }
}

/** `none`: surely not taken. `unsure`: the carrier cannot tell, its books are behind. `never`: it keeps none. `silent`: it could not be asked. */
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

export const createCancelled = (id: string, message: string): DeliveryOutcome => ({
  id,
  status: 'cancelled',
  code: 'withdrawn',
  message,
})

/** In a lot that is withdrawn nothing is tried again: what surely did not leave is cancelled, of the rest nobody can say. */
export const finalizeWithoutRetry =
  (withdrawn: string) =>
  (one: DeliveryOutcome): DeliveryOutcome =>
    one.status !== 'queued'
      ? one
      : one.uncounted && !one.last_unclear_at
        ? createCancelled(one.id, withdrawn)
        : { id: one.id, status: 'unknown', ...unknownOutcome }
