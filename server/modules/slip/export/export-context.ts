/** What every export is made of: the slips of its batch a page at a time, of whom the asker's scope covered when he asked. */
import { setImmediate } from 'node:timers/promises'
import { sql } from 'kysely'
import type { ExportKind, PaperOptions } from '../../../contract/payslips/send.ts'
import type { Vault } from '../../../crypto/secrets.ts'
import type { Tx } from '../../../database/database.ts'
import { isPayablePayslip } from '../../member/index.ts'
import type { TimeStampClient } from '../../pay/index.ts'
import { selectDepartmentNames } from '../lists.ts'

const rowsPerPage = 400
/** Of what is opened receipt by receipt: so many keep others waiting for a hundredth of a second. */
export const receiptsPerPage = 100

/** A job as it was asked for, with its batch. */
export type ExportTask = {
  readonly what: ExportKind
  readonly salary_id: string | null
  /** One person's rows of the roster; null: everybody's slips. */
  readonly member_ids: readonly string[] | null
  /** Null: no pages. */
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
/** What a maker of files works with: transactions of the company, one a page, and nothing else of the house. */
export type ExportContext = {
  /** The batch that is written at this moment. */
  readonly task: ExportTask
  /** All of them, in the order of their months. */
  readonly tasks: readonly ExportTask[]
  /** What the file is about. */
  readonly exportTitle: ExportTitle
  readonly company_id: string
  readonly vault: Vault
  readonly now: Date
  /** The public address of this installation. */
  readonly origin: string
  inTransaction<T>(fn: (db: Tx) => Promise<T>): Promise<T>
  /** The authority that stamps evidence, if there is one. */
  readonly timeStampClient: TimeStampClient | null
  /** Something to be known of the file. */
  setNote(text: string): void
  /** The next bytes of the file. */
  write(bytes: Uint8Array): Promise<void>
  /** How many slips are done. */
  reportProgress(done: number): Promise<void>
}

/** A batch by its title; a period by its months: `2026-10`, or both with a stroke between them. */
export type ExportTitle = { readonly title: string; readonly month: string | null }

/** Batch after batch, where there is more than one. */
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
    yield* streamBatch({ ...exportContext, task, reportProgress: reportProgress })
    doneBefore += doneInBatch
  }
}

/** For queries on `salary`: whose slips are in the file; it is fetched only while that scope is still his. */
const isInExport = ({ company_id, task }: Pick<ExportContext, 'company_id' | 'task'>) => {
  const { scope_all, scope_ids, salary_id, member_ids } = task
  const scope = isPayablePayslip({ company_id, currentUser: { scope: { all: scope_all, department_ids: scope_ids }, power: [] } })
  const isOfMember = member_ids ? sql`and payslip.member_id = any(${[...member_ids]}::uuid[])` : sql``
  return sql<boolean>`${scope} ${salary_id ? sql`and payslip.id = ${salary_id}` : sql``} ${isOfMember}`
}

/** How many slips are in the file. */
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

/** The slips are chosen first, by their own index, and only then joined: statistics of a batch that has just come would have all of it joined for each page. */
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
    .innerJoin('member', (join) =>
      join.onRef('member.company_id', '=', 'payslip.company_id').onRef('member.id', '=', 'payslip.member_id'),
    )
    .selectAll('payslip')
    .select(['member.name', selectDepartmentNames(exportContext.company_id).as('departments')])
    .where('member.company_id', '=', exportContext.company_id)
    .orderBy('payslip.row_no')
    .execute()
export type ExportRow = Awaited<ReturnType<typeof selectPage>>[number]

/** Page by page in the order of the sheet; `loadRelated` is read in the same transaction as the page. Between two of them others have their turn. */
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
