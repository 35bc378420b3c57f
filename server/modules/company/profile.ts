/** The company profile: read and changed by its enterprise administrators. */
import * as z from 'zod/mini'
import type { CallRequest } from '../../contract/call.ts'
import * as contract from '../../contract/company/company.ts'
import { defineDocument } from '../../crypto/sealed-document.ts'
import type { CompanyTx } from '../../database/company-tx.ts'
import { toPngDataUrl } from '../../files/uploads.ts'
import { defineHandler, fail, invalidInput } from '../../http/handler.ts'
import { normalizeCreditCode, validateCreditCode } from '../../rules/credit-code.ts'
import { toIsoTimestamp } from '../../shared/clock.ts'
import { countVisibleMembers } from '../directory/index.ts'
import { parseCompanyName } from './name.ts'

const companyProfileDocument = defineDocument({
  kind: 'business info of a company',
  version: 1,
  schema: z.object({
    credit_code: z.string(),
    industry: z.string(),
    address: z.string(),
    contact_name: z.string(),
    contact_phone: z.string(),
    contact_email: z.string(),
  }),
})
const getProfilePosition = (company_id: string) => ({ table: 'company', row: company_id, column: 'info' })
const emptyProfile = { credit_code: '', industry: '', address: '', contact_name: '', contact_phone: '', contact_email: '' }

const selectProfile = ({ db, company_id }: CompanyTx) =>
  db.selectFrom('company').select(['name', 'logo', 'info', 'info_revision', 'created_at']).where('id', '=', company_id)

export const getCompanyInfo = defineHandler(contract.getCompanyInfo, async (ctx) => {
  const { company_id, vault } = ctx
  const row = await selectProfile(ctx).executeTakeFirstOrThrow()
  return {
    name: row.name,
    ...(row.info ? companyProfileDocument.open(vault, getProfilePosition(company_id), row.info) : emptyProfile),
    logo: toPngDataUrl(row.logo),
    created_at: toIsoTimestamp(row.created_at),
    people: await countVisibleMembers(ctx),
    revision: row.info_revision,
  }
})

export const saveCompanyInfo = defineHandler(contract.saveCompanyInfo, async (ctx, { revision, name: nameInput, ...profile }) => {
  const { db, company_id, vault } = ctx
  const name = parseCompanyName(nameInput, 50, 'name', '企业名称不能只有符号或网址，请填写营业执照上的名称')
  const next = validateProfile(profile)
  const row = await selectProfile(ctx).forUpdate().executeTakeFirstOrThrow()
  if (row.info_revision !== revision)
    throw fail('wrong_state', '其他管理员刚刚修改过企业信息，您的修改没有保存；请核对最新内容后重新修改', {
      revision: row.info_revision,
    })
  await db
    .updateTable('company')
    .set({ name, info: companyProfileDocument.seal(vault, getProfilePosition(company_id), next), info_revision: revision + 1 })
    .where('id', '=', company_id)
    .execute()
  return { revision: revision + 1 }
})

/** Normalizes the profile for storage; invalid values are rejected with their field. */
function validateProfile(profile: Omit<CallRequest<typeof contract.saveCompanyInfo>, 'name' | 'revision'>) {
  const error = profile.credit_code === '' ? null : validateCreditCode(profile.credit_code)
  if (error !== null) throw invalidInput('credit_code', error)
  if (profile.contact_phone !== '' && !/^\+?[\d\s()-]{7,25}$/.test(profile.contact_phone))
    throw invalidInput('contact_phone', '电话只能包含数字、空格和「-」，例如 010-62345678')
  if (profile.contact_email !== '' && !/^[^\s@]+@[^\s@]+\.[^\s@]+$/.test(profile.contact_email))
    throw invalidInput('contact_email', '邮箱格式有误，例如 hr@example.com')
  return { ...profile, credit_code: normalizeCreditCode(profile.credit_code) }
}
