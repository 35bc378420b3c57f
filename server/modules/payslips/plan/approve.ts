/** Approval of a send by a second administrator, where required: it covers one plan as frozen. The applicant then sends it. */

import { sql } from 'kysely'
import * as z from 'zod/mini'
import * as contract from '../../../contract/payslips/send-approval.ts'
import { sumFen } from '../../../contract/shared/money.ts'
import { channels } from '../../../contract/shared/schemas.ts'
import { can } from '../../../contract/shared/statuses.ts'
import { defineDocument } from '../../../crypto/sealed-document.ts'
import type { CompanyTx, CompanyVaultTx } from '../../../database/company-tx.ts'
import { assertAllowed, defineHandler, fail, type HandlerContext } from '../../../http/handler.ts'
import { toIsoTimestamp, toShanghaiDate } from '../../../shared/clock.ts'
import { deriveId } from '../../../shared/ids.ts'
import { cancelApproval, createApproval, getApproval, listSendDeciders, registerDecisionHandler } from '../../approvals/index.ts'
import { loadWageSettings } from '../../company/settings/index.ts'
import { isPayablePayslip } from '../../directory/index.ts'
import { notify } from '../../notifications/index.ts'
import { openPayslipContent } from '../../payslip-records/index.ts'
import { type BatchRow, countUnsent, getBatchDigest, requireBatch, requireBatchForPayslips } from '../../sheets/index.ts'
import { countWarnings, type WarningCounts } from '../../sheets/ready/index.ts'
import { getApprovalError } from '../rules/payslip-rules.ts'
import { selectLatestStartedPlan } from '../send/ledger.ts'
import { findRequestedCorrection, markCorrectionApproved } from './correction-approval.ts'
import { assertPlanInScope, assertSpotChecked } from './plan-checks.ts'
import { formatApprovalReason, getApprovalNeed, lockApprovalCount } from './recipients-of-day.ts'
import { notifySplitBatches } from './split-batches.ts'

type PlanTotals = { readonly net_fen: number; readonly gross_fen: number | null }
const planTotalsDocument = defineDocument<PlanTotals>({
  kind: 'totals of a plan',
  version: 1,
  schema: z.object({ net_fen: z.int(), gross_fen: z.nullable(z.int()) }),
})
const getTotalsPosition = (id: string) => ({ table: 'send_plan', row: id, column: 'totals' })

async function getPlan({ db, company_id }: CompanyTx, plan_id: string) {
  const plan = await db
    .selectFrom('send_plan')
    .select(['id', 'batch_id', 'status', 'spot_checks', 'created_at', 'created_by', 'approval_id', 'digest', 'scheduled_at'])
    .where('company_id', '=', company_id)
    .where('id', '=', plan_id)
    .executeTakeFirst()
  if (!plan) throw fail('not_found')
  return plan
}

/** Computes a 32-byte digest of a plan: each member's row, channel and sealed amounts, and how and when they are sent. */
async function computePlanDigest(ctx: CompanyVaultTx, { id, batch_id }: { id: string; batch_id: string }) {
  const { db, company_id } = ctx
  const batchHeader = await getBatchDigest(ctx, batch_id)
  const { rows } = await sql<{ digest: Buffer; people: number }>`
    select count(slip.*)::int as people, sha256(${batchHeader?.digest ?? null}::bytea || convert_to(concat_ws('|', send_plan.id, send_plan.channels::text, send_plan.scheduled_at::text,
        string_agg(concat_ws(',', slip.row_no, slip.member_id, slip.channel, slip.version, encode(sha256(slip.cells), 'hex'), slip.identity::text), ';'
          order by slip.row_no)), 'UTF8')) as digest
    from send_plan
    join payslip as slip on slip.company_id = ${company_id} and slip.batch_id = send_plan.batch_id and slip.status = 'waiting'
    where send_plan.company_id = ${company_id} and send_plan.id = ${id} and send_plan.batch_id = ${batch_id}
    group by send_plan.id, send_plan.channels, send_plan.scheduled_at`.execute(db)
  return { ...(rows[0] ?? { digest: null, people: 0 }), face: batchHeader }
}
const listPlanMembers = async ({ db, company_id }: CompanyTx, { batch_id }: { batch_id: string }): Promise<string[]> => {
  const rows = await db
    .selectFrom('payslip')
    .select('member_id')
    .where('company_id', '=', company_id)
    .where('batch_id', '=', batch_id)
    .where('status', '=', 'waiting')
    .execute()
  return rows.map(({ member_id }) => member_id)
}
/** Whether the plan is the same as when approval was requested. */
const isSameDigest = (current: Buffer | null, previous: Buffer | null): boolean =>
  current !== null && previous !== null && current.equals(previous)

