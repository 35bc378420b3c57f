/**
 * Destroying the data keys of a company: planned by an operator, done after a grace period in which it can be aborted.
 * Each step is in the log of the operators and in the audit log of the company.
 */
import { sql } from 'kysely'
import type { Database } from '../database/database.ts'
import { writeSystemAuditEntry } from '../http/audit-log.ts'
import { type OperatorLogEntry, writeOperatorLogEntry } from '../http/operators.ts'
import type { Log } from '../observability/log.ts'
import type { Clock } from '../shared/clock.ts'
import { newId } from '../shared/ids.ts'
import type { JobQueue } from './queue.ts'

export const minGraceDays = 7
export const defaultGraceDays = 30
const dayMs = 86_400_000
/** The name of each step in both logs. */
const calls = {
  rewrap: 'npm run keys -- rewrap',
  renew: 'npm run keys -- renew',
  destroy: 'npm run keys -- destroy',
  abort: 'npm run keys -- abort',
  destroyed: 'keys.destroyed',
} as const

type Deps = { readonly database: Database; readonly now: Date }
type CompanyName = { readonly id: string; readonly name: string }
export type KeyDestruction = {
  readonly id: string
  readonly company_id: string
  readonly company_name: string
  readonly reason: string
  readonly requested_at: Date
  readonly due_at: Date
  readonly aborted_at: Date | null
  readonly destroyed_at: Date | null
}

export const listKeyDestructions = ({ database }: Pick<Deps, 'database'>): Promise<KeyDestruction[]> =>
  database.asOperator((tx) =>
    tx
      .selectFrom('key_destruction')
      .select(['id', 'company_id', 'company_name', 'reason', 'requested_at', 'due_at', 'aborted_at', 'destroyed_at'])
      .orderBy('requested_at')
      .execute(),
  )

/** Writes what `npm run keys` did for many companies into the log of the operators. */
export const logKeyCommand = (deps: Deps, command: 'rewrap' | 'renew', details: OperatorLogEntry['details']): Promise<void> =>
  deps.database.asOperator((tx) => writeOperatorLogEntry(tx, commandLine, toLogEntry(deps, calls[command], details)))

/** Plans the destruction of a company's keys; until it is due everything works as before. */
export async function planKeyDestruction(
  deps: Deps,
  { company, reason, days }: { readonly company: CompanyName; readonly reason: string; readonly days: number },
  { isDryRun = false }: { readonly isDryRun?: boolean } = {},
): Promise<Date> {
  if (!Number.isInteger(days) || days < minGraceDays) throw new Error(`宽限期至少 ${minGraceDays} 天`)
  if (reason.trim() === '') throw new Error('请写明原因（--reason），它会记入日志')
  const { id: company_id, name: company_name } = company
  const planned = (await listKeyDestructions(deps)).find((one) => one.company_id === company_id && !one.aborted_at)
  if (planned) throw new Error(planned.destroyed_at ? '这家企业的密钥已经销毁' : '这家企业已经在等待销毁')
  const requested_at = deps.now
  const due_at = new Date(requested_at.getTime() + days * dayMs)
  if (isDryRun) return due_at
  await deps.database.asOperator(async (tx) => {
    await tx
      .insertInto('key_destruction')
      .values({ id: newId(), company_id, company_name, reason, requested_at, due_at })
      .execute()
    await writeOperatorLogEntry(tx, commandLine, toLogEntry(deps, calls.destroy, { company_id, days }))
  })
  await writeCompanyLog(deps, company_id, calls.destroy, { days })
  return due_at
}

/** Aborts a planned destruction within its grace period. */
export async function abortKeyDestruction(deps: Deps, company_id: string): Promise<void> {
  await deps.database.asOperator(async (tx) => {
    const { numUpdatedRows } = await tx
      .updateTable('key_destruction')
      .set({ aborted_at: deps.now })
      .where('company_id', '=', company_id)
      .where('aborted_at', 'is', null)
      .where('destroyed_at', 'is', null)
      .executeTakeFirst()
    if (numUpdatedRows !== 1n) throw new Error('这家企业没有等待销毁的密钥')
    await writeOperatorLogEntry(tx, commandLine, toLogEntry(deps, calls.abort, { company_id }))
  })
  await writeCompanyLog(deps, company_id, calls.abort, {})
}

/**
 * Destroys the keys whose grace period has ended; returns the companies. Servers forget a key they have in memory within
 * ten minutes.
 */
export async function destroyDueKeys(deps: Deps): Promise<string[]> {
  const due = (await listKeyDestructions(deps)).filter(
    ({ due_at, aborted_at, destroyed_at }) => !aborted_at && !destroyed_at && due_at <= deps.now,
  )
  const destroyed: string[] = []
  for (const { id, company_id } of due) {
    const isDone = await deps.database.asOperator(async (tx) => {
      const { rows } = await sql<{ done: boolean }>`select destroy_company_key(${id}, ${deps.now}) as done`.execute(tx)
      if (rows[0]?.done)
        await writeOperatorLogEntry(tx, { id: null, name: '系统' }, toLogEntry(deps, calls.destroyed, { company_id }))
      return rows[0]?.done ?? false
    })
    if (isDone) destroyed.push(company_id)
  }
  return destroyed
}

/** Idempotent: keys that are destroyed are not due any more. */
export function registerKeyDestruction(
  jobs: JobQueue,
  { database, clock, log }: { readonly database: Database; readonly clock: Clock; readonly log: Log },
): void {
  jobs.schedule('keys.destroy-due', '20 * * * *', async () => {
    for (const company of await destroyDueKeys({ database, now: clock.now() }))
      log.warn({ company }, 'the keys of a company were destroyed')
  })
}

const commandLine = { id: null, name: '命令行' }
const toLogEntry = ({ now }: Deps, call: string, details: OperatorLogEntry['details']): OperatorLogEntry => ({
  call,
  outcome: 'done',
  details,
  at: now,
  address: '',
  request_id: newId(),
})
const writeCompanyLog = ({ database, now }: Deps, company_id: string, call: string, details: OperatorLogEntry['details']) =>
  database.inCompany(company_id, (tx) => writeSystemAuditEntry(tx, company_id, { call, details, at: now }))
