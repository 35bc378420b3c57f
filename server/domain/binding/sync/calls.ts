/** Asking for a reading of the directory, and looking at it. */
import * as contract from '../../../contract/people/binding.ts'
import { maskMobile } from '../../../contract/words/words.ts'
import { isoOf } from '../../../runtime/clock.ts'
import { type Ctx, handle, refuse } from '../../../runtime/handle.ts'
import { waitingIds } from '../events.ts'
import { seenPerson, toldDepartment } from '../kept.ts'
import { ofCorp } from '../links.ts'
import { bindingOf, followed, type KeptBinding, mayDo, notBound } from '../rows.ts'
import { beginSync, dropSyncs, sync_job } from './begin.ts'
import { countsOf, cursorOf, failureOfSync, goOn, lastSync, type SyncRow, stagedOf, syncOf } from './rows.ts'

export const applySync = handle(contract.applySync, async (ctx, { mode, sync_id, drop }) => {
  const binding = await bindingOf(ctx, 'held')
  if (!binding) throw notBound()
  if (sync_id) return { job_id: await settleHeld(ctx, binding, sync_id, drop === true) }
  followed(binding.status, 'sync')
  const told = mode === 'incremental' && (await wasRead(ctx, binding)) ? await waitingIds(ctx, binding) : null
  const by = ctx.me.name
  const job_id = await beginSync(ctx, told ? { ...binding, by, mode, ids: told } : { ...binding, by, mode: 'full' })
  return { job_id }
})

/** Only then there is something that a part can be held against. */
const wasRead = async ({ db, company_id }: Ctx, { id }: KeptBinding): Promise<boolean> =>
  (await db
    .selectFrom('platform_sync')
    .select('id')
    .where('company_id', '=', company_id)
    .where('binding_id', '=', id)
    .where('state', '=', 'done')
    .limit(1)
    .executeTakeFirst()) !== undefined

async function settleHeld(ctx: Ctx, binding: KeptBinding, sync_id: string, drop: boolean): Promise<string> {
  const sync = await syncOf(ctx, sync_id, 'held')
  if (!sync || sync.binding_id !== binding.id) throw refuse('not_found', '没有找到这次同步，请刷新')
  if (sync.state !== 'held') throw refuse('wrong_state', '这次同步已经处理过了，请刷新', { status: sync.state })
  if (drop) {
    await dropSyncs(ctx, binding.id)
    return sync_id
  }
  followed(binding.status, 'sync')
  await mayDo(ctx, binding, 'sync')
  await goOn(ctx, sync, { state: 'applying' })
  await ctx.jobs.send(sync_job, { company_id: ctx.company_id, sync_id })
  return sync_id
}

/** Of a hundred, by what takes how long: most of it is reading people. */
export function progressOf({ state, departments, ...sync }: Pick<SyncRow, 'state' | 'departments' | 'cursor'>): number {
  if (state === 'done') return 100
  const cursor = cursorOf(sync)
  if (cursor.step === 'range') return 1
  if (cursor.step === 'departments') return 4
  if (cursor.step === 'orders') return 5
  if (cursor.step === 'people') return 6 + Math.floor((64 * cursor.done) / Math.max(departments, cursor.done, 1))
  const of = { singles: 70, compare: 75, decide: 80, departments_follow: 82, people_follow: 88, match: 96 }
  return of[cursor.step]
}

export const getSyncStatus = handle(contract.getSyncStatus, async (ctx) => {
  const binding = await bindingOf(ctx)
  const sync = binding && (await lastSync(ctx, binding.id))
  if (!sync) return { sync: null }
  const { mode, state, held_for, departments, people, by_name: by } = sync
  const error = failureOfSync(sync)
  return {
    sync: {
      sync_id: sync.id,
      mode,
      state,
      held_for,
      departments,
      people,
      by,
      ...countsOf(sync),
      progress: progressOf(sync),
      started_at: isoOf(sync.started_at),
      ended_at: sync.ended_at && isoOf(sync.ended_at),
      errors: error ? [error] : [],
    },
  }
})

export const getSyncChanges = handle(contract.getSyncChanges, async (ctx, { sync_id, verdict, page, pagesize }) => {
  const { db } = ctx
  const binding = await bindingOf(ctx)
  const sync = await syncOf(ctx, sync_id)
  if (!binding || !sync) throw refuse('not_found', '没有找到这次同步，请刷新')
  const found = db
    .selectFrom('platform_staged')
    .where(stagedOf(ctx, sync_id, 'person'))
    .where('verdict', 'in', verdict ? [verdict] : contract.syncVerdicts)
  const { total } = await found.select(({ fn }) => fn.countAll<number>().as('total')).executeTakeFirstOrThrow()
  const rows = await found
    .select(['said', 'verdict', 'fields'])
    .orderBy('verdict')
    .orderBy('key')
    .limit(pagesize)
    .offset((page - 1) * pagesize)
    .execute()
  const people = rows.flatMap(({ said, verdict: what, fields }) =>
    what === null || what === 'same' ? [] : [{ what, fields, said: seenPerson.parse(said) }],
  )
  const names = await departmentNames(
    ctx,
    binding,
    sync_id,
    people.flatMap(({ said }) => said.departments),
  )
  const list = people.map(({ said, what, fields }) => ({
    platform_user_id: said.user_id,
    name: said.name,
    mobile: said.mobile && maskMobile(said.mobile),
    employee_no: said.employee_no,
    departments: said.departments.flatMap((key) => names.get(key) || []),
    department_ids: [...said.departments],
    verdict: what,
    fields,
  }))
  return { list, page: { page, pagesize, total } }
})

/** As they were just read, or as they are known. */
async function departmentNames(ctx: Ctx, binding: KeptBinding, sync_id: string, keys: readonly string[]) {
  const wanted = [...new Set(keys)]
  if (wanted.length === 0) return new Map<string, string>()
  const known = await ctx.db
    .selectFrom('platform_department')
    .select(['key', 'name'])
    .where(ofCorp(ctx, binding))
    .where('key', 'in', wanted)
    .execute()
  const staged = await ctx.db
    .selectFrom('platform_staged')
    .select(['key', 'said'])
    .where(stagedOf(ctx, sync_id, 'department'))
    .where('key', 'in', wanted)
    .execute()
  return new Map([
    ...known.map(({ key, name }) => [key, name] as const),
    ...staged.map(({ key, said }) => [key, toldDepartment.parse(said).name ?? ''] as const),
  ])
}
