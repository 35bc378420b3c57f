/**
 * Company registration: a user who proves a phone gets power 4 in the new company and a 30-day trial of the advanced
 * edition.
 */

import * as contract from '../../../contract/auth/sign-in.ts'
import { defineHandler, fail } from '../../../http/handler.ts'
import { countAttempt } from '../../../http/limits/attempts.ts'
import { attemptLimits } from '../../../http/limits/config.ts'
import { newId } from '../../../shared/ids.ts'
import { linkMembers } from '../../directory/index.ts'
import { consumeCode } from '../codes.ts'
import { setInitialPassword } from '../password/change.ts'
import { assertPasswordStrong } from '../password/passwords.ts'
import { authenticateByPassword, findAccountByPhone, resolvePhoneOwner } from '../phone/phone-owner.ts'
import { getBrowserHash } from './browser.ts'
import { completeSignIn } from './complete-sign-in.ts'
import { createCompanyWithAdmin, parseFirstAdminName, parseNewCompanyName } from './create-company.ts'
import { assertRegistrationOpen } from './registration.ts'

export const registerCorp = defineHandler(
  contract.registerCorp,
  { kind: 'external' },
  async (ctx, { corp_name, user_name, phone, code, sms, password }) => {
    const { database, now, secrets, billing } = ctx
    await assertRegistrationOpen(ctx)
    const name = parseNewCompanyName(corp_name)
    const founder = parseFirstAdminName(user_name)
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
    const company_id = newId()
    const admin = { account_id: account.id, name: founder, mobile: account.mobile }
    await database.inCompany(company_id, (db) =>
      createCompanyWithAdmin({ db, company_id, now }, secrets, { name, hasTrial: billing, admin }),
    )
    await linkMembers(database, account)
    return completeSignIn(ctx, authenticated ?? account, { provenBy: 'credentials', preferredCompanyId: company_id })
  },
)
