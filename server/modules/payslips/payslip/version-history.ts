/** The history of a payslip's earlier versions. Its columns describe the current version only. */
import type { Selectable } from 'kysely'
import type { Payslip } from '../../../database/tables.ts'
import type { HandlerContext } from '../../../http/handler.ts'
import type { VersionOutcome } from '../rules/timeline.ts'
import { getWithdrawReasonPosition } from '../send/ledger.ts'

type HistoryColumn = 'version' | 'past' | 'viewed_at' | 'confirmed_at' | 'confirmed_auto' | 'withdrawn_at' | 'withdrawn_reason'
type StoredVersion = {
  readonly version: number
  readonly viewed_at: string | null
  readonly confirmed_at: string | null
  readonly confirmed_auto: boolean
  readonly withdrawn_at: string | null
  /** Encrypted, in base64. */
  readonly withdrawn_reason: string | null
}
const parseHistory = (past: unknown): readonly StoredVersion[] => (Array.isArray(past) ? past : [])
const toIsoOrNull = (at: Date | null) => at && at.toISOString()

/** Appends the current version to the history, before the next one is created. */
export function appendToHistory(salary: Pick<Selectable<Payslip>, HistoryColumn>): string {
  const { version, viewed_at, confirmed_at, confirmed_auto, withdrawn_at, withdrawn_reason, past } = salary
  const previousVersions = parseHistory(past)
  if (!viewed_at && !confirmed_at && !withdrawn_at) return JSON.stringify(previousVersions)
  const currentVersion: StoredVersion = {
    version,
    viewed_at: toIsoOrNull(viewed_at),
    confirmed_at: toIsoOrNull(confirmed_at),
    confirmed_auto,
    withdrawn_at: toIsoOrNull(withdrawn_at),
    withdrawn_reason: withdrawn_reason && withdrawn_reason.toString('base64'),
  }
  return JSON.stringify([...previousVersions, currentVersion])
}

const toDateOrNull = (at: string | null) => (at === null ? null : new Date(at))
export const readHistory = ({ vault }: Pick<HandlerContext, 'vault'>, batch_id: string, past: unknown): VersionOutcome[] =>
  parseHistory(past).map(({ confirmed_auto, withdrawn_reason, ...at }) => ({
    viewed_at: toDateOrNull(at.viewed_at),
    confirmed_at: toDateOrNull(at.confirmed_at),
    confirmed_auto,
    withdrawn_at: toDateOrNull(at.withdrawn_at),
    withdrawn_reason:
      withdrawn_reason === null
        ? null
        : vault.open<string>(getWithdrawReasonPosition(batch_id), Buffer.from(withdrawn_reason, 'base64')),
  }))
