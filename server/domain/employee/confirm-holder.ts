/** A person whose phone somebody else has changed shows that he is the same: by the phone or the password that he had before. */
import * as contract from '../../contract/own/employee.ts'
import type { Database } from '../../runtime/db.ts'
import { handleOutside, invalid, refuse } from '../../runtime/handle.ts'
import { countTry, forgiveTries } from '../../runtime/request/limits.ts'
import { accountOfPhone, browserOf, showsPassword, spendCode } from '../account/index.ts'
import { confirmPhone, type Unconfirmed, unconfirmed } from '../member/index.ts'

/** Outside, because a wrong try is counted although the call refuses. */
export const confirmHolder = handleOutside(contract.confirmHolder, async (ctx, { password, phone, code, sms }) => {
  const { database, me, now, secrets } = ctx
  if (!me?.member_id) throw refuse('signed_out')
  const member_id = me.member_id
  const key = `holder|${me.company_id}|${member_id}`
  await countTry(database, key, { max: 5, window_s: 900, now })
  await countTry(database, `${key}|day`, { max: 20, window_s: 86_400, now })
  const person = await ctx.inTransaction((inner) => unconfirmed(inner, member_id))
  if (!person || person.account_id !== me.account_id)
    throw refuse('wrong_state', '您的手机号已经确认过了，请刷新页面', { status: 'confirmed' })
  if (password !== undefined) await byPassword(database, person, password)
  else if (phone !== undefined && code !== undefined && sms !== undefined) {
    if (phone !== person.former_mobile)
      throw refuse('wrong_code', '这不是公司原来登记的手机号，请核对后重新获取验证码', { field: 'phone' })
    await mustStillBeHis(database, person, phone)
    await spendCode(database, secrets, { sms, phone, code, purposes: ['view'], browser: browserOf(ctx), now })
  } else throw invalid('password', '请输入原来的登录密码，或原手机号收到的验证码')
  ctx.about({ member_id })
  await ctx.deed(async (inner) => {
    if (!(await confirmPhone(inner, person)))
      throw refuse('wrong_state', '您的手机号刚刚又被更换，请刷新页面', { status: 'changed' })
  })
  await forgiveTries(database, key)
  return {}
})

async function byPassword(database: Database, { former_account }: Unconfirmed, password: string): Promise<void> {
  if (!(await showsPassword(database, former_account, password)))
    throw refuse('wrong_password', '不是更换手机号之前的登录密码；原来没有密码的，请用原手机号的验证码', { field: 'password' })
}

/** A code to the old phone shows the person only while it has not gone to somebody else. */
async function mustStillBeHis(database: Database, { former_account }: Unconfirmed, phone: string): Promise<void> {
  const holder = await accountOfPhone(database, phone)
  if ((holder?.id ?? null) !== former_account)
    throw refuse('wrong_state', '原手机号已换人使用，不能用它确认；请输入原来的登录密码，或请公司的另一位管理员确认', {
      status: 'passed_on',
    })
}
