/** Corrections in an approved batch: beyond a bound the second administrator approves again what is paid. */

import { sql } from 'kysely'
import { getColumnKey } from '../../../contract/payslips/payslip.ts'
import { isNet } from '../../../contract/sheets/column-roles.ts'
import { fail, type HandlerContext } from '../../../http/handler.ts'
import { parseTypedCell } from '../../../rules/amounts.ts'
import { cancelApproval, createApproval, getApproval, listSendDeciders } from '../../approvals/index.ts'
import { loadWageSettings } from '../../company/settings/index.ts'
import { memberView } from '../../directory/read-model.ts'
import { notify } from '../../notifications/index.ts'
import { openRecognition } from '../../sheets/display/index.ts'
import type { BatchRow } from '../../sheets/index.ts'
import { type CellChange, changeDocument, getChangePosition } from '../payslip/corrections.ts'
import { needsCorrectionApproval } from '../rules/payslip-rules.ts'

type CorrectedPayslip = { readonly id: string; readonly member_id: string; readonly version: number }
type RequestedCorrection = {
  readonly salary: CorrectedPayslip
  readonly batch: BatchRow
  readonly net: { readonly from: number | null; readonly to: number | null }
  readonly changes: readonly { readonly key: string; readonly change: CellChange }[]
}

/** Whether an administrator approved the sending of this batch. */
export async function wasSentWithApproval({ db, company_id }: HandlerContext, batch_id: string): Promise<boolean> {
  const plan = await db
    .selectFrom('send_plan')
    .select('id')
    .where('company_id', '=', company_id)
    .where('batch_id', '=', batch_id)
    .where('status', '=', 'started')
    .where('approval_id', 'is not', null)
    .executeTakeFirst()
  return plan !== undefined
}

/** Whether this batch was sent with an approval, and the company still requires one. */
async function isApprovedBatch(ctx: HandlerContext, batch_id: string): Promise<boolean> {
  if ((await loadWageSettings(ctx)).send_rule.approve_from === 0) return false
  return wasSentWithApproval(ctx, batch_id)
}

/** Sums up how far net pay was corrected without approval since the sending: of this payslip, and of the whole batch. */
async function sumFreeCorrections({ db, company_id, vault }: HandlerContext, batch: BatchRow, salary_id: string) {
  const nets = openRecognition({ vault }, batch).columns.flatMap(({ key, role }) => (isNet(role) ? [key] : []))
  const rows = await db
    .selectFrom('payslip_change')
    .select(['id', 'salary_id', 'column_key', 'change'])
    .where('company_id', '=', company_id)
    .where('batch_id', '=', batch.id)
    .where(({ not, exists, selectFrom }) =>
      not(
        exists(
          selectFrom('correction_approval')
            .select('approval_id')
            .where('correction_approval.company_id', '=', company_id)
            .whereRef('correction_approval.salary_id', '=', 'payslip_change.salary_id')
            .where('from_version', '=', sql<number>`payslip_change.version - 1`)
            .where('approved_at', 'is not', null),
        ),
      ),
    )
    .execute()
  let ofPayslip = 0
  let ofBatch = 0
  for (const row of rows) {
    if (!nets.includes(getColumnKey(row.column_key))) continue
    const { from, to } = changeDocument.open(vault, getChangePosition(row.id), row.change)
    const distance = Math.abs((parseTypedCell(to, 'net')?.fen ?? 0) - (parseTypedCell(from, 'net')?.fen ?? 0))
    ofBatch += distance
    if (row.salary_id === salary_id) ofPayslip += distance
  }
  return { ofPayslip, ofBatch }
}

/**
 * Returns null where the correction may be made now; else the number of the approval for which it waits. The applicant
 * makes the same correction again once it is approved: what is approved is a digest of exactly these changes.
 */
