/** Applies a reviewed sync to the stored directory and to the roster. Writes platform_department and platform_user. */
import { sql } from 'kysely'
import type { CompanyTimeTx } from '../../../database/company-tx.ts'
import { newId } from '../../../shared/ids.ts'
import { deletePlatformIdentities } from '../../auth/index.ts'
import { lockDepartments, syncDepartments, syncMemberships, syncPlatformUsers } from '../../directory/index.ts'
import { isPlatformCompany, type PlatformCompany } from '../links.ts'
import { computePositions, orderIncomingDepartments } from '../rules/department-order.ts'
import { planDepartments } from '../rules/departments.ts'
import { incomingDepartmentSchema, platformUserSchema } from '../stored-schemas.ts'
import { isStaged, type SyncRow } from './sync-rows.ts'

const rowsPerStatement = 1_000
const toPlatformCompany = ({ provider, corp_id }: PlatformCompany) => ({ provider, corp_id })

/** Applies all departments in one step: the tree is applied completely or not at all. */
export async function applyDepartments(companyTx: CompanyTimeTx, sync: SyncRow, corp: PlatformCompany): Promise<void> {
  const { db, company_id, now } = companyTx
  const staged = await db
    .selectFrom('platform_sync_item')
    .select('details')
    .where(isStaged(companyTx, sync.id, 'department'))
    .orderBy('key')
    .execute()
  const incoming = staged.map((one) => incomingDepartmentSchema.parse(one.details))
  const stored = await db
    .selectFrom('platform_department')
    .select(['key', 'department_id', 'parent_key', 'position', 'sort', 'sort_at'])
    .where(isPlatformCompany(companyTx, corp))
    .execute()
  const linked = new Map(stored.flatMap(({ key, department_id }) => (department_id ? [[key, department_id] as const] : [])))
  const departments = await lockDepartments(companyTx)
  const before = new Map(stored.map((one) => [one.key, one]))
  const placed = planDepartments(orderIncomingDepartments(incoming, before), { departments, linked, newId })
  // WeCom gives store applications no names: a tree of nameless departments is useless, so members stay where they are.
  const isNameless = incoming.length > 0 && incoming.every(({ name }) => !name)
  if (!isNameless)
    await syncDepartments(companyTx, placed, { positions: computePositions(placed, departments), source: corp.provider })
  const incomingById = new Map(incoming.map((one) => [one.id, one]))
  const rows = placed.map(({ key, id, name, position }) => {
    const { parent_id: parent_key = null, leader_ids: leader_keys = [], sort = null } = incomingById.get(key) ?? {}
    const previous = before.get(key)
    const order = sort === null ? { sort: previous?.sort ?? null, sort_at: previous?.sort_at ?? null } : { sort, sort_at: now }
    const linkedColumns = isNameless ? { name: '', department_id: null } : { name, department_id: id }
    return {
      company_id,
      id: newId(),
      ...toPlatformCompany(corp),
      key,
      parent_key,
      position,
      ...order,
      leader_keys,
      ...linkedColumns,
    }
  })
  for (let from = 0; from < rows.length; from += rowsPerStatement)
    await db
      .insertInto('platform_department')
      .values(rows.slice(from, from + rowsPerStatement))
      .onConflict((conflict) =>
        conflict.columns(['company_id', 'provider', 'corp_id', 'key']).doUpdateSet({
          parent_key: sql`excluded.parent_key`,
          name: sql`excluded.name`,
          position: sql`excluded.position`,
          sort: sql`excluded.sort`,
          sort_at: sql`excluded.sort_at`,
          leader_keys: sql`excluded.leader_keys`,
          department_id: sql`excluded.department_id`,
          removed_at: null,
        }),
      )
      .execute()
  await sql`
    update platform_department set removed_at = ${now} where ${isPlatformCompany(companyTx, corp)} and removed_at is null
      and not key = any(${placed.map(({ key }) => key)}::text[])`.execute(db)
}

