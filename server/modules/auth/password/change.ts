/** Sets and changes passwords. Every change ends the account's other sessions. */

import * as profile from '../../../contract/auth/profile.ts'
import * as contract from '../../../contract/auth/sign-in.ts'
import type { Database } from '../../../database/database.ts'
import { defineHandler, type ExternalContext, fail, invalidInput } from '../../../http/handler.ts'
import { clearAttempts, countAttempt } from '../../../http/limits/attempts.ts'
import { attemptLimits } from '../../../http/limits/config.ts'
import { linkMembers } from '../../directory/index.ts'
import { consumeGrant, findGrant } from '../grants.ts'
import { resolvePhoneOwner } from '../phone/phone-owner.ts'
import { getBoundCompanyId } from '../sign-in/complete-sign-in.ts'
import { endOtherSessions } from '../sign-in/epoch.ts'
import { assertPasswordStrong, hashPassword, isPasswordCorrect } from './passwords.ts'

async function savePassword(database: Database, account_id: string, password: string, except?: string): Promise<void> {
  const password_hash = await hashPassword(password)
  await database.withoutCompany(async (tx) => {
    await tx.updateTable('account').set({ password_hash }).where('id', '=', account_id).execute()
    await endOtherSessions(tx, account_id, 'password', except)
  })
}

/** Verifies again that the session is used by its owner. Attempts are counted before anything is hashed. */
export async function assertPasswordCorrect(
  { database, now }: Pick<ExternalContext, 'database' | 'now'>,
  account_id: string,
  password: string,
  { field, message }: { field: string; message: string },
): Promise<void> {
  const key = `old-password|${account_id}`
  await countAttempt(database, key, { ...attemptLimits.currentPassword, now })
  const account = await database.withoutCompany((tx) =>
    tx.selectFrom('account').select('password_hash').where('id', '=', account_id).executeTakeFirst(),
  )
  if (!account?.password_hash) throw fail('wrong_state', '您还没有设置登录密码，请先设置', { status: 10 })
  if (!(await isPasswordCorrect(account.password_hash, password))) throw fail('wrong_password', message, { field })
  await clearAttempts(database, key)
}

export const updatePassword = defineHandler(contract.updatePassword, { kind: 'external' }, async (ctx, input) => {
  const { database, currentAccount, me } = ctx
  if (input.type === 'resetpwd') {
    const { phone, token, newpass } = input
    if (!phone) throw invalidInput('phone', '手机号不能为空')
    if (!newpass) throw invalidInput('newpass', '请输入 6-16 位字母、数字或组合')
    if (!token) throw invalidInput('token', '请先验证手机号')
    assertPasswordStrong(newpass, input.confirm_password, 'newpass', { mobile: phone })
    const grant = { token, mobile: phone, purpose: 'resetpwd' } as const
    if (!(await findGrant(ctx, grant))) throw fail('wrong_code', '验证已过期，请重新验证')
    // A member on a roster who has never signed in has no account yet. The code has proven the phone, as in a sign-in
    // by code.
    const account = await resolvePhoneOwner(ctx, phone, {
      isNewOwner: input.is_new_owner,
      resetsPassword: true,
      name: input.holder_name,
    })
    await database.withoutCompany((tx) => consumeGrant(tx, ctx, grant))
    await linkMembers(database, account)
    await savePassword(database, account.id, newpass)
    return {}
  }
  if (!currentAccount) throw fail('signed_out')
  const { old_password, password } = input
  if (!old_password) throw invalidInput('old_password', '密码不能为空')
  if (!password) throw invalidInput('password', '密码不能为空')
  await assertPasswordCorrect(ctx, currentAccount.account_id, old_password, { field: 'old_password', message: '原密码不正确' })
  if (password !== input.confirm_password) throw invalidInput('confirm_password', '两次输入的新密码不一致，请重新输入')
  assertPasswordStrong(password, input.confirm_password, 'password', {
    mobile: currentAccount.mobile,
    ...(me ? { company: me.company_name } : {}),
  })
  await savePassword(database, currentAccount.account_id, password, currentAccount.session_id)
  return {}
})

/** Sets the first password of an account; returns false where it already has one, which stays unchanged. */
export async function setInitialPassword(database: Database, account_id: string, password: string): Promise<boolean> {
  const password_hash = await hashPassword(password)
  const set = await database.withoutCompany((tx) =>
    tx
      .updateTable('account')
      .set({ password_hash })
      .where('id', '=', account_id)
      .where('password_hash', 'is', null)
      .executeTakeFirst(),
  )
  return set.numUpdatedRows === 1n
}

/** Defines the same handler for the automatic dialog and for the profile page. */
const defineInitialPasswordHandler = (call: typeof contract.setEarlyPassword | typeof profile.setPassword) =>
  defineHandler(call, { kind: 'external' }, async ({ database, me, currentAccount }, { password, confirm_password }) => {
    if (!currentAccount || !me) throw fail('signed_out')
    assertPasswordStrong(password, confirm_password, 'password', { mobile: currentAccount.mobile, company: me.company_name })
    // A password gives access to every company of this user; one company's chat platform has not proven that much.
    if (await getBoundCompanyId(database, currentAccount))
      throw fail('wrong_state', '从办公平台进入时不能设置密码，请在登录页用「忘记密码」，通过短信验证后设置', { status: 10 })
    if (!(await setInitialPassword(database, currentAccount.account_id, password)))
      throw fail('wrong_state', '已经设置过密码，请用「修改密码」', { status: 20 })
    return {}
  })

export const setEarlyPassword = defineInitialPasswordHandler(contract.setEarlyPassword)
export const setPassword = defineInitialPasswordHandler(profile.setPassword)
