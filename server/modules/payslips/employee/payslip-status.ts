/**
 * Polled by an open page: whether its payslip is still current, and in which company a payslip not found here exists.
 */
import * as contract from '../../../contract/payslips/employee.ts'
import { defineHandler, fail } from '../../../http/handler.ts'
import { loadCurrentUser } from '../../../http/sessions.ts'
import { listSelectableCompanies } from '../../auth/index.ts'
import { getThreadSummary } from '../feedback/thread-summary.ts'
import { assertPhoneConfirmed, getOwnPayslipStatus } from './payslip-access.ts'
import { isOwnPayslip } from './payslips.ts'

/** Writes no audit log entry: it reveals nothing about pay and is called every few seconds. */
export const getSlipStatus = defineHandler(contract.getSlipStatus, async (ctx, { slip_id }) => {
  assertPhoneConfirmed(ctx)
  const status = await getOwnPayslipStatus(ctx, slip_id)
  return { ...status, answer_unread: (await getThreadSummary(ctx, slip_id))?.answer_unread ?? false }
})

/** Without a transaction: the account's other companies are outside this session's. Reveals only the company's name. */
export const locateSlip = defineHandler(contract.locateSlip, { kind: 'external' }, async ({ database, me, now }, { slip_id }) => {
  if (!me) throw fail('signed_out')
  const { account_id, session_id: id, mobile } = me
  const corps = (await listSelectableCompanies(database, me, now)).filter(
    ({ corp_id, as }) => corp_id !== me.company_id && as.includes('employee'),
  )
  for (const { corp_id, name } of corps)
    if (
      await database.inCompany(corp_id, async (tx) => {
        const companyUser = await loadCurrentUser(
          tx,
          { id, account_id, company_id: corp_id, agency_id: null, mobile, view_until: null, verified_at: null },
          now,
        )
        return companyUser && isOwnPayslip(tx, companyUser, slip_id)
      })
    )
      return { corp_id, corp_name: name }
  throw fail('not_found')
})
