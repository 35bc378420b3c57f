/** Creates a company for an operator, at `/ops` or by the command line. */
import type { CorpRole } from '../../contract/access.ts'
import type { Secrets } from '../../crypto/secrets.ts'
import type { CompanyTimeTx } from '../../database/company-tx.ts'
import type { Tx } from '../../database/database.ts'
import { writeSystemAuditEntry } from '../../http/audit-log.ts'
import { fail } from '../../http/handler.ts'
import { newId } from '../../shared/ids.ts'
import { getAccountPowers } from '../access/index.ts'
import {
  createCompanyWithAdmin,
  ensureUnprovenAccount,
  findUnprovenAccount,
  issueSignInLink,
  parseFirstAdminName,
  parseNewCompanyName,
} from '../auth/index.ts'
import { findCompanyIds } from './billing.ts'

/** The request of an operator or of the command line; `call` names it in the company's audit log. */
export type CompanyRequest = {
  readonly corp_name: string
  readonly user_name: string
  readonly phone: string
  readonly corp_role: CorpRole
  readonly isFromMarket?: boolean
  readonly hasTrial: boolean
  readonly call: string
}
export type CompanyCreation = {
  readonly company_id: string
  /** Null: the phone has an account, with which its owner signs in as usual. */
  readonly link: { readonly token: string; readonly expires_at: Date } | null
  readonly isNew: boolean
}
/** Runs work in a transaction that sees the names of all companies. */
type RunAsOperator = <T>(work: (db: Tx) => Promise<T>) => Promise<T>
/** Runs work in a transaction of one company, with the installation's tables at hand. */
type RunInCompany = <T>(company_id: string, work: (ctx: CompanyTimeTx) => Promise<T>) => Promise<T>

/**
 * Creates a company for an operator. Repeated for the same name and phone before the link was used, it renews the link:
 * whoever lost it does not get a second company.
 */
export async function createCompanyForOperator(
  runAsOperator: RunAsOperator,
  runInCompany: RunInCompany,
  secrets: Secrets,
  request: CompanyRequest,
): Promise<CompanyCreation> {
  const { corp_role, isFromMarket = false, hasTrial, phone, call } = request
  const name = parseNewCompanyName(request.corp_name)
  const admin_name = parseFirstAdminName(request.user_name)
  const existing = await runAsOperator((db) => findCompanyIds(db, name))
  for (const company_id of existing) {
    const link = await runInCompany(company_id, (ctx) => renewLink(ctx, phone, call))
    if (link) return { company_id, link, isNew: false }
  }
  if (existing.length > 0)
    throw fail('invalid', '已有同名的企业，请核对；确实是另一家，请在名称里加以区分', { field: 'corp_name' })
  const company_id = newId()
  const link = await runInCompany(company_id, async (ctx) => {
    const account = await ensureUnprovenAccount(ctx.db, phone, ctx.now)
    const admin = { name: admin_name, account_id: account.id, mobile: phone }
    await createCompanyWithAdmin(ctx, secrets, { name, corp_role, isFromMarket, hasTrial, admin })
    await writeSystemAuditEntry(ctx.db, company_id, { call, details: { corp_role, admins: 1 }, at: ctx.now })
    return account.isAwaitingLink ? issueSignInLink(ctx, account) : null
  })
  return { company_id, link, isNew: true }
}

/** Renews the link of the company's administrator with this phone; null unless that account still waits for it. */
async function renewLink(ctx: CompanyTimeTx, phone: string, call: string) {
  const { db, company_id, now } = ctx
  const account = await findUnprovenAccount(db, phone)
  if (!account || !(await getAccountPowers(ctx, account.id)).includes('4')) return null
  await writeSystemAuditEntry(db, company_id, { call, details: { account_id: account.id }, at: now })
  return issueSignInLink(ctx, account)
}
