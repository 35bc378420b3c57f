/** Templates: named column mappings, and those learned without a name. Writes template. */
import { sql } from 'kysely'
import * as contract from '../../../contract/sheets/sheet.ts'
import { defineHandler, fail, type HandlerContext, invalidInput } from '../../../http/handler.ts'
import { toIsoTimestamp } from '../../../shared/clock.ts'
import { requireAdminId, requireBatch } from '../access.ts'
import { openMapping, openTemplateName, openTitle, sealMapping, sealTemplateName } from '../names/sealed-names.ts'
import { openPayslipLayout, openRecognition } from '../recognition.ts'
import { toColumnMapping } from '../rules/column-mapping.ts'
import { saveMapping } from './mappings.ts'

/** The user's own templates, or all templates with power 4. */
const isEditableTemplate = ({ currentUser }: Pick<HandlerContext, 'currentUser'>) =>
  currentUser.power.includes('4') ? sql<boolean>`true` : sql<boolean>`template.owner_id = ${currentUser.admin_id}`

/** Returns a template that the user may change, locked until the transaction ends; otherwise fails with `not_found`. */
export async function requireTemplate(ctx: HandlerContext, template_id: string): Promise<{ id: string; owner_id: string }> {
  const template = await ctx.db
    .selectFrom('template')
    .select(['id', 'owner_id'])
    .where('company_id', '=', ctx.company_id)
    .where('id', '=', template_id)
    .where(isEditableTemplate(ctx))
    .forUpdate()
    .executeTakeFirst()
  if (!template) throw fail('not_found', '没有这个模板，可能已经删除，请刷新后重试')
  return template
}

async function renameTemplate(ctx: HandlerContext, template: { id: string; owner_id: string }, name: string): Promise<void> {
  const { db, company_id, vault } = ctx
  const sealed = sealTemplateName(vault, template.id, name)
  const other = await db
    .selectFrom('template')
    .select('id')
    .where('company_id', '=', company_id)
    .where('owner_id', '=', template.owner_id)
    .where('name_index', '=', sealed.name_index)
    .where('id', '<>', template.id)
    .executeTakeFirst()
  if (other) throw invalidInput('name', '已经有同名的模板，请换一个名字')
  await db.updateTable('template').set(sealed).where('company_id', '=', company_id).where('id', '=', template.id).execute()
}

/** Returns the column mapping of a batch that the user may see. */
async function getBatchMapping(ctx: HandlerContext, batch_id: string) {
  const batch = await requireBatch(ctx, batch_id, 'view')
  const recognition = openRecognition(ctx, batch)
  // A pay run that is only shared with the user is not stored, because the share may be revoked later.
  const title_id = batch.owner_id === ctx.currentUser.admin_id ? batch.title_id : null
  return {
    of: { fingerprint: batch.fingerprint, title_id },
    learned: toColumnMapping(recognition, openPayslipLayout(ctx, batch, recognition)),
  }
}

export const insertTemplate = defineHandler(contract.insertTemplate, async (ctx, { batch_id, name }) => {
  const { of: source, learned: mapping } = await getBatchMapping(ctx, batch_id)
  const owner_id = requireAdminId(ctx)
  const id = await saveMapping(ctx, owner_id, source, mapping)
  await renameTemplate(ctx, { id, owner_id }, name)
  return { template_id: id }
})

