/** What follows the company's chat platform: departments, who stands in them and leads them, where messages go. Writes department, member_department and member. */
import { type RawBuilder, sql } from 'kysely'
import type { Ctx } from '../../../runtime/handle.ts'
import { holdNamed } from '../file/hold.ts'
import { holdTree } from './change.ts'
import { departmentsInOrder } from './read.ts'

type Here = Pick<Ctx, 'db' | 'company_id'>
const a_statement = 2_000
const pieces = <T>(all: readonly T[]): T[][] =>
  Array.from({ length: Math.ceil(all.length / a_statement) }, (_, at) => all.slice(at * a_statement, (at + 1) * a_statement))

/** The tree, held until the transaction ends. */
export async function heldDepartments(here: Here) {
  await holdTree(here)
  return departmentsInOrder(here)
}

type Placed = {
  readonly id: string
  readonly parent_id: string | null
  readonly name: string
  readonly isNew: boolean
  readonly isMoved: boolean
}
/** Parents first. `places`: where which of them stands from now on among its siblings; `source`: by whose word the new ones are there. */
export async function followDepartments(
  { db, company_id }: Here,
  departments: readonly Placed[],
  { places, source }: { readonly places: readonly { readonly id: string; readonly place: number }[]; readonly source: string },
): Promise<void> {
  for (const some of pieces(departments.filter(({ isNew }) => isNew)))
    await db
      .insertInto('department')
      .values(some.map(({ id, parent_id, name }) => ({ company_id, id, parent_id, name, source })))
      .execute()
  for (const some of pieces(departments.filter(({ isMoved }) => isMoved)))
    await sql`
      update department set parent_id = wanted.parent_id, name = wanted.name
      from jsonb_to_recordset(${JSON.stringify(some)}::jsonb) as wanted (id uuid, parent_id uuid, name text)
      where department.company_id = ${company_id} and department.id = wanted.id`.execute(db)
  for (const some of pieces(places))
    await sql`
      update department set place = wanted.place from jsonb_to_recordset(${JSON.stringify(some)}::jsonb) as wanted (id uuid, place int)
      where department.company_id = ${company_id} and department.id = wanted.id and department.place <> wanted.place`.execute(db)
}

type Place = { readonly member_id: string; readonly department_id: string }
/** Of departments and people that are still here. */
async function existing({ db, company_id }: Here, places: readonly Place[]): Promise<Place[]> {
  const departments = await db.selectFrom('department').select('id').where('company_id', '=', company_id).execute()
  const people = await db
    .selectFrom('member')
    .select('id')
    .where('company_id', '=', company_id)
    .where('id', '=', sql<string>`any(${places.map(({ member_id }) => member_id)}::uuid[])`)
    .execute()
  const here = new Set([...departments, ...people].map(({ id }) => id))
  return places.filter(({ member_id, department_id }) => here.has(member_id) && here.has(department_id))
}

/** Of these people exactly these departments, of those that `among` names; others, which are ours alone, stay. */
export async function followPlaces(
  { db, company_id }: Here,
  places: readonly { readonly member_id: string; readonly department_ids: readonly string[] }[],
  among: readonly string[],
): Promise<void> {
  for (const some of pieces(places)) {
    const values = some.flatMap(({ member_id, department_ids }) =>
      department_ids.map((department_id) => ({ member_id, department_id })),
    )
    const wanted = sql`jsonb_to_recordset(${JSON.stringify(values)}::jsonb) as wanted (member_id uuid, department_id uuid)`
    // The person before his places, as by whoever edits him.
    await holdNamed(
      { db, company_id },
      some.map(({ member_id }) => member_id),
    )
    await sql`
      delete from member_department as placed
      where placed.company_id = ${company_id} and placed.member_id = any(${some.map(({ member_id }) => member_id)}::uuid[])
        and placed.department_id = any(${[...among]}::uuid[])
        and not exists (select from ${wanted} where wanted.member_id = placed.member_id and wanted.department_id = placed.department_id)`.execute(
      db,
    )
    const here = await existing({ db, company_id }, values)
    if (here.length > 0)
      await db
        .insertInto('member_department')
        .values(here.map((one) => ({ company_id, ...one })))
        .onConflict((conflict) => conflict.columns(['company_id', 'member_id', 'department_id']).doNothing())
        .execute()
  }
}

