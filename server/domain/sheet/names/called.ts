/** Pay runs and titles by a part of their names, or by its pinyin initials. Names are sealed: of the newest so many they are opened to be searched. */
import { sql } from 'kysely'
import type { Ctx } from '../../../runtime/handle.ts'
import { soundsLike } from '../../member/index.ts'
import { visibleBatches } from '../access.ts'
import { most_searched, openFileName, openTitle, rowsCalled } from './words.ts'

/** 「2026年10月」, as people type it; `2026-10` is found as it is. */
export const monthWords = (month: string | null): string | null =>
  month && `${month.slice(0, 4)}年${Number(month.slice(5))}月 ${month}`

/** The newest first, at most `most` of each, those that I may see. */
export async function runsCalled(ctx: Ctx, part: string, most: number) {
  const { db, company_id, vault } = ctx
  const rows = await db
    .selectFrom('batch')
    .leftJoin('title', (join) => join.onRef('title.company_id', '=', 'batch.company_id').onRef('title.id', '=', 'batch.title_id'))
    .select(['batch.id', 'batch.status', 'batch.file_name', 'batch.title_id', 'title.name as title', 'title.month'])
    .where('batch.company_id', '=', company_id)
    .where(visibleBatches(ctx))
    .orderBy(sql`title.month desc nulls first`)
    .orderBy('batch.id', 'desc')
    .limit(most_searched)
    .execute()
  const opened = rows.map(({ title, file_name, ...row }) => ({
    ...row,
    title: openTitle(vault, row.title_id, title),
    file: openFileName(vault, row.id, file_name),
  }))
  const sounds = /^[a-z]{2,}$/i.test(part)
  const found = await rowsCalled(opened, part, ({ title, file, month }) => [
    title,
    file,
    monthWords(month),
    sounds && soundsLike(title ?? file, part) ? part : null,
  ])
  const titles = new Map(
    found.flatMap(({ title_id, title, month }) => (title_id && title && month ? [[title_id, { title_id, title, month }]] : [])),
  )
  return {
    batches: found.slice(0, most).map(({ id, title, file, month, status }) => ({
      batch_id: id,
      title: title ?? file,
      month,
      status,
    })),
    titles: [...titles.values()].slice(0, most),
  }
}

/** These pay runs with all that it takes to show their slips, by month. */
export async function runsInFull(
  { db, company_id, vault }: Pick<Ctx, 'db' | 'company_id' | 'vault'>,
  batch_ids: readonly string[],
) {
  const rows = await db
    .selectFrom('batch')
    .leftJoin('title', (join) => join.onRef('title.company_id', '=', 'batch.company_id').onRef('title.id', '=', 'batch.title_id'))
    .select([
      'batch.id',
      'batch.understood',
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

/** What these pay runs are called, of which the asker shows slips that he may see. */
export async function titlesOfRuns(
  { db, company_id, vault }: Pick<Ctx, 'db' | 'company_id' | 'vault'>,
  batch_ids: readonly string[],
) {
  const rows = await db
    .selectFrom('batch')
    .leftJoin('title', (join) => join.onRef('title.company_id', '=', 'batch.company_id').onRef('title.id', '=', 'batch.title_id'))
    .select(['batch.id', 'batch.title_id', 'title.name as title', 'title.month'])
    .where('batch.company_id', '=', company_id)
    .where('batch.id', '=', sql<string>`any(${[...batch_ids]}::uuid[])`)
    .execute()
  return new Map(rows.map(({ id, title_id, title, month }) => [id, { title: openTitle(vault, title_id, title), month }]))
}
