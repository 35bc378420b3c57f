/** Every working day in the morning, notifies administrators once of feedback that is due today or overdue. */

import type { CompanyVaultTimeTx } from '../../../database/company-tx.ts'
import { isContactHour } from '../../../rules/contact-hours.ts'
import { toShanghaiDate } from '../../../shared/clock.ts'
import { deriveId } from '../../../shared/ids.ts'
import { listNamedPayrollAdmins } from '../../directory/index.ts'
import { isWorkday, notify } from '../../notifications/index.ts'
import { formatDueReminder, getEndOfDay, getThreadOwner } from '../rules/feedback.ts'
import { getWeekday } from '../rules/reminder-dates.ts'
import { countDueByOwner } from './threads.ts'

/** Older overdue feedback is not mentioned any more. */
const maxOverdueMs = 31 * 86_400_000

/** The job is idempotent within a day: the notification id derives from company, administrator and day. */
export async function remindDueFeedback(companyTx: CompanyVaultTimeTx): Promise<void> {
  const { company_id, now } = companyTx
  const day = toShanghaiDate(now)
  if (!isContactHour(now) || !isWorkday(day, getWeekday(day))) return
  const rows = await countDueByOwner(companyTx, getEndOfDay(day), new Date(now.getTime() - maxOverdueMs))
  if (rows.length === 0) return
  const payers = new Set((await listNamedPayrollAdmins(companyTx)).map(({ user_id }) => user_id))
  for (const [owner, ownerThreads] of Map.groupBy(rows, (row) => getThreadOwner(row, payers))) {
    const sum = (read: (row: (typeof ownerThreads)[number]) => number): number =>
      ownerThreads.reduce((all, one) => all + read(one), 0)
    const text = formatDueReminder({ today: sum(({ today }) => today), late: sum(({ late }) => late) })
    const batches = new Set(ownerThreads.map(({ batch_id }) => batch_id))
    const [batch_id = null] = batches.size === 1 ? batches : []
    if (text)
      await notify(companyTx, owner, { id: deriveId('answers due', company_id, owner, day), kind: 'feedback', text, batch_id })
  }
}
