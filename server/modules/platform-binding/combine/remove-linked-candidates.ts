/** Removes suggestions found by a name search once the member can no longer be the right one. Writes platform_user. */
import { sql } from 'kysely'
import type { CompanyTx } from '../../../database/company-tx.ts'
import { isPlatformCompany, type PlatformCompany } from '../links.ts'

/** Removes members that have since been linked to another platform user. */
export const removeLinkedCandidates = (companyTx: CompanyTx, corp: PlatformCompany) =>
  sql`
    update platform_user as person set candidates = rest.ids,
      match_status = case when rest.ids = '{}' then 'new' else 'suggested' end, match_reason = case when rest.ids = '{}' then null else 'search' end
    from (select id, array(select unnest(candidates) except select taken.member_id from platform_user as taken
        where taken.company_id = ${companyTx.company_id} and taken.provider = ${corp.provider} and taken.corp_id = ${corp.corp_id}
          and taken.member_id is not null and taken.removed_at is null) as ids
      from platform_user where ${isPlatformCompany(companyTx, corp)} and match_reason = 'search') as rest
    where person.company_id = ${companyTx.company_id} and person.id = rest.id and person.candidates is distinct from rest.ids`.execute(
    companyTx.db,
  )
