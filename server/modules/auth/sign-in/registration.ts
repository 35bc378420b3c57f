/** Whether anybody with a phone may register a company here. Joining a company by invite is always possible. */
import { type ExternalContext, fail } from '../../../http/handler.ts'
import { hasAnyCompany } from '../../../jobs/companies.ts'

type Ctx = Pick<ExternalContext, 'database' | 'registration'>

/** Databases that have a company: companies are never deleted, so each process asks only until there is one. */
const databasesWithCompany = new WeakSet<Ctx['database']>()

export async function isRegistrationOpen({ database, registration }: Ctx): Promise<boolean> {
  if (registration !== 'until_first_company') return registration === 'open'
  if (databasesWithCompany.has(database)) return false
  const hasCompany = await hasAnyCompany(database)
  if (hasCompany) databasesWithCompany.add(database)
  return !hasCompany
}

export async function assertRegistrationOpen(ctx: Ctx): Promise<void> {
  if (!(await isRegistrationOpen(ctx)))
    throw fail('wrong_state', '这里不开放自行注册企业：请联系这套系统的运维人员开通，或请企业管理员邀请您加入')
}
