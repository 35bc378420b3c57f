/** Everybody with where he belongs and since when, for figures of the company. Three plain readings; whoever asks says whose names are shown. */
import { dayOf } from '../../../runtime/clock.ts'
import type { Ctx } from '../../../runtime/handle.ts'
import { keepsAll } from '../scope.ts'
import { departmentsInOrder } from '../tree/read.ts'

type PlacedPerson = {
  readonly id: string
  readonly name: string
  /** His first and his last day; null where the roster does not know of one. */
  readonly entry_on: string | null
  readonly left_on: string | null
  /** His departments, in their order. */
  readonly department_ids: readonly string[]
  /** I may pay him. */
  readonly is_mine: boolean
}
export type RosterDepartment = {
  readonly id: string
  readonly parent_id: string | null
  readonly name: string
  readonly is_mine: boolean
}

type Here = Pick<Ctx, 'db' | 'company_id'> & { readonly me: Pick<Ctx['me'], 'power' | 'scope'> }

/** The departments alone, in the order of the tree. */
export async function departmentsPlaced(ctx: Here): Promise<RosterDepartment[]> {
  const all = keepsAll(ctx)
  const mine = new Set(ctx.me.scope.department_ids)
  return (await departmentsInOrder(ctx)).map((one) => ({ ...one, is_mine: all || mine.has(one.id) }))
}

export async function everybodyPlaced(ctx: Here): Promise<{ people: PlacedPerson[]; departments: RosterDepartment[] }> {
  const { db, company_id, me } = ctx
  const people = await db
    .selectFrom('member')
    .select(['id', 'name', 'entry_on', 'status', 'left_on', 'left_at'])
    .where('company_id', '=', company_id)
    .orderBy('id')
    .execute()
  const departments = await departmentsPlaced(ctx)
  const places = await db
    .selectFrom('member_department')
    .select(['member_id', 'department_id'])
    .where('company_id', '=', company_id)
    .execute()
  const all = keepsAll(ctx)
  const mine = new Set(me.scope.department_ids)
  const order = new Map(departments.map(({ id }, at) => [id, at]))
  const of = Map.groupBy(places, ({ member_id }) => member_id)
  return {
    people: people.map(({ id, name, entry_on, status, left_on, left_at }) => {
      const department_ids = (of.get(id) ?? [])
        .map(({ department_id }) => department_id)
        .toSorted((a, b) => (order.get(a) ?? 0) - (order.get(b) ?? 0))
      return {
        id,
        name,
        entry_on,
        left_on: status === 'left' ? (left_on ?? (left_at && dayOf(left_at))) : null,
        department_ids,
        is_mine: all || department_ids.some((one) => mine.has(one)),
      }
    }),
    departments,
  }
}
