/** The employee's payslips, as a list and individually. */

import { sql } from 'kysely'
import * as contract from '../../../contract/payslips/employee.ts'
import type { PayslipStatus, TitleKind } from '../../../contract/shared/schemas.ts'
import { can, readableStatuses } from '../../../contract/shared/statuses.ts'
import type { Tx } from '../../../database/database.ts'
import { defineHandler, fail, type HandlerContext } from '../../../http/handler.ts'
import { toIsoTimestamp } from '../../../shared/clock.ts'
import { getAutoConfirmation } from '../../company/settings/index.ts'
import { getPayslipMemberId, openPayslipContent, type SealedPayslip, selectMemberPayslips } from '../../payslip-records/index.ts'
import { privacyNoticeView } from '../../retention/read-model.ts'
import { openTitle } from '../../sheets/display/index.ts'
import { batchView, titleView } from '../../sheets/read-model.ts'
import { getThreadSummary, hasUnreadAnswer } from '../feedback/thread-summary.ts'
import { getLatestCorrection } from '../payslip/corrections.ts'
import { getClosesAt, parsePayslipRules } from '../rules/payslip-rules.ts'
import { getAutoConfirmAt } from '../rules/reminder-dates.ts'
import { markViewed } from '../view-and-confirm.ts'
import {
  assertPhoneConfirmed,
  completePayslipId,
  getOwnMemberIds,
  isBeforeOnlyView,
  isClosed,
  isViewLocked,
  lockOwnPayslip,
  renderOwnPayslip,
} from './payslip-access.ts'
import { getOrIssueReceipt } from './receipts.ts'

/** Selects the payslips of the user's own member rows, with their batches and titles. */
export const selectOwnPayslips = (ctx: HandlerContext) =>
  selectMemberPayslips(ctx, getOwnMemberIds(ctx.currentUser))
    .innerJoin(batchView, (join) =>
      join.onRef('batch.company_id', '=', 'payslip.company_id').onRef('batch.id', '=', 'payslip.batch_id'),
    )
    .innerJoin(titleView, (join) =>
      join.onRef('title.company_id', '=', 'batch.company_id').onRef('title.id', '=', 'batch.title_id'),
    )

const withdrawnNoteMs = 62 * 86_400_000
/** Selects the payslips shown in the list: those that can be opened, and for two months a note in place of withdrawn ones. */
export const selectListedPayslips = (ctx: HandlerContext) =>
  selectOwnPayslips(ctx).where((eb) =>
    eb.or([
      eb('payslip.status', 'in', readableStatuses),
      eb.and([
        eb('payslip.status', '=', 'withdrawn'),
        eb('payslip.sent_at', 'is not', null),
        eb('payslip.withdrawn_at', '>', new Date(ctx.now.getTime() - withdrawnNoteMs)),
      ]),
    ]),
  )

type ViewState = { readonly viewed_at: Date | null; readonly rules: unknown }
/**
 * Whether a payslip may appear together with others: its batch requires no second verification first, it has not
 * closed, and no closing first view is due.
 */
export function isPayslipVisible(ctx: HandlerContext, { rules: storedRules, viewed_at }: ViewState): boolean {
  const rules = parsePayslipRules(storedRules)
  return !isViewLocked(ctx, rules) && !isBeforeOnlyView(rules, viewed_at) && !isClosed(ctx.now, rules, viewed_at)
}
const getVisibleNet = (ctx: HandlerContext, row: SealedPayslip & ViewState): number | null =>
  isPayslipVisible(ctx, row) ? openPayslipContent(ctx.vault, row).net_fen : null
type ListedPayslip = Parameters<typeof getVisibleNet>[1] &
  Record<'sent_at' | 'corrected_at' | 'withdrawn_at', Date | null> & {
    readonly title_id: string
    readonly title: Buffer
    readonly month: string
    readonly status: PayslipStatus
    readonly answer_unread: unknown
  }
function toListItem(ctx: HandlerContext, row: ListedPayslip) {
  const rules = parsePayslipRules(row.rules)
  const isWithdrawn = row.status === 'withdrawn'
  return {
    slip_id: row.id,
    title: openTitle(ctx.vault, row.title_id, row.title) ?? '',
    month: row.month,
    corp_name: ctx.currentUser.company_name,
    status: row.status,
    sent_at: row.sent_at ? toIsoTimestamp(row.sent_at) : null,
    corrected: row.corrected_at !== null,
    locked: isViewLocked(ctx, rules),
    net_fen: isWithdrawn ? null : getVisibleNet(ctx, row),
    withdrawn_at: isWithdrawn && row.withdrawn_at ? toIsoTimestamp(row.withdrawn_at) : null,
    closed: isClosed(ctx.now, rules, row.viewed_at),
    burn_after_minutes: rules.burn_after_minutes,
    answer_unread: Boolean(row.answer_unread) && !isWithdrawn,
  }
}

