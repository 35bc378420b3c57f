/** A binding's own row and its history. Writes binding and binding_event. */
import type { BindingEventKind, BindingStatus } from '../../contract/platform-binding/binding.ts'
import type { Tx } from '../../database/database.ts'
import { fail } from '../../http/handler.ts'
import { newId } from '../../shared/ids.ts'
import { type BindingAction, nextStatus } from './rules/binding-status.ts'
import { platformIssueListSchema, visibleRangeSchema } from './stored-schemas.ts'

type CompanyTimeTx = { readonly db: Tx; readonly company_id: string; readonly now: Date }

/** The one that lives; null where the company is bound to nothing. Locked until the transaction ends where it is to be changed. */
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

/** The status that follows; throws `wrong_state` where nothing does. */
export function requireNextStatus(status: BindingStatus, action: BindingAction): BindingStatus {
  const next = nextStatus(status, action)
  if (typeof next === 'object') throw fail('wrong_state', next.message, { status })
  return next
}

/** Does it, with the status that follows. Answers whether it could be done. */
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

/** `by`: '' where the clock or the platform did it. */
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
