/**
 * The number of messages that are counted, checked and recorded in one transaction: as many as their carrier accepts in
 * this time. More would wait too long between the last check of their recipients and sending, and a withdrawal would
 * wait for more of them; fewer would need more transactions.
 */
const targetStageMs = 60

export type StageTiming = {
  /** The number of messages sent, and how long it took. */
  readonly size: number
  readonly took_ms: number
  /** Bounds of the result. */
  readonly min: number
  readonly max: number
}

export function getNextStageSize({ size, took_ms, min, max }: StageTiming): number {
  // Four times as many after a much faster stage: a batch of a few thousand should not spend its time on finding the
  // best size.
  const next =
    took_ms > 2 * targetStageMs ? size / 2 : took_ms < targetStageMs / 4 ? size * 4 : took_ms < targetStageMs ? size * 2 : size
  return Math.max(min, Math.min(max, Math.floor(next)))
}

/** A message that was checked longer ago than this is not sent: it is released, and checked again. */
export const maxStageAgeMs = 1_000
