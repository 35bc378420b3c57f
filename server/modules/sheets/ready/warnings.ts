/** Warnings about a batch that an administrator goes on with: they belong to what a second administrator approves. */
import type { HandlerContext } from '../../../http/handler.ts'
import { loadSentRows } from '../../payslip-records/index.ts'
import type { BatchRow } from '../access.ts'
import { getCheckOutcome } from '../check/stored-check.ts'
import { omitSentRows } from '../rules/outcome.ts'

export type WarningCounts = {
  /** Recipients who have a payslip of the same pay run already. */
  readonly alreadyPaid: number
  readonly others: number
}

/** Counts the warnings of the rows that are not sent yet, accepted one by one or left open. */
export async function countWarnings(ctx: HandlerContext, batch: BatchRow): Promise<WarningCounts> {
  const sentRows = await loadSentRows(ctx, batch.id)
  const { issues } = omitSentRows((await getCheckOutcome(ctx, batch)).checked, sentRows)
  const rows = await ctx.db
    .selectFrom('sheet_row')
    .select(['row_no', 'accepted'])
    .where('company_id', '=', ctx.company_id)
    .where('batch_id', '=', batch.id)
    .where('skipped', '=', false)
    .execute()
  const kinds = [
    ...issues.flatMap(({ level, kind }) => (level === 'warning' ? [kind] : [])),
    ...rows.flatMap(({ row_no, accepted }) => (sentRows.has(row_no) ? [] : accepted.map(getKind))),
    ...batch.accepted.map(getKind),
  ]
  const alreadyPaid = kinds.filter((kind) => kind === 'same_month').length
  return { alreadyPaid, others: kinds.length - alreadyPaid }
}

/** The kind of an accepted issue: the part of its mark before the column. */
const getKind = (mark: string): string => mark.split(':')[0] ?? ''
