/** A member whose phone was changed by somebody else confirms their identity with the previous phone or password. */

import * as contract from '../../../contract/payslips/employee.ts'
import type { Database } from '../../../database/database.ts'
import { defineHandler, fail, invalidInput } from '../../../http/handler.ts'
import { clearAttempts, countAttempt } from '../../../http/limits/attempts.ts'
import { attemptLimits } from '../../../http/limits/config.ts'
import { consumeCode, findAccountByPhone, getBrowserHash, verifyAccountPassword } from '../../auth/index.ts'
import { confirmPhone, lockUnconfirmedPhone, type UnconfirmedPhone } from '../../directory/index.ts'

/** No transaction is open, because a wrong attempt is counted although the call fails. */
export const confirmPhoneOwner = defineHandler(
  contract.confirmPhoneOwner,
  { kind: 'external' },
  async (ctx, { password, phone, code, sms }) => {
    const { database, me, now, secrets } = ctx
    if (!me?.member_id) throw fail('signed_out')
    const member_id = me.member_id
    const key = `holder|${me.company_id}|${member_id}`
    await countAttempt(database, key, { ...attemptLimits.formerPhone, now })
    await countAttempt(database, `${key}|day`, { ...attemptLimits.formerPhonePerDay, now })
    const member = await ctx.inTransaction((handlerTx) => lockUnconfirmedPhone(handlerTx, member_id))
    if (!member || member.account_id !== me.account_id)
      throw fail('wrong_state', '您的手机号已经确认过了，请刷新页面', { status: 'confirmed' })
    if (password !== undefined) await verifyFormerPassword(database, member, password)
    else if (phone !== undefined && code !== undefined && sms !== undefined) {
      if (phone !== member.former_mobile)
        throw fail('wrong_code', '这不是公司原来登记的手机号，请核对后重新获取验证码', { field: 'phone' })
      await assertPhoneNotReassigned(database, member, phone)
      await consumeCode(database, secrets, { sms, phone, code, purposes: ['view'], browser: getBrowserHash(ctx), now })
    } else throw invalidInput('password', '请输入原来的登录密码，或原手机号收到的验证码')
    ctx.addAuditDetails({ member_id })
    await ctx.mutate(async (handlerTx) => {
      if (!(await confirmPhone(handlerTx, member)))
        throw fail('wrong_state', '您的手机号刚刚又被更换，请刷新页面', { status: 'changed' })
    })
    await clearAttempts(database, key)
    return {}
  },
)

async function verifyFormerPassword(database: Database, { former_account }: UnconfirmedPhone, password: string): Promise<void> {
  if (!(await verifyAccountPassword(database, former_account, password)))
    throw fail('wrong_password', '不是更换手机号之前的登录密码；原来没有密码的，请用原手机号的验证码', { field: 'password' })
}

/** A code to the old phone identifies the member only while the phone has no new owner. */
async function assertPhoneNotReassigned(database: Database, { former_account }: UnconfirmedPhone, phone: string): Promise<void> {
  const account = await findAccountByPhone(database, phone)
  if ((account?.id ?? null) !== former_account)
    throw fail('wrong_state', '原手机号已换人使用，不能用它确认；请输入原来的登录密码，或请公司的另一位管理员确认', {
      status: 'passed_on',
    })
}
