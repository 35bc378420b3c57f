/** What I was told: the ledger of messages about my slips, and whether I have read since what they told of. */
import * as contract from '../../../contract/own/own.ts'
import { isoOf } from '../../../runtime/clock.ts'
import { type Ctx, handle } from '../../../runtime/handle.ts'
import { openTitle } from '../../sheet/index.ts'
import { purposeOf, toldAbout } from '../../slip/index.ts'
import { mustBeConfirmed } from '../my-slip.ts'
import { listed } from '../slips.ts'

/** About the slips that the list shows, those withdrawn lately among them. */
export async function toldMe(ctx: Ctx, page: { readonly limit: number; readonly offset: number }) {
  const slips = await listed(ctx)
    .select(['salary.id', 'salary.status', 'title.id as title_id', 'title.name as title', 'title.month'])
    .execute()
  const bySlip = new Map(slips.map((one) => [one.id, one]))
  const { told, total } = await toldAbout(ctx, [...bySlip.keys()], page)
  const list = told.map(({ id, salary_id, at, purpose, channel, unsure, read }) => {
    const about = bySlip.get(salary_id)
    const isThere = about !== undefined && about.status !== 'withdrawn'
    return {
      told_id: id,
      at: isoOf(at),
      about: purposeOf(purpose),
      title: (about && openTitle(ctx.vault, about.title_id, about.title)) ?? '',
      month: about?.month ?? null,
      slip_id: isThere ? salary_id : null,
      channel,
      unsure,
      read,
    }
  })
  return { list, total }
}

export const getToldList = handle(contract.getToldList, async (ctx, { page, pagesize }) => {
  mustBeConfirmed(ctx)
  const { list, total } = await toldMe(ctx, { limit: pagesize, offset: (page - 1) * pagesize })
  return { list, page: { page, pagesize, total } }
})
