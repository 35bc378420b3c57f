/** What is set up for a sheet: as for the last one of its kind; nothing, where it is the first. Hands it on to be stored. */
import type { Ctx } from '../../../runtime/handle.ts'
import { lastRecipes, recipeOfHeader } from '../recipe/recipes.ts'
import { arrange } from '../rules/arrange.ts'
import { applyRecipe, likest, rememberedOf } from '../rules/recipe-match.ts'
import type { Incoming, Kept } from './keep.ts'
import { type ComparedRows, store } from './store.ts'

export async function setUp(ctx: Ctx, incoming: Incoming, beside?: ComparedRows): Promise<Kept> {
  const { owner_id, fingerprint, understood } = incoming
  const kept = (await recipeOfHeader(ctx, owner_id, fingerprint)) ?? likest(await lastRecipes(ctx, owner_id), understood.columns)
  if (!kept) return store(ctx, incoming, { understood, layout: arrange(understood.columns), template_id: null }, beside)
  const fitted = applyRecipe(understood, kept)
  const { sheet, layout } = fitted
  const remembered = { ...rememberedOf(kept, fitted), sent: await wasSent(ctx, kept.id) }
  return store(ctx, incoming, { understood: { ...understood, ...sheet, remembered }, layout, template_id: kept.id }, beside)
}

/** Whether slips of this kind of sheet have left already: then somebody has arranged them as they are. */
async function wasSent({ db, company_id }: Ctx, template_id: string): Promise<boolean> {
  const sent = await db
    .selectFrom('batch')
    .select('id')
    .where('company_id', '=', company_id)
    .where('template_id', '=', template_id)
    .where('sent_at', 'is not', null)
    .limit(1)
    .executeTakeFirst()
  return sent !== undefined
}