/** Who leads a department that nobody was set over here: what an administrator has said stays. */
export async function followLeaders(
  { db, company_id }: Here,
  leaders: readonly { readonly id: string; readonly leader_id: string }[],
): Promise<void> {
  if (leaders.length === 0) return
  await sql`
    update department set leader_id = wanted.leader_id
    from jsonb_to_recordset(${JSON.stringify(leaders)}::jsonb) as wanted (id uuid, leader_id uuid)
    join member on member.company_id = ${company_id} and member.id = wanted.leader_id and member.status <> 'left'
    where department.company_id = ${company_id} and department.id = wanted.id and department.leader_id is null`.execute(db)
}

/** Where messages on the platform go; null: nowhere. Answers how many of them are here. */
export async function followPlatform(
  { db, company_id }: Here,
  links: readonly { readonly member_id: string; readonly user_id: string | null }[],
): Promise<number> {
  let done = 0
  for (const some of pieces(links)) {
    const { numAffectedRows } = await sql`
      update member set platform_user_id = wanted.user_id
      from jsonb_to_recordset(${JSON.stringify(some)}::jsonb) as wanted (member_id uuid, user_id text)
      where member.company_id = ${company_id} and member.id = wanted.member_id and member.status <> 'left'`.execute(db)
    done += Number(numAffectedRows ?? 0)
  }
  return done
}

/** The company has left its platform: nobody is reached there any more. */
export const leavePlatform = ({ db, company_id }: Here) =>
  db
    .updateTable('member')
    .set({ platform_user_id: null })
    .where('company_id', '=', company_id)
    .where('platform_user_id', 'is not', null)
    .execute()

/** How many are here whom no message on the platform reaches. */
export async function countUnreached({ db, company_id }: Here): Promise<number> {
  const { people } = await db
    .selectFrom('member')
    .select(({ fn }) => fn.countAll<number>().as('people'))
    .where('company_id', '=', company_id)
    .where('status', '<>', 'left')
    .where('platform_user_id', 'is', null)
    .executeTakeFirstOrThrow()
  return people
}

const tellable = async ({ db, company_id }: Here, which: RawBuilder<unknown>) => {
  const { rows } = await sql<{ member_id: string; name: string; mobile: string; employee_no: string; departments: string[] }>`
    select member.id as member_id, member.name, member.mobile, member.employee_no,
      coalesce((select array_agg(department.name order by department.name) from member_department as placed
        join department on department.company_id = ${company_id} and department.id = placed.department_id
        where placed.company_id = ${company_id} and placed.member_id = member.id), '{}') as departments
    from member where member.company_id = ${company_id} and member.status <> 'left' and ${which}`.execute(db)
  return rows
}
/** Of these people those who are here, as far as they can be told from others, with the names of their departments. */
export const tellablePeople = (here: Here, ids: readonly string[]) =>
  tellable(here, sql`member.id = any(${[...ids]}::uuid[]) order by member.id`)

/** So few that nobody waits for one of them to be read. */
const a_page = 500
/** Everybody who is here, some at a time. */
export async function* everybodyTellable(here: Here): AsyncGenerator<Awaited<ReturnType<typeof tellable>>> {
  for (let after: string | undefined; ; ) {
    const page = await tellable(here, sql`${after ? sql`member.id > ${after}` : sql`true`} order by member.id limit ${a_page}`)
    if (page.length === 0) return
    yield page
    after = page.at(-1)?.member_id
  }
}

/** Who of the company these accounts are; others are left out. */
export async function membersOfAccounts({ db, company_id }: Here, account_ids: readonly string[]): Promise<Map<string, string>> {
  const { rows } = await sql<{ id: string; account_id: string }>`
    select id, account_id from member
    where company_id = ${company_id} and status <> 'left' and account_id = any(${[...account_ids]}::uuid[])`.execute(db)
  return new Map(rows.map(({ id, account_id }) => [account_id, id]))
}

/** How many people of the company are somebody on its chat platform. */
export async function countOnPlatform({ db, company_id }: Pick<Ctx, 'db' | 'company_id'>): Promise<number> {
  const { count } = await db
    .selectFrom('member')
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .where('company_id', '=', company_id)
    .where('platform_user_id', 'is not', null)
    .where('status', '<>', 'left')
    .executeTakeFirstOrThrow()
  return Number(count)
}
