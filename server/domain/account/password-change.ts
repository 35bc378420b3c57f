/** Setting and changing a password. Every change ends the account's other sessions. */
import * as contract from '../../contract/account.ts'
import type { Database } from '../../runtime/db.ts'
import { handleOutside, invalid, refuse } from '../../runtime/handle.ts'
import { countTry } from '../../runtime/limits.ts'
import { endSessions } from '../../runtime/sessions.ts'
import { spendGrant } from './codes.ts'
import { hashPassword, isPassword, mustBeGood } from './passwords.ts'

async function store(database: Database, account_id: string, password: string, except?: string): Promise<void> {
  const password_hash = await hashPassword(password)
  await database.outside(async (tx) => {
    // A sign-in that was checked against the old password and is not finished yet begins a session of an epoch that is over.
    const { epoch } = await tx
      .updateTable('account')
      .set((eb) => ({ password_hash, epoch: eb('epoch', '+', 1) }))
      .where('id', '=', account_id)
      .returning('epoch')
      .executeTakeFirstOrThrow()
    await endSessions(tx, { account_id, ...(except ? { except } : {}) }, 'password')
    if (except) await tx.updateTable('session').set({ epoch }).where('id', '=', except).where('ended', 'is', null).execute()
  })
}

export const updatePassword = handleOutside(contract.updatePassword, async (ctx, input) => {
  const { database, half, me, now } = ctx
  if (input.type === 'resetpwd') {
    const { phone, token, newpass } = input
    if (!phone) throw invalid('phone', '手机号不能为空')
    if (!newpass) throw invalid('newpass', '请输入 6-16 位字母、数字或组合')
    if (!token) throw invalid('token', '请先验证手机号')
    mustBeGood(newpass, input.confirm_password, 'newpass', { mobile: phone })
    await spendGrant(database, { token, phone, purpose: 'resetpwd', now })
    const account = await database.outside((tx) =>
      tx.selectFrom('account').select('id').where('mobile', '=', phone).executeTakeFirst(),
    )
    if (!account) throw refuse('wrong_code', '验证已过期，请重新获取验证码')
    await store(database, account.id, newpass)
    return {}
  }
  if (!half) throw refuse('signed_out')
  const { old_password, password } = input
  if (!old_password) throw invalid('old_password', '密码不能为空')
  if (!password) throw invalid('password', '密码不能为空')
  await countTry(database, `old-password|${half.account_id}`, { max: 10, window_s: 900, now })
  const account = await database.outside((tx) =>
    tx.selectFrom('account').select('password_hash').where('id', '=', half.account_id).executeTakeFirst(),
  )
  if (!(await isPassword(account?.password_hash ?? null, old_password)))
    throw refuse('wrong_password', '原密码不正确', { field: 'old_password' })
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

export const setEarlyPassword = handleOutside(
  contract.setEarlyPassword,
  async ({ database, me, half }, { password, confirm_password }) => {
    if (!half || !me) throw refuse('signed_out')
    mustBeGood(password, confirm_password, 'password', { mobile: half.mobile, company: me.company_name })
    if (!(await setFirst(database, half.account_id, password))) throw refuse('wrong_state', '已经设置过密码，请用「修改密码」')
    return {}
  },
)
