/** What other modules may join of companies: no encrypted column. */
import { expressionBuilder } from 'kysely'
import type { Tables } from '../../database/tables.ts'

const { selectFrom } = expressionBuilder<Tables, never>()

export const companyView = selectFrom('company')
  .select(['id', 'name', 'corp_role', 'corp_origin', 'provider', 'setting', 'edition', 'edition_until', 'trial_until'])
  .select(['sms_left', 'created_at', 'logo'])
  .as('company')
