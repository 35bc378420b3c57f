/** Pictures in threads: drawn anew when they came, sealed, and shown to the two sides only. Writes feedback_picture. */
import * as contract from '../../../contract/slip/feedback.ts'
import { most_thread_pictures } from '../../../contract/slip/feedback.ts'
import { pictureOf } from '../../../runtime/files/uploads.ts'
import { type Ctx, handle, invalid, refuse } from '../../../runtime/handle.ts'
import { newId } from '../../../runtime/ids.ts'
import type { Place } from '../../../runtime/secrets.ts'
import { takePicture } from '../../desk/index.ts'
import { threadFor } from './threads.ts'

const picturePlace = (id: string): Place => ({ table: 'feedback_picture', row: id, column: 'picture' })

/** Puts pictures that this person has sent ahead into a message of his; they lie nowhere else then. */
export async function addPictures(
  ctx: Ctx,
  { feedback_id, message_id }: { readonly feedback_id: string; readonly message_id: string },
  file_ids: readonly string[],
): Promise<void> {
  if (file_ids.length === 0) return
  const { db, company_id, vault } = ctx
  const { had } = await db
    .selectFrom('feedback_picture')
    .select(({ fn }) => fn.countAll<number>().as('had'))
    .where('company_id', '=', company_id)
    .where('feedback_id', '=', feedback_id)
    .executeTakeFirstOrThrow()
  if (Number(had) + file_ids.length > most_thread_pictures)
    throw invalid('pictures', `一个疑问里最多 ${most_thread_pictures} 张图片，已有 ${had} 张`)
  for (const file_id of file_ids) {
    const id = newId()
    const picture = vault.seal(picturePlace(id), await takePicture(ctx, file_id, 'photo'))
    await db.insertInto('feedback_picture').values({ company_id, id, feedback_id, message_id, picture }).execute()
  }
}

/** One of a slip's, or of a thread's; `not_found` for any other. */
export async function pictureIn(
  { db, company_id, vault }: Pick<Ctx, 'db' | 'company_id' | 'vault'>,
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
  if (!row) throw refuse('not_found')
  const { picture, ...where } = row
  return { ...where, picture: pictureOf(vault.openBytes(picturePlace(id), picture)) ?? '' }
}

export const getFeedbackPicture = handle(contract.getFeedbackPicture, async (ctx, { id }) => {
  const { picture, feedback_id, salary_id } = await pictureIn(ctx, id)
  await threadFor(ctx, feedback_id, 'view')
  ctx.about({ salary_id })
  return { picture }
})
