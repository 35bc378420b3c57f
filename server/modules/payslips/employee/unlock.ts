/** The current employee, and verifying their identity again before payslips are shown. */

import * as contract from '../../../contract/payslips/employee.ts'
import { maskMobile } from '../../../contract/shared/schemas.ts'
import { defineHandler, fail, invalidInput } from '../../../http/handler.ts'
import { clearAttempts, countAttempt } from '../../../http/limits/attempts.ts'
import { attemptLimits } from '../../../http/limits/config.ts'
import { grantView } from '../../../http/sessions.ts'
import { toIsoTimestamp } from '../../../shared/clock.ts'
import { checkPassword, consumeCode, getBrowserHash, hasPassword, listSelectableCompanies } from '../../auth/index.ts'
import { getLogoUrl } from '../../company/index.ts'
import { setPayHidden } from '../../directory/index.ts'
import { memberView } from '../../directory/read-model.ts'

const viewGrantMs = 10 * 60_000

/** No transaction is open, because the account's other companies are outside this session's. */
export const getMe = defineHandler(
  contract.getCurrentEmployee,
  { kind: 'external' },
  async ({ database, me, now, inTransaction }) => {
    if (!me?.member_id) throw fail('signed_out')
    const corps = await listSelectableCompanies(database, me, now)
    const {
      own: member,
      has_password,
      corp_logo,
    } = await inTransaction(async (ctx) => ({
      own: await ctx.db
        .selectFrom(memberView)
        .select(['pay_hide', 'former_mobile'])
        .where('company_id', '=', ctx.company_id)
        .where('id', '=', me.member_id ?? '')
        .where(({ eb, fn }) => eb(fn.coalesce('account_id', 'former_account'), '=', me.account_id))
        .executeTakeFirst(),
      has_password: await hasPassword(ctx.db, me.account_id),
      corp_logo: await getLogoUrl(ctx),
    }))
    // The employee was terminated, or their phone was reassigned, between authentication and this query.
    if (!member || has_password === undefined) throw fail('signed_out')
    return {
      name: me.name,
      corp_id: me.company_id,
      corp_name: me.company_name,
      corp_logo,
      phone_masked: maskMobile(me.mobile),
      pay_hide: member.pay_hide,
      pass_status: has_password ? 20 : 10,
      is_admin: me.power.length > 0,
      terminated: me.terminated,
      phone_unconfirmed: me.phone_unconfirmed ? { former_phone_masked: maskMobile(member.former_mobile ?? '') } : null,
      corps: corps.map(({ corp_id, name }) => ({ corp_id, name })),
    }
  },
)

/** No transaction is open, because a wrong attempt is counted although the call fails. */
export const unlock = defineHandler(contract.unlock, { kind: 'external' }, async (ctx, { password, code, sms }) => {
  const { database, me, now, secrets } = ctx
  if (!me) throw fail('signed_out')
  await countAttempt(database, `view|${me.account_id}`, { ...attemptLimits.viewProof, now })
  if (password !== undefined) {
    if (me.terminated) throw invalidInput('password', '您已离职，请用短信验证码验证')
    const passwordCheck = await checkPassword(database, me.account_id, password)
    if (passwordCheck !== 'right')
      throw fail('wrong_password', passwordCheck === 'wrong' ? '密码不正确' : '您还没有设置密码，请用短信验证码', {
        field: 'password',
      })
  } else if (code !== undefined && sms !== undefined) {
    await consumeCode(database, secrets, { sms, phone: me.mobile, code, purposes: ['view'], browser: getBrowserHash(ctx), now })
  } else throw invalidInput('password', '请输入密码或短信验证码')
  const until = new Date(now.getTime() + viewGrantMs)
  await ctx.mutate(({ db }) => grantView(db, me.session_id, until))
  await clearAttempts(database, `view|${me.account_id}`)
  return { until: toIsoTimestamp(until) }
})

export const setPayHide = defineHandler(contract.setPayHide, async (ctx, { hide }) => {
  if (ctx.currentUser.member_id) await setPayHidden(ctx, ctx.currentUser.member_id, hide)
  return {}
})
