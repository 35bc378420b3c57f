/** Records changes of members in their history. Writes member_event. */
import { sql } from 'kysely'
import * as z from 'zod/mini'
import * as contract from '../../../contract/directory/member-history.ts'
import { defineDocument } from '../../../crypto/sealed-document.ts'
import type { CompanyTx, CompanyVaultTx } from '../../../database/company-tx.ts'
import { defineHandler, type HandlerContext } from '../../../http/handler.ts'
import { toIsoTimestamp } from '../../../shared/clock.ts'
import { newId } from '../../../shared/ids.ts'
import { assertCanViewMember } from '../scope.ts'

type MemberEventContext = Pick<HandlerContext, 'db' | 'company_id' | 'now' | 'currentUser' | 'vault'>
export type MemberEvent = {
  readonly member_id: string
  readonly kind: contract.MemberEventKind
  readonly changes?: readonly contract.FieldChange[]
}

const rowsPerStatement = 1_000
/** The document contains field names, so renaming a field requires a new version. */
const eventDetailDocument = defineDocument({
  kind: 'changes of a member',
  version: 1,
  schema: z.object({
    changes: z.array(
      z.object({ field: z.enum(contract.memberFieldNames), from: z.nullable(z.string()), to: z.nullable(z.string()) }),
    ),
  }),
})
const getDetailPosition = (id: string) => ({ table: 'member_event', row: id, column: 'detail' })

/** The change is recorded in its transaction, unless nothing differs. */
export async function recordMemberEvents(
  { db, company_id, now, currentUser, vault }: MemberEventContext,
  events: readonly MemberEvent[],
): Promise<void> {
  const rows = events
    .filter(({ kind, changes }) => kind !== 'changed' || (changes ?? []).length > 0)
    .map(({ member_id, kind, changes }) => {
      const id = newId()
      const detail = changes ? eventDetailDocument.seal(vault, getDetailPosition(id), { changes: [...changes] }) : null
      return { company_id, id, member_id, at: now, kind, by_name: currentUser.name, account_id: currentUser.account_id, detail }
    })
  for (let from = 0; from < rows.length; from += rowsPerStatement)
    await db
      .insertInto('member_event')
      .values(rows.slice(from, from + rowsPerStatement))
      .execute()
}

/** Returns each member's department names, joined by 、 (no member is left out), to be compared before and after a change. */
export async function getMemberDepartmentNames(
  { db, company_id }: CompanyTx,
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
    .select(sql<string>`string_agg(department.name, '、' order by department.position, department.id)`.as('names'))
    .where('member_department.company_id', '=', company_id)
    .where('member_id', '=', sql<string>`any(${ids}::uuid[])`)
    .groupBy('member_id')
    .execute()
  return new Map([...ids.map((id) => [id, ''] as const), ...rows.map(({ member_id, names }) => [member_id, names] as const)])
}

export async function recordDepartmentChanges(ctx: MemberEventContext, before: ReadonlyMap<string, string>): Promise<void> {
  const after = await getMemberDepartmentNames(ctx, [...before.keys()])
  const changes = (id: string) => getFieldChanges([['departments', before.get(id), after.get(id)]])
  await recordMemberEvents(
    ctx,
    [...before.keys()].map((member_id) => ({ member_id, kind: 'changed', changes: changes(member_id) })),
  )
}

type FieldPair = readonly [field: contract.MemberFieldName, from: string | null | undefined, to: string | null | undefined]
const sealedFields: ReadonlySet<contract.MemberFieldName> = new Set(['id_card', 'bank_account'])
/** Returns the differing fields; for encrypted ones only the fact that they changed. */
export const getFieldChanges = (pairs: readonly FieldPair[]): contract.FieldChange[] =>
  pairs.flatMap(([field, from, to]) =>
    (from ?? '') === (to ?? '')
      ? []
      : [sealedFields.has(field) ? { field, from: null, to: null } : { field, from: from ?? '', to: to ?? '' }],
  )

const maxListedEvents = 2_000
/** Lists the changes of these member rows; access to encrypted fields has audit log entries of its own. */
export async function listMemberChanges({ db, company_id, vault }: CompanyVaultTx, ids: readonly string[]) {
  const rows = await db
    .selectFrom('member_event')
    .select(['id', 'at', 'kind', 'by_name', 'detail'])
    .where('company_id', '=', company_id)
    .where('member_id', '=', sql<string>`any(${[...ids]}::uuid[])`)
    .where('kind', '<>', 'looked')
    .orderBy('id', 'desc')
    .limit(maxListedEvents)
    .execute()
  return rows.map((row) => openEvent(vault, row))
}
type MemberEventRow = { readonly id: string; readonly at: Date; readonly by_name: string; readonly detail: Buffer | null } & Pick<
  MemberEvent,
  'kind'
>
const openEvent = (vault: HandlerContext['vault'], { id, at, kind, by_name, detail }: MemberEventRow) => ({
  at: toIsoTimestamp(at),
  kind,
  by: by_name,
  changes: detail ? eventDetailDocument.open(vault, getDetailPosition(id), detail).changes : [],
})

export const getMemberEvents = defineHandler(contract.getMemberEvents, async (ctx, { id, page, pagesize }) => {
  const { db, company_id, vault } = ctx
  await assertCanViewMember(ctx, id)
  const all = db.selectFrom('member_event').where('company_id', '=', company_id).where('member_id', '=', id)
  const { total } = await all.select(({ fn }) => fn.countAll<number>().as('total')).executeTakeFirstOrThrow()
  const rows = await all
    .select(['id', 'at', 'kind', 'by_name', 'detail'])
    .orderBy('id', 'desc')
    .limit(pagesize)
    .offset((page - 1) * pagesize)
    .execute()
  return {
    list: rows.map((row) => ({ event_id: row.id, ...openEvent(vault, row) })),
    page: { page, pagesize, total },
  }
})
