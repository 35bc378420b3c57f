/** The company's schemes: listed, added, changed while nothing rests on them, replaced afterwards. Writes insurance_scheme. */
import { sql } from 'kysely'
import type { InputOf } from '../../../contract/call.ts'
import * as contract from '../../../contract/wage/insurance.ts'
import { publishedSchemes } from '../../../rules/law/insurance/cities.ts'
import { isoOf } from '../../../runtime/clock.ts'
import { takeTurn } from '../../../runtime/data/turns.ts'
import { type Ctx, handle, invalid, must, refuse } from '../../../runtime/handle.ts'
import { newId } from '../../../runtime/ids.ts'
import { monthBefore, placeFor, schemeFault } from './scheme-rules.ts'
import { infoItem, itemsOf } from './schemes.ts'

type Asked = InputOf<typeof contract.saveInsuranceScheme>

export const getInsuranceSchemeList = handle(contract.getInsuranceSchemeList, async ({ db, company_id }) => {
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
    items: items.map(infoItem),
  }))
  const list = rows.map((row) => ({
    scheme_id: row.id,
    city: row.city,
    valid_from: row.valid_from,
    valid_to: row.valid_to,
    version: row.version,
    document: row.document,
    items: itemsOf(row.items),
    used_through: row.used_through,
    replaced: row.replaced_by !== null,
    by: row.by_name,
    changed_at: isoOf(row.changed_at),
  }))
  return { list, templates }
})

const current = ({ db, company_id }: Ctx) =>
  db
    .selectFrom('insurance_scheme')
    .select(['id', 'city', 'valid_from', 'valid_to', 'version', 'used_through', 'replaced_by'])
    .where('company_id', '=', company_id)
type Row = Awaited<ReturnType<ReturnType<typeof current>['executeTakeFirstOrThrow']>>

export const saveInsuranceScheme = handle(contract.saveInsuranceScheme, async (ctx, asked) => {
  const fault = schemeFault(asked)
  if (fault) throw invalid(fault.field, fault.message)
  await takeTurn(ctx, 'schemes')
  const before = asked.scheme_id === null ? null : await changeable(ctx, asked, asked.scheme_id)
  const others = (await current(ctx).where('replaced_by', 'is', null).execute()).filter(({ id }) => id !== before?.id)
  const place = placeFor(asked, others)
  if ('field' in place) throw invalid(place.field, place.message)
  const closed = place.ends && { valid_from: place.ends.valid_from, valid_to: monthBefore(asked.valid_from) }
  if (place.ends && closed) await end(ctx, place.ends.id, closed.valid_to)
  const version = (before?.version ?? 0) + 1
  const isChanged = before !== null && !asked.as_new_version
  const scheme_id = isChanged ? before.id : newId()
  if (isChanged) await change(ctx, scheme_id, asked, version)
  else await add(ctx, scheme_id, asked, version)
  if (before && !isChanged) await replace(ctx, before.id, scheme_id)
  ctx.about({ scheme_id, version })
  return { scheme_id, version, closed }
})

async function changeable(ctx: Ctx, { version, as_new_version }: Asked, scheme_id: string): Promise<Row> {
  const row = await current(ctx).where('id', '=', scheme_id).forUpdate().executeTakeFirst()
  if (!row) throw refuse('not_found', '没有找到这个方案，请刷新后重试')
  must(row.replaced_by === null || '这个方案已经有更新的版本，请刷新后修改最新的版本')
  if (version !== undefined && version !== row.version) throw refuse('wrong_state', '这个方案刚刚被其他人改过，请刷新后再修改')
  must(
    row.used_through === null || as_new_version || `已锁定的 ${row.used_through} 个税用的是这个方案，不能修改；请另存为新版本`,
    { used_through: row.used_through },
  )
  return row
}

const said = ({ now, me }: Ctx, { city, valid_from, valid_to, document, items }: Asked, version: number) => ({
  city,
  valid_from,
  valid_to,
  document,
  items: JSON.stringify(items),
  version,
  changed_at: now,
  by_name: me.name,
})
const one = ({ db, company_id }: Ctx, id: string) =>
  db.updateTable('insurance_scheme').where('company_id', '=', company_id).where('id', '=', id)
const add = (ctx: Ctx, id: string, asked: Asked, version: number) =>
  ctx.db
    .insertInto('insurance_scheme')
    .values({ company_id: ctx.company_id, id, ...said(ctx, asked, version) })
    .execute()
const change = (ctx: Ctx, id: string, asked: Asked, version: number) =>
  one(ctx, id)
    .set(said(ctx, asked, version))
    .execute()
const replace = (ctx: Ctx, id: string, by: string) => one(ctx, id).set({ replaced_by: by }).execute()
const end = (ctx: Ctx, id: string, valid_to: string) =>
  one(ctx, id).set({ valid_to, version: sql<number>`version + 1` }).execute()
