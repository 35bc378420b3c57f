/** Proves again, within a session, who uses it: required before files with amounts are exported. */
import * as contract from '../../../contract/auth/profile.ts'
import { defineHandler, fail, invalidInput } from '../../../http/handler.ts'
import { markSessionVerified } from '../../../http/sessions.ts'
import { consumeCode } from '../codes.ts'
import { assertPasswordCorrect } from '../password/change.ts'
import { getBrowserHash } from './browser.ts'

/** No transaction is open, because a wrong attempt is counted although the call fails. */
export const verifyIdentity = defineHandler(
  contract.verifyIdentity,
  { kind: 'external' },
  async (ctx, { password, code, sms }) => {
    const { database, currentAccount, now, secrets } = ctx
    if (!currentAccount) throw fail('signed_out')
    const { account_id, session_id, mobile: phone } = currentAccount
    if (password !== undefined)
      await assertPasswordCorrect(ctx, account_id, password, { field: 'password', message: '登录密码不正确' })
    else if (code !== undefined && sms !== undefined)
      await consumeCode(database, secrets, { sms, phone, code, purposes: ['view'], browser: getBrowserHash(ctx), now })
    else throw invalidInput('password', '请输入登录密码或短信验证码')
    await ctx.mutate(({ db }) => markSessionVerified(db, session_id, now))
    return {}
  },
)
