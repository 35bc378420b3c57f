/**
 * What somebody typed about a pay run: titles, file names, templates. It can tell pay (离职补偿), so it is sealed, each at its own place;
 * what must be found or be unique has a keyed index beside it, what is searched by a part of it is opened.
 */

import { setImmediate } from 'node:timers/promises'
import * as z from 'zod/mini'
import { cellKinds, columnRoles, questionKinds } from '../../../contract/shared/schemas.ts'
import { defineDocument } from '../../../crypto/sealed-document.ts'
import type { SealPosition, Vault } from '../../../crypto/secrets.ts'
import type { ColumnMapping, MappingLayout } from '../rules/column-mapping.ts'

const getTitlePosition = (title_id: string): SealPosition => ({ table: 'title', row: title_id, column: 'name' })
const getFileNamePosition = (batch_id: string): SealPosition => ({ table: 'batch', row: batch_id, column: 'file_name' })
const getTemplatePosition = (template_id: string, column: 'name' | 'column_mapping' | 'layout'): SealPosition => ({
  table: 'template',
  row: template_id,
  column,
})
export const getLayoutPosition = (batch_id: string): SealPosition => ({ table: 'batch', row: batch_id, column: 'layout' })

/** How a title is kept; of one owner and month it is there once. */
export const sealTitle = (vault: Vault, title: { id: string; name: string; month: string }) => ({
  name: vault.seal(getTitlePosition(title.id), title.name),
  name_index: vault.blindIndex('title', `${title.month}|${title.name}`),
})
export const sealFileName = (vault: Vault, batch_id: string, name: string): Buffer =>
  vault.seal(getFileNamePosition(batch_id), name)
export const openFileName = (vault: Vault, batch_id: string, sealed: Buffer): string =>
  vault.open<string>(getFileNamePosition(batch_id), sealed)

/** A title as a join has it: nothing, where the batch has none. */
export const openTitle = (vault: Vault, title_id: string | null, sealed: Buffer | null): string | null =>
  title_id === null || sealed === null ? null : vault.open<string>(getTitlePosition(title_id), sealed)

/** What a batch is called: by its title, else by its file. */
export const getBatchName = (
  vault: Vault,
  batch: { readonly id: string; readonly title_id: string | null; readonly title: Buffer | null; readonly file_name: Buffer },
): string => openTitle(vault, batch.title_id, batch.title) ?? openFileName(vault, batch.id, batch.file_name)

export const sealTemplateName = (vault: Vault, template_id: string, name: string) => ({
  name: vault.seal(getTemplatePosition(template_id, 'name'), name),
  name_index: vault.blindIndex('template', name),
})
export const openTemplateName = (vault: Vault, template_id: string, sealed: Buffer | null): string | null =>
  sealed === null ? null : vault.open<string>(getTemplatePosition(template_id, 'name'), sealed)

const nullableText = z.nullable(z.string())
const columnRole = z.enum(columnRoles)
const textList = z.array(z.string())
const columnMappingDocument = defineDocument<ColumnMapping>({
  kind: 'sheet recipe',
  version: 3,
  upgrades: {
    // Of the second version on a column may be one of accounts at a chat platform.
    1: (older) => older,
    // The second version called a visible column `shown`.
    2: ({ columns, ...rest }) => ({
      ...rest,
      columns: Array.isArray(columns) ? columns.map(({ shown, ...column }) => ({ ...column, visible: shown })) : columns,
    }),
  },
  schema: z.object({
    columns: z.array(
      z.object({ path: z.string(), label: z.string(), role: columnRole, kind: z.enum(cellKinds), visible: z.boolean() }),
    ),
    formula: z.nullable(
      z.object({
        plus: textList,
        minus: textList,
        net: z.string(),
        holds: z.int(),
        of: z.int(),
        by: z.enum(['found', 'person']),
      }),
    ),
    no_sums: z.boolean(),
    answers: z.array(z.object({ kind: z.enum(questionKinds), path: nullableText, value: z.string() })),
  }),
})
const mappingLayoutDocument = defineDocument<MappingLayout>({
  kind: 'layout of a recipe',
  version: 1,
  schema: z.object({
    groups: z.array(z.object({ class_id: z.string(), name: z.string() })),
    items: z.array(
      z.object({ path: z.string(), value: nullableText, status: z.boolean(), class_id: nullableText, note: z.string() }),
    ),
    hide_empty: z.boolean(),
    hide_zero: z.boolean(),
    hint: z.string(),
  }),
})

type MappingWithLayout = { readonly mapping: ColumnMapping; readonly layout: MappingLayout }
/** The headings that a template knows, and how its slips look. */
export const sealMapping = (vault: Vault, template_id: string, { mapping, layout }: MappingWithLayout) => ({
  column_mapping: columnMappingDocument.seal(vault, getTemplatePosition(template_id, 'column_mapping'), mapping),
  layout: mappingLayoutDocument.seal(vault, getTemplatePosition(template_id, 'layout'), layout),
})
export const openMapping = (vault: Vault, template_id: string, sealed: Buffer): ColumnMapping =>
  columnMappingDocument.open(vault, getTemplatePosition(template_id, 'column_mapping'), sealed)
export const openMappingLayout = (vault: Vault, template_id: string, sealed: Buffer): MappingLayout =>
  mappingLayoutDocument.open(vault, getTemplatePosition(template_id, 'layout'), sealed)

/** Rows of which a search by name opens the names; a company that makes ten a month has so many after 25 years. */
export const maxSearchedRows = 3_000
const rowsPerYield = 300

/** Which of these rows are called so, by a part of a name: names are sealed, so they are opened to be searched, in pieces between which others have their turn. */
export async function filterByName<T>(
  rows: readonly T[],
  query: string,
  getNames: (row: T) => readonly (string | null)[],
): Promise<T[]> {
  const lowerCaseQuery = query.toLowerCase()
  const matches: T[] = []
  for (let from = 0; from < rows.length; from += rowsPerYield) {
    if (from > 0) await setImmediate()
    matches.push(
      ...rows
        .slice(from, from + rowsPerYield)
        .filter((row) => getNames(row).some((name) => name?.toLowerCase().includes(lowerCaseQuery))),
    )
  }
  return matches
}
