/** Computes how many messages may be sent now through a shared carrier: as documented, divided among the companies. */

export type DocumentedRate = { readonly count: number; readonly perMs: number }

export type RateRequest = {
  readonly pace: DocumentedRate
  readonly want: number
  readonly now_ms: number
  /**
   * When all messages granted so far will have been sent at the rate limit: for the whole carrier, and for this
   * company.
   */
  readonly line_due_ms: number
  readonly asker_due_ms: number
  /** The number of companies sharing the carrier now, including the requesting one. */
  readonly askers: number
}
export type RateGrant = {
  /** How many messages may be sent now. */
  readonly count: number
  /** If no message may be sent now, the time until one may be sent. */
  readonly wait_ms: number
  readonly line_due_ms: number
  readonly asker_due_ms: number
}

/**
 * A token bucket. Its capacity is a hundredth of the rate limit, and it refills a little slower than documented: so no
 * window of
 * `perMs` exceeds `count`, although a grant of one node may be used a moment later than that of another. Each company
 * has its own bucket, which refills as if the carrier were divided equally among the requesting companies; a single
 * company has all of it.
 */
export function grantRate({ pace, want, now_ms, line_due_ms, asker_due_ms, askers }: RateRequest): RateGrant {
  const holds = Math.max(1, Math.floor(pace.count / 100))
  const gap_ms = pace.perMs / Math.max(1, pace.count - 3 * (holds - 1))
  const line = computeBucket(line_due_ms, now_ms, gap_ms, holds)
  const own = computeBucket(asker_due_ms, now_ms, gap_ms * Math.max(1, askers), holds)
  const count = Math.min(want, line.room, own.room)
  return {
    count,
    wait_ms: count > 0 || want === 0 ? 0 : Math.ceil(Math.max(line.wait_ms, own.wait_ms)),
    line_due_ms: line.from_ms + count * gap_ms,
    asker_due_ms: own.from_ms + count * gap_ms * Math.max(1, askers),
  }
}

/** Smaller differences are below the resolution of the clock. */
const epsilonMs = 0.001

function computeBucket(due_ms: number, now_ms: number, gap_ms: number, holds: number) {
  // More than a full bucket: the clock was set back since the last grant.
  const preload_ms = Math.min(Math.max(0, due_ms - now_ms), holds * gap_ms)
  const free_ms = holds * gap_ms - preload_ms
  return {
    from_ms: now_ms + preload_ms,
    room: Math.max(0, Math.floor((free_ms + epsilonMs) / gap_ms)),
    wait_ms: Math.max(1, gap_ms - free_ms),
  }
}
