/** When a batch that was confirmed begins to leave the house. */

export type Start = {
  readonly at: Date /** Null: there is nothing to undo, it leaves at once or somebody chose the time. */
  readonly undo_until: Date | null
}

/** `undo_seconds`: so long whoever pressed 发送 may think again. A time that was chosen, and has not passed, is kept as it is. */
export function startOf(scheduled_at: Date | null, now: Date, undo_seconds: number): Start {
  if (scheduled_at && scheduled_at > now) return { at: scheduled_at, undo_until: null }
  if (undo_seconds <= 0) return { at: now, undo_until: null }
  const at = new Date(now.getTime() + undo_seconds * 1000)
  return { at, undo_until: at }
}

/** Seconds in which it can still be undone; null where it cannot. */
export const undoLeft = (batch: { readonly status: string; readonly undo_until: Date | null }, now: Date): number | null =>
  batch.status === 'scheduled' && batch.undo_until
    ? Math.max(0, Math.ceil((batch.undo_until.getTime() - now.getTime()) / 1000))
    : null
