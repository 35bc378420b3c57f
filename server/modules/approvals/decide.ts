/** Lists and decides applications. Each is decided once: a second decision changes nothing and returns the existing outcome. */

import { sql } from 'kysely'
import type { ApprovalKind } from '../../contract/approvals/approvals.ts'
import * as contract from '../../contract/approvals/approvals.ts'
import type { CallInput } from '../../contract/call.ts'
import { type AccessContext, defineHandler, fail, type HandlerContext } from '../../http/handler.ts'
import { toIsoTimestamp } from '../../shared/clock.ts'
import { adminView } from '../access/read-model.ts'
import { memberView } from '../directory/read-model.ts'
import { notify } from '../notifications/index.ts'
import { batchView } from '../sheets/read-model.ts'
import { getAdminProfile } from './admin-profile.ts'
import { decideAgencyService } from './agency-service.ts'
import { closeApproval, getReasonPosition, isApplicantSystemAdmin, selectDecidable } from './approval-rows.ts'
import { applyPhoneConfirmation } from './confirm-phone.ts'
import { runDecisionHandler } from './decision-handlers.ts'
import { canSetApprovalStatus } from './rules/decision.ts'
import { transferPayrollAdmin } from './transfer.ts'

const approvalSummaries: Record<ApprovalKind, (to: string) => string> = {
  wage_transfer: (to) => `申请把薪酬管理权限移交给 ${to}`,
  unbind: () => '申请解除企业与办公平台的绑定',
  join_agency: () => '申请为本企业代理工资条服务',
  send: () => '申请发送',
  phone: (to) => `申请确认 ${to} 登记的新手机号是本人的`,
}

export const getApprovalList = defineHandler(contract.getApprovalList, async (ctx, { page, pagesize, ...filter }) => {
  const query = selectVisibleApprovals(ctx, filter)
  const { total } = await query.select(({ fn }) => fn.countAll<number>().as('total')).executeTakeFirstOrThrow()
  const rows = await selectApprovalDetails(ctx, query)
    .orderBy('approval.created_at', 'desc')
    .orderBy('approval.id', 'desc')
    .limit(pagesize)
    .offset((page - 1) * pagesize)
    .execute()
  return { list: rows.map((row) => toApprovalItem(ctx, row)), page: { page, pagesize, total } }
})

function selectVisibleApprovals(
  { db, company_id, currentUser }: HandlerContext,
  { status, kind }: Pick<CallInput<typeof contract.getApprovalList>, 'status' | 'kind'>,
) {
  let query = db
    .selectFrom('approval')
    .where('approval.company_id', '=', company_id)
    .where((eb) => eb.or([eb('approval.applicant_id', '=', currentUser.admin_id), selectDecidable(currentUser)]))
  if (status !== undefined) query = query.where('approval.status', '=', status)
  if (kind) query = query.where('approval.kind', '=', kind)
  return query
}

/** Adds the applicant, the decider and the member or company concerned. */
function selectApprovalDetails({ company_id }: HandlerContext, query: ReturnType<typeof selectVisibleApprovals>) {
  const selectAdminName = (admin: 'approval.applicant_id' | 'approval.decided_by') =>
    sql<string | null>`(select member.name from ${adminView} join ${memberView}
      on member.company_id = admin.company_id and member.id = admin.member_id
      where admin.company_id = ${company_id} and admin.id = ${sql.ref(admin)})`
  return query
    .leftJoin(memberView, (join) =>
      join.onRef('member.company_id', '=', 'approval.company_id').onRef('member.id', '=', 'approval.member_id'),
    )
    .select([
      'approval.id',
      'approval.approval_no',
      'approval.kind',
      'approval.status',
      'approval.reason',
      'approval.applicant_id',
    ])
    .select([
      'approval.created_at',
      'approval.decided_at',
      'member.name as to_name',
      'member.unconfirmed_by',
      isApplicantSystemAdmin(company_id).as('of_head'),
    ])
    .select(
      // The batches are counted only while pending, because afterwards they belong to another administrator.
      sql<number>`(select count(*) from ${batchView} where approval.kind = 'wage_transfer' and approval.status = 0
        and batch.company_id = ${company_id} and batch.owner_id = approval.applicant_id)`.as('batches'),
    )
    .select([selectAdminName('approval.applicant_id').as('applicant'), selectAdminName('approval.decided_by').as('decided_by')])
}

type ApprovalRow = Awaited<ReturnType<ReturnType<typeof selectApprovalDetails>['execute']>>[number]
/** Converts an application for the current user: its text, and whether they may decide it. */
function toApprovalItem(
  { currentUser, vault }: HandlerContext,
  { id, reason, applicant_id, created_at, decided_at, applicant, to_name, unconfirmed_by, of_head, ...row }: ApprovalRow,
) {
  const changed_by_me = unconfirmed_by !== null && unconfirmed_by === currentUser.admin_id
  const one = { kind: row.kind, applicant_id, status: row.status, of_head, changed_by_current_admin: changed_by_me }
  const reasonText = reason.length === 0 ? '' : vault.open<string>(getReasonPosition(id), reason)
  // The requested send as text, until it is decided.
  const suffix = one.kind === 'send' ? (one.status === 0 ? reasonText : '工资条') : ''
  return {
    ...row,
    kind: one.kind,
    status: one.status,
    reason: one.kind === 'send' && one.status === 0 ? '' : reasonText,
    applicant: applicant ?? '',
    summary: `${approvalSummaries[one.kind](to_name ?? '')}${suffix}`,
    created_at: toIsoTimestamp(created_at),
    decided_at: decided_at && toIsoTimestamp(decided_at),
    is_own: applicant_id === currentUser.admin_id,
    can_decide: canSetApprovalStatus(currentUser, one, 1) === true,
  }
}

