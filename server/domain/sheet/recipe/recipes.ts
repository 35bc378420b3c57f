/** Recipes in the database: found for a sheet, learned from a batch. Writes template and batch.template_id. */
import type { Selectable } from 'kysely'
import type { Layout } from '../../../contract/sheet/sheet.ts'
import type { Ctx } from '../../../runtime/handle.ts'
import { newId } from '../../../runtime/ids.ts'
import type { Template } from '../../../runtime/postgres/tables.ts'
import type { BatchRow } from '../access.ts'
import { openRecipe, openRecipeLayout, openTemplateName, openTitle, sealTaught } from '../names/words.ts'
import { type Recipe, type RecipeLayout, recipeOf } from '../rules/recipe.ts'
import { layoutOf, type Understood, understoodOf } from '../understood.ts'

type Where = Pick<Ctx, 'db' | 'company_id' | 'vault'>
export type KeptRecipe = {
  readonly id: string
  readonly name: string | null
  readonly recipe: Recipe
  readonly layout: RecipeLayout
  /** The pay run in which it was used last. */
  readonly title: string | null
  readonly month: string | null
}

/** Recipes that are looked at where none has the same header. */
const most_looked_at = 50

const recipes = ({ db, company_id }: Where) =>
  db
    .selectFrom('template')
    .leftJoin('title', (join) =>
      join.onRef('title.company_id', '=', 'template.company_id').onRef('title.id', '=', 'template.title_id'),
    )
    .select(['template.id', 'template.name', 'template.recipe', 'template.layout', 'template.title_id'])
    .select(['title.name as title', 'title.month'])
    .where('template.company_id', '=', company_id)
type Sealed = Pick<Selectable<Template>, 'id' | 'name' | 'recipe' | 'layout' | 'title_id'> & {
  title: Buffer | null
  month: string | null
}
const opened = ({ vault }: Where, { id, title_id, month, ...row }: Sealed): KeptRecipe => ({
  id,
  month,
  name: openTemplateName(vault, id, row.name),
  recipe: openRecipe(vault, id, row.recipe),
  layout: openRecipeLayout(vault, id, row.layout),
  title: openTitle(vault, title_id, row.title),
})

const ownRecipes = (where: Where, owner_id: string) => recipes(where).where('template.owner_id', '=', owner_id)

/** The owner's recipe of this header. */
export async function recipeOfHeader(where: Where, owner_id: string, fingerprint: string): Promise<KeptRecipe | null> {
  const row = await ownRecipes(where, owner_id).where('template.fingerprint', '=', fingerprint).executeTakeFirst()
  return row ? opened(where, row) : null
}

/** Those that he used last. */
export async function lastRecipes(where: Where, owner_id: string): Promise<KeptRecipe[]> {
  const rows = await ownRecipes(where, owner_id).orderBy('template.used_at', 'desc').limit(most_looked_at).execute()
  return rows.map((row) => opened(where, row))
}

export async function recipeById(where: Where, template_id: string): Promise<KeptRecipe | null> {
  const row = await recipes(where).where('template.id', '=', template_id).executeTakeFirst()
  return row ? opened(where, row) : null
}

type LearnFrom = Pick<BatchRow, 'id' | 'owner_id' | 'fingerprint' | 'title_id'>

/** Keeps what was decided for a batch, for the next sheet of the same header. `settled`: it is about to be sent. */
export async function learn(
  ctx: Where & Pick<Ctx, 'now'>,
  batch: LearnFrom,
  understood: Understood,
  layout: Layout,
  settled = false,
): Promise<void> {
  // Batches older than fingerprints have nothing to be known by.
  if (batch.fingerprint === '') return
  const { db, company_id } = ctx
  const id = await keepRecipe(ctx, batch.owner_id, batch, recipeOf(understood, layout, settled))
  await db
    .updateTable('batch')
    .set({ template_id: id })
    .where('company_id', '=', company_id)
    .where('id', '=', batch.id)
    .where('template_id', 'is', null)
    .execute()
}

/** The same, of a batch as it is now. */
export const learnFrom = (ctx: Ctx, batch: BatchRow, settled = false): Promise<void> => {
  const understood = understoodOf(ctx, batch)
  return learn(ctx, batch, understood, layoutOf(ctx, batch, understood), settled)
}

/** Writes a recipe under its header; one that is there keeps its name. Answers its id. */
export async function keepRecipe(
  { db, company_id, now, vault }: Where & Pick<Ctx, 'now'>,
  owner_id: string,
  { fingerprint, title_id }: Pick<LearnFrom, 'fingerprint' | 'title_id'>,
  learned: { recipe: Recipe; layout: RecipeLayout },
): Promise<string> {
  const own = newId()
  const kept = await db
    .insertInto('template')
    .values({
      company_id,
      id: own,
      owner_id,
      fingerprint,
      title_id,
      created_at: now,
      used_at: now,
      ...sealTaught(vault, own, learned),
    })
    .onConflict((conflict) =>
      conflict
        .columns(['company_id', 'owner_id', 'fingerprint'])
        // A batch without a title says nothing about the pay run in which it was used last.
        .doUpdateSet({ used_at: now, ...(title_id === null ? {} : { title_id }) }),
    )
    .returning('id')
    .executeTakeFirstOrThrow()
  // What is sealed opens in its own row only: which one that is has just been told, and is held.
  if (kept.id !== own)
    await db
      .updateTable('template')
      .set(sealTaught(vault, kept.id, learned))
      .where('company_id', '=', company_id)
      .where('id', '=', kept.id)
      .execute()
  return kept.id
}
