/**
 * Company registration: a user who proves a phone gets power 4 in the new company and a 30-day trial of the advanced
 * edition.
 */

import * as contract from '../../../contract/auth/sign-in.ts'
import type { Secrets } from '../../../crypto/secrets.ts'
import type { Database } from '../../../database/database.ts'
import { defineHandler, fail } from '../../../http/handler.ts'
import { countAttempt } from '../../../http/limits/attempts.ts'
import { attemptLimits } from '../../../http/limits/config.ts'
import { newId } from '../../../shared/ids.ts'
import { createFirstAdmin } from '../../access/index.ts'
import { createCompany, parseCompanyName } from '../../company/index.ts'
import { createFirstMember, linkMembers } from '../../directory/index.ts'
import { consumeCode } from '../codes.ts'
import { setInitialPassword } from '../password/change.ts'
import { assertPasswordStrong } from '../password/passwords.ts'
import { authenticateByPassword, findAccountByPhone, resolvePhoneOwner } from '../phone/phone-owner.ts'
import { getBrowserHash } from './browser.ts'
import { completeSignIn } from './complete-sign-in.ts'

export const registerCorp = defineHandler(
  contract.registerCorp,
  { kind: 'external' },
  async (ctx, { corp_name, user_name, phone, code, sms, password }) => {
    const { database, now, secrets } = ctx
    const name = parseCompanyName(corp_name, 50, 'corp_name', '企业名称不能只有符号或网址，请填写营业执照上的名称')
    const founder = parseCompanyName(user_name, 30, 'user_name', '请填写您的真实姓名')
    const proof = { sms, phone, code, purposes: ['register'] as const, browser: getBrowserHash(ctx), now }
    // Verified but not consumed: a user who mistypes their existing password submits the same code again.
    await consumeCode(database, secrets, { ...proof, keep: true })

    const existing = await findAccountByPhone(database, phone)
    // An existing password is verified but not checked for strength: that happened when it was set.
    if (!existing?.password_hash) assertPasswordStrong(password, password, 'password', { mobile: phone, company: name })
    const authenticated = existing?.password_hash ? await authenticateByPassword(ctx, { phone, password }) : null
    if (existing?.password_hash && !authenticated)
      throw fail('wrong_password', '这个手机号已有薪函账号，请输入该账号的登录密码', { field: 'password' })
    const account = await resolvePhoneOwner(ctx, phone, { password, name: founder })
    await consumeCode(database, secrets, proof)
    await countAttempt(database, `found|${account.id}`, {
      ...attemptLimits.companyRegistration,
      now,
      message: `一天最多注册 ${attemptLimits.companyRegistration.max} 家企业，请明天再试`,
    })
    if (!account.password_hash) await setInitialPassword(database, account.id, password)
    const company_id = await createCompanyWithFounder(database, secrets, { name, founder, account, now })
    await linkMembers(database, account)
    return completeSignIn(ctx, authenticated ?? account, undefined, company_id)
  },
)

/** Creates the company in one transaction, completely or not at all. */
async function createCompanyWithFounder(
  database: Database,
  secrets: Secrets,
  params: { name: string; founder: string; account: { id: string; mobile: string }; now: Date },
): Promise<string> {
  const { name, founder, account, now } = params
  const company_id = newId()
  await database.inCompany(company_id, async (tx) => {
    const ctx = { db: tx, company_id, now }
    await createCompany(ctx, secrets, name)
    const person = { account_id: account.id, name: founder, mobile: account.mobile, company_name: name }
    const member_id = await createFirstMember(ctx, person)
    await createFirstAdmin(ctx, { member_id, account_id: account.id })
  })
  return company_id
}