export const requestSendApproval = defineHandler(contract.requestSendApproval, async (ctx, { plan_id, looked }) => {
  const { db, company_id, currentUser } = ctx
  const unlockedPlan = await getPlan(ctx, plan_id)
  const batch = await requireBatch(ctx, unlockedPlan.batch_id, 'manage')
  const { status } = batch
  assertAllowed(can.send(status, await countUnsent(ctx, batch.id)), { status })
  const plan = await getPlan(ctx, plan_id)
  if (!currentUser.admin_id || plan.status !== 'planned' || isStale(batch, plan))
    throw fail('wrong_state', '这份发送安排已经失效，请重新确认后再提交', { status })
  if (plan.approval_id) throw fail('wrong_state', '这份发送安排已经提交过审批', { status: 'waiting' })
  await assertPlanInScope(ctx, batch.id, status)
  await assertSpotChecked(ctx, { plan_id, spot_checks: plan.spot_checks, spot_checked_at: null, status }, looked === true)
  const { digest, people } = await computePlanDigest(ctx, plan)
  const need = await getApprovalNeed(ctx, (await loadWageSettings(ctx)).send_rule.approve_from, await listPlanMembers(ctx, plan))
  if (!need.isNeeded) throw fail('wrong_state', '这一批不需要审批，可以直接发送', { status })
  const approvers = await listSendDeciders(ctx, currentUser.admin_id)
  if (approvers.length === 0)
    throw fail('wrong_state', '企业里没有另一位管理员可以审批，请先添加一位系统管理员，或由系统管理员关闭发送审批', { status })
  const totals = people < contract.minPeopleForTotals ? null : await sumPlan(ctx, batch.id)
  const summary = `「${batch.title_name ?? ''}」${people} 人${formatWarnings(await countWarnings(ctx, batch))}`
  const { id, approval_no } = await createApproval(ctx, {
    kind: 'send',
    applicant_id: currentUser.admin_id,
    member_id: null,
    account_id: null,
    reasonText: summary,
  })
  await db
    .updateTable('send_plan')
    .set({ approval_id: id, digest, totals: totals && planTotalsDocument.seal(ctx.vault, getTotalsPosition(plan_id), totals) })
    .where('company_id', '=', company_id)
    .where('id', '=', plan_id)
    .execute()
  for (const admin_id of approvers)
    await notify(ctx, admin_id, { kind: 'approval', text: `${currentUser.name} 申请发送${summary}，请审批`, batch_id: null })
  ctx.addAuditDetails({ batch_id: batch.id, plan_id, approval_id: id, people })
  return { approval_no }
})

/** The warnings with which the applicant goes on, as counts: an approver who does not know them approves something else. */
function formatWarnings({ alreadyPaid, others }: WarningCounts): string {
  const counts = [alreadyPaid > 0 && `${alreadyPaid} 人本月已发过`, others > 0 && `另有 ${others} 处提醒已确认或未处理`]
  const text = counts.filter(Boolean).join('，')
  return text && `（${text}）`
}

/** Any time other than the plan's own: the clocks of two servers need not agree on what is later. */
const isStale = (batch: Pick<BatchRow, 'updated_at'>, plan: { readonly created_at: Date }): boolean =>
  batch.updated_at.getTime() !== plan.created_at.getTime()

/** Required before a plan is sent: only the approved plan is sent, and nobody approves their own. The caller locks the batch. */
export async function assertApproved(
  ctx: HandlerContext,
  { plan_id, status }: { plan_id: string; status: string },
): Promise<void> {
  const { send_rule } = await loadWageSettings(ctx)
  if (send_rule.approve_from === 0) return
  const plan = await getPlan(ctx, plan_id)
  const { digest, people } = await computePlanDigest(ctx, plan)
  await lockApprovalCount(ctx)
  const need = await getApprovalNeed(ctx, send_rule.approve_from, await listPlanMembers(ctx, plan))
  if (!need.isNeeded) return notifySplitBatches(ctx, { batch_id: plan.batch_id, from: send_rule.approve_from })
  const approval = plan.approval_id ? await getApproval(ctx, plan.approval_id) : null
  const isUnchanged = isSameDigest(digest, plan.digest)
  const errorMessage = getApprovalError(
    approval && {
      status: approval.status,
      isUnchanged,
      isDecidedByApplicant: approval.decided_by === approval.applicant_id,
    },
  )
  if (!errorMessage) return
  const reason = formatApprovalReason(send_rule.approve_from, people, need)
  throw fail('wrong_state', approval ? errorMessage : `${errorMessage}：${reason}`, {
    status,
    approval: approval?.status ?? null,
  })
}

