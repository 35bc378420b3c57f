/**
 * Encryption of texts that users entered about a pay run: titles, file names, template names. They can reveal pay
 * (离职补偿), so each is encrypted at its own position. What must be found or be unique has a keyed index; what is searched
 * by part of its text is decrypted.
 */

import { setImmediate } from 'node:timers/promises'
import * as z from 'zod/mini'
import { cellKinds, columnRoleNames, questionKinds } from '../../../contract/shared/schemas.ts'
import { defineDocument } from '../../../crypto/sealed-document.ts'
import type { SealPosition, Vault } from '../../../crypto/secrets.ts'
import type { CompanyVaultTx } from '../../../database/company-tx.ts'
import type { ColumnMapping, MappingLayout } from '../rules/mapping-types.ts'

const getTitlePosition = (title_id: string): SealPosition => ({ table: 'title', row: title_id, column: 'name' })
const getFileNamePosition = (batch_id: string): SealPosition => ({ table: 'batch', row: batch_id, column: 'file_name' })
const getTemplatePosition = (template_id: string, column: 'name' | 'column_mapping' | 'layout'): SealPosition => ({
  table: 'template',
  row: template_id,
  column,
})
export const getLayoutPosition = (batch_id: string): SealPosition => ({ table: 'batch', row: batch_id, column: 'layout' })

/** Encrypts a title; it is unique per owner and month. */
export const sealTitle = (vault: Vault, title: { id: string; name: string; month: string }) => ({
  name: vault.seal(getTitlePosition(title.id), title.name),
  name_index: vault.blindIndex('title', `${title.month}|${title.name}`),
})
export const sealFileName = (vault: Vault, batch_id: string, name: string): Buffer =>
  vault.seal(getFileNamePosition(batch_id), name)
export const openFileName = (vault: Vault, batch_id: string, sealed: Buffer): string =>
  vault.open<string>(getFileNamePosition(batch_id), sealed)

/** Decrypts a title from a join; null where the batch has none. */
export const openTitle = (vault: Vault, title_id: string | null, sealed: Buffer | null): string | null =>
  title_id === null || sealed === null ? null : vault.open<string>(getTitlePosition(title_id), sealed)

/** Returns the name of a batch: its title, or else its file name. */
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
const columnRole = z.enum(columnRoleNames)
const textList = z.array(z.string())
const columnMappingDocument = defineDocument<ColumnMapping>({
  kind: 'column mapping of a wage sheet',
  version: 2,
  // Version 2 knows one more column role, the union fee.
  upgrades: { 1: (older) => older },
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
  kind: 'layout of a template',
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
/** Encrypts the headers that a template knows and its payslip layout. */
export const sealMapping = (vault: Vault, template_id: string, { mapping, layout }: MappingWithLayout) => ({
  column_mapping: columnMappingDocument.seal(vault, getTemplatePosition(template_id, 'column_mapping'), mapping),
  layout: mappingLayoutDocument.seal(vault, getTemplatePosition(template_id, 'layout'), layout),
})
export const openMapping = (vault: Vault, template_id: string, sealed: Buffer): ColumnMapping =>
  columnMappingDocument.open(vault, getTemplatePosition(template_id, 'column_mapping'), sealed)
export const openMappingLayout = (vault: Vault, template_id: string, sealed: Buffer): MappingLayout =>
  mappingLayoutDocument.open(vault, getTemplatePosition(template_id, 'layout'), sealed)

/** Maximum number of rows whose names a search decrypts; a company with ten batches a month reaches it after 25 years. */
export const maxSearchedRows = 3_000
const rowsPerYield = 300

/**
 * Filters rows by part of their name. Names are encrypted, so they are decrypted for the search in chunks, between
 * which other requests run.
 */
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

/** Decrypts the newest title of a company; throws if there is one that cannot be read. For the check at the start. */
export async function openNewestTitle({ db, company_id, vault }: CompanyVaultTx): Promise<void> {
  const title = await db
    .selectFrom('title')
    .select(['id', 'name'])
    .where('company_id', '=', company_id)
    .orderBy('id', 'desc')
    .limit(1)
    .executeTakeFirst()
  if (title) openTitle(vault, title.id, title.name)
}

/** Decrypts the newest template of a company; throws if there is one that cannot be read. For the check at the start. */
export async function openNewestTemplate({ db, company_id, vault }: CompanyVaultTx): Promise<void> {
  const template = await db
    .selectFrom('template')
    .select(['id', 'column_mapping', 'layout'])
    .where('company_id', '=', company_id)
    .orderBy('id', 'desc')
    .limit(1)
    .executeTakeFirst()
  if (!template) return
  openMapping(vault, template.id, template.column_mapping)
  openMappingLayout(vault, template.id, template.layout)
}
