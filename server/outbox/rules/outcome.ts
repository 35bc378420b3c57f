/** The consequences of a response, or of a missing one, for a message, and when it is retried. */

export const maxAttempts = 8
/**
 * How long after an attempt with an unknown outcome carriers still know our id. Lark forgets it after an hour; ten
 * minutes are kept as a margin. After that a missing answer proves nothing.
 */
export const lookupWindowMs = 50 * 60_000
/** Delays between the eight attempts in seconds: 33 minutes in total, within the window. */
const retryDelaysSeconds = [5, 15, 45, 120, 300, 600, 900]

/** Returns the delay in milliseconds after attempt number `attempts`; `spread` (0 to 1) varies it by up to a fifth. */
export function getBackoffMs(attempts: number, spread = 0.5): number {
  const wait_s = retryDelaysSeconds[Math.min(Math.max(attempts, 1), retryDelaysSeconds.length) - 1] ?? 900
  return Math.round(wait_s * 1000 * (0.8 + 0.4 * spread))
}

/** Decides after an attempt that failed without a clear rejection. */
export const decideAfterError = (attempts: number): 'retry' | 'unknown' => (attempts >= maxAttempts ? 'unknown' : 'retry')

/**
 * Decides after the lookup of an earlier attempt with an unknown outcome. `match` is the carrier's answer for our id:
 * accepted (`taken`), unknown to it (`none`), not certain because its records are delayed (`unsure`), or no records at
 * all (`never`); `silent` if it could not be asked. An accepted message is never repeated; one whose record may have
 * expired, or with no certain answer, is not repeated either.
 */
export function decideAfterLookup(requested: {
  match: 'taken' | 'none' | 'unsure' | 'never' | 'silent'
  attempts: number
  since_ms: number
}): 'accepted' | 'send' | 'unknown' | 'later' {
  if (requested.match === 'taken') return 'accepted'
  if (requested.match === 'never') return 'unknown'
  if (requested.match === 'silent') return 'later'
  if (requested.since_ms > lookupWindowMs) return 'unknown'
  if (requested.match === 'unsure') return 'later'
  return requested.attempts >= maxAttempts ? 'unknown' : 'send'
}

/** A lookup has no effect for the recipient, so it can be repeated more often than an attempt. */
const maxLookupDelayMs = 15_000

/**
 * Returns the milliseconds until the carrier is asked again for a message it could not find: at least a quarter of the
 * elapsed time, but not beyond the moment from which it can tell. Records of carriers are a minute behind; a message
 * with a lost response should not wait for two.
 */
export const getLookupDelayMs = (attempts: number, since_ms: number, tells_in_ms = Number.POSITIVE_INFINITY): number =>
  Math.min(tells_in_ms, Math.max(Math.min(maxLookupDelayMs, getBackoffMs(attempts)), Math.round(since_ms / 4)))

/**
 * No message waits longer for its next attempt: the longest backoff, with a margin. A later instant was written before
 * the clock was set back.
 */
export const maxRetryWaitMs = 20 * 60_000

const minPauseMs = 1000
/** The pause requested by a carrier is capped, because such values are not always reliable. */
export const maxPauseMs = 15 * 60_000

/** Returns how long a carrier is paused at its request. */
export const clampPauseMs = (wait_s: number): number => Math.min(maxPauseMs, Math.max(minPauseMs, wait_s * 1000 || 0))
