/** What other modules may join of applications: the administrators whom they name. */
import { type Selectable, sql } from 'kysely'
import type { Approval } from '../../database/tables.ts'

export const approvalView = sql<
  Pick<Selectable<Approval>, 'company_id' | 'id' | 'applicant_id' | 'admin_id' | 'decided_by'>
>`approval`.as('approval')
