/**
 * Imports a parsed wage sheet as a new batch or as the replacement of one: access check here, then setup (`setup.ts`),
 * with a sheet that it replaces (`replace.ts`), then storage (`store.ts`). Each step calls the next.
 */

import { can } from '../../../contract/shared/statuses.ts'
import { assertAllowed, fail, type HandlerContext } from '../../../http/handler.ts'
import { requireAdminId, requireBatch } from '../access.ts'
import { requireTitle } from '../names/title.ts'
import { toRecognizedSheet } from '../recognition.ts'
import type { BufferedSheet } from './buffered-rows.ts'
import type { ImportedSheet, ImportOptions, IncomingSheet, UploadSource } from './incoming-sheet.ts'
import { replaceSheet } from './replace.ts'
import { setUpSheet } from './setup.ts'

export async function importSheet(
  ctx: HandlerContext,
  read: BufferedSheet,
  source: UploadSource,
  options: ImportOptions,
): Promise<ImportedSheet> {
  const admin_id = requireAdminId(ctx)
  const previousBatch = options.batch_id ? await requireBatch(ctx, options.batch_id, 'manage') : null
  if (previousBatch) assertAllowed(can.arrange(previousBatch.status), { status: previousBatch.status })
  // Prevents another sheet of the old file from replacing the new one.
  if (previousBatch && !source.is_new && previousBatch.file_id !== source.file_id)
    throw fail('wrong_state', '这一批的工资表刚刚换过，请刷新后重试', { status: previousBatch.status })
  const title_id = options.title_id ? (await requireTitle(ctx, options.title_id)).id : (previousBatch?.title_id ?? null)
  const incoming: IncomingSheet = {
    source,
    options,
    previousBatch,
    title_id,
    owner_id: previousBatch?.owner_id ?? admin_id,
    fingerprint: ctx.vault.blindIndex('header', read.recognition.fingerprint).toString('hex'),
    recognition: toRecognizedSheet(read.recognition),
    sheetLayout: read.sheetLayout,
    rows: read.rows,
  }
  return previousBatch ? replaceSheet(ctx, incoming, previousBatch) : setUpSheet(ctx, incoming)
}
