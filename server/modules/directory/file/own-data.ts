/** The roster data of the current employee. */
import { sql } from 'kysely'
import type { CompanyVaultTx } from '../../../database/company-tx.ts'
import { toIsoTimestamp } from '../../../shared/clock.ts'
import { openPrivateFields } from '../add.ts'
import { memberColumns, memberDepartmentsJson, toMemberView } from '../list.ts'
import { listMemberChanges } from './events.ts'

/** Reads exactly these rows: the session determines which are the employee's (`own_ids`), never similarity. */
export async function loadOwnRosterData(ctx: CompanyVaultTx, ids: readonly string[]) {
  const rows = await ctx.db
    .selectFrom('member')
    .select([
      ...memberColumns,
      'private',
      'platform_user_id',
      'pay_hide',
      'created_at',
      memberDepartmentsJson(ctx.company_id).as('departments'),
    ])
    .where('company_id', '=', ctx.company_id)
    .where('id', '=', sql<string>`any(${[...ids]}::uuid[])`)
    .orderBy('created_at', 'desc')
    .orderBy('id')
    .execute()
  const employments = rows.map((row) => {
    const { NAME, MOBILE, EMAIL, EMPLOYEE_NO, POSITION, DEPARTMENTS, ENTRY_DATE, TERMINATED_ON, STATUS } = toMemberView(row)
    const { id_card = null, bank_account = null } = openPrivateFields(ctx, row.id, row.private)
    return {
      member_id: row.id,
      since: toIsoTimestamp(row.created_at),
      status: STATUS,
      name: NAME,
      mobile: MOBILE,
      email: EMAIL,
      employee_no: EMPLOYEE_NO,
      position: POSITION,
      departments: DEPARTMENTS.map((one) => one.NAME),
      entry_date: ENTRY_DATE,
      left_on: TERMINATED_ON,
      id_card,
      bank_account,
      platform_user_id: row.platform_user_id,
      pay_hide: row.pay_hide,
    }
  })
  return { times: employments, changes: await listMemberChanges(ctx, ids) }
}