export const setApprovalStatusByApprovalNo = defineHandler(
  contract.setApprovalStatusByApprovalNo,
  { locks: 'access' },
  async (ctx, { approval_no, status, reason = '', serving }) => {
    const approval = await findApproval(ctx, approval_no)
    const { currentUser } = ctx
    const decision = canSetApprovalStatus(
      currentUser,
      { ...approval, changed_by_current_admin: approval.changed_by !== null && approval.changed_by === currentUser.admin_id },
      status,
    )
    if (decision !== true) throw fail(decision.code, decision.message, { status: approval.status })
    ctx.addAuditDetails({ approval_id: approval.id, status })
    if (!(await closeApproval(ctx, approval.id, status, reason)))
      throw fail('wrong_state', '这份申请已经处理过了，请刷新', { status: (await findApproval(ctx, approval_no)).status })
    if (approval.kind === 'join_agency') await decideAgencyService(ctx, approval.applicant_id, status, serving)
    await runDecisionHandler(ctx, approval.kind, { approval_no, status })
    if (status === 3) return {}
    if (status === 1 && approval.kind === 'wage_transfer') await applyTransfer(ctx, approval)
    if (status === 1 && approval.kind === 'phone') await applyPhoneConfirmation(ctx, approval)
    // The reason is stored encrypted only, not in notifications.
    const outcome = status === 1 ? '已通过' : `已驳回${reason ? '，原因见申请记录' : ''}`
    const text = `您${approvalSummaries[approval.kind](approval.to_name)}${approval.kind === 'send' ? '工资条' : ''}，${ctx.currentUser.name} ${outcome}`
    await notify(ctx, approval.applicant_id, { kind: 'approval', text, batch_id: null })
    return {}
  },
)

async function findApproval({ db, company_id }: HandlerContext, approval_no: string) {
  const row = await db
    .selectFrom('approval')
    .leftJoin(memberView, (join) =>
      join.onRef('member.company_id', '=', 'approval.company_id').onRef('member.id', '=', 'approval.member_id'),
    )
    .select(['approval.id', 'kind', 'applicant_id', 'member_id', 'approval.status', 'member.name as to_name'])
    .select(['approval.account_id as named', 'member.account_id as present', 'member.unconfirmed_by as changed_by'])
    .select(['approval.created_at', isApplicantSystemAdmin(company_id).as('of_head')])
    .where('approval.company_id', '=', company_id)
    .where('approval_no', '=', approval_no)
    .executeTakeFirst()
  if (!row) throw fail('not_found', '没有找到这份申请，可能已被处理或不属于您')
  return { ...row, to_name: row.to_name ?? '' }
}

/** Carries out the transfer if it is still possible: the applicant may have lost the power since the request. */
async function applyTransfer(ctx: AccessContext, approval: Awaited<ReturnType<typeof findApproval>>): Promise<void> {
  const { applicant_id, member_id } = approval
  const { power, name } = await getAdminProfile(ctx, applicant_id)
  if (!power.includes('2') || !member_id)
    throw fail('wrong_state', `${name} 已不是薪酬管理员，这份申请不能通过，请驳回`, { status: 'not_held' })
  // An administrator of the roster could give the named member another phone and sign in as them.
  if (approval.named !== approval.present)
    throw fail('wrong_state', `${approval.to_name} 的登录手机号在申请之后由管理员更换过，请核实本人后驳回，再重新申请`, {
      status: 'another_account',
    })
  await transferPayrollAdmin(ctx, applicant_id, member_id)
}

/** Returns one application for its subject module. `may_see`: the current user submitted it or may decide it. */
export async function getApproval(
  { db, company_id, currentUser, vault }: Pick<HandlerContext, 'db' | 'company_id' | 'currentUser' | 'vault'>,
  ref: string | { readonly approval_no: string },
) {
  const selectAdminName = (admin: 'approval.applicant_id' | 'approval.decided_by') =>
    sql<
      string | null
    >`(select member.name from ${adminView} join ${memberView} on member.company_id = admin.company_id and member.id = admin.member_id
      where admin.company_id = ${company_id} and admin.id = ${sql.ref(admin)})`
  const [column, value] = typeof ref === 'string' ? (['id', ref] as const) : (['approval_no', ref.approval_no] as const)
  const row = await db
    .selectFrom('approval')
    .select(['id', 'approval_no', 'kind', 'status', 'applicant_id', 'decided_by', 'created_at', 'reason'])
    .select([selectAdminName('approval.applicant_id').as('applicant'), selectAdminName('approval.decided_by').as('decider')])
    .select(isApplicantSystemAdmin(company_id).as('of_head'))
    .where('company_id', '=', company_id)
    .where(column, '=', value)
    .executeTakeFirst()
  if (!row) return null
  const decision = canSetApprovalStatus(currentUser, row, 1)
  return {
    ...row,
    applicant: row.applicant ?? '',
    reason: row.reason.length === 0 ? '' : vault.open<string>(getReasonPosition(row.id), row.reason),
    may_see: decision === true || decision.code !== 'not_found',
  }
}
