/** What other modules may join of administrators. */
import { expressionBuilder } from 'kysely'
import type { Tables } from '../../database/tables.ts'

const { selectFrom } = expressionBuilder<Tables, never>()

export const adminView = selectFrom('admin')
  .select(['company_id', 'id', 'member_id', 'account_id', 'agency_id', 'serves_until', 'power', 'scope_all', 'created_at'])
  .select(['trial_closed_at', 'dismissed_hints'])
  .as('admin')

export const adminDepartmentView = selectFrom('admin_department')
  .select(['company_id', 'admin_id', 'department_id'])
  .as('admin_department')
