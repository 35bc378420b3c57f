/** Serialization of work within one company. Lock order: docs/decisions/20261126-use-one-lock-order.md. */
import { sql } from 'kysely'
import type { CompanyTx } from './company-tx.ts'

/**
 * Takes an advisory lock on a subject of the company until the end of the transaction. Another transaction for the same
 * subject waits, and then sees its changes.
 */
export const lockCompanySubject = ({ db, company_id }: CompanyTx, subject: string): Promise<unknown> =>
  sql`select pg_advisory_xact_lock(hashtextextended(${`${subject}|${company_id}`}, 0))`.execute(db)