const usersPerStep = 1_000

/** Applies one page of users; returns the last one, null when none are left. */
export async function applyUsers(
  companyTx: CompanyTimeTx,
  sync: SyncRow,
  corp: PlatformCompany,
  after: string,
): Promise<string | null> {
  const { db, company_id, now } = companyTx
  const page = await db
    .selectFrom('platform_sync_item')
    .select(['key', 'details', 'change', 'fields'])
    .where(isStaged(companyTx, sync.id, 'person'))
    .where('key', '>', after)
    .where('change', 'in', ['new', 'changed', 'back', 'left'])
    .orderBy('key')
    .limit(usersPerStep)
    .execute()
  if (page.length === 0) return null
  const rows = page.map(({ key, details: content, change: kind }) => {
    const { name, mobile, employee_no } = platformUserSchema.parse(content)
    const person = { user_id: key, name, mobile, employee_no, details: JSON.stringify(content) }
    return { company_id, id: newId(), ...toPlatformCompany(corp), ...person, removed_at: kind === 'left' ? now : null }
  })
  const saved = await db
    .insertInto('platform_user')
    .values(rows)
    .onConflict((conflict) =>
      conflict.columns(['company_id', 'provider', 'corp_id', 'user_id']).doUpdateSet({
        name: sql`excluded.name`,
        mobile: sql`excluded.mobile`,
        employee_no: sql`excluded.employee_no`,
        details: sql`excluded.details`,
        removed_at: sql`excluded.removed_at`,
      }),
    )
    .returning(['user_id', 'member_id'])
    .execute()
  const memberIdByUser = new Map(saved.flatMap(({ user_id, member_id }) => (member_id ? [[user_id, member_id] as const] : [])))
  const addressChanges = page.flatMap(({ key, change: kind }) => {
    const member_id = memberIdByUser.get(key)
    return member_id && (kind === 'left' || kind === 'back') ? [{ member_id, user_id: kind === 'left' ? null : key }] : []
  })
  await syncPlatformUsers(companyTx, addressChanges)
  await deletePlatformIdentities(
    companyTx,
    corp,
    page.flatMap(({ key, change: kind }) => (kind === 'left' ? [key] : [])),
  )
  await applyMemberDepartments(
    companyTx,
    corp,
    page.flatMap(({ key, change: kind, fields }) => (kind === 'back' || fields.includes('departments') ? [key] : [])),
  )
  return page.at(-1)?.key ?? null
}

/** Moves linked members to the departments of their platform users. */
export async function applyMemberDepartments(
  companyTx: CompanyTimeTx,
  corp: PlatformCompany,
  user_ids: readonly string[],
): Promise<void> {
  if (user_ids.length === 0) return
  const { db } = companyTx
  const departments = await db
    .selectFrom('platform_department')
    .select(['key', 'department_id'])
    .where(isPlatformCompany(companyTx, corp))
    .execute()
  const departmentIdByKey = new Map(
    departments.flatMap(({ key, department_id }) => (department_id ? [[key, department_id] as const] : [])),
  )
  const { rows } = await sql<{ member_id: string; departments: string[] }>`
    select member_id, array(select jsonb_array_elements_text(details->'departments')) as departments from platform_user
    where ${isPlatformCompany(companyTx, corp)} and member_id is not null and removed_at is null and user_id = any(${[...user_ids]}::text[])`.execute(
    db,
  )
  const memberDepartments = rows.map(({ member_id, departments: keys }) => ({
    member_id,
    department_ids: [...new Set(keys.flatMap((key) => departmentIdByKey.get(key) ?? []))],
  }))
  // Members without a visible department stay where they are.
  await syncMemberships(
    companyTx,
    memberDepartments.filter(({ department_ids }) => department_ids.length > 0),
    [...new Set(departmentIdByKey.values())],
  )
}
