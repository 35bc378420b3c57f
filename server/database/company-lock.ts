/**
 * What of one company happens one after the other. In which order turns and rows are held:
 * docs/decisions/20261126-use-one-lock-order.md.
 */
import { sql } from 'kysely'
import type { Tx } from './database.ts'

type Where = { readonly db: Tx; readonly company_id: string }

/** Until the end of the transaction whoever else of this company wants the same turn waits, and then finds what was made meanwhile. */
export const lockCompanySubject = ({ db, company_id }: Where, subject: string): Promise<unknown> =>
  sql`select pg_advisory_xact_lock(hashtextextended(${`${subject}|${company_id}`}, 0))`.execute(db)
