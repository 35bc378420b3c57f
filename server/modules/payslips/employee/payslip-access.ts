/**
 * The single access path of an employee to their payslip. Withdrawn, unsent, another employee's and nonexistent
 * payslips get the same response.
 */

import { sql } from 'kysely'
import type { PayslipStatus } from '../../../contract/shared/schemas.ts'
import { can, readableStatuses } from '../../../contract/shared/statuses.ts'
import type { CompanyTx } from '../../../database/company-tx.ts'
import { type AppError, fail, type HandlerContext } from '../../../http/handler.ts'
import { toIsoTimestamp } from '../../../shared/clock.ts'
import { memberView } from '../../directory/read-model.ts'
import { canonicalizePayslip, hashCanonicalForm, openPayslipContent, selectMemberPayslips } from '../../payslip-records/index.ts'
import { openTitle } from '../../sheets/display/index.ts'
import { batchView, titleView } from '../../sheets/read-model.ts'
import { getThreadSummary } from '../feedback/thread-summary.ts'
import { renderBatchPayslip } from '../payslip/render.ts'
import { getClosesAt, type PayslipRules, parsePayslipRules } from '../rules/payslip-rules.ts'

/** A terminated employee can view pay data only for ten minutes after verifying their identity. */
export const requiresViewGrant = ({ currentUser, now }: HandlerContext): boolean =>
  currentUser.terminated !== null && !(currentUser.view_granted_until && currentUser.view_granted_until > now)

/** Payslips of this batch, and all of a terminated employee, are shown only for ten minutes after the identity was verified. */
export const isViewLocked = (ctx: HandlerContext, rules: PayslipRules): boolean =>
  requiresViewGrant(ctx) ||
  (rules.view_password && !(ctx.currentUser.view_granted_until && ctx.currentUser.view_granted_until > ctx.now))

/**
 * Returns the member rows whose payslips belong to the current user, including former ones; none while the user is not
 * confirmed as their owner.
 */
export const getOwnMemberIds = ({
  phone_unconfirmed,
  own_member_ids,
}: Pick<HandlerContext['currentUser'], 'own_member_ids' | 'phone_unconfirmed'>): readonly string[] =>
  phone_unconfirmed ? [] : own_member_ids

/**
 * Returns the id of a payslip that the link of an SMS names in part, looked up among these members' payslips only; a
 * complete id is returned as it is.
 */
export async function completePayslipId(ctx: CompanyTx, member_ids: readonly string[], slip_id: string): Promise<string> {
  // The form that `toPartialId` in `server/rules/short-ids.ts` gives to a code.
  const end = /^00000000-0000-7000-(.{17})$/.exec(slip_id)?.[1]
  if (end === undefined) return slip_id
  const payslip = await selectMemberPayslips(ctx, member_ids)
    .select('payslip.id')
    .where(sql<string>`right(payslip.id::text, 17)`, '=', end)
    .executeTakeFirst()
  return payslip?.id ?? slip_id
}

/** This is checked before any payslip data is returned: a user who is not confirmed as this member sees no payslip. */
export function assertPhoneConfirmed({ currentUser }: Pick<HandlerContext, 'currentUser'>): void {
  if (currentUser.phone_unconfirmed) throw fail('unconfirmed_holder')
}

/**
 * Whether the payslip closes after a first view that has not happened yet. Until then, nothing of it is shown
 * elsewhere, because that would not count as a view.
 */
export const isBeforeOnlyView = (rules: PayslipRules, viewed_at: Date | null): boolean =>
  rules.burn_after_minutes > 0 && viewed_at === null

/** Throws `closes_after_view`. */
export function assertBurnAfterReadOpened(rules: PayslipRules, viewed_at: Date | null): void {
  if (isBeforeOnlyView(rules, viewed_at)) throw fail('closes_after_view', undefined, { minutes: rules.burn_after_minutes })
}

/** Whether the payslip has closed after its first view. */
export const isClosed = (now: Date, rules: PayslipRules, viewed_at: Date | null): boolean => {
  const closes_at = getClosesAt(rules, viewed_at)
  return closes_at !== null && closes_at <= now
}

/**
 * Returns the employee's payslip with its batch, locked until the transaction ends: a withdrawal either comes first,
 * and the payslip is not found, or waits. Throws `view_locked` where the company requires a second verification. A
 * payslip that has closed, or closes after a first view that has not happened, can be answered but not read: `closed`:
 * whether a closed payslip is accepted; `opens`: this call is the first view.
 */
