/** What other modules may join of companies: no encrypted column. */
import { type Selectable, sql } from 'kysely'
import type { Company } from '../../database/tables.ts'

export const companyView = sql<
  Pick<
    Selectable<Company>,
    | 'id'
    | 'name'
    | 'corp_role'
    | 'corp_origin'
    | 'provider'
    | 'setting'
    | 'edition'
    | 'edition_until'
    | 'trial_until'
    | 'sms_left'
    | 'created_at'
    | 'logo'
  >
>`company`.as('company')
