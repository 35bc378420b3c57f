/** The company's mark: for its administrators and its people alike. */
import * as contract from '../../contract/corp/company.ts'
import type { Tx } from '../../runtime/db.ts'
import { pictureOf } from '../../runtime/files/uploads.ts'
import { handle } from '../../runtime/handle.ts'
import { takePicture } from '../desk/index.ts'

/** As an address for a page; null where the company has none. */
export async function logoOf({ db, company_id }: { readonly db: Tx; readonly company_id: string }): Promise<string | null> {
  const { logo } = await db.selectFrom('company').select('logo').where('id', '=', company_id).executeTakeFirstOrThrow()
  return pictureOf(logo)
}

export const setLogo = handle(contract.setLogo, async (ctx, { file_id }) => {
  const logo = file_id === null ? null : await takePicture(ctx, file_id)
  await ctx.db.updateTable('company').set({ logo }).where('id', '=', ctx.company_id).execute()
  return { logo: pictureOf(logo) }
})
