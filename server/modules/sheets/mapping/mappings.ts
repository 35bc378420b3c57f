/** Column mappings in the database: found for a wage sheet, learned from a batch. Writes template and batch.template_id. */
import type { Selectable } from 'kysely'
import type { Layout } from '../../../contract/sheets/sheet.ts'
import type { CompanyVaultTx } from '../../../database/company-tx.ts'
import type { Template } from '../../../database/tables.ts'
import type { HandlerContext } from '../../../http/handler.ts'
import { newId } from '../../../shared/ids.ts'
import type { BatchRow } from '../access.ts'
import { openMapping, openMappingLayout, openTemplateName, openTitle, sealMapping } from '../names/sealed-names.ts'
import { openPayslipLayout, openRecognition, type RecognizedSheet } from '../recognition.ts'
import { toColumnMapping } from '../rules/column-mapping.ts'
import type { ColumnMapping, MappingLayout } from '../rules/mapping-types.ts'

export type StoredMapping = {
  readonly id: string
  readonly name: string | null
  readonly mapping: ColumnMapping
  readonly layout: MappingLayout
  /** The pay run in which the mapping was last used. */
  readonly title: string | null
  readonly month: string | null
}

/** Maximum number of mappings compared when none has the same header. */
const maxCandidates = 50

const selectMappings = ({ db, company_id }: CompanyVaultTx) =>
  db
    .selectFrom('template')
    .leftJoin('title', (join) =>
      join.onRef('title.company_id', '=', 'template.company_id').onRef('title.id', '=', 'template.title_id'),
    )
    .select(['template.id', 'template.name', 'template.column_mapping', 'template.layout', 'template.title_id'])
    .select(['title.name as title', 'title.month'])
    .where('template.company_id', '=', company_id)
type SealedMapping = Pick<Selectable<Template>, 'id' | 'name' | 'column_mapping' | 'layout' | 'title_id'> & {
  title: Buffer | null
  month: string | null
}
const openStoredMapping = ({ vault }: CompanyVaultTx, { id, title_id, month, ...row }: SealedMapping): StoredMapping => ({
  id,
  month,
  name: openTemplateName(vault, id, row.name),
  mapping: openMapping(vault, id, row.column_mapping),
  layout: openMappingLayout(vault, id, row.layout),
  title: openTitle(vault, title_id, row.title),
})

const selectOwnMappings = (tx: CompanyVaultTx, owner_id: string) => selectMappings(tx).where('template.owner_id', '=', owner_id)

/** Finds the owner's mapping for this header. */
export async function findMappingByHeader(
  tx: CompanyVaultTx,
  owner_id: string,
  fingerprint: string,
): Promise<StoredMapping | null> {
  const row = await selectOwnMappings(tx, owner_id).where('template.fingerprint', '=', fingerprint).executeTakeFirst()
  return row ? openStoredMapping(tx, row) : null
}

/** Lists the owner's most recently used mappings. */
export async function listRecentMappings(tx: CompanyVaultTx, owner_id: string): Promise<StoredMapping[]> {
  const rows = await selectOwnMappings(tx, owner_id).orderBy('template.used_at', 'desc').limit(maxCandidates).execute()
  return rows.map((row) => openStoredMapping(tx, row))
}

export async function getMapping(tx: CompanyVaultTx, template_id: string): Promise<StoredMapping | null> {
  const row = await selectMappings(tx).where('template.id', '=', template_id).executeTakeFirst()
  return row ? openStoredMapping(tx, row) : null
}

type MappingSource = Pick<BatchRow, 'id' | 'owner_id' | 'fingerprint' | 'title_id'>

/** Saves the decisions of a batch for the next wage sheet with the same header. `isFinal`: it is about to be sent. */
export async function saveBatchMapping(
  ctx: CompanyVaultTx & Pick<HandlerContext, 'now'>,
  batch: MappingSource,
  recognition: RecognizedSheet,
  layout: Layout,
  isFinal = false,
): Promise<void> {
  const { db, company_id } = ctx
  const id = await saveMapping(ctx, batch.owner_id, batch, toColumnMapping(recognition, layout, isFinal))
  await db
    .updateTable('batch')
    .set({ template_id: id })
    .where('company_id', '=', company_id)
    .where('id', '=', batch.id)
    .where('template_id', 'is', null)
    .execute()
}

/** Saves the mapping of a batch in its current state. */
export const saveCurrentMapping = (ctx: HandlerContext, batch: BatchRow, isFinal = false): Promise<void> => {
  const recognition = openRecognition(ctx, batch)
  return saveBatchMapping(ctx, batch, recognition, openPayslipLayout(ctx, batch, recognition), isFinal)
}

/** Writes a mapping for its header; an existing one keeps its name. Returns its id. */
export async function saveMapping(
  { db, company_id, now, vault }: CompanyVaultTx & Pick<HandlerContext, 'now'>,
  owner_id: string,
  { fingerprint, title_id }: Pick<MappingSource, 'fingerprint' | 'title_id'>,
  mapping: { mapping: ColumnMapping; layout: MappingLayout },
): Promise<string> {
  const newTemplateId = newId()
  const stored = await db
    .insertInto('template')
    .values({
      company_id,
      id: newTemplateId,
      owner_id,
      fingerprint,
      title_id,
      created_at: now,
      used_at: now,
      ...sealMapping(vault, newTemplateId, mapping),
    })
    .onConflict((conflict) =>
      conflict
        .columns(['company_id', 'owner_id', 'fingerprint'])
        // A batch without a title does not change the pay run of last use.
        .doUpdateSet({ used_at: now, ...(title_id === null ? {} : { title_id }) }),
    )
    .returning('id')
    .executeTakeFirstOrThrow()
  // Encrypted data can be decrypted only in its own row; the row id is known only now, and the row is locked.
  if (stored.id !== newTemplateId)
    await db
      .updateTable('template')
      .set(sealMapping(vault, stored.id, mapping))
      .where('company_id', '=', company_id)
      .where('id', '=', stored.id)
      .execute()
  return stored.id
}
