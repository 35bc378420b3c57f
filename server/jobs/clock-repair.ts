/**
 * Repairs the job queue after the database's clock was set back. The queue's instants of the past then lie in the
 * future: waiting jobs would not be found until the clock has caught up, and jobs of dead processes would not expire.
 */
import type { Database } from '../database/database.ts'
import { job_schema } from '../database/job-tables.ts'
import type { Log } from '../observability/log.ts'

/** How often it is checked. */
export const repairIntervalMs = 60_000
const queryTimeoutMs = 5_000

/**
 * A job was created and started before now, so the clock was set back by at least the difference, and the job's wait
 * begins now. A minute is tolerated: clocks are adjusted by small steps all the time.
 */
const repairJobsSql = `
  with future as (
    select id, name, greatest(created_on, started_on) - ${job_schema}.job_now() as by from ${job_schema}.job
    where state <= 'active' and greatest(created_on, started_on) > ${job_schema}.job_now() + interval '1 minute')
  update ${job_schema}.job set start_after = start_after - future.by, created_on = least(created_on, ${job_schema}.job_now()),
    started_on = least(started_on, ${job_schema}.job_now())
  from future where job.name = future.name and job.id = future.id`
/** The queue's own tasks (schedules, expiry, deletion) would rest until the clock has caught up as well. */
const repairTasksSql = [
  `update ${job_schema}.version set cron_on = ${job_schema}.job_now() where cron_on > ${job_schema}.job_now() + interval '1 minute'`,
  ...['monitor_on', 'monitor_claim_on', 'maintain_on'].map(
    (column) =>
      `update ${job_schema}.queue set ${column} = ${job_schema}.job_now() where ${column} > ${job_schema}.job_now() + interval '1 minute'`,
  ),
]

export async function repairFutureJobs({ pool }: Pick<Database, 'pool'>, log: Pick<Log, 'warn'>): Promise<void> {
  const run = (text: string) => {
    // A silently lost connection must not block the caller.
    const query = { text, query_timeout: queryTimeoutMs }
    return pool.query(query)
  }
  const { rowCount } = await run(repairJobsSql)
  for (const text of repairTasksSql) await run(text)
  if (rowCount) log.warn({ jobs: rowCount }, 'the clock was set back: jobs had instants in the future')
}

/** More than the time of a query on a busy machine. */
const maxDifferenceMs = 5_000

/** Logs at the start if the clocks of this server and of its database differ. */
export async function logClockDifference({ pool }: Pick<Database, 'pool'>, log: Pick<Log, 'warn'>): Promise<void> {
  const startedAt = Date.now()
  const { rows } = await pool.query<{ at: Date }>('select clock_timestamp() as at')
  const at = rows[0]?.at.getTime() ?? startedAt
  const difference_ms = at < startedAt ? at - startedAt : Math.max(0, at - Date.now())
  if (Math.abs(difference_ms) > maxDifferenceMs)
    log.warn({ difference_ms }, "the database's clock differs from this server's: set both by NTP")
}
