/** Administrators' rows for other modules: lookups, and revoking all powers. */

import { sql } from 'kysely'
import type { Power } from '../../contract/access.ts'
import type { AccessContext, HandlerContext } from '../../http/handler.ts'
import { approvalView } from '../approvals/read-model.ts'
import { batchView, titleView } from '../sheets/read-model.ts'
import { assertPowerRule, listLockedAdmins, toCurrentAdmin } from './admin-rows.ts'
import { canRemoveAdmin } from './rules/powers.ts'

/** Returns a member's administrator row, or null. An empty `power` is a former administrator. */
export async function findAdmin(
  { db, company_id }: Pick<HandlerContext, 'db' | 'company_id'>,
  member_id: string,
): Promise<{ id: string; power: Power[] } | null> {
  const row = await db
    .selectFrom('admin')
    .select(['id', 'power'])
    .where('company_id', '=', company_id)
    .where('member_id', '=', member_id)
    .executeTakeFirst()
  return row && row.power.length > 0 ? { id: row.id, power: row.power } : null
}

/** Returns the member of an administrator row, also of one without powers. */
export async function getAdminMemberId(
  { db, company_id }: Pick<HandlerContext, 'db' | 'company_id'>,
  admin_id: string | null,
): Promise<string | null> {
  const row = await db
    .selectFrom('admin')
    .select('member_id')
    .where('company_id', '=', company_id)
    .where('id', '=', admin_id)
    .executeTakeFirst()
  return row?.member_id ?? null
}

/** Returns the powers that this account has as a member of the company. */
export async function getAccountPowers(
  { db, company_id }: Pick<HandlerContext, 'db' | 'company_id'>,
  account_id: string,
): Promise<Power[]> {
  const row = await db
    .selectFrom('admin')
    .select('power')
    .where('company_id', '=', company_id)
    .where('account_id', '=', account_id)
    .where('agency_id', 'is', null)
    .executeTakeFirst()
  return row?.power ?? []
}

export async function getAdminPowers(
  { db, company_id }: Pick<HandlerContext, 'db' | 'company_id'>,
  admin_id: string,
): Promise<Power[]> {
  const row = await db
    .selectFrom('admin')
    .select('power')
    .where('company_id', '=', company_id)
    .where('id', '=', admin_id)
    .executeTakeFirst()
  return row?.power ?? []
}

export async function listAdminMemberIds({ db, company_id }: Pick<HandlerContext, 'db' | 'company_id'>): Promise<Set<string>> {
  const rows = await db
    .selectFrom('admin')
    .select('member_id')
    .where('company_id', '=', company_id)
    .where(sql<boolean>`cardinality(power) > 0`)
    .execute()
  return new Set(rows.map(({ member_id }) => member_id))
}

/** Returns the ids of the system administrators, or also of those with this power. */
export async function listSystemAdminIds(
  { db, company_id }: Pick<HandlerContext, 'db' | 'company_id'>,
  power: Power = '4',
): Promise<string[]> {
  const rows = await db
    .selectFrom('admin')
    .select('id')
    .where('company_id', '=', company_id)
    .where(sql<boolean>`power && ${['4', power]}::text[]`)
    .execute()
  return rows.map(({ id }) => id)
}

export async function listAdminIdsWithPowers(
  { db, company_id }: Pick<HandlerContext, 'db' | 'company_id'>,
  powers: readonly Power[],
): Promise<string[]> {
  const rows = await db
    .selectFrom('admin')
    .select('id')
    .where('company_id', '=', company_id)
    .where(sql<boolean>`power && ${[...powers]}::text[]`)
    .execute()
  return rows.map(({ id }) => id)
}

/** Lists the administrators who pay members: payroll and, as `all`, system administrators. In order of appointment. */
export const listPayrollAdmins = ({ db, company_id }: Pick<HandlerContext, 'db' | 'company_id'>) =>
  db
    .selectFrom('admin')
    .select(['id', 'member_id', 'scope_all', sql<boolean>`'4' = any(power)`.as('all')])
    .where('company_id', '=', company_id)
    .where(sql<boolean>`power && array['2', '4']`)
    .orderBy('created_at')
    .orderBy('id')
    .execute()

/**
 * Revokes all powers of a leaving member in the caller's transaction, which locks the member's row; does nothing if the
 * member has none. An administrator referenced by pay runs or applications keeps a row without powers, because these
 * name their owner permanently.
 */
export async function revokeAllPowers(ctx: AccessContext, member_id: string): Promise<void> {
  const { db, company_id } = ctx
  // The administrators are locked together, so that the last two cannot remove each other at the same moment.
  const admins = await listLockedAdmins(ctx)
  const admin = admins.find((row) => row.member_id === member_id)
  if (!admin || admin.power.length === 0) return
  assertPowerRule(canRemoveAdmin(toCurrentAdmin(ctx), admin, admins))
  await db.deleteFrom('admin_department').where('company_id', '=', company_id).where('admin_id', '=', admin.id).execute()
  const { owns } = await db
    .selectNoFrom(
      sql<boolean>`exists (select from ${titleView} where company_id = ${company_id} and owner_id = ${admin.id})
        or exists (select from ${batchView} where company_id = ${company_id} and owner_id = ${admin.id})
        or exists (select from ${approvalView} where company_id = ${company_id} and ${admin.id} in (applicant_id, admin_id, decided_by))`.as(
        'owns',
      ),
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
