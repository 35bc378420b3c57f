/** What a company says about itself: read and changed by its enterprise administrators. */
import * as z from 'zod/mini'
import type { AskOf } from '../../contract/call.ts'
import * as contract from '../../contract/corp/company.ts'
import { creditCodeFault, normalCreditCode } from '../../rules/credit-code.ts'
import { isoOf } from '../../runtime/clock.ts'
import { documentKind } from '../../runtime/data/document.ts'
import { pictureOf } from '../../runtime/files/uploads.ts'
import { type Ctx, handle, invalid, refuse } from '../../runtime/handle.ts'
import { countPeople } from '../member/index.ts'
import { nameOf } from './name.ts'

const kept = documentKind({
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
const placeOf = (company_id: string) => ({ table: 'company', row: company_id, column: 'info' })
const nothingYet = { credit_code: '', industry: '', address: '', contact_name: '', contact_phone: '', contact_email: '' }

type Here = Pick<Ctx, 'db' | 'company_id'>
const rowOf = ({ db, company_id }: Here) =>
  db.selectFrom('company').select(['name', 'logo', 'info', 'info_revision', 'created_at']).where('id', '=', company_id)

export const companyInfo = handle(contract.companyInfo, async (ctx) => {
  const { company_id, vault } = ctx
  const row = await rowOf(ctx).executeTakeFirstOrThrow()
  return {
    name: row.name,
    ...(row.info ? kept.open(vault, placeOf(company_id), row.info) : nothingYet),
    logo: pictureOf(row.logo),
    created_at: isoOf(row.created_at),
    people: await countPeople(ctx),
    revision: row.info_revision,
  }
})

export const saveCompanyInfo = handle(contract.saveCompanyInfo, async (ctx, { revision, name: written, ...facts }) => {
  const { db, company_id, vault } = ctx
  const name = nameOf(written, 50, 'name', '企业名称不能只有符号或网址，请填写营业执照上的名称')
  const next = tidied(facts)
  const row = await rowOf(ctx).forUpdate().executeTakeFirstOrThrow()
  if (row.info_revision !== revision)
    throw refuse('wrong_state', '其他管理员刚刚修改过企业信息，您的修改没有保存；请核对最新内容后重新修改', {
      revision: row.info_revision,
    })
  await db
    .updateTable('company')
    .set({ name, info: kept.seal(vault, placeOf(company_id), next), info_revision: revision + 1 })
    .where('id', '=', company_id)
    .execute()
  return { revision: revision + 1 }
})

/** As it is kept; what cannot be is refused by its field. */
function tidied(facts: Omit<AskOf<typeof contract.saveCompanyInfo>, 'name' | 'revision'>) {
  const fault = facts.credit_code === '' ? null : creditCodeFault(facts.credit_code)
  if (fault !== null) throw invalid('credit_code', fault)
  if (facts.contact_phone !== '' && !/^\+?[\d\s()-]{7,25}$/.test(facts.contact_phone))
    throw invalid('contact_phone', '电话只能包含数字、空格和「-」，例如 010-62345678')
  if (facts.contact_email !== '' && !/^[^\s@]+@[^\s@]+\.[^\s@]+$/.test(facts.contact_email))
    throw invalid('contact_email', '邮箱格式有误，例如 hr@example.com')
  return { ...facts, credit_code: normalCreditCode(facts.credit_code) }
}
