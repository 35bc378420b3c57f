/** Founding a company: whoever proves a phone holds power 4 in it, and tries the advanced edition for 30 days. */
import * as contract from '../../../contract/account/account.ts'
import type { Database } from '../../../runtime/db.ts'
import { handleOutside, refuse } from '../../../runtime/handle.ts'
import { newId } from '../../../runtime/ids.ts'
import { countTry } from '../../../runtime/request/limits.ts'
import type { Secrets } from '../../../runtime/secrets.ts'
import { foundCompany, nameOf } from '../../company/index.ts'
import { firstMember, joinMembers } from '../../member/index.ts'
import { firstHead } from '../../role/index.ts'
import { spendCode } from '../codes.ts'
import { setFirst } from '../password/change.ts'
import { mustBeGood } from '../password/passwords.ts'
import { accountOfPhone, accountWith, holderFor } from '../phone/holder.ts'
import { browserOf } from './browser.ts'
import { enter } from './enter.ts'

const companies_a_day = 3

export const registerCorp = handleOutside(
  contract.registerCorp,
  async (ctx, { corp_name, user_name, phone, code, sms, password }) => {
    const { database, now, secrets } = ctx
    const name = nameOf(corp_name, 50, 'corp_name', '企业名称不能只有符号或网址，请填写营业执照上的名称')
    const founder = nameOf(user_name, 30, 'user_name', '请填写您的真实姓名')
    const proof = { sms, phone, code, purposes: ['register'] as const, browser: browserOf(ctx), now }
    // Looked at and kept: whoever mistypes the password he has comes again with the same code.
    await spendCode(database, secrets, { ...proof, keep: true })

    const known = await accountOfPhone(database, phone)
    // The password he has is checked, not judged: it was judged when he set it.
    if (!known?.password_hash) mustBeGood(password, password, 'password', { mobile: phone, company: name })
    const proven = known?.password_hash ? await accountWith(ctx, { phone, password }) : null
    if (known?.password_hash && !proven)
      throw refuse('wrong_password', '这个手机号已有薪函账号，请输入该账号的登录密码', { field: 'password' })
    const account = await holderFor(ctx, phone, { password, name: founder })
    await spendCode(database, secrets, proof)
    await countTry(database, `found|${account.id}`, {
      max: companies_a_day,
      window_s: 86_400,
      now,
      say: `一天最多注册 ${companies_a_day} 家企业，请明天再试`,
    })
    if (!account.password_hash) await setFirst(database, account.id, password)
    const company_id = await found(database, secrets, { name, founder, account, now })
    await joinMembers(database, account)
    return enter(ctx, proven ?? account, undefined, company_id)
  },
)

/** All of a company in one transaction: it is there whole or not at all. */
async function found(
  database: Database,
  secrets: Secrets,
  wish: { name: string; founder: string; account: { id: string; mobile: string }; now: Date },
): Promise<string> {
  const { name, founder, account, now } = wish
  const company_id = newId()
  await database.inCompany(company_id, async (tx) => {
    const ctx = { db: tx, company_id, now }
    await foundCompany(ctx, secrets, name)
    const person = { account_id: account.id, name: founder, mobile: account.mobile, company_name: name }
    const member_id = await firstMember(ctx, person)
    await firstHead(ctx, { member_id, account_id: account.id })
  })
  return company_id
}
