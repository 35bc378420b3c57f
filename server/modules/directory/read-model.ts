/** What other modules may join of members and departments: no encrypted column. The index of the identity card is a keyed hash. */
import { type Selectable, sql } from 'kysely'
import type { Department, Member, MemberDepartment } from '../../database/tables.ts'

export const memberView = sql<
  Pick<
    Selectable<Member>,
    | 'company_id'
    | 'id'
    | 'account_id'
    | 'former_account'
    | 'former_mobile'
    | 'name'
    | 'name_pinyin'
    | 'mobile'
    | 'email'
    | 'employee_no'
    | 'status'
    | 'left_on'
    | 'left_at'
    | 'id_card_index'
    | 'pay_hide'
    | 'platform_user_id'
    | 'unconfirmed_at'
    | 'unconfirmed_by'
    | 'created_at'
  >
>`member`.as('member')

export const departmentView = sql<
  Pick<Selectable<Department>, 'company_id' | 'id' | 'parent_id' | 'name' | 'position'>
>`department`.as('department')

export const memberDepartmentView = sql<
  Pick<Selectable<MemberDepartment>, 'company_id' | 'member_id' | 'department_id'>
>`member_department`.as('member_department')
