/** How others see me: the name in the header, a small picture. */
import { PNG } from 'pngjs'
import * as contract from '../../contract/profile.ts'
import { maskMobile, plainName } from '../../contract/words.ts'
import { handle, handleOutside, invalid, refuse } from '../../runtime/handle.ts'
import { mustBeAlive } from '../../runtime/sessions.ts'

const most_sent = 512 * 1024
const most_side = 256
const most_kept = 40 * 1024

export const pictureOf = (avatar: Buffer | null): string | null =>
  avatar ? `data:image/png;base64,${avatar.toString('base64')}` : null

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

const unreadable = () => invalid('file', '图片无法识别，请换一张 PNG 图片')

/**
 * The picture drawn anew: what was hidden in the file (places, texts, a second file) stays behind. The header is read first, because a few
 * bytes can promise gigabytes: the decoder holds a plain image to its promised size, an interlaced one not, so those are refused.
 */
export function redraw(sent: Buffer): Buffer {
  if (sent.length > most_sent) throw invalid('file', '图片太大，请换一张 512 KB 以内的图片')
  const isPng = sent.length > 33 && sent.subarray(0, 8).toString('latin1') === '\x89PNG\r\n\x1a\n'
  if (!isPng || sent.subarray(8, 16).toString('latin1') !== '\0\0\0\rIHDR') throw unreadable()
  const [width, height, interlace] = [sent.readUInt32BE(16), sent.readUInt32BE(20), sent[28]]
  if (width < 1 || height < 1 || width > most_side || height > most_side)
    throw invalid('file', `图片的长和宽最多 ${most_side} 像素`)
  if (interlace !== 0) throw unreadable()
  const clean = new PNG({ width, height })
  try {
    PNG.sync.read(sent).data.copy(clean.data)
  } catch {
    throw unreadable()
  }
  const kept = PNG.sync.write(clean)
  if (kept.length > most_kept) throw invalid('file', '图片太复杂，请换一张更简单的图片')
  return kept
}

export const setAvatar = handleOutside(contract.setAvatar, async ({ database, half, upload }) => {
  if (!half) throw refuse('signed_out')
  const avatar = upload ? redraw(upload.bytes) : null
  await database.outside(async (tx) => {
    await mustBeAlive(tx, half.session_id)
    await tx.updateTable('account').set({ avatar }).where('id', '=', half.account_id).execute()
  })
  return { avatar: pictureOf(avatar) }
})
