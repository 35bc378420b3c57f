/** What other modules may join of a company's own references: the external ids and what they name. */
import { type Selectable, sql } from 'kysely'
import type { ExternalReference } from '../../database/tables.ts'

export const externalReferenceView = sql<
  Pick<Selectable<ExternalReference>, 'company_id' | 'external_id' | 'member_id' | 'department_id' | 'batch_id'>
>`external_reference`.as('external_reference')
