/** What other modules may join of members and departments: no encrypted column. The index of the identity card is a keyed hash. */
import { expressionBuilder } from 'kysely'
import type { Tables } from '../../database/tables.ts'

const { selectFrom } = expressionBuilder<Tables, never>()

export const memberView = selectFrom('member')
  .select([
    'company_id',
    'id',
    'account_id',
    'former_account',
    'former_mobile',
    'name',
    'name_pinyin',
    'mobile',
    'email',
    'employee_no',
    'status',
    'left_on',
    'left_at',
  ])
  .select(['id_card_index', 'pay_hide', 'platform_user_id', 'unconfirmed_at', 'unconfirmed_by', 'created_at'])
  .as('member')

export const departmentView = selectFrom('department')
  .select(['company_id', 'id', 'parent_id', 'name', 'position'])
  .as('department')

export const memberDepartmentView = selectFrom('member_department')
  .select(['company_id', 'member_id', 'department_id'])
  .as('member_department')
