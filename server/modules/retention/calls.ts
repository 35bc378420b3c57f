/**
 * Retention: how long a company stores each kind of data, within the lower bounds of the law, and the nightly deletion.
 * Writes retention_rule, retention_run and, by privacy-notice.ts, privacy_notice; the modules that own the data delete it.
 */
import * as person from '../../contract/retention/member-data.ts'
import * as notice from '../../contract/retention/privacy-notice.ts'
import * as contract from '../../contract/retention/retention.ts'
import { bindHandlers } from '../../http/handler.ts'
import type { JobQueue } from '../../jobs/queue.ts'
import { deleteExpiredData, type RetentionDeps } from './delete-expired.ts'
import { eraseMemberData } from './erase-member.ts'
import { confirmPrivacyNotice, getPrivacyNotice } from './privacy-notice.ts'
import { getRetention, saveRetention } from './settings.ts'

/** Idempotent: what is deleted is not found again. */
export function createRetentionModule(deps: RetentionDeps & { readonly jobs: JobQueue }) {
  deps.jobs.schedule('retention', '40 3 * * *', ({ signal }) => deleteExpiredData(deps, signal))
  return [
    ...bindHandlers(contract, { getRetention, saveRetention }),
    ...bindHandlers(person, { eraseMemberData }),
    ...bindHandlers(notice, { getPrivacyNotice, confirmPrivacyNotice }),
  ]
}
