/**
 * What somebody typed about a pay run: titles, file names, templates. It can tell pay (离职补偿), so it is sealed, each at its own place;
 * what must be found or be unique has a keyed index beside it, what is searched by a part of it is opened.
 */

import { setImmediate } from 'node:timers/promises'
import * as z from 'zod/mini'
import { cellKinds, columnRoles, questionKinds } from '../../../contract/words/words.ts'
import { documentKind } from '../../../runtime/data/document.ts'
import type { Place, Vault } from '../../../runtime/secrets.ts'
import type { Recipe, RecipeLayout } from '../rules/recipe.ts'

const titlePlace = (title_id: string): Place => ({ table: 'title', row: title_id, column: 'name' })
const fileNamePlace = (batch_id: string): Place => ({ table: 'batch', row: batch_id, column: 'file_name' })
const templatePlace = (template_id: string, column: 'name' | 'recipe' | 'layout'): Place => ({
  table: 'template',
  row: template_id,
  column,
})
export const layoutPlace = (batch_id: string): Place => ({ table: 'batch', row: batch_id, column: 'layout' })

/** How a title is kept; of one owner and month it is there once. */
export const sealTitle = (vault: Vault, title: { id: string; name: string; month: string }) => ({
  name: vault.seal(titlePlace(title.id), title.name),
  name_index: vault.index('title', `${title.month}|${title.name}`),
})
export const sealFileName = (vault: Vault, batch_id: string, name: string): Buffer => vault.seal(fileNamePlace(batch_id), name)
export const openFileName = (vault: Vault, batch_id: string, kept: Buffer): string =>
  vault.open<string>(fileNamePlace(batch_id), kept)

/** A title as a join has it: nothing, where the batch has none. */
export const openTitle = (vault: Vault, title_id: string | null, kept: Buffer | null): string | null =>
  title_id === null || kept === null ? null : vault.open<string>(titlePlace(title_id), kept)

/** What a batch is called: by its title, else by its file. */
export const calledOf = (
  vault: Vault,
  batch: { readonly id: string; readonly title_id: string | null; readonly title: Buffer | null; readonly file_name: Buffer },
): string => openTitle(vault, batch.title_id, batch.title) ?? openFileName(vault, batch.id, batch.file_name)

export const sealTemplateName = (vault: Vault, template_id: string, name: string) => ({
  name: vault.seal(templatePlace(template_id, 'name'), name),
  name_index: vault.index('template', name),
})
export const openTemplateName = (vault: Vault, template_id: string, kept: Buffer | null): string | null =>
  kept === null ? null : vault.open<string>(templatePlace(template_id, 'name'), kept)

const text = z.nullable(z.string())
const role = z.enum(columnRoles)
const texts = z.array(z.string())
const sheetRecipe = documentKind<Recipe>({
  kind: 'sheet recipe',
  version: 2,
  // Of the second version on a column may be one of accounts at a chat platform.
  upgrades: { 1: (older) => older },
  schema: z.object({
    columns: z.array(z.object({ path: z.string(), label: z.string(), role, kind: z.enum(cellKinds), shown: z.boolean() })),
    formula: z.nullable(
      z.object({
        plus: texts,
        minus: texts,
        net: z.string(),
        holds: z.int(),
        of: z.int(),
        by: z.enum(['found', 'person']),
      }),
    ),
    no_sums: z.boolean(),
    answers: z.array(z.object({ kind: z.enum(questionKinds), path: text, value: z.string() })),
  }),
})
const recipeLayout = documentKind<RecipeLayout>({
  kind: 'layout of a recipe',
  version: 1,
  schema: z.object({
    groups: z.array(z.object({ class_id: z.string(), name: z.string() })),
    items: z.array(z.object({ path: z.string(), value: text, status: z.boolean(), class_id: text, note: z.string() })),
    hide_empty: z.boolean(),
    hide_zero: z.boolean(),
    hint: z.string(),
  }),
})

type Taught = { readonly recipe: Recipe; readonly layout: RecipeLayout }
/** The headings that a template knows, and how its slips look. */
export const sealTaught = (vault: Vault, template_id: string, { recipe, layout }: Taught) => ({
  recipe: sheetRecipe.seal(vault, templatePlace(template_id, 'recipe'), recipe),
  layout: recipeLayout.seal(vault, templatePlace(template_id, 'layout'), layout),
})
export const openRecipe = (vault: Vault, template_id: string, kept: Buffer): Recipe =>
  sheetRecipe.open(vault, templatePlace(template_id, 'recipe'), kept)
export const openRecipeLayout = (vault: Vault, template_id: string, kept: Buffer): RecipeLayout =>
  recipeLayout.open(vault, templatePlace(template_id, 'layout'), kept)

/** Rows of which a search by name opens the names; a company that makes ten a month has so many after 25 years. */
export const most_searched = 3_000
const opened_at_once = 300

/** Which of these rows are called so, by a part of a name: names are sealed, so they are opened to be searched, in pieces between which others have their turn. */
export async function rowsCalled<T>(
  rows: readonly T[],
  part: string,
  namesOf: (row: T) => readonly (string | null)[],
): Promise<T[]> {
  const wanted = part.toLowerCase()
  const called: T[] = []
  for (let from = 0; from < rows.length; from += opened_at_once) {
    if (from > 0) await setImmediate()
    called.push(
      ...rows
        .slice(from, from + opened_at_once)
        .filter((row) => namesOf(row).some((name) => name?.toLowerCase().includes(wanted))),
    )
  }
  return called
}
