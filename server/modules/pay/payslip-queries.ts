/** The slips of a company in other subjects' queries. Whose slips these are is for whoever asks to say: scope, share or person. */
import { type RawBuilder, sql } from 'kysely'
import type { PayslipStatus } from '../../contract/shared/schemas.ts'
import { countedStatuses, type PayslipCount, paidStatuses, readableStatuses } from '../../contract/shared/statuses.ts'
import type { HandlerContext } from '../../http/handler.ts'

type CompanyTx = Pick<HandlerContext, 'db' | 'company_id'>

/** For queries on `salary`, grouped by batch: the figures of slips, as everybody is shown them. */
export const countPayslips = (figure: PayslipCount): RawBuilder<number> =>
  sql<number>`(count(*) filter (where payslip.status = any(${[...countedStatuses[figure]]}::text[])))::int`
/** The same, of those with an open question. */
export const openFeedbackCount = sql<number>`(count(*) filter (where payslip.has_feedback and payslip.status <> 'withdrawn'))::int`

/** For queries on `batch`: whether a slip of it went further than a plan for which `where` holds, a condition on `salary`. */
export const hasPlannedPayslips = (company_id: string, where: RawBuilder<boolean>): RawBuilder<boolean> =>
  sql<boolean>`exists (select from payslip where payslip.company_id = ${company_id} and payslip.batch_id = batch.id
    and payslip.status <> 'waiting' and ${where})`

/** For queries on `batch`: whether anybody was paid with it for whom `where` holds, a condition on `salary`. */
export const hasPaidPayslips = (company_id: string, where: RawBuilder<boolean> = sql<boolean>`true`): RawBuilder<boolean> =>
  sql<boolean>`exists (select from payslip where payslip.company_id = ${company_id} and payslip.batch_id = batch.id
    and payslip.status = any(${[...paidStatuses]}::text[]) and ${where})`

/** A person's slips, of all rows that the roster has of him, whatever became of them; nobody's where it is not clear who asks. */
export const selectMemberPayslips = ({ db, company_id }: CompanyTx, member_ids: readonly string[]) =>
  db
    .selectFrom('payslip')
    .where('payslip.company_id', '=', company_id)
    .where('payslip.member_id', '=', sql<string>`any(${member_ids}::uuid[])`)

/** Whether a person ever had one. */
export async function hasPayslips(ctx: CompanyTx, member_id: string): Promise<boolean> {
  return (await selectMemberPayslips(ctx, [member_id]).select('id').limit(1).executeTakeFirst()) !== undefined
}

/** Whose a slip is that can be opened; null where there is none. */
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

/** What became of a slip: its present version and how it stands; null where there is none. Nothing of what it says. */
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
  /** Whose: a condition on `salary`. */
  readonly where: RawBuilder<boolean>
  readonly statuses?: readonly PayslipStatus[]
  /** Only those with an open question. */
  readonly withOpenFeedback?: boolean
}
/** To join laterally in queries on `batch`: its slips, a row each. */
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
 * To join laterally in queries on `batch`: its slips for which `where` holds, counted. `remindable`: those not looked at, of who gets messages
 * and `isReachable`.
 */
export const payslipCountsLateral = (
  company_id: string,
  { where, isReachable }: CountFilter,
): RawBuilder<BatchPayslipCounts> => sql`(
  select count(*)::int as total, ${countPayslips('sent')} as sent, ${countPayslips('viewed')} as viewed, ${countPayslips('confirmed')} as confirmed,
    ${openFeedbackCount} as feedback, ${countPayslips('failed')} as failed,
    (count(*) filter (where payslip.status = 'sent' and payslip.channel <> 'link' and ${isReachable}))::int as remindable
  from payslip where payslip.company_id = ${company_id} and payslip.batch_id = batch.id and ${where})`
