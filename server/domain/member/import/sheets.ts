/** The sheets of the file of an import: which were read, and which look like lists of staff as well. Writes member_import. */
import * as z from 'zod/mini'
import { type ImportInFile, type ImportSheet, importSheet } from '../../../contract/people/import.ts'
import { documentKind } from '../../../runtime/data/document.ts'
import type { Ctx } from '../../../runtime/handle.ts'
import { infoOf, type KeptImport } from './kept.ts'

const place = (id: string) => ({ table: 'member_import', row: id, column: 'sheets' })
const kind = documentKind<{ sheets: ImportSheet[] }>({
  kind: 'sheets of a roster',
  version: 1,
  schema: z.object({ sheets: z.array(importSheet) }),
})

export const sealSheets = ({ vault }: Pick<Ctx, 'vault'>, id: string, sheets: ImportSheet[]): Buffer =>
  kind.seal(vault, place(id), { sheets })

export async function importSheets(
  { db, company_id, vault }: Pick<Ctx, 'db' | 'company_id' | 'vault'>,
  id: string,
): Promise<ImportSheet[]> {
  const row = await db
    .selectFrom('member_import')
    .select('sheets')
    .where('company_id', '=', company_id)
    .where('id', '=', id)
    .executeTakeFirst()
  return row?.sheets ? kind.open(vault, place(id), row.sheets).sheets : []
}

export const inFile = async (ctx: Ctx, row: KeptImport): Promise<ImportInFile> => ({
  ...(await infoOf(ctx, row)),
  sheets: await importSheets(ctx, row.id),
})
