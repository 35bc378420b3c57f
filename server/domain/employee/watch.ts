/** What an open page asks by itself: whether its slip is still true; and where a slip is that is not here. */
import * as contract from '../../contract/own/employee.ts'
import { handle, handleOutside, refuse } from '../../runtime/handle.ts'
import { loadMe } from '../../runtime/request/sessions.ts'
import { choosable } from '../account/index.ts'
import { threadOf } from '../slip/index.ts'
import { mustBeConfirmed, standingOf } from './my-slip.ts'
import { ownsSlip } from './slips.ts'

/** Leaves no line of evidence: it tells nothing of pay, and is asked every few seconds. */
export const watchSlip = handle(contract.watchSlip, async (ctx, { slip_id }) => {
  mustBeConfirmed(ctx)
  const standing = await standingOf(ctx, slip_id)
  return { ...standing, answer_unread: (await threadOf(ctx, slip_id))?.answer_unread ?? false }
})

/** Outside, because an account's companies lie beyond the one of this session. Tells nothing but the company's name, to its own employee. */
export const findSlip = handleOutside(contract.findSlip, async ({ database, me, now }, { slip_id }) => {
  if (!me) throw refuse('signed_out')
  const { account_id, session_id: id, mobile } = me
  const corps = (await choosable(database, me, now)).filter(
    ({ corp_id, as }) => corp_id !== me.company_id && as.includes('employee'),
  )
  for (const { corp_id, name } of corps)
    if (
      await database.inCompany(corp_id, async (tx) => {
        const there = await loadMe(tx, { id, account_id, company_id: corp_id, agency_id: null, mobile, view_until: null }, now)
        return there && ownsSlip(tx, there, slip_id)
      })
    )
      return { corp_id, corp_name: name }
  throw refuse('not_found')
})
