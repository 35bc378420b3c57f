/** The common basis of all exports: the payslips of the batch page by page, limited to the requester's scope at that time. */
import { setImmediate } from 'node:timers/promises'
import { sql } from 'kysely'
import type { ExportKind, PaperOptions } from '../../../contract/payslips/send.ts'
import type { Vault } from '../../../crypto/secrets.ts'
import type { Tx } from '../../../database/database.ts'
import { isPayablePayslip } from '../../directory/index.ts'
import { memberView } from '../../directory/read-model.ts'
import type { TimeStampClient } from '../../payslip-records/index.ts'
import { selectDepartmentNames } from '../lists.ts'

const rowsPerPage = 400
/** Page size where receipts are decrypted one by one: blocks other work for a hundredth of a second. */
export const receiptsPerPage = 100

/** A requested export job with its batch. */
export type ExportTask = {
  readonly what: ExportKind
  readonly salary_id: string | null
  /** The roster rows of one member; null means all payslips. */
  readonly member_ids: readonly string[] | null
  /** Null: not a paged document. */
  readonly paper: PaperOptions | null
  readonly account_id: string
  readonly scope_all: boolean
  readonly scope_ids: string[]
  /** Of the batch. */
  readonly id: string
  readonly recognition: Buffer
  readonly layout: Buffer
  readonly title_id: string | null
  readonly title_name: string | null
  readonly title_month: string | null
}
/** The dependencies of an exporter: company transactions, one per page, and nothing else. */
export type ExportContext = {
  /** The number of the export, which the audit log names; it is a property of the file. */
  readonly export_id: string
  /** The batch being written. */
  readonly task: ExportTask
  /** All tasks, by month. */
  readonly tasks: readonly ExportTask[]
  /** The subject of the file. */
  readonly exportTitle: ExportTitle
  readonly company_id: string
  readonly vault: Vault
  readonly now: Date
  /** The public URL of this installation. */
  readonly origin: string
  inTransaction<T>(fn: (db: Tx) => Promise<T>): Promise<T>
  /** The time stamp authority for evidence, if there is one. */
  readonly timeStampClient: TimeStampClient | null
  setNote(text: string): void
  /** Writes the next bytes of the file. */
  write(bytes: Uint8Array): Promise<void>
  /** The number of finished payslips. */
  reportProgress(done: number): Promise<void>
}

/** Names a batch by its title and a period by its months: `2026-10`, or two months joined by a dash. */
export type ExportTitle = { readonly title: string; readonly month: string | null }

/** Streams batch after batch if there are several. */
export async function* streamBatches<T>(
  exportContext: ExportContext,
  streamBatch: (one: ExportContext) => AsyncGenerator<T>,
): AsyncGenerator<T> {
  let doneBefore = 0
  for (const task of exportContext.tasks) {
    let doneInBatch = 0
    const reportProgress: ExportContext['reportProgress'] = (done) => {
      doneInBatch = done
      return exportContext.reportProgress(doneBefore + done)
    }
    yield* streamBatch({ ...exportContext, task, reportProgress })
    doneBefore += doneInBatch
  }
}

/** SQL condition for `payslip`: payslips in the file; downloading it requires the requester to still have that scope. */
const isInExport = ({ company_id, task }: Pick<ExportContext, 'company_id' | 'task'>) => {
  const { scope_all, scope_ids, salary_id, member_ids } = task
  const scope = isPayablePayslip({ company_id, currentUser: { scope: { all: scope_all, department_ids: scope_ids }, power: [] } })
  const isOfMember = member_ids ? sql`and payslip.member_id = any(${[...member_ids]}::uuid[])` : sql``
  return sql<boolean>`${scope} ${salary_id ? sql`and payslip.id = ${salary_id}` : sql``} ${isOfMember}`
}

export async function countExportRows(db: Tx, { company_id, task }: Pick<ExportContext, 'company_id' | 'task'>): Promise<number> {
  const { total } = await db
    .selectFrom('payslip')
    .select(({ fn }) => fn.countAll<number>().as('total'))
    .where('company_id', '=', company_id)
    .where('batch_id', '=', task.id)
    .where(isInExport({ company_id, task }))
    .executeTakeFirstOrThrow()
  return Number(total)
}

/**
 * Selects the payslips first, by their own index, and only then joins: with the statistics of a new batch all of it
 * would be joined for each page.
 */
const selectPage = (db: Tx, exportContext: ExportContext, after: number, limit: number) =>
  db
    .selectFrom((query) =>
      query
        .selectFrom('payslip')
        .selectAll('payslip')
        .where('payslip.company_id', '=', exportContext.company_id)
        .where('payslip.batch_id', '=', exportContext.task.id)
        .where('payslip.row_no', '>', after)
        .where(isInExport(exportContext))
        .orderBy('payslip.row_no')
        .limit(limit)
        .as('payslip'),
    )
    .innerJoin(memberView, (join) =>
      join.onRef('member.company_id', '=', 'payslip.company_id').onRef('member.id', '=', 'payslip.member_id'),
    )
    .selectAll('payslip')
    .select(['member.name', selectDepartmentNames(exportContext.company_id).as('departments')])
    .where('member.company_id', '=', exportContext.company_id)
    .orderBy('payslip.row_no')
    .execute()
export type ExportRow = Awaited<ReturnType<typeof selectPage>>[number]

/** Streams pages in sheet order; `loadRelated` runs in the same transaction as its page. Yields to other work between pages. */
export async function* streamPages<T>(
  exportContext: ExportContext,
  loadRelated: (db: Tx, rows: readonly ExportRow[]) => Promise<T>,
  limit = rowsPerPage,
): AsyncGenerator<{ rows: ExportRow[]; more: T }> {
  let done = 0
  for (let after = -1; ; ) {
    const page = await exportContext.inTransaction(async (db) => {
      const rows = await selectPage(db, exportContext, after, limit)
      return { rows, more: await loadRelated(db, rows) }
    })
    yield page
    done += page.rows.length
    const last = page.rows.at(-1)
    if (!last || page.rows.length < limit) return
    after = last.row_no
    await exportContext.reportProgress(done)
    await setImmediate()
  }
}
