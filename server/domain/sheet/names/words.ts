/**
 * What somebody typed about a pay run: titles, file names, templates. It can tell pay (离职补偿), so it is sealed, each at its own place;
 * what must be found or be unique has a keyed index beside it, what is searched by a part of it is opened.
 */
import type { Place, Vault } from '../../../runtime/secrets.ts'

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

/** The headings that a template knows, and how its slips look. */
export const sealTaught = (vault: Vault, template_id: string, { recipe, layout }: { recipe: unknown; layout: unknown }) => ({
  recipe: vault.seal(templatePlace(template_id, 'recipe'), recipe),
  layout: vault.seal(templatePlace(template_id, 'layout'), layout),
})
export const openTaught = <T>(vault: Vault, template_id: string, column: 'recipe' | 'layout', kept: Buffer): T =>
  vault.open<T>(templatePlace(template_id, column), kept)
