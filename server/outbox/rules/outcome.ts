/** What an answer or a silence means for a message, and when it is tried again. */

export const maxAttempts = 8
/**
 * How long after a try whose outcome is unclear carriers still know our id. Lark forgets after an hour; ten minutes are kept
 * as a margin. Later a missing answer proves nothing any more.
 */
export const lookupWindowMs = 50 * 60_000
/** Waits between the eight tries, seconds: 33 minutes in all, inside the window. */
const retryDelaysSeconds = [5, 15, 45, 120, 300, 600, 900]

/** Milliseconds to wait after try number `attempts`; `spread` from 0 to 1 moves it by up to a fifth, so that tries do not bunch. */
export function getBackoffMs(attempts: number, spread = 0.5): number {
  const wait_s = retryDelaysSeconds[Math.min(Math.max(attempts, 1), retryDelaysSeconds.length) - 1] ?? 900
  return Math.round(wait_s * 1000 * (0.8 + 0.4 * spread))
}

/** After a try that failed without a clear no. */
export const decideAfterError = (attempts: number): 'retry' | 'unknown' => (attempts >= maxAttempts ? 'unknown' : 'retry')

/**
 * A try was begun before and its outcome is not known. `found` is what the carrier says when asked for our id: it has taken it, it has
 * none such, it is unsure because its books are behind, or it keeps none at all (`never`); silent when it could not be asked. A message that was taken is never repeated;
 * one whose trace may be forgotten, or of which nothing is certain, is not repeated either.
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

/** To ask is nothing that somebody gets twice: not as seldom as it is tried. */
const maxLookupDelayMs = 15_000

/**
 * Milliseconds until the carrier is asked again for a message it could not tell of: a quarter of the time that has passed, at least, but not
 * beyond the moment from which it can tell. Books of carriers are a minute behind; whoever lost an answer should not wait for two.
 */
export const getLookupDelayMs = (attempts: number, since_ms: number, tells_in_ms = Number.POSITIVE_INFINITY): number =>
  Math.min(tells_in_ms, Math.max(Math.min(maxLookupDelayMs, getBackoffMs(attempts)), Math.round(since_ms / 4)))

const minPauseMs = 1000
/** What carriers write into such answers is not always meant. */
export const maxPauseMs = 15 * 60_000

/** How long a carrier that asked for patience is left alone. */
export const clampPauseMs = (wait_s: number): number => Math.min(maxPauseMs, Math.max(minPauseMs, wait_s * 1000 || 0))