/** Whether a plan of this batch waits for an approval that nobody has requested yet, or for its decision. */
export async function getPlanApproval(
  ctx: HandlerContext,
  { batch_id, plan_id }: { readonly batch_id: string; readonly plan_id: string },
): Promise<'none' | 'missing' | 'waiting'> {
  await requireBatch(ctx, batch_id, 'manage')
  const plan = await getPlan(ctx, plan_id)
  if (plan.batch_id !== batch_id) throw fail('not_found')
  const { approve_from } = (await loadWageSettings(ctx)).send_rule
  if (plan.status !== 'planned' || approve_from === 0) return 'none'
  await lockApprovalCount(ctx)
  const need = await getApprovalNeed(ctx, approve_from, await listPlanMembers(ctx, plan))
  if (!need.isNeeded) return 'none'
  if (!plan.approval_id) return 'missing'
  return (await getApproval(ctx, plan.approval_id))?.status === 0 ? 'waiting' : 'none'
}

/** Cancels pending applications for plans of this batch, whose subject no longer exists. */
export async function cancelApprovals(ctx: HandlerContext, batch_id: string): Promise<void> {
  const rows = await ctx.db
    .selectFrom('send_plan')
    .select('approval_id')
    .where('company_id', '=', ctx.company_id)
    .where('batch_id', '=', batch_id)
    .where('approval_id', 'is not', null)
    .execute()
  for (const { approval_id } of rows) if (approval_id) await cancelApproval(ctx, approval_id, '发送安排已经改变，需要重新提交')
}

/** A batch approved for a certain time is sent at that time: another time requires another plan. */
export async function assertScheduleNotApproved(ctx: HandlerContext, batch_id: string, status: string): Promise<void> {
  const plan = await selectLatestStartedPlan(ctx, batch_id).select('approval_id').executeTakeFirst()
  if (plan?.approval_id)
    throw fail('wrong_state', '这一批是按审批时的时间定时的；要改时间，请先取消定时，重新提交审批', { status })
}

/** Notifies the approver once a day that payslips of an approved batch were corrected since: only the fact, never the content. */
export async function notifyApprover(ctx: HandlerContext, batch: Pick<BatchRow, 'id' | 'title_name'>): Promise<void> {
  const { db, company_id, currentUser, now } = ctx
  const plan = await db
    .selectFrom('send_plan')
    .select('approval_id')
    .where('company_id', '=', company_id)
    .where('batch_id', '=', batch.id)
    .where('status', '=', 'started')
    .where('approval_id', 'is not', null)
    .executeTakeFirst()
  const approval = plan?.approval_id ? await getApproval(ctx, plan.approval_id) : null
  if (!approval?.decided_by || approval.decided_by === currentUser.admin_id) return
  const text = `您同意发送的「${batch.title_name ?? ''}」，${currentUser.name} 在发出后更正了其中的工资条；修改记录里有每一处`
  const id = deriveId('corrected-since', company_id, batch.id, toShanghaiDate(now))
  await notify(ctx, approval.decided_by, { id, kind: 'approval', text, batch_id: null })
}

const approvalStatuses = { 0: 'waiting', 1: 'approved', 2: 'returned', 3: 'void' } as const

export const getSendApproval = defineHandler(contract.getSendApproval, async (ctx, { batch_id }) => {
  const { db, company_id, currentUser } = ctx
  const batch = await requireBatchForPayslips(ctx, batch_id, 'view')
  const plan = await db
    .selectFrom('send_plan')
    .select(['id', 'status', 'approval_id', 'created_at', 'scheduled_at', 'by_channel'])
    .where('company_id', '=', company_id)
    .where('batch_id', '=', batch_id)
    .where('approval_id', 'is not', null)
    .orderBy('created_at', 'desc')
    .orderBy('id', 'desc')
    .limit(1)
    .executeTakeFirst()
  const approval = plan?.approval_id ? await getApproval(ctx, plan.approval_id) : null
  if (!plan || !approval) return { approval: null }
  const isOver = plan.status !== 'planned' || isStale(batch, plan)
  const status = approvalStatuses[approval.status]
  return {
    approval: {
      approval_no: approval.approval_no,
      plan_id: plan.id,
      status: isOver && status !== 'returned' ? 'void' : status,
      people: sumFen(countByChannel(plan.by_channel).map(({ count }) => count)),
      scheduled_at: plan.scheduled_at && toIsoTimestamp(plan.scheduled_at),
      is_own: approval.applicant_id === currentUser.admin_id,
      requested_by: approval.applicant,
      requested_at: toIsoTimestamp(approval.created_at),
      decided_by: approval.decider,
      reason: approval.status === 0 ? '' : approval.reason,
    },
  }
})

function countByChannel(by_channel: unknown) {
  const counts = new Map(Object.entries(by_channel ?? {}))
  return channels.map((channel) => ({ channel, count: Number(counts.get(channel) ?? 0) })).filter(({ count }) => count > 0)
}

