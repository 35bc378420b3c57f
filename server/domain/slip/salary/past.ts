/** What became of the versions of a slip that are no longer the present one. Its columns tell of the present one only. */
import type { Selectable } from 'kysely'
import type { Ctx } from '../../../runtime/handle.ts'
import type { Salary } from '../../../runtime/postgres/tables.ts'
import type { Past } from '../rules/timeline.ts'
import { withdrawnPlace } from '../send/ledger.ts'

type Fields = 'version' | 'past' | 'viewed_at' | 'confirmed_at' | 'confirmed_auto' | 'withdrawn_at' | 'withdrawn_reason'
type Kept = {
  readonly version: number
  readonly viewed_at: string | null
  readonly confirmed_at: string | null
  readonly confirmed_auto: boolean
  readonly withdrawn_at: string | null
  /** Sealed, in base64. */
  readonly withdrawn_reason: string | null
}
const kept = (past: unknown): readonly Kept[] => (Array.isArray(past) ? past : [])
const isoOrNull = (at: Date | null) => at && at.toISOString()

/** With the present version among what is past: for whoever makes the next one. */
export function pastWith(salary: Pick<Selectable<Salary>, Fields>): string {
  const { version, viewed_at, confirmed_at, confirmed_auto, withdrawn_at, withdrawn_reason, past } = salary
  const before = kept(past)
  if (!viewed_at && !confirmed_at && !withdrawn_at) return JSON.stringify(before)
  const present: Kept = {
    version,
    viewed_at: isoOrNull(viewed_at),
    confirmed_at: isoOrNull(confirmed_at),
    confirmed_auto,
    withdrawn_at: isoOrNull(withdrawn_at),
    withdrawn_reason: withdrawn_reason && withdrawn_reason.toString('base64'),
  }
  return JSON.stringify([...before, present])
}

const dateOrNull = (at: string | null) => (at === null ? null : new Date(at))
export const pastOf = ({ vault }: Pick<Ctx, 'vault'>, batch_id: string, past: unknown): Past[] =>
  kept(past).map(({ confirmed_auto, withdrawn_reason, ...at }) => ({
    viewed_at: dateOrNull(at.viewed_at),
    confirmed_at: dateOrNull(at.confirmed_at),
    confirmed_auto,
    withdrawn_at: dateOrNull(at.withdrawn_at),
    withdrawn_reason:
      withdrawn_reason === null ? null : vault.open<string>(withdrawnPlace(batch_id), Buffer.from(withdrawn_reason, 'base64')),
  }))
