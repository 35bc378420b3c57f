/** The sheets of an import's file: which were read, and which also look like rosters. Writes member_import. */
import * as z from 'zod/mini'
import { type ImportSheet, type ImportWithSheets, importSheet } from '../../../contract/directory/import.ts'
import { defineDocument } from '../../../crypto/sealed-document.ts'
import type { CompanyVaultTx } from '../../../database/company-tx.ts'
import type { HandlerContext } from '../../../http/handler.ts'
import { getImportInfo, type ImportRecord } from './import-record.ts'

const getSheetsPosition = (id: string) => ({ table: 'member_import', row: id, column: 'sheets' })
const importSheetsDocument = defineDocument<{ sheets: ImportSheet[] }>({
  kind: 'sheets of a roster',
  version: 1,
  schema: z.object({ sheets: z.array(importSheet) }),
})

export const sealImportSheets = ({ vault }: Pick<HandlerContext, 'vault'>, id: string, sheets: ImportSheet[]): Buffer =>
  importSheetsDocument.seal(vault, getSheetsPosition(id), { sheets })

export async function loadImportSheets({ db, company_id, vault }: CompanyVaultTx, id: string): Promise<ImportSheet[]> {
  const row = await db
    .selectFrom('member_import')
    .select('sheets')
    .where('company_id', '=', company_id)
    .where('id', '=', id)
    .executeTakeFirst()
  return row?.sheets ? importSheetsDocument.open(vault, getSheetsPosition(id), row.sheets).sheets : []
}

export const toImportWithSheets = async (ctx: HandlerContext, row: ImportRecord): Promise<ImportWithSheets> => ({
  ...(await getImportInfo(ctx, row)),
  sheets: await loadImportSheets(ctx, row.id),
})
