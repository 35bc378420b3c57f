/** A binding's row and its history. Writes binding and binding_event. */
import type { BindingEventKind, BindingStatus } from '../../contract/platform-binding/binding.ts'
import type { CompanyTimeTx } from '../../database/company-tx.ts'
import { fail } from '../../http/handler.ts'
import { newId } from '../../shared/ids.ts'
import { type BindingAction, nextStatus } from './rules/binding-status.ts'
import { platformIssueListSchema, visibleRangeSchema } from './stored-schemas.ts'

/** Returns the active binding; null if there is none. Locks it until the end of the transaction when it is to be changed. */
export async function findBinding({ db, company_id }: Pick<CompanyTimeTx, 'db' | 'company_id'>, lock: 'held' | 'seen' = 'seen') {
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
    issues: platformIssueListSchema.parse(row.issues),
    visible: visibleRangeSchema.parse(row.visible),
  }
}
export type StoredBinding = NonNullable<Awaited<ReturnType<typeof findBinding>>>

export const createNotBoundError = () => fail('not_found', '还没有绑定办公平台')

/** Returns the next status; throws `wrong_state` if the action is not allowed. */
export function requireNextStatus(status: BindingStatus, action: BindingAction): BindingStatus {
  const next = nextStatus(status, action)
  if (typeof next === 'object') throw fail('wrong_state', next.message, { status })
  return next
}

/** Applies the action and stores the next status. Returns whether the action was allowed. */
export async function applyAction(
  { db, company_id }: Pick<CompanyTimeTx, 'db' | 'company_id'>,
  { id, status }: Pick<StoredBinding, 'id' | 'status'>,
  action: BindingAction,
): Promise<boolean> {
  const next = nextStatus(status, action)
  if (typeof next === 'object') return false
  if (next !== status)
    await db.updateTable('binding').set({ status: next }).where('company_id', '=', company_id).where('id', '=', id).execute()
  return true
}

/** `by` is '' for changes made by a schedule or by the platform. */
export const saveBindingEvent = (
  { db, company_id, now }: CompanyTimeTx,
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
