/** Pictures in threads: re-encoded on upload, encrypted, and shown to the two sides only. Writes feedback_picture. */
import * as contract from '../../../contract/payslips/feedback.ts'
import { maxPicturesPerThread } from '../../../contract/payslips/feedback.ts'
import type { SealPosition } from '../../../crypto/secrets.ts'
import type { CompanyVaultTx } from '../../../database/company-tx.ts'
import { toPngDataUrl } from '../../../files/uploads.ts'
import { defineHandler, fail, type HandlerContext, invalidInput } from '../../../http/handler.ts'
import { newId } from '../../../shared/ids.ts'
import { consumePicture } from '../../files/index.ts'
import { getThread } from './threads.ts'

const getPicturePosition = (id: string): SealPosition => ({ table: 'feedback_picture', row: id, column: 'picture' })

/** Moves uploaded pictures of this user into one of their messages; the uploads are deleted. */
export async function addPictures(
  ctx: HandlerContext,
  { feedback_id, message_id }: { readonly feedback_id: string; readonly message_id: string },
  file_ids: readonly string[],
): Promise<void> {
  if (file_ids.length === 0) return
  const { db, company_id, vault } = ctx
  const { had: existingCount } = await db
    .selectFrom('feedback_picture')
    .select(({ fn }) => fn.countAll<number>().as('had'))
    .where('company_id', '=', company_id)
    .where('feedback_id', '=', feedback_id)
    .executeTakeFirstOrThrow()
  if (Number(existingCount) + file_ids.length > maxPicturesPerThread)
    throw invalidInput('pictures', `一条反馈里最多 ${maxPicturesPerThread} 张图片，已有 ${existingCount} 张`)
  for (const file_id of file_ids) {
    const id = newId()
    const picture = vault.seal(getPicturePosition(id), await consumePicture(ctx, file_id, 'photo'))
    await db.insertInto('feedback_picture').values({ company_id, id, feedback_id, message_id, picture }).execute()
  }
}

/** Loads a picture of a payslip's thread, or of a given thread; throws `not_found` for any other. */
export async function loadFeedbackPicture(
  { db, company_id, vault }: CompanyVaultTx,
  id: string,
): Promise<{ feedback_id: string; salary_id: string; picture: string }> {
  const row = await db
    .selectFrom('feedback_picture')
    .innerJoin('feedback', (join) =>
      join
        .onRef('feedback.company_id', '=', 'feedback_picture.company_id')
        .onRef('feedback.id', '=', 'feedback_picture.feedback_id'),
    )
    .select(['feedback_picture.picture', 'feedback.id as feedback_id', 'feedback.salary_id'])
    .where('feedback_picture.company_id', '=', company_id)
    .where('feedback_picture.id', '=', id)
    .executeTakeFirst()
  if (!row) throw fail('not_found')
  const { picture, ...thread } = row
  return { ...thread, picture: toPngDataUrl(vault.openBytes(getPicturePosition(id), picture)) ?? '' }
}

export const getFeedbackPicture = defineHandler(contract.getFeedbackPicture, async (ctx, { id }) => {
  const { picture, feedback_id, salary_id } = await loadFeedbackPicture(ctx, id)
  await getThread(ctx, feedback_id, 'view')
  ctx.addAuditDetails({ salary_id })
  return { picture }
})
