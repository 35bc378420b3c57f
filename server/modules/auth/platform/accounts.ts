/** The platform accounts with which a user signs in to their company, and ending the relation. Writes platform_identity. */
import * as contract from '../../../contract/auth/profile.ts'
import { defineHandler, fail, type HandlerContext } from '../../../http/handler.ts'
import { toIsoTimestamp } from '../../../shared/clock.ts'
import { listBoundCompanies } from '../../company/index.ts'
import { deletePlatformIdentities } from './apps.ts'
import type { PlatformUserLinks } from './platforms.ts'

/** Returns the caller's identities on the platforms that this company uses; those of other companies are not shown. */
async function listIdentities({ db, company_id, currentUser }: HandlerContext) {
  const bound = await listBoundCompanies({ db, company_id })
  const rows = await db
    .selectFrom('platform_identity')
    .select(['corp_id', 'user_id', 'created_at'])
    .where('account_id', '=', currentUser.account_id)
    .where('corp_id', 'in', ['', ...bound.map(({ corp_id }) => corp_id)])
    .select('provider')
    .orderBy('created_at', 'desc')
    .execute()
  return rows.flatMap(({ provider, ...row }) => {
    const own = bound.find((one) => one.provider === provider && one.corp_id === row.corp_id)
    return own ? [{ ...row, provider: own.provider }] : []
  })
}

const getPlatformAccounts = defineHandler(contract.getPlatformAccounts, async (ctx) => ({
  list: (await listIdentities(ctx)).map(({ provider, user_id: account, created_at }) => ({
    provider,
    account,
    linked_at: toIsoTimestamp(created_at),
  })),
}))

const unlinkPlatformAccount = (links: PlatformUserLinks) =>
  defineHandler(contract.unlinkPlatformAccount, async (ctx, { provider, account }) => {
    const identity = (await listIdentities(ctx)).find((one) => one.provider === provider && one.user_id === account)
    if (!identity) throw fail('not_found', '这个账号没有和您关联，请刷新')
    const { corp_id, user_id } = identity
    await deletePlatformIdentities(ctx, { provider, corp_id }, [user_id])
    await links.release(ctx, { provider, corp_id, user_id, account_id: ctx.currentUser.account_id })
    ctx.addAuditDetails({ provider })
    return {}
  })

export const createPlatformAccountHandlers = (links: PlatformUserLinks) => ({
  getPlatformAccounts,
  unlinkPlatformAccount: unlinkPlatformAccount(links),
})