export async function lockOwnPayslip(
  ctx: HandlerContext,
  slip_id: string,
  { closed: whenClosed, opens: isFirstView = false }: { readonly closed: 'refused' | 'allowed'; readonly opens?: boolean },
) {
  const { db, company_id, currentUser, vault } = ctx
  if (!currentUser.member_id) throw fail('not_found')
  assertPhoneConfirmed(ctx)
  const salary = await selectMemberPayslips(ctx, getOwnMemberIds(currentUser))
    .selectAll('payslip')
    .where('payslip.id', '=', slip_id)
    .where('payslip.status', 'in', readableStatuses)
    // A row lock is written to the disk: without space the payslip is read as of the beginning of the query.
    .$if(!ctx.isReadOnly, (query) => query.forNoKeyUpdate())
    .executeTakeFirst()
  if (!salary) throw fail('not_found', '没有找到这张工资条，可能已被撤回')
  const batch = await db
    .selectFrom(batchView)
    .leftJoin(titleView, (join) =>
      join.onRef('title.company_id', '=', 'batch.company_id').onRef('title.id', '=', 'batch.title_id'),
    )
    .select(['batch.id', 'batch.owner_id', 'batch.recognition', 'batch.layout', 'batch.rules', 'batch.title_id'])
    .select(['title.name as title_name', 'title.month as title_month', 'title.kind as title_kind'])
    .where('batch.company_id', '=', company_id)
    .where('batch.id', '=', salary.batch_id)
    .executeTakeFirstOrThrow()
  const rules = parsePayslipRules(batch.rules)
  if (isViewLocked(ctx, rules)) throw fail('view_locked')
  const payslip = { ...salary, status: salary.status }
  if (whenClosed === 'refused') {
    if (isClosed(ctx.now, rules, salary.viewed_at)) throw await createClosedError(ctx, payslip, rules)
    if (!isFirstView) assertBurnAfterReadOpened(rules, salary.viewed_at)
  }
  return {
    salary: payslip,
    batch: {
      ...batch,
      title_name: openTitle(vault, batch.title_id, batch.title_name),
      title_kind: batch.title_kind ?? 'monthly',
    },
    rules,
    content: openPayslipContent(vault, salary),
  }
}

/** Returns what a payslip shows of the member whose it is. */
export const getPayslipOwner = ({ db, company_id }: Pick<HandlerContext, 'db' | 'company_id'>, member_id: string) =>
  db
    .selectFrom(memberView)
    .select(['name', 'mobile', 'pay_hide'])
    .where('company_id', '=', company_id)
    .where('id', '=', member_id)
    .executeTakeFirstOrThrow()

/** Renders the payslip as shown to the employee, with its canonical form and the hash of exactly that. */
export async function renderOwnPayslip(
  ctx: HandlerContext,
  { salary, batch, content }: Awaited<ReturnType<typeof lockOwnPayslip>>,
) {
  const member = await getPayslipOwner(ctx, salary.member_id)
  const slip = renderBatchPayslip(ctx, batch, content, { name: member.name, corp_name: ctx.currentUser.company_name })
  const form = canonicalizePayslip({ slip_id: salary.id, version: salary.version, slip })
  return { member, slip, form, hash: hashCanonicalForm(form) }
}

type ClosedPayslip = {
  readonly id: string
  readonly status: PayslipStatus
  readonly version: number
  readonly viewed_at: Date | null
  readonly confirmed_at: Date | null
  readonly confirmed_auto: boolean
}
/** Returns the error with the closing time and what the employee may still do. */
async function createClosedError(ctx: HandlerContext, salary: ClosedPayslip, rules: PayslipRules): Promise<AppError> {
  const thread = await getThreadSummary(ctx, salary.id)
  const closed_at = getClosesAt(rules, salary.viewed_at)
  return fail('slip_closed', undefined, {
    slip_id: salary.id,
    closed_at: closed_at && toIsoTimestamp(closed_at),
    version: salary.version,
    confirm: rules.confirm && can.confirm(salary.status) === true,
    feedback: rules.feedback || thread !== undefined,
    confirmed_at: salary.confirmed_at && toIsoTimestamp(salary.confirmed_at),
    confirmed_auto: salary.confirmed_auto,
  })
}

/** Returns the status of the employee's payslip: lightweight, decrypts and locks nothing. */
export async function getOwnPayslipStatus(ctx: HandlerContext, slip_id: string) {
  const row = await selectMemberPayslips(ctx, getOwnMemberIds(ctx.currentUser))
    .innerJoin(batchView, (join) =>
      join.onRef('batch.company_id', '=', 'payslip.company_id').onRef('batch.id', '=', 'payslip.batch_id'),
    )
    .select(['payslip.version', 'payslip.status', 'payslip.viewed_at', 'batch.rules'])
    .where('payslip.id', '=', slip_id)
    .where('payslip.status', 'in', readableStatuses)
    .executeTakeFirst()
  const status = readableStatuses.find((one) => one === row?.status)
  if (!row || !status) throw fail('not_found', '没有找到这张工资条，可能已被撤回')
  const closed = isClosed(ctx.now, parsePayslipRules(row.rules), row.viewed_at)
  return { version: row.version, status, closed }
}
