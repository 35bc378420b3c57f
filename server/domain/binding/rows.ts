/** A binding's own row and its history. Writes binding and binding_event. */
import type { BindingEventKind, BindingStatus } from '../../contract/people/binding.ts'
import type { Tx } from '../../runtime/db.ts'
import { refuse } from '../../runtime/handle.ts'
import { newId } from '../../runtime/ids.ts'
import { appProblems, visibleRange } from './kept.ts'
import { type BindingAction, nextStatus } from './rules/state.ts'

type Here = { readonly db: Tx; readonly company_id: string; readonly now: Date }

/** The one that lives; null where the company is bound to nothing. Locked until the transaction ends where it is to be changed. */
export async function bindingOf({ db, company_id }: Pick<Here, 'db' | 'company_id'>, lock: 'held' | 'seen' = 'seen') {
  const row = await db
    .selectFrom('binding')
    .selectAll()
    .where('company_id', '=', company_id)
    .where('status', '<>', 0)
    .$if(lock === 'held', (query) => query.forUpdate())
    .executeTakeFirst()
  if (!row) return null
  return {
    ...row,
    problems: appProblems.parse(row.problems),
    visible: visibleRange.parse(row.visible),
  }
}
export type KeptBinding = NonNullable<Awaited<ReturnType<typeof bindingOf>>>

export const notBound = () => refuse('not_found', '还没有绑定办公平台')

/** The status that follows; throws `wrong_state` where nothing does. */
export function followed(status: BindingStatus, action: BindingAction): BindingStatus {
  const next = nextStatus(status, action)
  if (typeof next === 'object') throw refuse('wrong_state', next.why, { status })
  return next
}

/** Does it, with the status that follows. Answers whether it could be done. */
export async function mayDo(
  { db, company_id }: Pick<Here, 'db' | 'company_id'>,
  { id, status }: Pick<KeptBinding, 'id' | 'status'>,
  action: BindingAction,
): Promise<boolean> {
  const next = nextStatus(status, action)
  if (typeof next === 'object') return false
  if (next !== status)
    await db.updateTable('binding').set({ status: next }).where('company_id', '=', company_id).where('id', '=', id).execute()
  return true
}

/** `by`: '' where the clock or the platform did it. */
export const tellOf = (
  { db, company_id, now }: Here,
  binding_id: string,
  event: { readonly kind: BindingEventKind; readonly by?: string; readonly detail?: Readonly<Record<string, string | number>> },
) =>
  db
    .insertInto('binding_event')
    .values({
      company_id,
      id: newId(),
      binding_id,
      at: now,
      kind: event.kind,
      by_name: event.by ?? '',
      detail: JSON.stringify(event.detail ?? {}),
    })
    .execute()
