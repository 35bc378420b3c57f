/**
 * How many messages are counted, asked for again and marked in one transaction: as many as their carrier takes in a blink. More would wait too long
 * between the last look at their people and their leaving, and a withdrawal would wait for more of them; fewer cost a transaction each.
 */
const targetStageMs = 60

export type StageTiming = {
  /** So many were handed over in so long. */
  readonly size: number
  readonly took_ms: number
  /** Never fewer, never more. */
  readonly min: number
  readonly max: number
}

export function getNextStageSize({ size, took_ms, min, max }: StageTiming): number {
  // Four times as many of what was far quicker: a lot of a few thousand should not spend its time on finding that out.
  const next =
    took_ms > 2 * targetStageMs ? size / 2 : took_ms < targetStageMs / 4 ? size * 4 : took_ms < targetStageMs ? size * 2 : size
  return Math.max(min, Math.min(max, Math.floor(next)))
}

/** What was looked at longer ago than this does not leave: it is given back, and looked at again. */
export const maxStageAgeMs = 1_000
