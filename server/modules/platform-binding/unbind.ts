/** Ending a binding: requested by one administrator, decided by another. Writes binding, platform_app and platform_sync. */

import { sql } from 'kysely'
import * as contract from '../../contract/platform-binding/binding.ts'
import { providerLabels } from '../../contract/shared/providers.ts'
import type { CompanyTimeTx } from '../../database/company-tx.ts'
import { defineHandler, fail, type HandlerContext } from '../../http/handler.ts'
import { endSessions } from '../../http/sessions.ts'
import { releaseInstalls } from '../../shared/store-installs.ts'
import { listAdminIdsWithPowers } from '../access/index.ts'
import { createApproval, registerDecisionHandler } from '../approvals/index.ts'
import { deleteCompanyIdentities } from '../auth/index.ts'
import { deletePlatformApps, getPlatformAppView } from '../company/index.ts'
import { setBoundProvider } from '../company/settings/index.ts'
import { notify } from '../notifications/index.ts'
import {
  applyAction,
  createNotBoundError,
  findBinding,
  requireNextStatus,
  type StoredBinding,
  saveBindingEvent,
} from './binding-rows.ts'
import { deleteDirectory, suspendLinks } from './links.ts'
import { discardSyncs } from './sync/start.ts'

export const applyUnBindingPlatform = defineHandler(
  contract.applyUnBindingPlatform,
  { locks: 'access' },
  async (ctx, { reason }) => {
    const { currentUser } = ctx
    const binding = await findBinding(ctx, 'held')
    if (!binding) throw createNotBoundError()
    const applicant_id = currentUser.admin_id
    if (!applicant_id) throw fail('not_permitted')
    const others = await listOtherApprovers(ctx)
    if (await canEndAtOnce(ctx, binding)) {
      requireNextStatus(binding.status, 'apply_unbind')
      await endBinding(ctx, binding, { by: currentUser.name, why: others.length === 0 ? 'alone' : 'unverified' })
      return { approval_no: null, message: '已解除绑定，员工和工资条都保留' }
    }
    const status = requireNextStatus(binding.status, 'apply_unbind')
    const { id, approval_no } = await createApproval(ctx, {
      kind: 'unbind',
      applicant_id,
      member_id: null,
      account_id: null,
      // Who decides is asked about this platform company, for this reason.
      reasonText: `${providerLabels[binding.provider]}「${binding.corp_name || binding.corp_id}」：${reason}`,
    })
    await ctx.db
      .updateTable('binding')
      .set({ status, approval_no })
      .where('company_id', '=', ctx.company_id)
      .where('id', '=', binding.id)
      .execute()
    await discardSyncs(ctx, binding.id)
    await saveBindingEvent(ctx, binding.id, { kind: 'unbind_applied', by: currentUser.name })
    const text = `${currentUser.name} 申请解除企业与${providerLabels[binding.provider]}的绑定，请审批`
    for (const admin_id of others) await notify(ctx, admin_id, { kind: 'approval', text, batch_id: null })
    ctx.addAuditDetails({ approval_id: id })
    return { approval_no, message: '已提交申请，等待另一位管理员审批；审批前一切照常' }
  },
)

async function listOtherApprovers(ctx: HandlerContext): Promise<string[]> {
  const approvers = await listAdminIdsWithPowers(ctx, ['1', '4'])
  return approvers.filter((admin_id) => admin_id !== ctx.currentUser.admin_id)
}

/**
 * Returns whether the caller may end the binding alone: nobody else could approve, or they made it themselves and the
 * platform has never confirmed that it is this company's, as with a mistyped company id.
 */
export async function canEndAtOnce(ctx: HandlerContext, binding: StoredBinding): Promise<boolean> {
  if ((await listOtherApprovers(ctx)).length === 0) return true
  if (!binding.app_id || (await getPlatformAppView(ctx, binding.app_id)).proved_at) return false
  const bound = await ctx.db
    .selectFrom('binding_event')
    .select(sql<string | null>`detail->>'admin'`.as('admin_id'))
    .where('company_id', '=', ctx.company_id)
    .where('binding_id', '=', binding.id)
    .where('kind', '=', 'bound')
    .executeTakeFirst()
  return bound !== undefined && bound.admin_id !== null && bound.admin_id === ctx.currentUser.admin_id
}

/** Registers the effect of a decision about an unbind application; called when the product is assembled. */
export const registerUnbindDecision = (): void =>
  registerDecisionHandler('unbind', async (ctx, { approval_no, status }) => {
    const binding = await findBinding(ctx, 'held')
    if (!binding || binding.approval_no !== approval_no) {
      // The binding has already ended or was replaced: the application has no subject any more.
      return
    }
    if (status === 1) return endBinding(ctx, binding, { by: ctx.currentUser.name, why: 'approved' })
    await applyAction(ctx, binding, 'keep')
    await ctx.db
      .updateTable('binding')
      .set({ approval_no: null })
      .where('company_id', '=', ctx.company_id)
      .where('id', '=', binding.id)
      .execute()
    await saveBindingEvent(ctx, binding.id, {
      kind: 'unbind_kept',
      by: ctx.currentUser.name,
      detail: { rejected: status === 2 ? 1 : 0 },
    })
  })

/** Deletes credentials and ends sessions started through the platform; members, payslips and earlier links stay. */
export async function endBinding(
  ctx: CompanyTimeTx,
  binding: Pick<StoredBinding, 'id' | 'provider' | 'corp_id' | 'mode'>,
  { by, why: reason }: { readonly by: string; readonly why: 'approved' | 'alone' | 'unverified' | 'platform' | 'displaced' },
): Promise<void> {
  const { db, company_id, now } = ctx
  await discardSyncs(ctx, binding.id)
  await db
    .updateTable('binding')
    .set({ status: 0, app_id: null, approval_no: null, ended_at: now, issues: '[]', visible: null })
    .where('company_id', '=', company_id)
    .where('id', '=', binding.id)
    .execute()
  await deletePlatformApps(ctx)
  await releaseInstalls(ctx)
  await suspendLinks(ctx)
  // A company that uninstalls a store application expects the platform's data to be deleted, as WeCom requires.
  if (reason === 'displaced' || (reason === 'platform' && binding.mode === 'store')) await deleteDirectory(ctx, binding)
  if (reason === 'displaced') await deleteCompanyIdentities(ctx, binding)
  await setBoundProvider(ctx, null)
  const sessions = await endSessions(db, { sole_in: company_id }, 'unbound')
  await saveBindingEvent(ctx, binding.id, { kind: 'unbound', by, detail: { why: reason, sessions } })
}
