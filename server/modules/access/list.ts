/** Administrators with their powers, and members who may become one. */

import { sql } from 'kysely'
import * as contract from '../../contract/access/administrators.ts'
import { maskMobile } from '../../contract/shared/schemas.ts'
import { defineHandler, type HandlerContext } from '../../http/handler.ts'
import { departmentView, memberDepartmentView, memberView } from '../directory/read-model.ts'
import { batchView } from '../sheets/read-model.ts'
import { selectHasAnyPower, selectHasPower } from './admin-rows.ts'

const selectAdmins = ({ db, company_id }: HandlerContext) =>
  db
    .selectFrom('admin')
    .innerJoin(memberView, (join) =>
      join.onRef('member.company_id', '=', 'admin.company_id').onRef('member.id', '=', 'admin.member_id'),
    )
    .where('admin.company_id', '=', company_id)

const countOwnedBatches = (company_id: string) =>
  sql<number>`(select count(*) from ${batchView} where batch.company_id = ${company_id} and batch.owner_id = admin.id)`

/** Without a power filter the list includes administrators without powers who still own pay runs: these await a transfer. */
export const getUserList = defineHandler(contract.getUserList, async (ctx, { power, name, page, pagesize }) => {
  const { company_id } = ctx
  const batches = countOwnedBatches(company_id)
  let query = selectAdmins(ctx).where(power ? selectHasPower(power) : sql<boolean>`(${selectHasAnyPower} or ${batches} > 0)`)
  if (name) query = query.where(sql<boolean>`position(lower(${name}) in lower(member.name)) > 0`)
  const { total } = await query.select(({ fn }) => fn.countAll<number>().as('total')).executeTakeFirstOrThrow()
  const rows = await query
    .select(['admin.id as user_id', 'admin.member_id', 'member.name', 'member.mobile', 'admin.power', 'admin.scope_all'])
    .select(batches.as('batches'))
    .select(
      sql<{ id: string; name: string }[]>`coalesce((
        select json_agg(json_build_object('id', department.id, 'name', department.name) order by department.position, department.id)
        from admin_department join ${departmentView}
          on department.company_id = admin_department.company_id and department.id = admin_department.department_id
        where admin_department.company_id = ${company_id} and admin_department.admin_id = admin.id), '[]')`.as('departments'),
    )
    .orderBy('admin.created_at')
    .orderBy('admin.id')
    .limit(pagesize)
    .offset((page - 1) * pagesize)
    .execute()
  return {
    list: rows.map((row) => ({
      user_id: row.user_id,
      member_id: row.member_id,
      name: row.name,
      mobile_masked: maskMobile(row.mobile),
      power: row.power,
      scope: {
        all: row.scope_all || row.power.includes('4'),
        department_ids: row.departments.map((one) => one.id),
        departments: row.departments.map((one) => one.name),
      },
      batches: row.batches,
      is_current_user: row.user_id === ctx.currentUser.admin_id,
    })),
    page: { page, pagesize, total },
  }
})

export const getRoleMemberList = defineHandler(contract.getRoleMemberList, async (ctx, { power }) => {
  const rows = await selectAdmins(ctx)
    .select(['admin.id as user_id', 'admin.member_id', 'member.name', 'member.mobile'])
    .where(selectHasPower(power))
    .orderBy('admin.created_at')
    .orderBy('admin.id')
    .execute()
  return { list: rows.map(({ mobile, ...row }) => ({ ...row, mobile_masked: maskMobile(mobile) })) }
})

export const getManagerUserIdList = defineHandler(contract.getManagerUserIdList, async (ctx, { power }) => {
  const rows = await selectAdmins(ctx)
    .select('admin.id')
    .where(selectHasPower(power))
    .orderBy('admin.created_at')
    .orderBy('admin.id')
    .execute()
  return { user_ids: rows.map((row) => row.id) }
})

/**
 * Lists the whole roster regardless of scope, because a successor may work elsewhere; it therefore contains only names,
 * departments and masked phones. A search text with a space is ignored, as the specification requires for this search.
 */
export const getManagerMemberList = defineHandler(contract.getManagerMemberList, async (ctx, { name = '', page, pagesize }) => {
  const { db, company_id, currentUser } = ctx
  let query = db.selectFrom(memberView).where('member.company_id', '=', company_id).where('member.status', '<>', 'left')
  if (currentUser.member_id) query = query.where('member.id', '<>', currentUser.member_id)
  if (name && !/\s/.test(name)) query = query.where(sql<boolean>`position(lower(${name}) in lower(member.name)) > 0`)
  const { total } = await query.select(({ fn }) => fn.countAll<number>().as('total')).executeTakeFirstOrThrow()
  const rows = await query
    .leftJoin('admin', (join) =>
      join.onRef('admin.company_id', '=', 'member.company_id').onRef('admin.member_id', '=', 'member.id').on(selectHasAnyPower),
    )
    .select(['member.id', 'member.name', 'member.mobile', 'member.account_id', 'admin.id as user_id', 'admin.power'])
    .select(
      sql<string[]>`array(
        select department.name from ${memberDepartmentView} join ${departmentView}
          on department.company_id = member_department.company_id and department.id = member_department.department_id
        where member_department.company_id = ${company_id} and member_department.member_id = member.id
        order by department.position, department.id)`.as('departments'),
    )
    // Members who cannot be selected yet come last.
    .orderBy(sql`member.account_id is null`)
    .orderBy('member.id')
    .limit(pagesize)
    .offset((page - 1) * pagesize)
    .execute()
  return {
    list: rows.map((row) => ({
      ID: row.id,
      USER_ID: row.user_id,
      NAME: row.name,
      MOBILE: maskMobile(row.mobile),
      DEPARTMENTS: row.departments,
      POWER: row.power ?? [],
      JOINED: row.account_id !== null,
    })),
    page: { page, pagesize, total },
    total_count: total,
  }
})
