/** The user's public profile: name in the header and avatar. */
import * as contract from '../../contract/auth/profile.ts'
import { maskMobile, sanitizeName } from '../../contract/shared/schemas.ts'
import { reencodePng, toPngDataUrl } from '../../files/uploads.ts'
import { defineHandler, invalidInput } from '../../http/handler.ts'
import { markHintDismissed } from '../access/index.ts'

export const getProfile = defineHandler(contract.getProfile, async ({ db, currentUser }) => {
  const account = await db
    .selectFrom('account')
    .select(['display_name', 'avatar', 'password_hash', 'totp_on'])
    .where('id', '=', currentUser.account_id)
    .executeTakeFirstOrThrow()
  const { left: remaining } = await db
    .selectFrom('recovery_code')
    .select(({ fn }) => fn.countAll<number>().as('left'))
    .where('account_id', '=', currentUser.account_id)
    .where('used_at', 'is', null)
    .executeTakeFirstOrThrow()
  return {
    name: currentUser.name,
    display_name: account.display_name,
    avatar: toPngDataUrl(account.avatar),
    phone_masked: maskMobile(currentUser.mobile),
    pass_status: account.password_hash ? 20 : 10,
    totp_on: account.totp_on !== null,
    recovery_codes_remaining: Number(remaining),
  }
})

export const setProfile = defineHandler(contract.setProfile, async ({ db, currentUser }, input) => {
  const display_name = sanitizeName(input.display_name, 20)
  if (input.display_name && !display_name) throw invalidInput('display_name', '显示名不能只有符号或网址，请重新填写')
  await db.updateTable('account').set({ display_name }).where('id', '=', currentUser.account_id).execute()
  return {}
})

export const setAvatar = defineHandler(contract.setAvatar, { kind: 'external' }, async ({ inTransaction, upload }) => {
  const avatar = upload ? reencodePng(upload.bytes) : null
  await inTransaction(({ db, currentUser }) =>
    db.updateTable('account').set({ avatar }).where('id', '=', currentUser.account_id).execute(),
  )
  return { avatar: toPngDataUrl(avatar) }
})

export const dismissHint = defineHandler(contract.dismissHint, async ({ db, company_id, currentUser }, { hint }) => {
  if (currentUser.admin_id) await markHintDismissed({ db, company_id }, currentUser.admin_id, hint)
  return {}
})
