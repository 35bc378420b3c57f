/** Files uploaded ahead of the call that uses them: a re-encoded picture, or a sheet as it is. Deleted unused after a day. */

import { sql } from 'kysely'
import { hasPower } from '../../contract/access.ts'
import * as contract from '../../contract/files/files.ts'
import { isSheetFileName } from '../../contract/sheets/sheet-files.ts'
import { deleteFile, readFile, saveFile } from '../../files/stored-files.ts'
import { isPng, reencodePng } from '../../files/uploads.ts'
import { defineHandler, fail, type HandlerContext, invalidInput, type UploadedFile } from '../../http/handler.ts'
import { createDownloadTicket } from './downloads.ts'
import { reencodePhoto } from './photo/reencode.ts'

const uploadLifetimeMs = 24 * 60 * 60 * 1000
/** Maximum number of pending uploads per user: enough for normal use, and too few to fill the disk. */
const maxPendingUploads = 20

/** Accepts a zip, an OLE container, or text; text that starts with a tag must contain a table and not be another kind of page. */
const isSheetFile = ({ file_name, bytes }: UploadedFile): boolean =>
  isSheetFileName(file_name) && (['504b0304', 'd0cf11e0'].includes(bytes.subarray(0, 4).toString('hex')) || isTableText(bytes))

function isTableText(bytes: Buffer): boolean {
  if (bytes.length === 0 || bytes.subarray(0, 4096).includes(0)) return false
  return !/^\s*</.test(bytes.toString('latin1', 0, 4096)) || /<(?:\w+:)?(?:table|workbook)[\s>]/i.test(bytes.toString('latin1'))
}

async function saveUpload(ctx: HandlerContext, upload: UploadedFile, photo: Buffer | null) {
  const { db, company_id, currentUser, now } = ctx
  const image = photo !== null || isPng(upload.bytes)
  if (!image && !isSheetFile(upload)) throw invalidInput('file', '只能上传 PNG 图片或表格文件，请把表格另存为 .xlsx 再上传')
  if (!image && !hasPower(currentUser.power, ['2'])) throw fail('not_permitted', '只有薪酬管理员可以上传表格文件')
  const { waiting } = await db
    .selectFrom('file')
    .select(({ fn }) => fn.countAll<number>().as('waiting'))
    .where('company_id', '=', company_id)
    .where('account_id', '=', currentUser.account_id)
    .where('subject_id', 'is', null)
    .where('expires_at', '>', now)
    .executeTakeFirstOrThrow()
  if (Number(waiting) >= maxPendingUploads) throw fail('too_often', '您今天上传的文件太多，请明天再试', { retry_after: 3600 })
  const bytes = photo ?? (image ? reencodePng(upload.bytes) : upload.bytes)
  const stem = upload.file_name.replace(/\.[a-z0-9]{1,5}$/i, '')
  const file_id = await saveFile(ctx, {
    kind: photo ? 'photo' : image ? 'image' : 'sheet',
    name: image ? `${stem}.png` : upload.file_name,
    bytes,
    expires_at: new Date(now.getTime() + uploadLifetimeMs),
  })
  const { oss_path, file_name } = await createDownloadTicket(ctx, file_id)
  ctx.addAuditDetails({ file_id })
  return { file_id, oss_path, file_name, size: bytes.length }
}

const defineUploadHandler = (call: typeof contract.uploadFile) =>
  defineHandler(call, { kind: 'external' }, async ({ upload, mutate }, input) => {
    if (!upload) throw invalidInput('file', '请选择要上传的文件')
    // The picture is re-encoded in a separate thread while no transaction is open.
    const photo = input.for === 'question' ? await reencodePhoto(upload.bytes) : null
    return mutate((ctx) => saveUpload(ctx, upload, photo))
  })

/** One call serves two paths of the specification. */
export const uploadHandlers = {
  uploadFile: defineUploadHandler(contract.uploadFile),
  uploadFileAlias: defineUploadHandler(contract.uploadFileAlias),
}

/** Returns a picture uploaded by this administrator and deletes the upload; then it exists only where the caller stores it. */
export async function consumePicture(ctx: HandlerContext, file_id: string, kind: 'image' | 'photo' = 'image'): Promise<Buffer> {
  const { db, company_id, currentUser } = ctx
  const file = await db
    .selectFrom('file')
    .select('kind')
    .where('company_id', '=', company_id)
    .where('id', '=', file_id)
    .where('account_id', '=', currentUser.account_id)
    .executeTakeFirst()
  if (!file) throw fail('not_found', '文件不存在或已过期')
  if (file.kind !== kind) throw invalidInput('file_id', '请上传一张 PNG 图片')
  const { bytes } = await readFile(ctx, file_id)
  await deleteFile(ctx, file_id)
  return bytes
}

/** SQL: the batch or export job that a stored file belongs to; null if there is none. */
export const selectFileSubject = (company_id: string, file_id: string) =>
  sql<string | null>`(select subject_id from file where company_id = ${company_id} and id = ${file_id})`
