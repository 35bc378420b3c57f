/** A file sent ahead of the call that uses it: a picture, drawn anew, or a sheet as it is. What nobody has used by then goes in a day. */
import * as contract from '../../contract/corp/desk.ts'
import { holds } from '../../contract/who.ts'
import { isSheetFileName } from '../../contract/words/sheet-files.ts'
import { dropFile, putFile, readFile } from '../../runtime/files/files.ts'
import { isPng, redraw } from '../../runtime/files/uploads.ts'
import { type Ctx, handleOutside, invalid, refuse, type Upload } from '../../runtime/handle.ts'
import { ticketFor } from './downloads.ts'
import { redrawPhoto } from './photo/redraw.ts'

const life_ms = 24 * 60 * 60 * 1000
/** Of one person, waiting to be used: he has a few, and nobody fills the disk with them. */
const most_waiting = 20

/** A zip, an OLE container, or text; text that begins with a tag has a table in it, and is no other page. */
const looksLikeSheet = ({ file_name, bytes }: Upload): boolean =>
  isSheetFileName(file_name) &&
  (['504b0304', 'd0cf11e0'].includes(bytes.subarray(0, 4).toString('hex')) || looksLikeTableText(bytes))

function looksLikeTableText(bytes: Buffer): boolean {
  if (bytes.length === 0 || bytes.subarray(0, 4096).includes(0)) return false
  return !/^\s*</.test(bytes.toString('latin1', 0, 4096)) || /<(?:\w+:)?(?:table|workbook)[\s>]/i.test(bytes.toString('latin1'))
}

async function keep(ctx: Ctx, upload: Upload, photo: Buffer | null) {
  const { db, company_id, me, now } = ctx
  const image = photo !== null || isPng(upload.bytes)
  if (!image && !looksLikeSheet(upload)) throw invalid('file', '只能上传 PNG 图片或表格文件，请把表格另存为 .xlsx 再上传')
  if (!image && !holds(me.power, ['2'])) throw refuse('not_permitted', '只有薪酬管理员可以上传表格文件')
  const { waiting } = await db
    .selectFrom('file')
    .select(({ fn }) => fn.countAll<number>().as('waiting'))
    .where('company_id', '=', company_id)
    .where('account_id', '=', me.account_id)
    .where('of_id', 'is', null)
    .where('expires_at', '>', now)
    .executeTakeFirstOrThrow()
  if (Number(waiting) >= most_waiting) throw refuse('too_often', '您今天上传的文件太多，请明天再试', { retry_after: 3600 })
  const bytes = photo ?? (image ? redraw(upload.bytes) : upload.bytes)
  const stem = upload.file_name.replace(/\.[a-z0-9]{1,5}$/i, '')
  const file_id = await putFile(ctx, {
    kind: photo ? 'photo' : image ? 'image' : 'sheet',
    name: image ? `${stem}.png` : upload.file_name,
    bytes,
    expires_at: new Date(now.getTime() + life_ms),
  })
  const { oss_path, file_name } = await ticketFor(ctx, file_id)
  ctx.about({ file_id })
  return { file_id, oss_path, file_name, size: bytes.length }
}

const uploading = (call: typeof contract.Upload) =>
  handleOutside(call, async ({ upload, deed }, input) => {
    if (!upload) throw invalid('file', '请选择要上传的文件')
    // Drawn in a thread of its own, and while no transaction is open.
    const photo = input.for === 'question' ? await redrawPhoto(upload.bytes) : null
    return deed((ctx) => keep(ctx, upload, photo))
  })

/** Two paths of the specification, one call. */
export const uploads = { Upload: uploading(contract.Upload), uploadFile: uploading(contract.uploadFile) }

/** The picture that this administrator has sent ahead; afterwards it lies only where the caller puts it. */
export async function takePicture(ctx: Ctx, file_id: string, kind: 'image' | 'photo' = 'image'): Promise<Buffer> {
  const { db, company_id, me } = ctx
  const file = await db
    .selectFrom('file')
    .select('kind')
    .where('company_id', '=', company_id)
    .where('id', '=', file_id)
    .where('account_id', '=', me.account_id)
    .executeTakeFirst()
  if (!file) throw refuse('not_found', '文件不存在或已过期')
  if (file.kind !== kind) throw invalid('file_id', '请上传一张 PNG 图片')
  const { bytes } = await readFile(ctx, file_id)
  await dropFile(ctx, file_id)
  return bytes
}
