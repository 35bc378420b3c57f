/** Whom an administrator has chosen in the client's own picker: who that is of the people we know there. */
import * as contract from '../../../contract/people/colleagues.ts'
import { maskMobile } from '../../../contract/words/words.ts'
import { handleOutside, refuse } from '../../../runtime/handle.ts'
import { tellablePeople } from '../../member/index.ts'
import { ofCorp } from '../links.ts'
import { shownPeople } from './combine.ts'
import { type HiddenParts, hiddenOf, whileHidden } from './hidden.ts'

export const resolveColleague = (parts: HiddenParts) =>
  handleOutside(contract.resolveColleague, async (ctx, { ticket, user_id }) => {
    const { app, hidden } = await ctx.inTransaction((inside) => hiddenOf(inside, parts))
    // Where the platform answers it what it says counts, and else what the client told: it names somebody, and gives nobody any right.
    const told = await whileHidden(() => hidden.chosen(ctx.outdoors, app, ticket))
    const chosen = told === null || told.includes(user_id) ? user_id : told[0]
    return ctx.inTransaction(async (inside) => {
      const { binding } = await hiddenOf(inside, parts)
      const row =
        chosen === undefined
          ? undefined
          : await inside.db
              .selectFrom('platform_person')
              .select(['user_id', 'name', 'mobile', 'employee_no', 'said', 'linked_by', 'member_id'])
              .where(ofCorp(inside, binding))
              .where('user_id', '=', chosen)
              .where('gone_at', 'is', null)
              .executeTakeFirst()
      if (!row)
        throw refuse('not_found', '所选的人不在应用的可见范围内，或是刚加入的：请在管理后台核对可见范围，同步以后再选', {
          status: 'unseen',
        })
      const [platform_user] = await shownPeople(inside, binding, [row])
      const [member] = row.member_id ? await tellablePeople(inside, [row.member_id]) : []
      if (!platform_user) throw new Error('he was there a moment ago')
      return {
        platform_user,
        linked_by: row.linked_by,
        linked_to: member ? { ...member, mobile: member.mobile && maskMobile(member.mobile) } : null,
      }
    })
  })
