/** The unfinished wizard of an administrator, one each: where he was, with which batch. Writes wizard. */
import * as contract from '../../../contract/sheet/sheet.ts'
import { isoOf } from '../../../runtime/clock.ts'
import { type Ctx, handle, refuse } from '../../../runtime/handle.ts'
import { newId } from '../../../runtime/ids.ts'
import { batchFor, visibleBatches } from '../access.ts'
import { calledOf } from '../names/words.ts'

type Step = 'wageSend1' | 'check' | 'wageSend2' | 'wageSend3'

export const insertCache = handle(contract.insertCache, async (ctx, { wizard }) => {
  const { db, me, company_id } = ctx
  if (!me.admin_id) throw refuse('not_permitted')
  if (!wizard) {
    await db.deleteFrom('wizard').where('company_id', '=', company_id).where('admin_id', '=', me.admin_id).execute()
    return {}
  }
  const batch = await batchFor(ctx, wizard.batch_id, 'view')
  await rememberStep(ctx, { step: wizard.step, batch_id: batch.id })
  return {}
})

/** Where this administrator is, and with which batch. */
export async function rememberStep({ db, me, company_id, now }: Ctx, at: { step: Step; batch_id: string }): Promise<void> {
  if (!me.admin_id) return
  const state = { ...at, saved_at: now }
  await db
    .insertInto('wizard')
    .values({ company_id, id: newId(), admin_id: me.admin_id, ...state })
    .onConflict((conflict) => conflict.columns(['company_id', 'admin_id']).doUpdateSet(state))
    .execute()
}

/** Null also when its batch was sent meanwhile, is gone, or is no longer mine to see. */
export const fetchCache = handle(contract.fetchCache, async (ctx) => {
  const { db, me, company_id, vault } = ctx
  const row = await db
    .selectFrom('wizard')
    .innerJoin('batch', (join) =>
      join.onRef('batch.company_id', '=', 'wizard.company_id').onRef('batch.id', '=', 'wizard.batch_id'),
    )
    .leftJoin('title', (join) => join.onRef('title.company_id', '=', 'batch.company_id').onRef('title.id', '=', 'batch.title_id'))
    .select(['wizard.step', 'wizard.batch_id', 'wizard.saved_at', 'title.name as title', 'batch.title_id', 'batch.file_name'])
    .where('wizard.company_id', '=', company_id)
    .where('wizard.admin_id', '=', me.admin_id)
    .where('batch.status', 'in', ['draft', 'checked'])
    .where(visibleBatches(ctx))
    .executeTakeFirst()
  if (!row) return { wizard: null }
  const title = calledOf(vault, { ...row, id: row.batch_id })
  return { wizard: { step: row.step as Step, batch_id: row.batch_id, title, saved_at: isoOf(row.saved_at) } }
})
