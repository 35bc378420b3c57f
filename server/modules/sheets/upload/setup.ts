/** Sets up a new wage sheet like the last one of its kind, if there is one. Passes the result on to be stored. */
import type { HandlerContext } from '../../../http/handler.ts'
import { findMappingByHeader, listRecentMappings } from '../mapping/mappings.ts'
import { createDefaultLayout } from '../rules/default-layout.ts'
import { applyMapping, findMostSimilar, toRememberedMapping } from '../rules/mapping-match.ts'
import type { ImportedSheet, IncomingSheet } from './incoming-sheet.ts'
import { type SheetComparison, storeSheet } from './store.ts'

export async function setUpSheet(
  ctx: HandlerContext,
  incoming: IncomingSheet,
  comparison?: SheetComparison,
): Promise<ImportedSheet> {
  const { owner_id, fingerprint, recognition } = incoming
  const storedMapping =
    (await findMappingByHeader(ctx, owner_id, fingerprint)) ??
    findMostSimilar(await listRecentMappings(ctx, owner_id), recognition.columns)
  if (!storedMapping)
    return storeSheet(
      ctx,
      incoming,
      { recognition, layout: createDefaultLayout(recognition.columns), template_id: null },
      comparison,
    )
  const fitted = applyMapping(recognition, storedMapping)
  const { sheet, layout } = fitted
  const remembered = { ...toRememberedMapping(storedMapping, fitted), sent: await hasBeenSent(ctx, storedMapping.id) }
  return storeSheet(
    ctx,
    incoming,
    { recognition: { ...recognition, ...sheet, remembered }, layout, template_id: storedMapping.id },
    comparison,
  )
}

/** Whether payslips of this kind of wage sheet have been sent: then their layout was confirmed by a user. */
async function hasBeenSent({ db, company_id }: HandlerContext, template_id: string): Promise<boolean> {
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
