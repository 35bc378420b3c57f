/** How others see me: the name in the header, a small picture. */
import * as contract from '../../contract/account/profile.ts'
import { maskMobile, plainName } from '../../contract/words/words.ts'
import { pictureOf, redraw } from '../../runtime/files/uploads.ts'
import { handle, handleOutside, invalid } from '../../runtime/handle.ts'
import { putHintAway } from '../role/index.ts'

export const getProfile = handle(contract.getProfile, async ({ db, me }) => {
  const account = await db
    .selectFrom('account')
    .select(['display_name', 'avatar', 'password_hash', 'totp_on'])
    .where('id', '=', me.account_id)
    .executeTakeFirstOrThrow()
  const { left } = await db
    .selectFrom('recovery_code')
    .select(({ fn }) => fn.countAll<number>().as('left'))
    .where('account_id', '=', me.account_id)
    .where('used_at', 'is', null)
    .executeTakeFirstOrThrow()
  return {
    name: me.name,
    display_name: account.display_name,
    avatar: pictureOf(account.avatar),
    phone_masked: maskMobile(me.mobile),
    pass_status: account.password_hash ? 20 : 10,
    totp_on: account.totp_on !== null,
    recovery_left: Number(left),
  }
})

export const setProfile = handle(contract.setProfile, async ({ db, me }, input) => {
  const display_name = plainName(input.display_name, 20)
  if (input.display_name && !display_name) throw invalid('display_name', '显示名不能只有符号或网址，请重新填写')
  await db.updateTable('account').set({ display_name }).where('id', '=', me.account_id).execute()
  return {}
})

export const setAvatar = handleOutside(contract.setAvatar, async ({ inTransaction, upload }) => {
  const avatar = upload ? redraw(upload.bytes) : null
  await inTransaction(({ db, me }) => db.updateTable('account').set({ avatar }).where('id', '=', me.account_id).execute())
  return { avatar: pictureOf(avatar) }
})

export const closeHint = handle(contract.closeHint, async ({ db, company_id, me }, { hint }) => {
  if (me.admin_id) await putHintAway({ db, company_id }, me.admin_id, hint)
  return {}
})
