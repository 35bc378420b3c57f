/**
 * Decides the sender's next step for a batch of messages: a function of the batch state and of the worker's state. A
 * batch is processed, held and withdrawn as a whole: the payslips of a batch, the invites of a company.
 */

/** `held` means that nothing new may start, and nothing is withdrawn. `gone` means that the batch no longer exists. */
export type BatchSendState = 'active' | 'held' | 'withdrawn' | 'gone'

export type SenderState = {
  readonly batch: BatchSendState
  /** Messages that are claimed and sorted, but not attempted yet. */
  readonly ready: number
  /** Whether there are messages that need no carrier. */
  readonly direct: boolean
  /** The run has reached its time limit or its number of messages, or the process is shutting down. */
  readonly mustStop: boolean
  /** The pause that a carrier requested; 0 if there is none. */
  readonly pauseMs: number
  /** The time until the rate limit allows the next message; 0 means immediately. */
  readonly rateWaitMs: number
  /** The longest wait within a run; a longer one is left to the next run. */
  readonly maxInlineWaitMs: number
  /** Consecutive attempts without a response. */
  readonly errors: number
}

/**
 * `due`: due rows, and rows of dead senders. `left`: only the latter, to be settled. `begun`: also rows that were
 * attempted and released since: they are not retried, but their outcome must still be recorded.
 */
export type ClaimScope = 'due' | 'left' | 'begun'

export type SenderStep =
  /** Ends the run without another query. */
  | { readonly step: 'stop' }
  /** Releases the leases and ends the run. `ms`: when the next run should start; null: none is needed. */
  | { readonly step: 'rest'; readonly ms: number | null; readonly cancel: boolean }
  /** Waits within the run, without an open transaction. */
  | { readonly step: 'nap'; readonly ms: number }
  /** Counts an attempt for the next group of ready rows, and sends them. */
  | { readonly step: 'try' }
  /** Delivers rows that need no carrier. */
  | { readonly step: 'direct' }
  /** Claims more rows. If none can be claimed, either the batch is done or rows become due later. */
  | { readonly step: 'claim'; readonly scope: ClaimScope }

/** After this many attempts in a row without a response the carrier is presumed down: the rest save their attempts. */
export const maxConsecutiveErrors = 16
export const carrierDownPauseMs = 15_000

export function decideNextStep({
  batch,
  ready,
  direct,
  mustStop,
  pauseMs,
  rateWaitMs,
  maxInlineWaitMs,
  errors,
}: SenderState): SenderStep {
  if (batch === 'gone') return { step: 'stop' }
  const active = batch === 'active'
  const requested_ms = pauseMs || (errors >= maxConsecutiveErrors ? carrierDownPauseMs : 0)
  // All channels pause with the one whose carrier requested it: the next run finds their rows unchanged.
  const rest = (ms: number): SenderStep => ({ step: 'rest', ms: active ? ms : null, cancel: ready > 0 && batch === 'withdrawn' })
  // A short pause is waited for here: another run would start later than it ends.
  if (active && !mustStop && errors < maxConsecutiveErrors && pauseMs > 0 && pauseMs <= maxInlineWaitMs)
    return { step: 'nap', ms: pauseMs }
  if (mustStop || requested_ms > 0) return rest(requested_ms || (ready > 0 ? rateWaitMs : 0))
  if (ready > 0 && !active) return rest(0)
  if (ready > 0 && rateWaitMs > 0) return rateWaitMs > maxInlineWaitMs ? rest(rateWaitMs) : { step: 'nap', ms: rateWaitMs }
  if (ready > 0) return { step: 'try' }
  if (active && direct) return { step: 'direct' }
  return { step: 'claim', scope: active ? 'due' : batch === 'withdrawn' ? 'begun' : 'left' }
}
