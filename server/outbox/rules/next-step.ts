/**
 * What the sender does next with a lot of messages: a function of how the lot stands and of what the turn has in hand. A lot is what is
 * worked on, held back and withdrawn together: a batch of slips, the invitations of a company.
 */

/** `held`: nothing new may begin, nothing is taken back either. `gone`: there is no such lot any more. */
export type BatchSendState = 'active' | 'held' | 'withdrawn' | 'gone'

export type SenderState = {
  readonly batch: BatchSendState
  /** Messages that are taken, sorted, and not tried yet. */
  readonly ready: number
  /** There may be messages for which no carrier is needed. */
  readonly direct: boolean
  /** The turn has had its time or its number of messages, or the process is ending. */
  readonly mustStop: boolean
  /** So long a carrier wants to be left alone; 0 where none does. */
  readonly pauseMs: number
  /** So long it takes until the pace lets the next message go; 0 for now. */
  readonly rateWaitMs: number
  /** The longest wait for which a turn stays; a longer one is another turn's. */
  readonly maxInlineWaitMs: number
  /** Silent failures one after another. */
  readonly errors: number
}

/**
 * `due`: what is due, and what the dead left lying. `left`: only that, to be settled. `begun`: and what was tried before and given back since: nobody
 * tries it again, and what became of it is still to be written down.
 */
export type ClaimScope = 'due' | 'left' | 'begun'

export type SenderStep =
  /** Ends the turn and looks no more. */
  | { readonly step: 'stop' }
  /** Gives back what is held and ends the turn. `ms`: when the next one should begin; null where nobody needs one. */
  | { readonly step: 'rest'; readonly ms: number | null; readonly cancel: boolean }
  /** Waits within the turn, with no transaction open. */
  | { readonly step: 'nap'; readonly ms: number }
  /** Counts a try for the next group of the ready ones, and hands them over. */
  | { readonly step: 'try' }
  /** Hands over what needs no carrier. */
  | { readonly step: 'direct' }
  /**
   * Takes more. Where nothing can be taken either the lot is done or it is a matter of time.
   */
  | { readonly step: 'claim'; readonly scope: ClaimScope }

/** So many silent failures one after another mean that the carrier is away: the rest keeps its tries for later. */
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
  // All channels rest with the one whose carrier asked for patience: the next turn finds their rows as they are.
  const rest = (ms: number): SenderStep => ({ step: 'rest', ms: active ? ms : null, cancel: ready > 0 && batch === 'withdrawn' })
  // A blink of patience is waited for here: another turn would begin later than it ends.
  if (active && !mustStop && errors < maxConsecutiveErrors && pauseMs > 0 && pauseMs <= maxInlineWaitMs)
    return { step: 'nap', ms: pauseMs }
  if (mustStop || requested_ms > 0) return rest(requested_ms || (ready > 0 ? rateWaitMs : 0))
  if (ready > 0 && !active) return rest(0)
  if (ready > 0 && rateWaitMs > 0) return rateWaitMs > maxInlineWaitMs ? rest(rateWaitMs) : { step: 'nap', ms: rateWaitMs }
  if (ready > 0) return { step: 'try' }
  if (active && direct) return { step: 'direct' }
  return { step: 'claim', scope: active ? 'due' : batch === 'withdrawn' ? 'begun' : 'left' }
}
