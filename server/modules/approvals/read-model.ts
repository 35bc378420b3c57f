/** What other modules may join of applications: the administrators whom they name. */
import { expressionBuilder } from 'kysely'
import type { Tables } from '../../database/tables.ts'

const { selectFrom } = expressionBuilder<Tables, never>()

export const approvalView = selectFrom('approval')
  .select(['company_id', 'id', 'applicant_id', 'admin_id', 'decided_by'])
  .as('approval')
