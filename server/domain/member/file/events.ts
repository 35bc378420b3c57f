/** What is done to people leaves a line in their file. Writes member_event. */
import { sql } from 'kysely'
import * as z from 'zod/mini'
import * as contract from '../../../contract/people/file.ts'
import { isoOf } from '../../../runtime/clock.ts'
import { documentKind } from '../../../runtime/data/document.ts'
import { type Ctx, handle } from '../../../runtime/handle.ts'
import { newId } from '../../../runtime/ids.ts'
import { mustSee } from '../scope.ts'

type Here = Pick<Ctx, 'db' | 'company_id' | 'now' | 'me' | 'vault'>
export type MemberEvent = {
  readonly member_id: string
  readonly kind: contract.MemberEventKind
  readonly changes?: readonly contract.FieldChange[]
}

const a_statement = 1_000
/** Fields stand in it by their names: another name is another version. */
const eventDetail = documentKind({
  kind: 'changes of a member',
  version: 2,
  schema: z.object({
    changes: z.array(
      z.object({ field: z.enum(contract.memberFieldNames), from: z.nullable(z.string()), to: z.nullable(z.string()) }),
    ),
  }),
  unversioned: (changes) => ({ changes }),
  // The second knows one field more.
  upgrades: { 1: (older) => ({ ...older }) },
})
const detailPlace = (id: string) => ({ table: 'member_event', row: id, column: 'detail' })

/** Written by the transaction that does it. A change of nothing is none. */
export async function record({ db, company_id, now, me, vault }: Here, events: readonly MemberEvent[]): Promise<void> {
  const rows = events
    .filter(({ kind, changes }) => kind !== 'changed' || (changes ?? []).length > 0)
    .map(({ member_id, kind, changes }) => {
      const id = newId()
      const detail = changes ? eventDetail.seal(vault, detailPlace(id), { changes: [...changes] }) : null
      return { company_id, id, member_id, at: now, kind, by_name: me.name, account_id: me.account_id, detail }
    })
  for (let from = 0; from < rows.length; from += a_statement)
    await db
      .insertInto('member_event')
      .values(rows.slice(from, from + a_statement))
      .execute()
}

/** The names of everybody's departments, joined by 、 (nobody is left out): as they are before something is done, and after it. */
export async function placeNames(
  { db, company_id }: Pick<Ctx, 'db' | 'company_id'>,
  ids: readonly string[],
): Promise<Map<string, string>> {
  const rows = await db
    .selectFrom('member_department')
    .innerJoin('department', (join) =>
      join
        .onRef('department.company_id', '=', 'member_department.company_id')
        .onRef('department.id', '=', 'member_department.department_id'),
    )
    .select('member_id')
    .select(sql<string>`string_agg(department.name, '、' order by department.place, department.id)`.as('names'))
    .where('member_department.company_id', '=', company_id)
    .where('member_id', '=', sql<string>`any(${ids}::uuid[])`)
    .groupBy('member_id')
    .execute()
  return new Map([...ids.map((id) => [id, ''] as const), ...rows.map(({ member_id, names }) => [member_id, names] as const)])
}

/** Who is elsewhere than before. */
export async function recordMoves(ctx: Here, before: ReadonlyMap<string, string>): Promise<void> {
  const after = await placeNames(ctx, [...before.keys()])
  const changes = (id: string) => differences([['departments', before.get(id), after.get(id)]])
  await record(
    ctx,
    [...before.keys()].map((member_id) => ({ member_id, kind: 'changed', changes: changes(member_id) })),
  )
}

type Pair = readonly [field: contract.MemberFieldName, from: string | null | undefined, to: string | null | undefined]
const sealed: ReadonlySet<contract.MemberFieldName> = new Set(['id_card', 'bank_account'])
/** What is not the same any more; of what is sealed nothing but that. */
export const differences = (pairs: readonly Pair[]): contract.FieldChange[] =>
  pairs.flatMap(([field, from, to]) =>
    (from ?? '') === (to ?? '')
      ? []
      : [sealed.has(field) ? { field, from: null, to: null } : { field, from: from ?? '', to: to ?? '' }],
  )

const most_told = 2_000
/** What was changed of these rows, for whoever they are; looks at what is sealed have lines of evidence of their own. */
export async function changesOf({ db, company_id, vault }: Pick<Ctx, 'db' | 'company_id' | 'vault'>, ids: readonly string[]) {
  const rows = await db
    .selectFrom('member_event')
    .select(['id', 'at', 'kind', 'by_name', 'detail'])
    .where('company_id', '=', company_id)
    .where('member_id', '=', sql<string>`any(${[...ids]}::uuid[])`)
    .where('kind', '<>', 'looked')
    .orderBy('id', 'desc')
    .limit(most_told)
    .execute()
  return rows.map((row) => opened(vault, row))
}
type Kept = { readonly id: string; readonly at: Date; readonly by_name: string; readonly detail: Buffer | null } & Pick<
  MemberEvent,
  'kind'
>
const opened = (vault: Ctx['vault'], { id, at, kind, by_name, detail }: Kept) => ({
  at: isoOf(at),
  kind,
  by: by_name,
  changes: detail ? eventDetail.open(vault, detailPlace(id), detail).changes : [],
})

export const getMemberEvents = handle(contract.getMemberEvents, async (ctx, { id, page, pagesize }) => {
  const { db, company_id, vault } = ctx
  await mustSee(ctx, id)
  const all = db.selectFrom('member_event').where('company_id', '=', company_id).where('member_id', '=', id)
  const { total } = await all.select(({ fn }) => fn.countAll<number>().as('total')).executeTakeFirstOrThrow()
  const rows = await all
    .select(['id', 'at', 'kind', 'by_name', 'detail'])
    .orderBy('id', 'desc')
    .limit(pagesize)
    .offset((page - 1) * pagesize)
    .execute()
  return {
    list: rows.map((row) => ({ event_id: row.id, ...opened(vault, row) })),
    page: { page, pagesize, total },
  }
})