export const getSendApprovalDetail = defineHandler(contract.getSendApprovalDetail, async (ctx, { approval_no }) => {
  const { db, company_id, vault } = ctx
  const approval = await getApproval(ctx, { approval_no })
  if (!approval || approval.kind !== 'send' || !approval.may_see)
    throw fail('not_found', '没有找到这份申请，可能已被处理或不属于您')
  const plan = await db
    .selectFrom('send_plan')
    .select(['id', 'batch_id', 'status', 'by_channel', 'sms_needed', 'scheduled_at', 'digest', 'totals'])
    .where('company_id', '=', company_id)
    .where('approval_id', '=', approval.id)
    .executeTakeFirst()
  if (!plan) return getCorrectionDetail(ctx, approval)
  const { face: batchHeader, digest } = await computePlanDigest(ctx, plan)
  const channelCounts = countByChannel(plan.by_channel)
  ctx.addAuditDetails({ batch_id: plan.batch_id, approval_id: approval.id })
  return {
    title: batchHeader?.title ?? '',
    month: batchHeader?.month ?? null,
    requested_by: approval.applicant,
    requested_at: toIsoTimestamp(approval.created_at),
    people: sumFen(channelCounts.map(({ count }) => count)),
    by_channel: channelCounts,
    sms_needed: plan.sms_needed,
    scheduled_at: plan.scheduled_at && toIsoTimestamp(plan.scheduled_at),
    totals: plan.totals && planTotalsDocument.open(vault, getTotalsPosition(plan.id), plan.totals),
    is_current: plan.status === 'planned' && isSameDigest(digest, plan.digest),
  }
})

/** What is shown of a requested correction: one recipient, whose amount no total may reveal. */
async function getCorrectionDetail(ctx: HandlerContext, approval: NonNullable<Awaited<ReturnType<typeof getApproval>>>) {
  const correction = await findRequestedCorrection(ctx, approval.id)
  if (!correction) throw fail('not_found', '这批工资条已经删除')
  const batchHeader = await getBatchDigest(ctx, correction.batch_id)
  ctx.addAuditDetails({ batch_id: correction.batch_id, approval_id: approval.id })
  return {
    title: batchHeader?.title ?? '',
    month: batchHeader?.month ?? null,
    requested_by: approval.applicant,
    requested_at: toIsoTimestamp(approval.created_at),
    people: 1,
    by_channel: [],
    sms_needed: 0,
    scheduled_at: null,
    totals: null,
    is_current: correction.isCurrent,
  }
}

const rowsPerPage = 500
/** Sums up the plan page by page for the applicant; null where a net pay is unknown. */
async function sumPlan(ctx: HandlerContext, batch_id: string): Promise<PlanTotals | null> {
  let after = 0
  let net_fen = 0
  let gross_fen: number | null = 0
  for (;;) {
    const rows = await ctx.db
      .selectFrom('payslip')
      .select(['id', 'version', 'cells', 'row_no'])
      .where('company_id', '=', ctx.company_id)
      .where('batch_id', '=', batch_id)
      .where('status', '=', 'waiting')
      .where('row_no', '>', after)
      .where(isPayablePayslip(ctx))
      .orderBy('row_no')
      .limit(rowsPerPage)
      .execute()
    for (const row of rows) {
      const content = openPayslipContent(ctx.vault, row)
      if (content.net_fen === null) return null
      net_fen += content.net_fen
      gross_fen = gross_fen === null || content.gross_fen === null ? null : gross_fen + content.gross_fen
      after = row.row_no
    }
    if (rows.length < rowsPerPage) return { net_fen, gross_fen }
  }
}

/** Registers the effect of a decision about a send; called when the product is assembled. */
export const registerSendApprovals = (): void =>
  registerDecisionHandler('send', async (ctx, { approval_no, status }) => {
    if (status !== 1) return
    const approval = await getApproval(ctx, { approval_no })
    const plan = await ctx.db
      .selectFrom('send_plan')
      .select(['id', 'batch_id', 'status', 'digest', 'created_by'])
      .where('company_id', '=', ctx.company_id)
      .where('approval_id', '=', approval?.id ?? null)
      .executeTakeFirst()
    const correction = approval && !plan ? await findRequestedCorrection(ctx, approval.id) : null
    if (approval && correction?.isCurrent) {
      await markCorrectionApproved(ctx, approval.id)
      return ctx.addAuditDetails({ batch_id: correction.batch_id })
    }
    if (plan?.created_by === ctx.currentUser.account_id) throw fail('not_permitted', '这份发送安排是您做的，要由另一位管理员审批')
    if (plan?.status !== 'planned' || !isSameDigest((await computePlanDigest(ctx, plan)).digest, plan.digest))
      throw fail('wrong_state', '申请之后工资表或发送安排又有改变，请驳回，由申请人重新提交', { status: 'changed' })
    ctx.addAuditDetails({ batch_id: plan.batch_id, plan_id: plan.id })
  })
