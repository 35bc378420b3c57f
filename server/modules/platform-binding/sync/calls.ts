/** Starting a directory sync and reviewing it. */
import * as contract from '../../../contract/platform-binding/binding.ts'
import { maskMobile } from '../../../contract/shared/schemas.ts'
import { defineHandler, fail, type HandlerContext } from '../../../http/handler.ts'
import { toIsoTimestamp } from '../../../shared/clock.ts'
import { applyAction, createNotBoundError, findBinding, requireNextStatus, type StoredBinding } from '../binding-rows.ts'
import { getPendingUserIds } from '../events.ts'
import { isPlatformCompany } from '../links.ts'
import { incomingDepartmentSchema, platformUserSchema } from '../stored-schemas.ts'
import { discardSyncs, startSync, syncJob } from './start.ts'
import {
  advanceSync,
  findLatestSync,
  findSync,
  isStaged,
  parseSyncCounts,
  parseSyncCursor,
  parseSyncFailure,
  type SyncRow,
} from './sync-rows.ts'

export const applySync = defineHandler(contract.applySync, async (ctx, { mode, sync_id, discard }) => {
  const binding = await findBinding(ctx, 'held')
  if (!binding) throw createNotBoundError()
  if (sync_id) return { job_id: await decideReviewedSync(ctx, binding, sync_id, discard === true) }
  requireNextStatus(binding.status, 'sync')
  const changedIds =
    mode === 'incremental' && (await hasCompletedSync(ctx, binding)) ? await getPendingUserIds(ctx, binding) : null
  const by = ctx.currentUser.name
  const job_id = await startSync(ctx, changedIds ? { ...binding, by, mode, ids: changedIds } : { ...binding, by, mode: 'full' })
  return { job_id }
})

/** Only then does an incremental sync have something to compare with. */
const hasCompletedSync = async ({ db, company_id }: HandlerContext, { id }: StoredBinding): Promise<boolean> =>
  (await db
    .selectFrom('platform_sync')
    .select('id')
    .where('company_id', '=', company_id)
    .where('binding_id', '=', id)
    .where('state', '=', 'done')
    .limit(1)
    .executeTakeFirst()) !== undefined

async function decideReviewedSync(
  ctx: HandlerContext,
  binding: StoredBinding,
  sync_id: string,
  discard: boolean,
): Promise<string> {
  const sync = await findSync(ctx, sync_id, 'held')
  if (!sync || sync.binding_id !== binding.id) throw fail('not_found', '没有找到这次同步，请刷新')
  if (sync.state !== 'held') throw fail('wrong_state', '这次同步已经处理过了，请刷新', { status: sync.state })
  if (discard) {
    await discardSyncs(ctx, binding.id)
    return sync_id
  }
  requireNextStatus(binding.status, 'sync')
  await applyAction(ctx, binding, 'sync')
  await advanceSync(ctx, sync, { state: 'applying' })
  await ctx.jobs.send(syncJob, { company_id: ctx.company_id, sync_id })
  return sync_id
}

/** Percentage, weighted by duration: most of the time is spent reading users. */
export function getSyncProgress({ state, departments, ...sync }: Pick<SyncRow, 'state' | 'departments' | 'cursor'>): number {
  if (state === 'done') return 100
  const cursor = parseSyncCursor(sync)
  if (cursor.step === 'range') return 1
  if (cursor.step === 'departments') return 4
  if (cursor.step === 'orders') return 5
  if (cursor.step === 'people') return 6 + Math.floor((64 * cursor.done) / Math.max(departments, cursor.done, 1))
  const percentByStep = { singles: 70, compare: 75, decide: 80, departments_follow: 82, people_follow: 88, match: 96 }
  return percentByStep[cursor.step]
}

export const getSyncStatus = defineHandler(contract.getSyncStatus, async (ctx) => {
  const binding = await findBinding(ctx)
  const sync = binding && (await findLatestSync(ctx, binding.id))
  if (!sync) return { sync: null }
  const { mode, state, pause_reason: reviewReason, departments, people, by_name: by } = sync
  const error = parseSyncFailure(sync)
  return {
    sync: {
      sync_id: sync.id,
      mode,
      state,
      review_reason: reviewReason,
      departments,
      people,
      by,
      ...parseSyncCounts(sync),
      progress: getSyncProgress(sync),
      started_at: toIsoTimestamp(sync.started_at),
      ended_at: sync.ended_at && toIsoTimestamp(sync.ended_at),
      errors: error ? [error] : [],
    },
  }
})

export const getSyncChanges = defineHandler(
  contract.getSyncChanges,
  async (ctx, { sync_id, kind: kindFilter, page, pagesize }) => {
    const { db } = ctx
    const binding = await findBinding(ctx)
    const sync = await findSync(ctx, sync_id)
    if (!binding || !sync) throw fail('not_found', '没有找到这次同步，请刷新')
    const query = db
      .selectFrom('platform_sync_item')
      .where(isStaged(ctx, sync_id, 'person'))
      .where('change', 'in', kindFilter ? [kindFilter] : contract.syncChangeKinds)
    const { total } = await query.select(({ fn }) => fn.countAll<number>().as('total')).executeTakeFirstOrThrow()
    const rows = await query
      .select(['details', 'change', 'fields'])
      .orderBy('change')
      .orderBy('key')
      .limit(pagesize)
      .offset((page - 1) * pagesize)
      .execute()
    const people = rows.flatMap(({ details: content, change: kind, fields }) =>
      kind === null || kind === 'same' ? [] : [{ what: kind, fields, message: platformUserSchema.parse(content) }],
    )
    const names = await getDepartmentNames(
      ctx,
      binding,
      sync_id,
      people.flatMap(({ message: content }) => content.departments),
    )
    const list = people.map(({ message: content, what: kind, fields }) => ({
      platform_user_id: content.user_id,
      name: content.name,
      mobile: content.mobile && maskMobile(content.mobile),
      employee_no: content.employee_no,
      departments: content.departments.flatMap((key) => names.get(key) || []),
      department_ids: [...content.departments],
      change: kind,
      fields,
    }))
    return { list, page: { page, pagesize, total } }
  },
)

/** Returns the names from the running sync, otherwise from the stored directory. */
async function getDepartmentNames(ctx: HandlerContext, binding: StoredBinding, sync_id: string, keys: readonly string[]) {
  const uniqueKeys = [...new Set(keys)]
  if (uniqueKeys.length === 0) return new Map<string, string>()
  const stored = await ctx.db
    .selectFrom('platform_department')
    .select(['key', 'name'])
    .where(isPlatformCompany(ctx, binding))
    .where('key', 'in', uniqueKeys)
    .execute()
  const staged = await ctx.db
    .selectFrom('platform_sync_item')
    .select(['key', 'details'])
    .where(isStaged(ctx, sync_id, 'department'))
    .where('key', 'in', uniqueKeys)
    .execute()
  return new Map([
    ...stored.map(({ key, name }) => [key, name] as const),
    ...staged.map(({ key, details: content }) => [key, incomingDepartmentSchema.parse(content).name ?? ''] as const),
  ])
}
