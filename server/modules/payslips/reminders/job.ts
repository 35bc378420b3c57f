/** What the scheduled jobs of payslips need. */
import type { Secrets } from '../../../crypto/secrets.ts'
import type { Database } from '../../../database/database.ts'
import type { JobQueue } from '../../../jobs/queue.ts'
import type { ChannelSenders } from '../../../outbox/index.ts'
import type { Clock } from '../../../shared/clock.ts'

export type ReminderJobDeps = {
  readonly database: Database
  readonly jobs: JobQueue
  readonly clock: Clock
  readonly secrets: Secrets
  readonly senders: ChannelSenders
  readonly origin: string
}

export type CompanyJobData = { readonly company_id: string }
