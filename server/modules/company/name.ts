/** Formats names of companies and members as shown to others. */
import { sanitizeName } from '../../contract/shared/schemas.ts'
import type { CompanyTx } from '../../database/company-tx.ts'
import { invalidInput } from '../../http/handler.ts'

/** Returns the part of a name that a company may show to others; text that imitates a bank's signature or a URL is rejected. */
export function parseCompanyName(text: string, max: number, field: string, message: string): string {
  const name = sanitizeName(text, max)
  if (!/[\p{L}\p{N}]/u.test(name)) throw invalidInput(field, message)
  return name
}

export const getCompanyName = async ({ db, company_id }: CompanyTx): Promise<string> =>
  (await db.selectFrom('company').select('name').where('id', '=', company_id).executeTakeFirstOrThrow()).name
