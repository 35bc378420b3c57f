/** Deletes the data of one terminated member at once, as far as no law demands it, and says what remains until when. */
import * as contract from '../../contract/retention/member-data.ts'
import { minRetentionMonths } from '../../contract/retention/retention.ts'
import { defineHandler, fail } from '../../http/handler.ts'
import { assertRecentIdentityProof } from '../../http/sessions.ts'
import { toShanghaiDate } from '../../shared/clock.ts'
import { eraseTerminatedMember } from '../directory/index.ts'
import { getLastPayslipTime } from '../payslip-records/index.ts'
import { loadRetention } from './settings.ts'

const addMonths = (day: string, months: number): string => {
  const end = new Date(`${day}T00:00:00Z`)
  end.setUTCMonth(end.getUTCMonth() + months)
  return end.toISOString().slice(0, 10)
}
/** Ten years for what the tax was computed from and to (税收征收管理法实施细则, article 29). */
const taxResultMonths = 120

export const eraseMemberData = defineHandler(contract.eraseMemberData, async (ctx, { id }) => {
  await assertRecentIdentityProof(ctx.db, ctx.currentUser.session_id, ctx.now)
  const { legal_hold } = await loadRetention(ctx, 'share')
  if (legal_hold) throw fail('wrong_state', '公司已暂停一切删除，请先在「企业信息 · 保存期限」里恢复')
  const { left_on } = await eraseTerminatedMember(ctx, id)
  const lastPayslip = await getLastPayslipTime(ctx, id)
  const terms: readonly (readonly [contract.StoredByLaw, string])[] = [
    ['payslips', lastPayslip ? addMonths(toShanghaiDate(lastPayslip), minRetentionMonths.payslip) : left_on],
    ['tax_basis', addMonths(left_on, minRetentionMonths.terminated_member)],
    ['tax_results', addMonths(left_on, taxResultMonths)],
    // The name belongs to the payslips and the tax results.
    ['roster', addMonths(left_on, taxResultMonths)],
  ]
  const today = toShanghaiDate(ctx.now)
  ctx.addAuditDetails({ member_id: id })
  return { stored: terms.filter(([, until]) => until > today).map(([kind, until]) => ({ kind, until })) }
})
