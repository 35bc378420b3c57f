/** What the roster holds about somebody, for himself. */
import { sql } from 'kysely'
import { isoOf } from '../../../runtime/clock.ts'
import type { Ctx } from '../../../runtime/handle.ts'
import { privateOf } from '../add.ts'
import { departmentsAt, memberColumns, shown } from '../list.ts'
import { changesOf } from './events.ts'

/** Of these rows and no other: which are his is what his session says (`own_ids`), never what looks alike. */
export async function heldInRoster(ctx: Pick<Ctx, 'db' | 'company_id' | 'vault'>, ids: readonly string[]) {
  const rows = await ctx.db
    .selectFrom('member')
    .select([
      ...memberColumns,
      'private',
      'platform_user_id',
      'pay_hide',
      'created_at',
      departmentsAt(ctx.company_id).as('departments'),
    ])
    .where('company_id', '=', ctx.company_id)
    .where('id', '=', sql<string>`any(${[...ids]}::uuid[])`)
    .orderBy('created_at', 'desc')
    .orderBy('id')
    .execute()
  const times = rows.map((row) => {
    const { NAME, MOBILE, EMAIL, EMPLOYEE_NO, POSITION, DEPARTMENTS, ENTRY_DATE, LEFT_ON, STATUS } = shown(row)
    const { id_card = null, bank_account = null } = privateOf(ctx, row.id, row.private)
    return {
      member_id: row.id,
      since: isoOf(row.created_at),
      status: STATUS,
      name: NAME,
      mobile: MOBILE,
      email: EMAIL,
      employee_no: EMPLOYEE_NO,
      position: POSITION,
      departments: DEPARTMENTS.map((one) => one.NAME),
      entry_date: ENTRY_DATE,
      left_on: LEFT_ON,
      id_card,
      bank_account,
      platform_user_id: row.platform_user_id,
      pay_hide: row.pay_hide,
    }
  })
  return { times, changes: await changesOf(ctx, ids) }
}
