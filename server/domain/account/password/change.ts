/** Setting and changing a password. Every change ends the account's other sessions. */
import * as contract from '../../../contract/account/account.ts'
import * as profile from '../../../contract/account/profile.ts'
import type { Database } from '../../../runtime/db.ts'
import { handleOutside, invalid, type OutsideCtx, refuse } from '../../../runtime/handle.ts'
import { countTry, forgiveTries } from '../../../runtime/request/limits.ts'
import { joinMembers } from '../../member/index.ts'
import { seeGrant, spendGrant } from '../grants.ts'
import { holderFor } from '../phone/holder.ts'
import { onlyCompany } from '../sign-in/enter.ts'
import { endOthers } from '../sign-in/epoch.ts'
import { hashPassword, isPassword, mustBeGood } from './passwords.ts'

async function store(database: Database, account_id: string, password: string, except?: string): Promise<void> {
  const password_hash = await hashPassword(password)
  await database.outside(async (tx) => {
    await tx.updateTable('account').set({ password_hash }).where('id', '=', account_id).execute()
    await endOthers(tx, account_id, 'password', except)
  })
}

/** Shows once more that the session is in the hands of its owner. Counted before anything is hashed. */
export async function provePassword(
  { database, now }: Pick<OutsideCtx, 'database' | 'now'>,
  account_id: string,
  password: string,
  { field, say }: { field: string; say: string },
): Promise<void> {
  const key = `old-password|${account_id}`
  await countTry(database, key, { max: 10, window_s: 900, now })
  const account = await database.outside((tx) =>
    tx.selectFrom('account').select('password_hash').where('id', '=', account_id).executeTakeFirst(),
  )
  if (!account?.password_hash) throw refuse('wrong_state', '您还没有设置登录密码，请先设置', { status: 10 })
  if (!(await isPassword(account.password_hash, password))) throw refuse('wrong_password', say, { field })
  await forgiveTries(database, key)
}

export const updatePassword = handleOutside(contract.updatePassword, async (ctx, input) => {
  const { database, half, me } = ctx
  if (input.type === 'resetpwd') {
    const { phone, token, newpass } = input
    if (!phone) throw invalid('phone', '手机号不能为空')
    if (!newpass) throw invalid('newpass', '请输入 6-16 位字母、数字或组合')
    if (!token) throw invalid('token', '请先验证手机号')
    mustBeGood(newpass, input.confirm_password, 'newpass', { mobile: phone })
    const grant = { token, mobile: phone, purpose: 'resetpwd' } as const
    if (!(await seeGrant(ctx, grant))) throw refuse('wrong_code', '验证已过期，请重新验证')
    // Who is on a roster and has never been here has no account yet. The code has proven the phone, as it does when one signs in with it.
    const account = await holderFor(ctx, phone, { next: input.next_holder, anew: true, name: input.holder_name })
    await database.outside((tx) => spendGrant(tx, ctx, grant))
    await joinMembers(database, account)
    await store(database, account.id, newpass)
    return {}
  }
  if (!half) throw refuse('signed_out')
  const { old_password, password } = input
  if (!old_password) throw invalid('old_password', '密码不能为空')
  if (!password) throw invalid('password', '密码不能为空')
  await provePassword(ctx, half.account_id, old_password, { field: 'old_password', say: '原密码不正确' })
  if (password !== input.confirm_password) throw invalid('confirm_password', '两次输入的新密码不一致，请重新输入')
  mustBeGood(password, input.confirm_password, 'password', { mobile: half.mobile, ...(me ? { company: me.company_name } : {}) })
  await store(database, half.account_id, password, half.session_id)
  return {}
})

/** The first password of an account; false where it has one already, which stays. */
export async function setFirst(database: Database, account_id: string, password: string): Promise<boolean> {
  const password_hash = await hashPassword(password)
  const set = await database.outside((tx) =>
    tx
      .updateTable('account')
      .set({ password_hash })
      .where('id', '=', account_id)
      .where('password_hash', 'is', null)
      .executeTakeFirst(),
  )
  return set.numUpdatedRows === 1n
}

/** The same from the dialog that comes by itself and from the profile. */
const firstPassword = (call: typeof contract.setEarlyPassword | typeof profile.setPassword) =>
  handleOutside(call, async ({ database, me, half }, { password, confirm_password }) => {
    if (!half || !me) throw refuse('signed_out')
    mustBeGood(password, confirm_password, 'password', { mobile: half.mobile, company: me.company_name })
    // A password opens every company of this person; one company's chat platform has not proven that much.
    if (await onlyCompany(database, half))
      throw refuse('wrong_state', '从办公软件进入时不能设置密码，请在登录页用「忘记密码」，通过短信验证后设置', { status: 10 })
    if (!(await setFirst(database, half.account_id, password)))
      throw refuse('wrong_state', '已经设置过密码，请用「修改密码」', { status: 20 })
    return {}
  })

export const setEarlyPassword = firstPassword(contract.setEarlyPassword)
export const setPassword = firstPassword(profile.setPassword)
