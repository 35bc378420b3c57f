/** What was taken back is sent once more, as it is now: the next version, with a message of its own. */
import { setImmediate } from 'node:timers/promises'
import { sql } from 'kysely'
import type { Ctx } from '../../../runtime/handle.ts'
import { newId } from '../../../runtime/ids.ts'
import { takeSms } from '../../company/index.ts'
import { payable } from '../../member/index.ts'
import { openContent, sealContent } from '../../pay/index.ts'
import { type BatchRow, setBatchStatus } from '../../sheet/index.ts'
import { piecesFor } from '../send/claims.ts'
import { askFor } from '../send/ledger.ts'
import { pastWith } from './past.ts'

const rows_a_statement = 300

/** These, or all where none are named, as far as my scope goes; the batch is locked by the caller. Answers how many. */
export async function sendWithdrawn(ctx: Ctx, batch: BatchRow, salary_ids: readonly string[] | undefined): Promise<number> {
  const { db, company_id, vault } = ctx
  const rows = await db
    .selectFrom('salary')
    .select(['id', 'version', 'cells', 'past', 'viewed_at', 'confirmed_at', 'confirmed_auto', 'withdrawn_at', 'withdrawn_reason'])
    .where('company_id', '=', company_id)
    .where('batch_id', '=', batch.id)
    .where('status', '=', 'withdrawn')
    .where(payable(ctx))
    .$if(salary_ids !== undefined, (query) => query.where('id', '=', sql<string>`any(${[...(salary_ids ?? [])]}::uuid[])`))
    .forUpdate()
    .execute()
  if (rows.length === 0) return 0
  for (let from = 0; from < rows.length; from += rows_a_statement) {
    const some = rows.slice(from, from + rows_a_statement).map((row) => {
      const next = row.version + 1
      return { id: row.id, next, cells: sealContent(vault, row.id, next, openContent(vault, row)), past: pastWith(row) }
    })
    await sql`
      update salary set status = 'queued', version = again.next, cells = again.cells, past = again.past, sent_at = null, viewed_at = null,
        confirmed_at = null, confirmed_version = null, confirmed_auto = false, confirmed_hash = null, signature = null, corrected_at = null,
        withdrawn_at = null, withdrawn_reason = null
      from unnest(${some.map(({ id }) => id)}::uuid[], ${some.map(({ next }) => next)}::int[], ${some.map(({ cells }) => cells)}::bytea[],
        ${some.map(({ past }) => past)}::jsonb[]) as again (id, next, cells, past)
      where salary.company_id = ${company_id} and salary.id = again.id`.execute(db)
    await setImmediate()
  }
  const ids = rows.map(({ id }) => id)
  const asked = await askFor(ctx, batch.id, sql<boolean>`salary.id = any(${ids}::uuid[])`, {
    purpose: sql<string>`'slip'`,
    pieces: await piecesFor(ctx, batch.id, 'slip'),
  })
  await takeSms(ctx, asked.sms, 'again', { id: newId(), batch_id: batch.id })
  // A batch that was taken back is out again with them; one that is under way takes them along.
  await setBatchStatus(ctx, batch.id, ['sent', 'withdrawn'], 'sending', { withdrawn_at: null, withdrawn_reason: null })
  await ctx.jobs.send('send', { company_id, batch_id: batch.id })
  return asked.count
}
