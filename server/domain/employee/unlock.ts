/** Who am I, and proving it once more before slips are shown. */
import * as contract from '../../contract/own/employee.ts'
import { maskMobile } from '../../contract/words/words.ts'
import { isoOf } from '../../runtime/clock.ts'
import { handle, handleOutside, invalid, refuse } from '../../runtime/handle.ts'
import { countTry, forgiveTries } from '../../runtime/request/limits.ts'
import { openView } from '../../runtime/request/sessions.ts'
import { browserOf, choosable, hasPassword, spendCode, tryPassword } from '../account/index.ts'
import { logoOf } from '../company/index.ts'
import { payHide } from '../member/index.ts'

const open_ms = 10 * 60_000

/** Outside, because an account's companies lie beyond the one of this session. */
export const getMe = handleOutside(contract.getMe, async ({ database, me, now, inTransaction }) => {
  if (!me?.member_id) throw refuse('signed_out')
  const corps = await choosable(database, me, now)
  const { own, has_password, corp_logo } = await inTransaction(async (ctx) => ({
    own: await ctx.db
      .selectFrom('member')
      .select(['pay_hide', 'former_mobile'])
      .where('company_id', '=', ctx.company_id)
      .where('id', '=', me.member_id ?? '')
      .where(({ eb, fn }) => eb(fn.coalesce('account_id', 'former_account'), '=', me.account_id))
      .executeTakeFirst(),
    has_password: await hasPassword(ctx.db, me.account_id),
    corp_logo: await logoOf(ctx),
  }))
  // Who left, or whose phone became another's, between being let in and this reading.
  if (!own || has_password === undefined) throw refuse('signed_out')
  return {
    name: me.name,
    corp_id: me.company_id,
    corp_name: me.company_name,
    corp_logo,
    phone_masked: maskMobile(me.mobile),
    pay_hide: own.pay_hide,
    pass_status: has_password ? 20 : 10,
    is_admin: me.power.length > 0,
    left: me.left,
    unconfirmed: me.unconfirmed ? { former_phone_masked: maskMobile(own.former_mobile ?? '') } : null,
    corps: corps.map(({ corp_id, name }) => ({ corp_id, name })),
  }
})

/** Outside, because a wrong try is counted although the call refuses. */
export const unlock = handleOutside(contract.unlock, async (ctx, { password, code, sms }) => {
  const { database, me, now, secrets } = ctx
  if (!me) throw refuse('signed_out')
  await countTry(database, `view|${me.account_id}`, { max: 5, window_s: 900, now })
  if (password !== undefined) {
    if (me.left) throw invalid('password', '您已离职，请用短信验证码验证')
    const shown = await tryPassword(database, me.account_id, password)
    if (shown !== 'right')
      throw refuse('wrong_password', shown === 'wrong' ? '密码不正确' : '您还没有设置密码，请用短信验证码', { field: 'password' })
  } else if (code !== undefined && sms !== undefined) {
    await spendCode(database, secrets, { sms, phone: me.mobile, code, purposes: ['view'], browser: browserOf(ctx), now })
  } else throw invalid('password', '请输入密码或短信验证码')
  const until = new Date(now.getTime() + open_ms)
  await ctx.deed(({ db }) => openView(db, me.session_id, until))
  await forgiveTries(database, `view|${me.account_id}`)
  return { until: isoOf(until) }
})

export const setPayHide = handle(contract.setPayHide, async (ctx, { hide }) => {
  if (ctx.me.member_id) await payHide(ctx, ctx.me.member_id, hide)
  return {}
})
