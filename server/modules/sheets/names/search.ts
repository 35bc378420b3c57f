/** Searches pay runs and titles by part of the name or its pinyin initials. Names are encrypted: of the newest only. */
import { sql } from 'kysely'
import type { CompanyVaultTx } from '../../../database/company-tx.ts'
import type { HandlerContext } from '../../../http/handler.ts'
import { matchesSpelling } from '../../directory/index.ts'
import { visibleBatches } from '../access.ts'
import { filterByName, maxSearchedRows, openFileName, openTitle } from './sealed-names.ts'

/** Adds 「2026年10月」, as users type it, to the stored `2026-10`. */
export const getMonthSearchText = (month: string | null): string | null =>
  month && `${month.slice(0, 4)}年${Number(month.slice(5))}月 ${month}`

/** Returns the newest matches that the user may see, at most `limit` of each. */
export async function searchBatches(ctx: HandlerContext, query: string, limit: number) {
  const { db, company_id, vault } = ctx
  const rows = await db
    .selectFrom('batch')
    .leftJoin('title', (join) => join.onRef('title.company_id', '=', 'batch.company_id').onRef('title.id', '=', 'batch.title_id'))
    .select(['batch.id', 'batch.status', 'batch.file_name', 'batch.title_id', 'title.name as title', 'title.month'])
    .where('batch.company_id', '=', company_id)
    .where(visibleBatches(ctx))
    .orderBy(sql`title.month desc nulls first`)
    .orderBy('batch.id', 'desc')
    .limit(maxSearchedRows)
    .execute()
  const opened = rows.map(({ title, file_name, ...row }) => ({
    ...row,
    title: openTitle(vault, row.title_id, title),
    file: openFileName(vault, row.id, file_name),
  }))
  const isPinyin = /^[a-z]{2,}$/i.test(query)
  const matches = await filterByName(opened, query, ({ title, file, month }) => [
    title,
    file,
    getMonthSearchText(month),
    isPinyin && matchesSpelling(title ?? file, query) ? query : null,
  ])
  const titles = new Map(
    matches.flatMap(({ title_id, title, month }) => (title_id && title && month ? [[title_id, { title_id, title, month }]] : [])),
  )
  return {
    batches: matches.slice(0, limit).map(({ id, title, file, month, status }) => ({
      batch_id: id,
      title: title ?? file,
      month,
      status,
    })),
    titles: [...titles.values()].slice(0, limit),
  }
}

/** Loads these batches with everything needed to show their payslips, by month. */
export async function loadBatchesWithLayout({ db, company_id, vault }: CompanyVaultTx, batch_ids: readonly string[]) {
  const rows = await db
    .selectFrom('batch')
    .leftJoin('title', (join) => join.onRef('title.company_id', '=', 'batch.company_id').onRef('title.id', '=', 'batch.title_id'))
    .select([
      'batch.id',
      'batch.recognition',
      'batch.layout',
      'batch.title_id',
      'title.name as title',
      'title.month as title_month',
    ])
    .where('batch.company_id', '=', company_id)
    .where('batch.id', '=', sql<string>`any(${[...batch_ids]}::uuid[])`)
    .orderBy('title.month')
    .orderBy('batch.id')
    .execute()
  return rows.map(({ title, ...row }) => ({ ...row, title_name: openTitle(vault, row.title_id, title) }))
}

/** Returns the titles of these batches for a caller that shows payslips which the user may see. */
export async function getBatchTitles({ db, company_id, vault }: CompanyVaultTx, batch_ids: readonly string[]) {
  const rows = await db
    .selectFrom('batch')
    .leftJoin('title', (join) => join.onRef('title.company_id', '=', 'batch.company_id').onRef('title.id', '=', 'batch.title_id'))
    .select(['batch.id', 'batch.title_id', 'title.name as title', 'title.month'])
    .where('batch.company_id', '=', company_id)
    .where('batch.id', '=', sql<string>`any(${[...batch_ids]}::uuid[])`)
    .execute()
  return new Map(rows.map(({ id, title_id, title, month }) => [id, { title: openTitle(vault, title_id, title), month }]))
}