export const getSlipList = defineHandler(contract.getSlipList, async (ctx, { year, page, pagesize }) => {
  const { currentUser } = ctx
  assertPhoneConfirmed(ctx)
  if (!currentUser.member_id) return { list: [], page: { page, pagesize, total: 0 }, years: [] }
  const years = await selectListedPayslips(ctx)
    .select(sql<number>`left(title.month, 4)::int`.as('year'))
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .groupBy('year')
    .orderBy('year', 'desc')
    .execute()
  const rows = await selectListedPayslips(ctx)
    .$if(year !== undefined, (query) => query.where('title.month', 'like', `${year}-%`))
    .select(['payslip.id', 'payslip.status', 'payslip.version', 'payslip.cells', 'payslip.sent_at', 'payslip.corrected_at'])
    .select(['payslip.viewed_at', 'payslip.withdrawn_at'])
    .select(['title.id as title_id', 'title.name as title', 'title.month', 'batch.rules'])
    .select(({ exists, selectFrom }) =>
      exists(
        selectFrom('feedback')
          .select('feedback.id')
          .where('feedback.company_id', '=', ctx.company_id)
          .whereRef('feedback.salary_id', '=', 'payslip.id')
          .where(hasUnreadAnswer),
      ).as('answer_unread'),
    )
    .orderBy('title.month', 'desc')
    .orderBy('payslip.sent_at', 'desc')
    .orderBy('payslip.id')
    .limit(pagesize)
    .offset((page - 1) * pagesize)
    .execute()
  return {
    list: rows.map((row) => toListItem(ctx, row)),
    page: {
      page,
      pagesize,
      total: years.reduce(
        (sum, yearCount) => sum + (year === undefined || yearCount.year === year ? Number(yearCount.count) : 0),
        0,
      ),
    },
    years: years.map((yearCount) => yearCount.year),
  }
})

export const getSlip = defineHandler(contract.getSlip, async (ctx, { slip_id: requested_id, confirm_open = false }) => {
  const { now } = ctx
  const slip_id = await completePayslipId(ctx, getOwnMemberIds(ctx.currentUser), requested_id)
  const payslip = await lockOwnPayslip(ctx, slip_id, { closed: 'refused', opens: confirm_open })
  const { salary, batch, rules } = payslip
  if (salary.viewed_at === null && !ctx.isReadOnly && !(await markViewed(ctx, slip_id))) throw fail('not_found')
  const rendered = await renderOwnPayslip(ctx, payslip)
  const { member, slip, hash } = rendered
  const previous = await findPreviousPayslip(ctx, batch)
  const thread = await getThreadSummary(ctx, slip_id)
  const closes_at = getClosesAt(rules, salary.viewed_at ?? now)
  const isOpen = rules.confirm && !thread && can.confirm(salary.status) === true
  const confirms_at = isOpen ? getAutoConfirmAt(salary, await getAutoConfirmation(ctx)) : null
  ctx.addAuditDetails({ batch_id: batch.id, version: salary.version })
  return {
    slip_id,
    slip,
    hash,
    status: salary.status === 'sent' ? ('viewed' as const) : salary.status,
    version: salary.version,
    rules,
    sent_at: salary.sent_at ? toIsoTimestamp(salary.sent_at) : null,
    corrected: salary.corrected_at ? await getLatestCorrection(ctx, salary, batch) : null,
    previous: previous && { month: previous.month, net_fen: getVisibleNet(ctx, previous) },
    confirmed_at: salary.confirmed_at ? toIsoTimestamp(salary.confirmed_at) : null,
    confirmed_auto: salary.confirmed_auto,
    receipt: await getOrIssueReceipt(ctx, salary, rendered),
    feedback_id: thread?.id ?? null,
    answer_unread: thread?.answer_unread ?? false,
    closes_in_seconds: closes_at && Math.max(1, Math.ceil((closes_at.getTime() - now.getTime()) / 1000)),
    auto_confirms_at: confirms_at && toIsoTimestamp(confirms_at),
    pay_hide: member.pay_hide,
    watermark: rules.watermark ? `${member.name} ${member.mobile.slice(-4)}` : null,
    notice_due: await isNoticeDue(ctx),
  }
})

/** Whether the employee has not confirmed the notice of article 17 PIPL; the payslip never waits for the record of it. */
async function isNoticeDue({ db, company_id, currentUser }: HandlerContext): Promise<boolean> {
  const row = await db
    .selectFrom(privacyNoticeView)
    .select('read_at')
    .where('company_id', '=', company_id)
    .where('account_id', '=', currentUser.account_id)
    .executeTakeFirst()
  return !row?.read_at
}

/** Whether this payslip belongs to this employee of the company. */
export async function isOwnPayslip(tx: Tx, me: HandlerContext['currentUser'], slip_id: string): Promise<boolean> {
  const ctx = { db: tx, company_id: me.company_id }
  const member_id = await getPayslipMemberId(ctx, await completePayslipId(ctx, getOwnMemberIds(me), slip_id))
  return member_id !== null && getOwnMemberIds(me).includes(member_id)
}

/** Finds the employee's payslip of the same kind from the nearest earlier month. */
export async function findPreviousPayslip(ctx: HandlerContext, batch: { title_month: string | null; title_kind: TitleKind }) {
  if (!batch.title_month) return null
  const row = await selectOwnPayslips(ctx)
    .where('payslip.status', 'in', readableStatuses)
    .select(['payslip.id', 'payslip.member_id', 'payslip.version', 'payslip.cells', 'payslip.viewed_at', 'payslip.batch_id'])
    .select(['batch.rules', 'batch.recognition', 'batch.layout', 'title.id as title_id', 'title.name as title', 'title.month'])
    .where('title.kind', '=', batch.title_kind)
    .where('title.month', '<', batch.title_month)
    .orderBy('title.month', 'desc')
    .orderBy('payslip.sent_at', 'desc')
    .limit(1)
    .executeTakeFirst()
  return row ?? null
}
