/** The end of a binding: asked for by one administrator, decided by another. Writes binding, platform_app and platform_sync. */
import * as contract from '../../contract/people/binding.ts'
import { providerNames } from '../../contract/people/providers.ts'
import { releaseInstalls } from '../../runtime/data/installs.ts'
import { type Ctx, handleRights, refuse } from '../../runtime/handle.ts'
import { endSessions } from '../../runtime/request/sessions.ts'
import { forgetCorp } from '../account/index.ts'
import { afterDecision, takeDown } from '../approval/index.ts'
import { forgetApps, nameProvider } from '../company/index.ts'
import { notify } from '../desk/index.ts'
import { adminsWith } from '../role/index.ts'
import { forgetDirectory, restLinks } from './links.ts'
import { bindingOf, followed, type KeptBinding, mayDo, notBound, tellOf } from './rows.ts'
import { dropSyncs } from './sync/begin.ts'

export const applyUnBindingPlatform = handleRights(contract.applyUnBindingPlatform, async (ctx, { reason }) => {
  const { me } = ctx
  const binding = await bindingOf(ctx, 'held')
  if (!binding) throw notBound()
  const applicant_id = me.admin_id
  if (!applicant_id) throw refuse('not_permitted')
  const others = (await adminsWith(ctx, ['1', '4'])).filter((admin_id) => admin_id !== applicant_id)
  if (others.length === 0) {
    followed(binding.status, 'apply_unbind')
    await unbind(ctx, binding, { by: me.name, why: 'alone' })
    return { approval_no: null, message: '企业没有其他管理员可以审批，已直接解除绑定；员工和工资条都保留' }
  }
  const status = followed(binding.status, 'apply_unbind')
  const { id, approval_no } = await takeDown(ctx, {
    kind: 'unbind',
    applicant_id,
    member_id: null,
    account_id: null,
    words: reason,
  })
  await ctx.db
    .updateTable('binding')
    .set({ status, approval_no })
    .where('company_id', '=', ctx.company_id)
    .where('id', '=', binding.id)
    .execute()
  await dropSyncs(ctx, binding.id)
  await tellOf(ctx, binding.id, { kind: 'unbind_applied', by: me.name })
  const text = `${me.name} 申请解除企业与${providerNames[binding.provider]}的绑定，请审批`
  for (const admin_id of others) await notify(ctx, admin_id, { kind: 'approval', text, batch_id: null })
  ctx.about({ approval_id: id })
  return { approval_no, message: '已提交申请，等待另一位管理员审批；审批前一切照常' }
})

/** What a decision about an application to unbind does: told to the approvals when the product is put together. */
export const decideUnbinding = (): void =>
  afterDecision('unbind', async (ctx, { approval_no, status }) => {
    const binding = await bindingOf(ctx, 'held')
    if (!binding || binding.approval_no !== approval_no) {
      // It is over already, or was bound anew: what was asked for has no object any more.
      return
    }
    if (status === 1) return unbind(ctx, binding, { by: ctx.me.name, why: 'approved' })
    await mayDo(ctx, binding, 'keep')
    await ctx.db
      .updateTable('binding')
      .set({ approval_no: null })
      .where('company_id', '=', ctx.company_id)
      .where('id', '=', binding.id)
      .execute()
    await tellOf(ctx, binding.id, { kind: 'unbind_kept', by: ctx.me.name, detail: { rejected: status === 2 ? 1 : 0 } })
  })

/** Secrets go, sessions that came through the platform end; people, slips and the memory of who was whom stay. */
export async function unbind(
  ctx: Pick<Ctx, 'db' | 'company_id' | 'now'>,
  binding: Pick<KeptBinding, 'id' | 'provider' | 'corp_id' | 'mode'>,
  { by, why }: { readonly by: string; readonly why: 'approved' | 'alone' | 'platform' | 'displaced' },
): Promise<void> {
  const { db, company_id, now } = ctx
  await dropSyncs(ctx, binding.id)
  await db
    .updateTable('binding')
    .set({ status: 0, app_id: null, approval_no: null, ended_at: now, problems: '[]', visible: null })
    .where('company_id', '=', company_id)
    .where('id', '=', binding.id)
    .execute()
  await forgetApps(ctx)
  await releaseInstalls(ctx)
  await restLinks(ctx)
  // Whoever takes an application of its store off wants to be forgotten with what the platform told: WeCom makes that a condition.
  if (why === 'displaced' || (why === 'platform' && binding.mode === 'store')) await forgetDirectory(ctx, binding)
  if (why === 'displaced') await forgetCorp(ctx, binding)
  await nameProvider(ctx, null)
  const sessions = await endSessions(db, { sole_in: company_id }, 'unbound')
  await tellOf(ctx, binding.id, { kind: 'unbound', by, detail: { why, sessions } })
}
