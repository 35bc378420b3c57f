/**
 * What signing in does to the links: a platform user proves a member's phone, or a member ends the relation. Writes
 * platform_user.
 */
import { providerLabels } from '../../../contract/shared/providers.ts'
import type { CompanyVaultTimeTx } from '../../../database/company-tx.ts'
import { listAdminIdsWithPowers } from '../../access/index.ts'
import { getMembersByAccount, loadMatchCandidates } from '../../directory/index.ts'
import { notify } from '../../notifications/index.ts'
import { findBinding, type StoredBinding } from '../binding-rows.ts'
import { isPlatformCompany, type PlatformCompany, saveLinks } from '../links.ts'

export type PlatformClaim = PlatformCompany & { readonly user_id: string; readonly account_id: string }

/**
 * Returns whether the platform user may be linked to this account. They may not while they are matched to another
 * active member: two who share a phone do this by mistake. The match then ends, so that no message goes to a disputed
 * account, and an administrator decides between the two.
 */
export async function claimPlatformUser(companyTx: CompanyVaultTimeTx, claim: PlatformClaim): Promise<boolean> {
  const binding = await findBinding(companyTx)
  const user = binding && isSameCompany(binding, claim) ? await lockPlatformUser(companyTx, claim) : undefined
  const member_id = (await getMembersByAccount(companyTx, [claim.account_id])).get(claim.account_id)
  if (!user || !member_id) return true
  const disputed = user.match_reason === 'claimed' ? user.candidates : user.member_id ? [user.member_id] : []
  const others = await loadMatchCandidates(
    companyTx,
    disputed.filter((id) => id !== member_id),
  )
  if (others.length === 0) return true
  if (user.match_reason === 'claimed' && user.candidates.includes(member_id)) return false
  if (user.member_id) await saveLinks(companyTx, claim, [{ user_id: claim.user_id, member_id: null, by: null }])
  await companyTx.db
    .updateTable('platform_user')
    .set({ match_status: 'conflict', match_reason: 'claimed', candidates: [...others.map((one) => one.member_id), member_id] })
    .where(isPlatformCompany(companyTx, claim))
    .where('user_id', '=', claim.user_id)
    .execute()
  const [member] = await loadMatchCandidates(companyTx, [member_id])
  const names = others.map(({ name }) => name).join('、')
  const text = `${providerLabels[claim.provider]}账号 ${user.name || claim.user_id} 对应的是 ${names}，刚刚有人用它验证了 ${member?.name ?? ''} 的手机号，没有关联。请在「办公平台」的人员核对里选择它是谁`
  for (const admin_id of await listAdminIdsWithPowers(companyTx, ['1', '4']))
    await notify(companyTx, admin_id, { kind: 'security', text, batch_id: null })
  return false
}

/** The member no longer uses this platform account: it is matched anew. */
export async function releasePlatformUser(companyTx: CompanyVaultTimeTx, claim: PlatformClaim): Promise<void> {
  const user = await lockPlatformUser(companyTx, claim)
  const member_id = (await getMembersByAccount(companyTx, [claim.account_id])).get(claim.account_id)
  if (user?.member_id && user.member_id === member_id)
    await saveLinks(companyTx, claim, [{ user_id: claim.user_id, member_id: null, by: null }])
}

const isSameCompany = (binding: StoredBinding, { provider, corp_id }: PlatformCompany): boolean =>
  binding.provider === provider && binding.corp_id === corp_id

const lockPlatformUser = (companyTx: CompanyVaultTimeTx, claim: PlatformClaim) =>
  companyTx.db
    .selectFrom('platform_user')
    .select(['name', 'member_id', 'match_reason', 'candidates'])
    .where(isPlatformCompany(companyTx, claim))
    .where('user_id', '=', claim.user_id)
    .where('removed_at', 'is', null)
    .forUpdate()
    .executeTakeFirst()
