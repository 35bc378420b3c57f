/** What other modules may join of administrators. */
import { type Selectable, sql } from 'kysely'
import type { Admin, AdminDepartment } from '../../database/tables.ts'

export const adminView = sql<
  Pick<
    Selectable<Admin>,
    | 'company_id'
    | 'id'
    | 'member_id'
    | 'account_id'
    | 'agency_id'
    | 'serves_until'
    | 'power'
    | 'scope_all'
    | 'created_at'
    | 'trial_closed_at'
    | 'dismissed_hints'
  >
>`admin`.as('admin')

export const adminDepartmentView = sql<
  Pick<Selectable<AdminDepartment>, 'company_id' | 'admin_id' | 'department_id'>
>`admin_department`.as('admin_department')
