/** A directory sync as stored. Writes platform_sync and platform_sync_item. */

import { sql } from 'kysely'
import * as z from 'zod/mini'
import type { SyncState } from '../../../contract/platform-binding/binding.ts'
import type { CompanyTx } from '../../../database/company-tx.ts'

/** The current step; each is performed in one go, after which the sync may stop and resume anywhere. */
export const syncCursorSchema = z.discriminatedUnion('step', [
  z.object({ step: z.literal('range') }),
  z.object({ step: z.literal('departments'), next: z.nullable(z.string()) }),
  /** Departments whose position is looked up one by one; null if they are not selected yet. */
  z.object({ step: z.literal('orders'), ids: z.nullable(z.array(z.string())) }),
  /** `department` is the department whose users are being read; null means the one that follows `after`. */
  z.object({
    step: z.literal('people'),
    after: z.string(),
    department: z.nullable(z.string()),
    next: z.nullable(z.string()),
    done: z.int(),
  }),
  z.object({ step: z.literal('singles'), ids: z.array(z.string()) }),
  z.object({ step: z.literal('compare'), after: z.string() }),
  z.object({ step: z.literal('decide') }),
  z.object({ step: z.literal('departments_follow') }),
  z.object({ step: z.literal('people_follow'), after: z.string() }),
  z.object({ step: z.literal('match') }),
])
export type SyncCursor = z.infer<typeof syncCursorSchema>

const syncCountsSchema = z.object({
  created: z._default(z.int(), 0),
  updated: z._default(z.int(), 0),
  left: z._default(z.int(), 0),
  back: z._default(z.int(), 0),
})
const syncFailureSchema = z.object({ code: z.string(), words: z.string() })

export type SyncRow = NonNullable<Awaited<ReturnType<typeof findLatestSync>>>
const selectSyncs = ({ db, company_id }: CompanyTx) =>
  db.selectFrom('platform_sync').selectAll().where('company_id', '=', company_id)

/** Returns the newest sync of a binding; `ended`: the newest one that has ended. */
export const findLatestSync = async (companyTx: CompanyTx, binding_id: string, filter: 'any' | 'ended' = 'any') =>
  (await selectSyncs(companyTx)
    .where('binding_id', '=', binding_id)
    .$if(filter === 'ended', (query) => query.where('state', 'in', ['done', 'failed']))
    .orderBy('id', 'desc')
    .limit(1)
    .executeTakeFirst()) ?? null

export const findSync = async (companyTx: CompanyTx, id: string, lock: 'held' | 'seen' = 'seen') =>
  (await selectSyncs(companyTx)
    .where('id', '=', id)
    .$if(lock === 'held', (query) => query.forUpdate())
    .executeTakeFirst()) ?? null

export const parseSyncCursor = ({ cursor }: Pick<SyncRow, 'cursor'>): SyncCursor => syncCursorSchema.parse(cursor)
export const parseSyncCounts = (row: Pick<SyncRow, 'counts'>) => syncCountsSchema.parse(row.counts)
export const parseSyncFailure = ({ error }: Pick<SyncRow, 'error'>) => (error === null ? null : syncFailureSchema.parse(error))

type SyncUpdate = {
  readonly cursor?: SyncCursor
  readonly state?: SyncState
  readonly pause_reason?: 'first' | 'many_left' | null
  readonly counts?: z.infer<typeof syncCountsSchema>
  readonly error?: z.infer<typeof syncFailureSchema> | null
  readonly ended_at?: Date
  /** Increments of the counters. */
  readonly calls?: number
  readonly departments?: number
  readonly people?: number
}
/** Advances the cursor; returns false if another worker did so meanwhile, in which case nothing of this step may be stored. */
export async function advanceSync(
  { db, company_id }: CompanyTx,
  { id, revision }: Pick<SyncRow, 'id' | 'revision'>,
  { cursor, counts: newCounts, error, calls = 0, departments = 0, people = 0, ...step }: SyncUpdate,
): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('platform_sync')
    .set({
      ...step,
      ...(cursor ? { cursor: JSON.stringify(cursor) } : {}),
      ...(newCounts ? { counts: JSON.stringify(newCounts) } : {}),
      ...(error === undefined ? {} : { error: error && JSON.stringify(error) }),
      revision: sql<number>`revision + 1`,
      calls: sql<number>`calls + ${calls}`,
      departments: sql<number>`departments + ${departments}`,
      people: sql<number>`people + ${people}`,
    })
    .where('company_id', '=', company_id)
    .where('id', '=', id)
    .where('revision', '=', revision)
    .where('state', 'in', ['reading', 'held', 'applying'])
    .executeTakeFirst()
  return numUpdatedRows === 1n
}

/** SQL condition for `platform_sync_item`: the rows of this sync. */
export const isStaged = (companyTx: CompanyTx, id: string, kind: 'department' | 'person') =>
  sql<boolean>`company_id = ${companyTx.company_id} and sync_id = ${id} and kind = ${kind}`

export const deleteStaged = ({ db, company_id }: CompanyTx, id: string) =>
  db.deleteFrom('platform_sync_item').where('company_id', '=', company_id).where('sync_id', '=', id).execute()