export async function requestCorrectionApproval(ctx: HandlerContext, correction: RequestedCorrection): Promise<string | null> {
  const { db, company_id, vault, currentUser } = ctx
  const { salary, batch, net, changes } = correction
  if (!(await isApprovedBatch(ctx, batch.id))) return null
  if (!needsCorrectionApproval(net, await sumFreeCorrections(ctx, batch, salary.id))) return null
  const { id: salary_id, version: from_version } = salary
  const newValues = changes.map(({ key, change }) => [key, change.to]).toSorted()
  const digest = vault.blindIndex('correction', JSON.stringify([salary_id, from_version, newValues]))
  const requested = await db
    .selectFrom('correction_approval')
    .select('approval_id')
    .where('company_id', '=', company_id)
    .where('salary_id', '=', salary_id)
    .where('from_version', '=', from_version)
    .where('digest', '=', digest)
    .execute()
  for (const { approval_id } of requested) {
    const approval = await getApproval(ctx, approval_id)
    if (approval?.status === 1 && approval.decided_by !== approval.applicant_id) return null
    if (approval?.status === 0) return approval.approval_no
  }
  const approvers = currentUser.admin_id ? await listSendDeciders(ctx, currentUser.admin_id) : []
  if (!currentUser.admin_id || approvers.length === 0)
    throw fail(
      'wrong_state',
      '这批工资条是审批后发出的，这次更正的金额要由另一位管理员同意；企业里没有另一位管理员可以审批，请先添加一位系统管理员',
      { status: 'no_approver' },
    )
  const { name } = await db
    .selectFrom(memberView)
    .select('name')
    .where('company_id', '=', company_id)
    .where('id', '=', salary.member_id)
    .executeTakeFirstOrThrow()
  const summary = `更正后的 ${name} 的工资条（「${batch.title_name ?? ''}」）`
  const applicant = { applicant_id: currentUser.admin_id, member_id: null, account_id: null }
  const { id, approval_no } = await createApproval(ctx, { kind: 'send', ...applicant, reasonText: summary })
  await db
    .insertInto('correction_approval')
    .values({ company_id, approval_id: id, salary_id, batch_id: batch.id, from_version, digest })
    .execute()
  for (const admin_id of approvers)
    await notify(ctx, admin_id, { kind: 'approval', text: `${currentUser.name} 申请发送${summary}，请审批`, batch_id: null })
  ctx.addAuditDetails({ batch_id: batch.id, approval_id: id })
  return approval_no
}

/** Returns the correction of an approval, and whether the payslip is still the one for which it was requested. */
export async function findRequestedCorrection({ db, company_id }: HandlerContext, approval_id: string) {
  const row = await db
    .selectFrom('correction_approval')
    .innerJoin('payslip', (join) =>
      join
        .onRef('payslip.company_id', '=', 'correction_approval.company_id')
        .onRef('payslip.id', '=', 'correction_approval.salary_id'),
    )
    .select(['correction_approval.batch_id', 'from_version', 'payslip.version'])
    .where('correction_approval.company_id', '=', company_id)
    .where('approval_id', '=', approval_id)
    .executeTakeFirst()
  return row ? { batch_id: row.batch_id, isCurrent: row.version === row.from_version } : null
}

/** Records the approval: what is approved does not count against the bound. */
export const markCorrectionApproved = ({ db, company_id, now }: HandlerContext, approval_id: string) =>
  db
    .updateTable('correction_approval')
    .set({ approved_at: now })
    .where('company_id', '=', company_id)
    .where('approval_id', '=', approval_id)
    .execute()

/** Cancels requests for an earlier version of the payslip: nobody can make these corrections any more. */
export async function cancelOutdatedCorrections(ctx: HandlerContext, { id, version }: CorrectedPayslip): Promise<void> {
  const rows = await ctx.db
    .selectFrom('correction_approval')
    .select('approval_id')
    .where('company_id', '=', ctx.company_id)
    .where('salary_id', '=', id)
    .where('from_version', '<=', version)
    .execute()
  for (const { approval_id } of rows) await cancelApproval(ctx, approval_id, '工资条已经更正，需要重新提交')
}
