/**
 * Deletes the oldest entries of the logs, through functions of the database that refuse to go below the lower bound: the
 * application itself may not delete log entries.
 */
import { sql } from 'kysely'
import type { Vault } from '../crypto/secrets.ts'
import type { CompanyTx, CompanyVaultTx } from '../database/company-tx.ts'

export type AuditCut = { readonly seq: number; readonly hash: string }

/** Proves that the application removed the entries up to this one: the verification begins after it. */
export const computeCutMac = (vault: Vault, { seq, hash }: AuditCut): Buffer =>
  vault.blindIndex('audit log cut', `${seq}|${hash}`)

/** Deletes the entries before the first one that is newer; returns how many. */
export async function deleteAuditLogBefore(
  { db, company_id, vault }: CompanyVaultTx,
  before: Date,
  limit: number,
): Promise<number> {
  // The lock of the chain: entries are not linked meanwhile.
  const head = await db
    .selectFrom('audit_log_head')
    .select('seq')
    .where('company_id', '=', company_id)
    .forUpdate()
    .executeTakeFirst()
  if (!head || head.seq === 0) return 0
  const { rows } = await sql<{ cut_seq: number; cut_hash: Buffer | null; deleted: number }>`
    select * from delete_old_audit_log_entries(${before}, ${limit})`.execute(db)
  const [cut] = rows
  if (!cut?.cut_hash || cut.deleted === 0) return 0
  await db
    .updateTable('audit_log_head')
    .set({
      cut_seq: cut.cut_seq,
      cut_hash: cut.cut_hash,
      cut_mac: computeCutMac(vault, { seq: cut.cut_seq, hash: cut.cut_hash.toString('hex') }),
    })
    .where('company_id', '=', company_id)
    .execute()
  return cut.deleted
}

export async function deleteSignInLogBefore({ db }: CompanyTx, before: Date, limit: number): Promise<number> {
  const { rows } = await sql<{ deleted: number }>`select delete_old_sign_in_log_entries(${before}, ${limit}) as deleted`.execute(
    db,
  )
  return rows[0]?.deleted ?? 0
}
