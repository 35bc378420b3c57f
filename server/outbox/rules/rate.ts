/** How many messages may go now by a line that others use as well: never more than is documented, and divided among the companies that ask. */

export type DocumentedRate = { readonly count: number; readonly perMs: number }

export type RateRequest = {
  readonly pace: DocumentedRate
  readonly want: number
  readonly now_ms: number
  /** When what was granted so far will have gone at the pace: by the whole line, and by whoever asks. */
  readonly line_due_ms: number
  readonly asker_due_ms: number
  /** How many companies share the line at the moment, whoever asks included. */
  readonly askers: number
}
export type RateGrant = {
  /** So many may go now. */
  readonly count: number
  /** 0 of them: so long until one may. */
  readonly wait_ms: number
  readonly line_due_ms: number
  readonly asker_due_ms: number
}

/**
 * A bucket that refills evenly. It holds a hundredth of what the pace allows, and refills a little slower than documented: so no window of
 * `per_ms` holds more than `count`, although what was granted to one node may leave a moment later than what was granted to another.
 * Each company has a bucket of its own, which refills as if the line were divided equally among those who ask; alone it has the whole line.
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

/** Below what a clock of ours can tell. */
const epsilonMs = 0.001

function computeBucket(due_ms: number, now_ms: number, gap_ms: number, holds: number) {
  const preload_ms = Math.max(0, due_ms - now_ms)
  const free_ms = holds * gap_ms - preload_ms
  return {
    from_ms: now_ms + preload_ms,
    room: Math.max(0, Math.floor((free_ms + epsilonMs) / gap_ms)),
    wait_ms: Math.max(1, gap_ms - free_ms),
  }
}
