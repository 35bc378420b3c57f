/**
 * The unfinished wizard of an administrator, with its step and its batch; each administrator has one. Writes wizard.
 */
import * as contract from '../../../contract/sheets/sheet.ts'
import { defineHandler, fail, type HandlerContext } from '../../../http/handler.ts'
import { toIsoTimestamp } from '../../../shared/clock.ts'
import { newId } from '../../../shared/ids.ts'
import { requireBatch, visibleBatches } from '../access.ts'
import { getBatchName } from '../names/sealed-names.ts'

type WizardStep = 'wageSend1' | 'check' | 'wageSend2' | 'wageSend3'

export const insertCache = defineHandler(contract.insertCache, async (ctx, { wizard }) => {
  const { db, currentUser, company_id } = ctx
  if (!currentUser.admin_id) throw fail('not_permitted')
  if (!wizard) {
    await db.deleteFrom('wizard').where('company_id', '=', company_id).where('admin_id', '=', currentUser.admin_id).execute()
    return {}
  }
  const batch = await requireBatch(ctx, wizard.batch_id, 'view')
  await saveWizardStep(ctx, { step: wizard.step, batch_id: batch.id })
  return {}
})

/** Saves the step and the batch of the administrator's wizard. */
export async function saveWizardStep(
  { db, currentUser, company_id, now }: HandlerContext,
  at: { step: WizardStep; batch_id: string },
): Promise<void> {
  if (!currentUser.admin_id) return
  const state = { ...at, saved_at: now }
  await db
    .insertInto('wizard')
    .values({ company_id, id: newId(), admin_id: currentUser.admin_id, ...state })
    .onConflict((conflict) => conflict.columns(['company_id', 'admin_id']).doUpdateSet(state))
    .execute()
}

/** Also returns null if its batch has been sent meanwhile, is deleted, or is no longer visible to the user. */
export const fetchCache = defineHandler(contract.fetchCache, async (ctx) => {
  const { db, currentUser, company_id, vault } = ctx
  const row = await db
    .selectFrom('wizard')
    .innerJoin('batch', (join) =>
      join.onRef('batch.company_id', '=', 'wizard.company_id').onRef('batch.id', '=', 'wizard.batch_id'),
    )
    .leftJoin('title', (join) => join.onRef('title.company_id', '=', 'batch.company_id').onRef('title.id', '=', 'batch.title_id'))
    .select(['wizard.step', 'wizard.batch_id', 'wizard.saved_at', 'title.name as title', 'batch.title_id', 'batch.file_name'])
    .where('wizard.company_id', '=', company_id)
    .where('wizard.admin_id', '=', currentUser.admin_id)
    .where('batch.status', 'in', ['draft', 'checked'])
    .where(visibleBatches(ctx))
    .executeTakeFirst()
  if (!row) return { wizard: null }
  const title = getBatchName(vault, { ...row, id: row.batch_id })
  return { wizard: { step: row.step as WizardStep, batch_id: row.batch_id, title, saved_at: toIsoTimestamp(row.saved_at) } }
})
