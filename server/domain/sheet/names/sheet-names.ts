/** The names of a batch's rows, to search among them. Writes sheet_names. */
import * as z from 'zod/mini'
import { documentKind } from '../../../runtime/data/document.ts'
import type { Ctx } from '../../../runtime/handle.ts'
import { rowsOf } from '../rows/stored-rows.ts'
import { sameName } from '../rules/check/matching.ts'
import { saidOf } from '../rules/check/problems-amounts.ts'
import type { Understood } from '../understood.ts'

type Where = Pick<Ctx, 'db' | 'company_id' | 'vault'>
type Named = readonly (readonly [row: number, name: string])[]
const sheetNames = documentKind({
  kind: 'names of a sheet',
  version: 1,
  schema: z.object({ names: z.array(z.tuple([z.int(), z.string()])) }),
  unversioned: (names) => ({ names }),
})
const place = (batch_id: string) => ({ table: 'sheet_names', row: batch_id, column: 'sealed' })
const nameRoles: readonly string[] = ['name', 'last_name', 'first_name']

/** The numbers of rows with `part` in their name, also of rows that are left out. The first search opens every row, the next ones one piece. */
export async function rowsCalled(
  where: Where,
  batch_id: string,
  columns: Understood['columns'],
  part: string,
): Promise<number[]> {
  const wanted = sameName(part)
  return (await namesOf(where, batch_id, columns)).flatMap(([row, name]) => (sameName(name).includes(wanted) ? [row] : []))
}

async function namesOf(where: Where, batch_id: string, columns: Understood['columns']): Promise<Named> {
  const { db, company_id, vault } = where
  const by_columns = columns.flatMap(({ key, role }) => (nameRoles.includes(role) ? [`${role}:${key}`] : [])).join(' ')
  const kept = await db
    .selectFrom('sheet_names')
    .select(['by_columns', 'sealed'])
    .where('company_id', '=', company_id)
    .where('id', '=', batch_id)
    .executeTakeFirst()
  if (kept?.by_columns === by_columns) return sheetNames.open(vault, place(batch_id), kept.sealed).names
  const names: [number, string][] = []
  for await (const some of rowsOf(where, batch_id))
    for (const { row, cells } of some) names.push([row, saidOf(cells, columns).names[0] ?? ''])
  const piece = { by_columns, sealed: sheetNames.seal(vault, place(batch_id), { names }) }
  await db
    .insertInto('sheet_names')
    .values({ company_id, id: batch_id, ...piece })
    .onConflict((conflict) => conflict.columns(['company_id', 'id']).doUpdateSet(piece))
    .execute()
  return names
}

/** After cells were written anew. */
export async function forgetNames({ db, company_id }: Pick<Where, 'db' | 'company_id'>, batch_id: string): Promise<void> {
  await db.deleteFrom('sheet_names').where('company_id', '=', company_id).where('id', '=', batch_id).execute()
}
