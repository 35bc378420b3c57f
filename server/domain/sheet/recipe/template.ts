/** Templates: recipes that somebody has named, and those that were learned without a name. Writes template. */
import { sql } from 'kysely'
import * as contract from '../../../contract/sheet/sheet.ts'
import { isoOf } from '../../../runtime/clock.ts'
import { type Ctx, handle, invalid, refuse } from '../../../runtime/handle.ts'
import { batchFor, myOwn } from '../access.ts'
import { openRecipe, openTemplateName, openTitle, sealTaught, sealTemplateName } from '../names/words.ts'
import { recipeOf } from '../rules/recipe.ts'
import { layoutOf, understoodOf } from '../understood.ts'
import { keepRecipe } from './recipes.ts'

/** Mine; everybody's for power 4. */
const mine = ({ me }: Pick<Ctx, 'me'>) =>
  me.power.includes('4') ? sql<boolean>`true` : sql<boolean>`template.owner_id = ${me.admin_id}`

/** A template that I may change, held until the transaction ends; `not_found` otherwise. */
export async function templateFor(ctx: Ctx, template_id: string): Promise<{ id: string; owner_id: string }> {
  const template = await ctx.db
    .selectFrom('template')
    .select(['id', 'owner_id'])
    .where('company_id', '=', ctx.company_id)
    .where('id', '=', template_id)
    .where(mine(ctx))
    .forUpdate()
    .executeTakeFirst()
  if (!template) throw refuse('not_found', '没有这个模板，可能已经删除，请刷新后重试')
  return template
}

async function rename(ctx: Ctx, template: { id: string; owner_id: string }, name: string): Promise<void> {
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
  if (other) throw invalid('name', '已经有同名的模板，请换一个名字')
  await db.updateTable('template').set(sealed).where('company_id', '=', company_id).where('id', '=', template.id).execute()
}

/** What a batch that I may see teaches. */
async function taught(ctx: Ctx, batch_id: string) {
  const batch = await batchFor(ctx, batch_id, 'view')
  const understood = understoodOf(ctx, batch)
  // Sheets older than recipes are known by their own batch only.
  const fingerprint = batch.fingerprint || `batch ${batch.id}`
  // Of a pay run that is only shared with me nothing is told later, when it may be so no more.
  const title_id = batch.owner_id === ctx.me.admin_id ? batch.title_id : null
  return { of: { fingerprint, title_id }, learned: recipeOf(understood, layoutOf(ctx, batch, understood)) }
}

export const insertTemplate = handle(contract.insertTemplate, async (ctx, { batch_id, name }) => {
  const { of, learned } = await taught(ctx, batch_id)
  const owner_id = myOwn(ctx)
  const id = await keepRecipe(ctx, owner_id, of, learned)
  await rename(ctx, { id, owner_id }, name)
  return { template_id: id }
})

export const updateTemplate = handle(contract.updateTemplate, async (ctx, { template_id, name, batch_id }) => {
  const { db, company_id, now, vault } = ctx
  const template = await templateFor(ctx, template_id)
  if (batch_id !== undefined) {
    const { of, learned } = await taught(ctx, batch_id)
    const others = () =>
      db
        .selectFrom('template')
        .select(['id', 'name'])
        .where('company_id', '=', company_id)
        .where('owner_id', '=', template.owner_id)
        .where('fingerprint', '=', of.fingerprint)
        .where('id', '<>', template.id)
    const other = await others().executeTakeFirst()
    const named = other ? openTemplateName(vault, other.id, other.name) : null
    if (named) throw invalid('batch_id', `这种表头已经是模板「${named}」，请更新那一个，或先删除它`)
    // What was learned of the same header without a name goes into the one that has a name.
    if (other)
      await db
        .deleteFrom('template')
        .where('company_id', '=', company_id)
        .where('owner_id', '=', template.owner_id)
        .where('fingerprint', '=', of.fingerprint)
        .where('id', '<>', template.id)
        .execute()
    await db
      .updateTable('template')
      .set({
        fingerprint: of.fingerprint,
        ...sealTaught(vault, template.id, learned),
        used_at: now,
        ...(of.title_id === null ? {} : { title_id: of.title_id }),
      })
      .where('company_id', '=', company_id)
      .where('id', '=', template.id)
      .execute()
  }
  if (name !== undefined) await rename(ctx, template, name)
  return {}
})

export const clearTemplate = handle(contract.clearTemplate, async (ctx, { template_id }) => {
  const template = await templateFor(ctx, template_id)
  await ctx.db.deleteFrom('template').where('company_id', '=', ctx.company_id).where('id', '=', template.id).execute()
  return {}
})

/** Named templates that a search opens, the last used first. One has a handful. */
const most_opened = 1_000

/** Ids of templates with `part` in their name. */
async function called(ctx: Ctx, part: string): Promise<string[]> {
  const { db, company_id, vault } = ctx
  const rows = await db
    .selectFrom('template')
    .select(['id', 'name'])
    .where('company_id', '=', company_id)
    .where('name', 'is not', null)
    .where(mine(ctx))
    .orderBy('used_at', 'desc')
    .limit(most_opened)
    .execute()
  const wanted = part.toLowerCase()
  return rows.filter(({ id, name }) => openTemplateName(vault, id, name)?.toLowerCase().includes(wanted)).map(({ id }) => id)
}

/** Labels of a template in the list. */
const most_labels = 12

export const getTemplateList = handle(contract.getTemplateList, async (ctx, { name, page, pagesize }) => {
  const { db, company_id, vault } = ctx
  const found = name ? await called(ctx, name) : null
  const all = db
    .selectFrom('template')
    .where('template.company_id', '=', company_id)
    .where(mine(ctx))
    .$if(found !== null, (query) => query.where(sql<boolean>`template.id = any(${found}::uuid[])`))
  const { total } = await all.select(({ fn }) => fn.countAll<number>().as('total')).executeTakeFirstOrThrow()
  const rows = await all
    .leftJoin('title', (join) =>
      join.onRef('title.company_id', '=', 'template.company_id').onRef('title.id', '=', 'template.title_id'),
    )
    .select(['template.id', 'template.name', 'template.recipe', 'template.used_at', 'template.title_id'])
    .select(['title.name as title', 'title.month'])
    .orderBy('template.used_at', 'desc')
    .orderBy('template.id', 'desc')
    .limit(pagesize)
    .offset((page - 1) * pagesize)
    .execute()
  return {
    list: rows.map((row) => {
      const { columns } = openRecipe(vault, row.id, row.recipe)
      const labels = columns.map((column) => column.label).filter((label) => label !== '')
      return {
        template_id: row.id,
        name: openTemplateName(vault, row.id, row.name),
        labels: labels.slice(0, most_labels),
        columns: columns.length,
        used_at: isoOf(row.used_at),
        title: openTitle(vault, row.title_id, row.title),
        month: row.month,
      }
    }),
    page: { page, pagesize, total: Number(total) },
  }
})
