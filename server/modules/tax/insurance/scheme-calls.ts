/** The company's insurance schemes: listed, added, changed while unused, replaced afterwards. Writes insurance_scheme. */
import { sql } from 'kysely'
import type { CallInput } from '../../../contract/call.ts'
import * as contract from '../../../contract/tax/insurance.ts'
import { lockCompanySubject } from '../../../database/company-lock.ts'
import { assertAllowed, defineHandler, fail, type HandlerContext, invalidInput } from '../../../http/handler.ts'
import { publishedSchemes } from '../../../rules/law/insurance/cities.ts'
import { toIsoTimestamp } from '../../../shared/clock.ts'
import { newId } from '../../../shared/ids.ts'
import { findSchemePlacement, getPreviousMonth, validateScheme } from './scheme-rules.ts'
import { parseSchemeItems, toSchemeItemView } from './schemes.ts'

type SchemeInput = CallInput<typeof contract.saveInsuranceScheme>

export const getInsuranceSchemeList = defineHandler(contract.getInsuranceSchemeList, async ({ db, company_id }) => {
  const rows = await db
    .selectFrom('insurance_scheme')
    .selectAll()
    .where('company_id', '=', company_id)
    .orderBy('city')
    .orderBy('valid_from', 'desc')
    .orderBy('version', 'desc')
    .execute()
  const templates = publishedSchemes.map(({ city, valid_from, valid_to, document, items }) => ({
    city,
    valid_from,
    valid_to,
    document,
    items: items.map(toSchemeItemView),
  }))
  const list = rows.map((row) => ({
    scheme_id: row.id,
    city: row.city,
    valid_from: row.valid_from,
    valid_to: row.valid_to,
    version: row.version,
    document: row.document,
    items: parseSchemeItems(row.items),
    locked_through: row.used_through,
    replaced: row.replaced_by !== null,
    by: row.by_name,
    changed_at: toIsoTimestamp(row.changed_at),
  }))
  return { list, templates }
})

const selectSchemes = ({ db, company_id }: HandlerContext) =>
  db
    .selectFrom('insurance_scheme')
    .select(['id', 'city', 'valid_from', 'valid_to', 'version', 'used_through', 'replaced_by'])
    .where('company_id', '=', company_id)
type SchemeVersionRow = Awaited<ReturnType<ReturnType<typeof selectSchemes>['executeTakeFirstOrThrow']>>

export const saveInsuranceScheme = defineHandler(contract.saveInsuranceScheme, async (ctx, input) => {
  const error = validateScheme(input)
  if (error) throw invalidInput(error.field, error.message)
  await lockCompanySubject(ctx, 'schemes')
  const existing = input.scheme_id === null ? null : await requireChangeable(ctx, input, input.scheme_id)
  const others = (await selectSchemes(ctx).where('replaced_by', 'is', null).execute()).filter(({ id }) => id !== existing?.id)
  const placement = findSchemePlacement(input, others)
  if ('field' in placement) throw invalidInput(placement.field, placement.message)
  const previousPeriod = placement.ends && { valid_from: placement.ends.valid_from, valid_to: getPreviousMonth(input.valid_from) }
  if (placement.ends && previousPeriod) await closeScheme(ctx, placement.ends.id, previousPeriod.valid_to)
  const version = (existing?.version ?? 0) + 1
  const isChanged = existing !== null && !input.as_new_version
  const scheme_id = isChanged ? existing.id : newId()
  if (isChanged) await changeScheme(ctx, scheme_id, input, version)
  else await insertScheme(ctx, scheme_id, input, version)
  if (existing && !isChanged) await replaceScheme(ctx, existing.id, scheme_id)
  ctx.addAuditDetails({ scheme_id, version })
  return { scheme_id, version, previous_period: previousPeriod }
})

async function requireChangeable(
  ctx: HandlerContext,
  { version, as_new_version }: SchemeInput,
  scheme_id: string,
): Promise<SchemeVersionRow> {
  const row = await selectSchemes(ctx).where('id', '=', scheme_id).forUpdate().executeTakeFirst()
  if (!row) throw fail('not_found', '没有找到这个方案，请刷新后重试')
  assertAllowed(row.replaced_by === null || '这个方案已经有更新的版本，请刷新后修改最新的版本')
  if (version !== undefined && version !== row.version) throw fail('wrong_state', '这个方案刚刚被其他人改过，请刷新后再修改')
  assertAllowed(
    row.used_through === null || as_new_version || `已锁定的 ${row.used_through} 个税用的是这个方案，不能修改；请另存为新版本`,
    { used_through: row.used_through },
  )
  return row
}

const toSchemeColumns = (
  { now, currentUser }: HandlerContext,
  { city, valid_from, valid_to, document, items }: SchemeInput,
  version: number,
) => ({
  city,
  valid_from,
  valid_to,
  document,
  items: JSON.stringify(items),
  version,
  changed_at: now,
  by_name: currentUser.name,
})
const updateScheme = ({ db, company_id }: HandlerContext, id: string) =>
  db.updateTable('insurance_scheme').where('company_id', '=', company_id).where('id', '=', id)
const insertScheme = (ctx: HandlerContext, id: string, input: SchemeInput, version: number) =>
  ctx.db
    .insertInto('insurance_scheme')
    .values({ company_id: ctx.company_id, id, ...toSchemeColumns(ctx, input, version) })
    .execute()
const changeScheme = (ctx: HandlerContext, id: string, input: SchemeInput, version: number) =>
  updateScheme(ctx, id)
    .set(toSchemeColumns(ctx, input, version))
    .execute()
const replaceScheme = (ctx: HandlerContext, id: string, by: string) => updateScheme(ctx, id).set({ replaced_by: by }).execute()
const closeScheme = (ctx: HandlerContext, id: string, valid_to: string) =>
  updateScheme(ctx, id).set({ valid_to, version: sql<number>`version + 1` }).execute()
