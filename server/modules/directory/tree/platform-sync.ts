/**
 * Data synced from the company's chat platform: departments, their members and leaders, and message addresses. Writes
 * department, member_department and member.
 */
import { type RawBuilder, sql } from 'kysely'
import type { CompanyTx } from '../../../database/company-tx.ts'
import { lockMembersForReference } from '../file/locks.ts'
import { lockDepartmentTree } from './change.ts'
import { listOrderedDepartments } from './read.ts'

const rowsPerStatement = 2_000
const chunkRows = <T>(all: readonly T[]): T[][] =>
  Array.from({ length: Math.ceil(all.length / rowsPerStatement) }, (_, at) =>
    all.slice(at * rowsPerStatement, (at + 1) * rowsPerStatement),
  )

/** Loads the tree, locked until the transaction ends. */
export async function lockDepartments(tx: CompanyTx) {
  await lockDepartmentTree(tx)
  return listOrderedDepartments(tx)
}

type SyncedDepartment = {
  readonly id: string
  readonly parent_id: string | null
  readonly name: string
  readonly isNew: boolean
  readonly isMoved: boolean
}
/** Parents first. `positions`: the new positions among siblings; `source`: where new departments come from. */
export async function syncDepartments(
  { db, company_id }: CompanyTx,
  departments: readonly SyncedDepartment[],
  {
    positions,
    source,
  }: { readonly positions: readonly { readonly id: string; readonly position: number }[]; readonly source: string },
): Promise<void> {
  for (const chunk of chunkRows(departments.filter(({ isNew }) => isNew)))
    await db
      .insertInto('department')
      .values(chunk.map(({ id, parent_id, name }) => ({ company_id, id, parent_id, name, source })))
      .execute()
  for (const chunk of chunkRows(departments.filter(({ isMoved }) => isMoved)))
    await sql`
      update department set parent_id = wanted.parent_id, name = wanted.name
      from jsonb_to_recordset(${JSON.stringify(chunk)}::jsonb) as wanted (id uuid, parent_id uuid, name text)
      where department.company_id = ${company_id} and department.id = wanted.id`.execute(db)
  for (const chunk of chunkRows(positions))
    await sql`
      update department set position = wanted.position from jsonb_to_recordset(${JSON.stringify(chunk)}::jsonb) as wanted (id uuid, position int)
      where department.company_id = ${company_id} and department.id = wanted.id and department.position <> wanted.position`.execute(
      db,
    )
}

type Membership = { readonly member_id: string; readonly department_id: string }
/** Keeps only departments and members that still exist. */
async function filterExisting({ db, company_id }: CompanyTx, memberships: readonly Membership[]): Promise<Membership[]> {
  const departments = await db.selectFrom('department').select('id').where('company_id', '=', company_id).execute()
  const members = await db
    .selectFrom('member')
    .select('id')
    .where('company_id', '=', company_id)
    .where('id', '=', sql<string>`any(${memberships.map(({ member_id }) => member_id)}::uuid[])`)
    .execute()
  const tx = new Set([...departments, ...members].map(({ id }) => id))
  return memberships.filter(({ member_id, department_id }) => tx.has(member_id) && tx.has(department_id))
}

/** Sets exactly these departments for these members, among those named by `syncedDepartmentIds`; local departments stay. */
export async function syncMemberships(
  { db, company_id }: CompanyTx,
  memberships: readonly { readonly member_id: string; readonly department_ids: readonly string[] }[],
  syncedDepartmentIds: readonly string[],
): Promise<void> {
  for (const chunk of chunkRows(memberships)) {
    const values = chunk.flatMap(({ member_id, department_ids }) =>
      department_ids.map((department_id) => ({ member_id, department_id })),
    )
    const desired = sql`jsonb_to_recordset(${JSON.stringify(values)}::jsonb) as wanted (member_id uuid, department_id uuid)`
    // Locks the member before the memberships, as editing does.
    await lockMembersForReference(
      { db, company_id },
      chunk.map(({ member_id }) => member_id),
    )
    await sql`
      delete from member_department as placed
      where placed.company_id = ${company_id} and placed.member_id = any(${chunk.map(({ member_id }) => member_id)}::uuid[])
        and placed.department_id = any(${[...syncedDepartmentIds]}::uuid[])
        and not exists (select from ${desired} where wanted.member_id = placed.member_id and wanted.department_id = placed.department_id)`.execute(
      db,
    )
    const tx = await filterExisting({ db, company_id }, values)
    if (tx.length > 0)
      await db
        .insertInto('member_department')
        .values(tx.map((one) => ({ company_id, ...one })))
        .onConflict((conflict) => conflict.columns(['company_id', 'member_id', 'department_id']).doNothing())
        .execute()
  }
}

