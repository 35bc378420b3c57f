/** The company's logo, for administrators and employees alike. */
import * as contract from '../../contract/company/company.ts'
import type { CompanyTx } from '../../database/company-tx.ts'
import { toPngDataUrl } from '../../files/uploads.ts'
import { defineHandler } from '../../http/handler.ts'
import { consumePicture } from '../files/index.ts'

/** Returns the logo as a URL for a page; null if the company has none. */
export async function getLogoUrl({ db, company_id }: CompanyTx): Promise<string | null> {
  const { logo } = await db.selectFrom('company').select('logo').where('id', '=', company_id).executeTakeFirstOrThrow()
  return toPngDataUrl(logo)
}

export const setLogo = defineHandler(contract.setLogo, async (ctx, { file_id }) => {
  const logo = file_id === null ? null : await consumePicture(ctx, file_id)
  await ctx.db.updateTable('company').set({ logo }).where('id', '=', ctx.company_id).execute()
  return { logo: toPngDataUrl(logo) }
})
