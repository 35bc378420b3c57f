/** Finds the stored platform user for an administrator's selection in the platform client's own picker. */
import * as contract from '../../../contract/platform-binding/platform-users.ts'
import { maskMobile } from '../../../contract/shared/schemas.ts'
import { defineHandler, fail } from '../../../http/handler.ts'
import { loadMatchCandidates } from '../../directory/index.ts'
import { isPlatformCompany } from '../links.ts'
import { toPlatformUserViews } from './combine.ts'
import { type HiddenNamesDeps, requireHiddenNames, withPlatformErrors } from './hidden-names.ts'

export const resolvePlatformUser = (deps: HiddenNamesDeps) =>
  defineHandler(contract.resolvePlatformUser, { kind: 'external' }, async (ctx, { ticket, user_id }) => {
    const { app, hidden } = await ctx.inTransaction((inside) => requireHiddenNames(inside, deps))
    // The platform's response takes precedence over the client's value; the selection only names a user and grants no
    // rights.
    const pickedIds = await withPlatformErrors(() => hidden.getSelectedUsers(ctx.noTransaction, app, ticket))
    const selectedId = pickedIds === null || pickedIds.includes(user_id) ? user_id : pickedIds[0]
    return ctx.inTransaction(async (inside) => {
      const { binding } = await requireHiddenNames(inside, deps)
      const row =
        selectedId === undefined
          ? undefined
          : await inside.db
              .selectFrom('platform_user')
              .select(['user_id', 'name', 'mobile', 'employee_no', 'details', 'linked_by', 'member_id'])
              .where(isPlatformCompany(inside, binding))
              .where('user_id', '=', selectedId)
              .where('removed_at', 'is', null)
              .executeTakeFirst()
      if (!row)
        throw fail('not_found', '所选的人不在应用的可见范围内，或是刚加入的：请在管理后台核对可见范围，同步以后再选', {
          status: 'unseen',
        })
      const [platform_user] = await toPlatformUserViews(inside, binding, [row])
      const [member] = row.member_id ? await loadMatchCandidates(inside, [row.member_id]) : []
      if (!platform_user) throw new Error('he was there a moment ago')
      return {
        platform_user,
        linked_by: row.linked_by,
        linked_to: member ? { ...member, mobile: member.mobile && maskMobile(member.mobile) } : null,
      }
    })
  })
