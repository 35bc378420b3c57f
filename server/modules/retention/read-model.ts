/** What other modules may join of the notice to employees: whether it was read. */
import { type Selectable, sql } from 'kysely'
import type { PrivacyNotice } from '../../database/tables.ts'

export const privacyNoticeView = sql<Pick<Selectable<PrivacyNotice>, 'company_id' | 'account_id' | 'read_at'>>`privacy_notice`.as(
  'privacy_notice',
)
