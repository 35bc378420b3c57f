/** Reads the uploaded result file of the official withholding client. */
import { type ExternalContext, fail, invalidInput } from '../../../http/handler.ts'
import { readWithheld, UnreadableSheetError, type WithholdingResult } from '../../../spreadsheets/index.ts'

/** Throws `unreadable_sheet` with the reason if the upload is not such a file. */
export async function readUploadedResult(ctx: ExternalContext): Promise<WithholdingResult> {
  const { upload } = ctx
  if (!upload) throw invalidInput('file', '请选择扣缴端导出的税款计算结果')
  if (upload.bytes.length === 0) throw fail('unreadable_sheet', '文件是空的，请检查后重新上传')
  const read = await readWithheld(ctx.noTransaction, upload.bytes, {
    file_name: upload.file_name,
    signal: ctx.signal,
    owner: ctx.me?.company_id,
  }).catch((error: unknown) => {
    // The file reader's error messages mention wage sheets.
    throw error instanceof UnreadableSheetError
      ? fail('unreadable_sheet', error.message.replaceAll('工资表', '税款计算结果'))
      : error
  })
  if (read.reason !== null) throw fail('unreadable_sheet', read.reason)
  return read
}