/** Sets leaders of departments that have none: an administrator's choice stays. */
export async function syncLeaders(
  { db, company_id }: CompanyTx,
  leaders: readonly { readonly id: string; readonly leader_id: string }[],
): Promise<void> {
  if (leaders.length === 0) return
  await sql`
    update department set leader_id = wanted.leader_id
    from jsonb_to_recordset(${JSON.stringify(leaders)}::jsonb) as wanted (id uuid, leader_id uuid)
    join member on member.company_id = ${company_id} and member.id = wanted.leader_id and member.status <> 'left'
    where department.company_id = ${company_id} and department.id = wanted.id and department.leader_id is null`.execute(db)
}

/** Sets the platform users that receive messages; null: none. Returns how many of the members exist. */
export async function syncPlatformUsers(
  { db, company_id }: CompanyTx,
  links: readonly { readonly member_id: string; readonly user_id: string | null }[],
): Promise<number> {
  let done = 0
  for (const chunk of chunkRows(links)) {
    const { numAffectedRows } = await sql`
      update member set platform_user_id = wanted.user_id
      from jsonb_to_recordset(${JSON.stringify(chunk)}::jsonb) as wanted (member_id uuid, user_id text)
      where member.company_id = ${company_id} and member.id = wanted.member_id and member.status <> 'left'`.execute(db)
    done += Number(numAffectedRows ?? 0)
  }
  return done
}

/** The company has unbound its platform, so no member is reachable there any more. */
export const unlinkAllPlatformUsers = ({ db, company_id }: CompanyTx) =>
  db
    .updateTable('member')
    .set({ platform_user_id: null })
    .where('company_id', '=', company_id)
    .where('platform_user_id', 'is not', null)
    .execute()

/** Counts active members without a platform user. */
export async function countWithoutPlatformUser({ db, company_id }: CompanyTx): Promise<number> {
  const { people } = await db
    .selectFrom('member')
    .select(({ fn }) => fn.countAll<number>().as('people'))
    .where('company_id', '=', company_id)
    .where('status', '<>', 'left')
    .where('platform_user_id', 'is', null)
    .executeTakeFirstOrThrow()
  return people
}

const selectMatchCandidates = async ({ db, company_id }: CompanyTx, condition: RawBuilder<unknown>) => {
  const { rows } = await sql<{ member_id: string; name: string; mobile: string; employee_no: string; departments: string[] }>`
    select member.id as member_id, member.name, member.mobile, member.employee_no,
      coalesce((select array_agg(department.name order by department.name) from member_department as placed
        join department on department.company_id = ${company_id} and department.id = placed.department_id
        where placed.company_id = ${company_id} and placed.member_id = member.id), '{}') as departments
    from member where member.company_id = ${company_id} and member.status <> 'left' and ${condition}`.execute(db)
  return rows
}
/** Loads the identifying data of those members who are active, with their departments' names. */
export const loadMatchCandidates = (tx: CompanyTx, ids: readonly string[]) =>
  selectMatchCandidates(tx, sql`member.id = any(${[...ids]}::uuid[]) order by member.id`)

/** Number of rows read at a time, small enough not to delay other requests. */
const rowsPerPage = 500
/** Streams all active members page by page. */
export async function* streamMatchCandidates(tx: CompanyTx): AsyncGenerator<Awaited<ReturnType<typeof selectMatchCandidates>>> {
  for (let after: string | undefined; ; ) {
    const page = await selectMatchCandidates(
      tx,
      sql`${after ? sql`member.id > ${after}` : sql`true`} order by member.id limit ${rowsPerPage}`,
    )
    if (page.length === 0) return
    yield page
    after = page.at(-1)?.member_id
  }
}

/** Returns the company's members for these accounts; accounts without a member are omitted. */
export async function getMembersByAccount(
  { db, company_id }: CompanyTx,
  account_ids: readonly string[],
): Promise<Map<string, string>> {
  const { rows } = await sql<{ id: string; account_id: string }>`
    select id, account_id from member
    where company_id = ${company_id} and status <> 'left' and account_id = any(${[...account_ids]}::uuid[])`.execute(db)
  return new Map(rows.map(({ id, account_id }) => [account_id, id]))
}

/** Counts the members linked to a platform user. */
export async function countPlatformUsers({ db, company_id }: CompanyTx): Promise<number> {
  const { count } = await db
    .selectFrom('member')
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .where('company_id', '=', company_id)
    .where('platform_user_id', 'is not', null)
    .where('status', '<>', 'left')
    .executeTakeFirstOrThrow()
  return Number(count)
}
