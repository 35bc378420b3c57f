/** Creation of a company with its first administrator, by registration or by an operator of the installation. */
import type { CorpRole } from '../../../contract/access.ts'
import type { Secrets } from '../../../crypto/secrets.ts'
import type { CompanyTimeTx } from '../../../database/company-tx.ts'
import { createFirstAdmin } from '../../access/index.ts'
import { createCompany, parseCompanyName } from '../../company/index.ts'
import { createFirstMember } from '../../directory/index.ts'

export const parseNewCompanyName = (text: string): string =>
  parseCompanyName(text, 50, 'corp_name', '企业名称不能只有符号或网址，请填写营业执照上的名称')
export const parseFirstAdminName = (text: string): string => parseCompanyName(text, 30, 'user_name', '请填写您的真实姓名')

type NewCompany = {
  readonly name: string
  readonly corp_role?: CorpRole
  readonly isFromMarket?: boolean
  readonly hasTrial: boolean
  readonly admin: { readonly name: string; readonly account_id: string; readonly mobile: string }
}

/** Creates the company, its key, its root department and its administrator with all powers, in a transaction of it. */
export async function createCompanyWithAdmin(
  ctx: CompanyTimeTx,
  secrets: Secrets,
  { admin, ...company }: NewCompany,
): Promise<void> {
  await createCompany(ctx, secrets, company)
  const member_id = await createFirstMember(ctx, { ...admin, company_name: company.name })
  await createFirstAdmin(ctx, { member_id, account_id: admin.account_id })
}
