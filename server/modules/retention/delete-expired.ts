/**
 * Deletes data whose retention has ended, every night, in small transactions. Each has its own record of what was
 * deleted by which rule, and an audit log entry.
 */
import type { RetentionKind } from '../../contract/retention/retention.ts'
import { minRetentionMonths, retentionKinds } from '../../contract/retention/retention.ts'
import type { Secrets } from '../../crypto/secrets.ts'
import type { CompanyVaultTimeTx } from '../../database/company-tx.ts'
import type { Database } from '../../database/database.ts'
import { deleteExportsBefore } from '../../files/stored-files.ts'
import { writeSystemAuditEntry } from '../../http/audit-log.ts'
import { deleteAuditLogBefore, deleteSignInLogBefore } from '../../http/log-retention.ts'
import { listAllCompanyIds, repeatInCompany } from '../../jobs/companies.ts'
import type { Log } from '../../observability/log.ts'
import type { Clock } from '../../shared/clock.ts'
import { newId } from '../../shared/ids.ts'
import { deleteTerminatedMemberData } from '../directory/index.ts'
import { deleteOldestPayslips, deleteSheetFilesBefore } from '../sheets/index.ts'
import { loadRetention } from './settings.ts'

export type RetentionDeps = { readonly database: Database; readonly secrets: Secrets; readonly clock: Clock; readonly log: Log }

const rowsPerTransaction: Readonly<Record<RetentionKind, number>> = {
  audit_log: 5_000,
  sign_in_log: 5_000,
  sheet_file: 20,
  export_file: 20,
  // One pay run at a time: it counts its payslips.
  payslip: 1,
  terminated_member: 500,
}
/** Ends a backlog after a while; the next night continues it. */
const maxBatchesPerNight = 200

type Deletion = (ctx: CompanyVaultTimeTx, before: Date, limit: number) => Promise<number>
const deletions: Readonly<Record<RetentionKind, Deletion>> = {
  audit_log: deleteAuditLogBefore,
  sign_in_log: deleteSignInLogBefore,
  sheet_file: deleteSheetFilesBefore,
  export_file: deleteExportsBefore,
  payslip: deleteOldestPayslips,
  terminated_member: deleteTerminatedMemberData,
}

/** Returns the time before which data of this kind is deleted: never within the lower bound of the kind. */
export function getCutoff(now: Date, kind: RetentionKind, months: number): Date {
  const cutoff = new Date(now)
  const day = cutoff.getUTCDate()
  cutoff.setUTCDate(1)
  cutoff.setUTCMonth(cutoff.getUTCMonth() - Math.max(months, minRetentionMonths[kind]))
  const lastDay = new Date(Date.UTC(cutoff.getUTCFullYear(), cutoff.getUTCMonth() + 1, 0)).getUTCDate()
  cutoff.setUTCDate(Math.min(day, lastDay))
  return cutoff
}

/** Deletes one batch; returns whether there may be more. The rule is read again, so that a hold applies at once. */
async function deleteBatch(ctx: CompanyVaultTimeTx, kind: RetentionKind): Promise<boolean> {
  const { db, company_id, now } = ctx
  const { rules, legal_hold } = await loadRetention(ctx, 'share')
  const months = rules[kind]
  if (legal_hold || months === null) return false
  const before = getCutoff(now, kind, months)
  const count = await deletions[kind](ctx, before, rowsPerTransaction[kind])
  if (count === 0) return false
  await db.insertInto('retention_run').values({ company_id, id: newId(), at: now, kind, months, before, count }).execute()
  const details = { kind, months, before: before.toISOString(), deleted_count: count }
  await writeSystemAuditEntry(db, company_id, { call: 'job retention: deletion', details, at: now })
  return count >= rowsPerTransaction[kind]
}

export async function deleteExpiredData({ database, secrets, clock, log }: RetentionDeps, signal: AbortSignal): Promise<void> {
  for (const company_id of await listAllCompanyIds(database))
    for (const kind of retentionKinds)
      try {
        await repeatInCompany({ database, signal, maxTimes: maxBatchesPerNight }, company_id, async (tx) =>
          deleteBatch({ db: tx, company_id, vault: await secrets.vault(tx, company_id), now: clock.now() }, kind),
        )
      } catch (error) {
        if (signal.aborted) throw error
        // One company, or one kind, must not keep the others from being deleted.
        log.error({ err: error, company: company_id, kind }, 'data whose retention has ended could not be deleted')
      }
}