export const updateTemplate = defineHandler(contract.updateTemplate, async (ctx, { template_id, name, batch_id }) => {
  const { db, company_id, now, vault } = ctx
  const template = await requireTemplate(ctx, template_id)
  if (batch_id !== undefined) {
    const { of: source, learned: mapping } = await getBatchMapping(ctx, batch_id)
    const selectSameHeader = () =>
      db
        .selectFrom('template')
        .select(['id', 'name'])
        .where('company_id', '=', company_id)
        .where('owner_id', '=', template.owner_id)
        .where('fingerprint', '=', source.fingerprint)
        .where('id', '<>', template.id)
    const other = await selectSameHeader().executeTakeFirst()
    const existingName = other ? openTemplateName(vault, other.id, other.name) : null
    if (existingName) throw invalidInput('batch_id', `这种表头已经是模板「${existingName}」，请更新那一个，或先删除它`)
    // The unnamed mapping learned for the same header is merged into the named one.
    if (other)
      await db
        .deleteFrom('template')
        .where('company_id', '=', company_id)
        .where('owner_id', '=', template.owner_id)
        .where('fingerprint', '=', source.fingerprint)
        .where('id', '<>', template.id)
        .execute()
    await db
      .updateTable('template')
      .set({
        fingerprint: source.fingerprint,
        ...sealMapping(vault, template.id, mapping),
        used_at: now,
        ...(source.title_id === null ? {} : { title_id: source.title_id }),
      })
      .where('company_id', '=', company_id)
      .where('id', '=', template.id)
      .execute()
  }
  if (name !== undefined) await renameTemplate(ctx, template, name)
  return {}
})

export const clearTemplate = defineHandler(contract.clearTemplate, async (ctx, { template_id }) => {
  const template = await requireTemplate(ctx, template_id)
  await ctx.db.deleteFrom('template').where('company_id', '=', ctx.company_id).where('id', '=', template.id).execute()
  return {}
})

/** Maximum number of named templates that a search opens, most recently used first. Users have only a handful. */
const maxSearchedTemplates = 1_000

/** Finds the ids of templates with `query` in their name. */
async function findTemplatesByName(ctx: HandlerContext, query: string): Promise<string[]> {
  const { db, company_id, vault } = ctx
  const rows = await db
    .selectFrom('template')
    .select(['id', 'name'])
    .where('company_id', '=', company_id)
    .where('name', 'is not', null)
    .where(isEditableTemplate(ctx))
    .orderBy('used_at', 'desc')
    .limit(maxSearchedTemplates)
    .execute()
  const lowerCaseQuery = query.toLowerCase()
  return rows
    .filter(({ id, name }) => openTemplateName(vault, id, name)?.toLowerCase().includes(lowerCaseQuery))
    .map(({ id }) => id)
}

/** Maximum number of labels shown for a template in the list. */
const maxListedLabels = 12

export const getTemplateList = defineHandler(contract.getTemplateList, async (ctx, { name, page, pagesize }) => {
  const { db, company_id, vault } = ctx
  const matchingIds = name ? await findTemplatesByName(ctx, name) : null
  const all = db
    .selectFrom('template')
    .where('template.company_id', '=', company_id)
    .where(isEditableTemplate(ctx))
    .$if(matchingIds !== null, (query) => query.where(sql<boolean>`template.id = any(${matchingIds}::uuid[])`))
  const { total } = await all.select(({ fn }) => fn.countAll<number>().as('total')).executeTakeFirstOrThrow()
  const rows = await all
    .leftJoin('title', (join) =>
      join.onRef('title.company_id', '=', 'template.company_id').onRef('title.id', '=', 'template.title_id'),
    )
    .select(['template.id', 'template.name', 'template.column_mapping', 'template.used_at', 'template.title_id'])
    .select(['title.name as title', 'title.month'])
    .orderBy('template.used_at', 'desc')
    .orderBy('template.id', 'desc')
    .limit(pagesize)
    .offset((page - 1) * pagesize)
    .execute()
  return {
    list: rows.map((row) => {
      const { columns } = openMapping(vault, row.id, row.column_mapping)
      const labels = columns.map((column) => column.label).filter((label) => label !== '')
      return {
        template_id: row.id,
        name: openTemplateName(vault, row.id, row.name),
        labels: labels.slice(0, maxListedLabels),
        column_count: columns.length,
        used_at: toIsoTimestamp(row.used_at),
        title: openTitle(vault, row.title_id, row.title),
        month: row.month,
      }
    }),
    page: { page, pagesize, total: Number(total) },
  }
})
