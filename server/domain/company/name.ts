/** Names of companies and people as others are shown them. */
import { plainName } from '../../contract/words/words.ts'
import type { Tx } from '../../runtime/db.ts'
import { invalid } from '../../runtime/handle.ts'

/** The part of a name that a company may show to others; what plays a bank's signature or an address does not count. */
export function nameOf(text: string, max: number, field: string, say: string): string {
  const name = plainName(text, max)
  if (!/[\p{L}\p{N}]/u.test(name)) throw invalid(field, say)
  return name
}

export const nameHere = async ({ db, company_id }: { readonly db: Tx; readonly company_id: string }): Promise<string> =>
  (await db.selectFrom('company').select('name').where('id', '=', company_id).executeTakeFirstOrThrow()).name
