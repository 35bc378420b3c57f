/** Query fragments for a company's payslips for other modules. The caller decides whose: scope, batch share or member. */
import { type RawBuilder, sql } from 'kysely'
import type { PayslipStatus } from '../../contract/shared/schemas.ts'
import { countedStatuses, type PayslipCount, paidStatuses, readableStatuses } from '../../contract/shared/statuses.ts'
import type { CompanyTx, CompanyVaultTx } from '../../database/company-tx.ts'
import { openPayslipContent } from './payslip-content.ts'

/** Counts payslips by status as shown to users, for queries on `payslip` grouped by batch. */
export const countPayslips = (figure: PayslipCount): RawBuilder<number> =>
  sql<number>`(count(*) filter (where payslip.status = any(${[...countedStatuses[figure]]}::text[])))::int`
/** Counts payslips with open feedback, for the same queries. */
export const openFeedbackCount = sql<number>`(count(*) filter (where payslip.has_feedback and payslip.status <> 'withdrawn'))::int`

/** For queries on `batch`: whether a payslip for which `where` holds (on `payslip`) has left the planned state (`waiting`). */
export const hasPayslipsPastPlanning = (company_id: string, where: RawBuilder<boolean>): RawBuilder<boolean> =>
  sql<boolean>`exists (select from payslip where payslip.company_id = ${company_id} and payslip.batch_id = batch.id
    and payslip.status <> 'waiting' and ${where})`

/** Selects the rows of a wage sheet that have a payslip which left the planned state (`waiting`), as `row_no`. */
export const selectSentRows = (company_id: string, batch_id: string): RawBuilder<unknown> =>
  sql`select row_no from payslip where company_id = ${company_id} and batch_id = ${batch_id} and status <> 'waiting'`

/** For queries on `batch`: counts these rows. */
export const countSentRows = (company_id: string): RawBuilder<number> => sql<number>`(
  select count(*) from payslip where payslip.company_id = ${company_id} and payslip.batch_id = batch.id and payslip.status <> 'waiting')`

/** Loads the numbers of the rows that have such a payslip. */
export async function loadSentRows({ db, company_id }: CompanyTx, batch_id: string): Promise<ReadonlySet<number>> {
  const { rows } = await sql<{ row_no: number }>`${selectSentRows(company_id, batch_id)}`.execute(db)
  return new Set(rows.map(({ row_no }) => row_no))
}

/**
 * Condition for queries on `batch`: whether its sending has begun. A batch of which a part was sent stays so while the
 * rest is scheduled.
 */
export const hasSendStarted = sql<boolean>`(batch.status in ('sending', 'paused', 'sent')
  or (batch.status = 'scheduled' and batch.sent_at is not null))`

/**
 * Condition for queries on `batch`: whether the batch paid anybody for whom `where` holds (a condition on `payslip`).
 */
export const hasPaidPayslips = (company_id: string, where: RawBuilder<boolean> = sql<boolean>`true`): RawBuilder<boolean> =>
  sql<boolean>`exists (select from payslip where payslip.company_id = ${company_id} and payslip.batch_id = batch.id
    and payslip.status = any(${[...paidStatuses]}::text[]) and ${where})`

/** Selects an employee's payslips across all their roster rows, in any status; none if the employee cannot be identified. */
export const selectMemberPayslips = ({ db, company_id }: CompanyTx, member_ids: readonly string[]) =>
  db
    .selectFrom('payslip')
    .where('payslip.company_id', '=', company_id)
    .where('payslip.member_id', '=', sql<string>`any(${member_ids}::uuid[])`)

/** Whether a member has ever had a payslip. */
export async function hasPayslips(ctx: CompanyTx, member_id: string): Promise<boolean> {
  return (await selectMemberPayslips(ctx, [member_id]).select('id').limit(1).executeTakeFirst()) !== undefined
}

/** Returns the member of a payslip that can be opened; null where there is none. */
export async function getPayslipMemberId({ db, company_id }: CompanyTx, salary_id: string): Promise<string | null> {
  const payslip = await db
    .selectFrom('payslip')
    .select('member_id')
    .where('company_id', '=', company_id)
    .where('id', '=', salary_id)
    .where('status', 'in', readableStatuses)
    .executeTakeFirst()
  return payslip?.member_id ?? null
}

/** Returns the current version and status of a payslip without its content; null where there is none. */
export const getPayslipState = async (
  { db, company_id }: CompanyTx,
  salary_id: string,
): Promise<{ readonly version: number; readonly status: PayslipStatus } | null> =>
  (await db
    .selectFrom('payslip')
    .select(['version', 'status'])
    .where('company_id', '=', company_id)
    .where('id', '=', salary_id)
    .executeTakeFirst()) ?? null

type PayslipFilter = {
  /** Selects payslips: a condition on `payslip`. */
  readonly where: RawBuilder<boolean>
  readonly statuses?: readonly PayslipStatus[]
  /** Only payslips with open feedback. */
  readonly withOpenFeedback?: boolean
}
/** Lateral join for queries on `batch`: one row per payslip. */
export const payslipsLateral = (
  company_id: string,
  { where, statuses, withOpenFeedback = false }: PayslipFilter,
): RawBuilder<{ member_id: string; version: number; answer_due: Date | null }> => sql`(
  select payslip.member_id, payslip.version, payslip.answer_due from payslip
  where payslip.company_id = ${company_id} and payslip.batch_id = batch.id
    ${statuses ? sql`and payslip.status = any(${[...statuses]}::text[])` : sql``} ${withOpenFeedback ? sql`and payslip.has_feedback` : sql``} and ${where})`

type BatchPayslipCounts = Record<'total' | 'sent' | 'viewed' | 'confirmed' | 'feedback' | 'failed' | 'remindable', number>
type CountFilter = { readonly where: RawBuilder<boolean>; readonly isReachable: RawBuilder<boolean> }
/**
 * Lateral join for queries on `batch`: counts of the payslips that left the planned state and for which `where` holds. `remindable` counts those not
 * viewed whose recipients receive messages and match `isReachable`.
 */
export const payslipCountsLateral = (
  company_id: string,
  { where, isReachable }: CountFilter,
): RawBuilder<BatchPayslipCounts> => sql`(
  select count(*)::int as total, ${countPayslips('sent')} as sent, ${countPayslips('viewed')} as viewed, ${countPayslips('confirmed')} as confirmed,
    ${openFeedbackCount} as feedback, ${countPayslips('failed')} as failed,
    (count(*) filter (where payslip.status = 'sent' and payslip.channel <> 'link' and ${isReachable}))::int as remindable
  from payslip where payslip.company_id = ${company_id} and payslip.batch_id = batch.id and payslip.status <> 'waiting' and ${where})`

/** Decrypts the newest payslip of a company; throws if there is one that cannot be read. For the check at the start. */
export async function openNewestPayslip({ db, company_id, vault }: CompanyVaultTx): Promise<void> {
  const payslip = await db
    .selectFrom('payslip')
    .select(['id', 'version', 'cells'])
    .where('company_id', '=', company_id)
    .orderBy('id', 'desc')
    .limit(1)
    .executeTakeFirst()
  if (payslip) openPayslipContent(vault, payslip)
}

/** When the member's last payslip was sent; null if none was. */
export async function getLastPayslipTime({ db, company_id }: CompanyTx, member_id: string): Promise<Date | null> {
  const row = await db
    .selectFrom('payslip')
    .select(({ fn }) => fn.max('sent_at').as('at'))
    .where('company_id', '=', company_id)
    .where('member_id', '=', member_id)
    .executeTakeFirst()
  return row?.at ?? null
}
