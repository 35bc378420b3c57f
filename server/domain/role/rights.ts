/** Taking an administrator's rights away. */
import { sql } from 'kysely'
import type { Power } from '../../contract/who.ts'
import type { Ctx } from '../../runtime/handle.ts'
import { refuse } from '../../runtime/handle.ts'

/** The administrator's row of a person, or null. An empty `power` is somebody who was one. */
export async function adminOf(
  { db, company_id }: Pick<Ctx, 'db' | 'company_id'>,
  member_id: string,
): Promise<{ id: string; power: Power[] } | null> {
  const row = await db
    .selectFrom('admin')
    .select(['id', 'power'])
    .where('company_id', '=', company_id)
    .where('member_id', '=', member_id)
    .executeTakeFirst()
  return row && row.power.length > 0 ? { id: row.id, power: row.power as Power[] } : null
}

/** The administrators' rows of those who may do everything. */
export async function headsOf({ db, company_id }: Pick<Ctx, 'db' | 'company_id'>): Promise<string[]> {
  const rows = await db
    .selectFrom('admin')
    .select('id')
    .where('company_id', '=', company_id)
    .where(sql<boolean>`'4' = any(power)`)
    .execute()
  return rows.map(({ id }) => id)
}

/**
 * Takes all powers of a person away, in the caller's transaction; nothing where he has none. Nobody can take the last power 4 away,
 * or the company could never be managed again. Who owns pay runs keeps an empty row: batches name their owner for ever.
 */
export async function takeRightsAway({ db, company_id }: Pick<Ctx, 'db' | 'company_id'>, member_id: string): Promise<void> {
  // Locked together, so that two last administrators cannot remove each other at the same moment.
  const all = await db
    .selectFrom('admin')
    .select(['id', 'member_id', 'power'])
    .where('company_id', '=', company_id)
    .orderBy('id')
    .forUpdate()
    .execute()
  const admin = all.find((row) => row.member_id === member_id)
  if (!admin) return
  const heads = all.filter((row) => row.power.includes('4'))
  if (heads.length === 1 && heads[0]?.id === admin.id)
    throw refuse('wrong_state', '这是唯一的系统管理员，请先移交系统管理员权限', { status: 'last_admin' })
  await db.deleteFrom('admin_department').where('company_id', '=', company_id).where('admin_id', '=', admin.id).execute()
  const { owns } = await db
    .selectNoFrom(
      sql<boolean>`exists (select from title where company_id = ${company_id} and owner_id = ${admin.id})
        or exists (select from batch where company_id = ${company_id} and owner_id = ${admin.id})`.as('owns'),
    )
    .executeTakeFirstOrThrow()
  const rows = { company_id, id: admin.id }
  if (owns)
    await db
      .updateTable('admin')
      .set({ power: [], scope_all: false })
      .where('company_id', '=', rows.company_id)
      .where('id', '=', rows.id)
      .execute()
  else await db.deleteFrom('admin').where('company_id', '=', rows.company_id).where('id', '=', rows.id).execute()
}
