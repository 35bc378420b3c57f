/**
 * Two who change the same things at the same moment wait for each other in one direction only. Of each pair the one holds what comes first, and the
 * other, who waits for it, holds nothing yet of what comes second.
 */
import { type RawBuilder, sql } from 'kysely'
import { beforeAll, expect, it } from 'vitest'
import * as employee from '../../server/contract/own/employee.ts'
import { clearTitle, insertBatchTitle } from '../../server/contract/sheet/sheet.ts'
import { handleFeedback } from '../../server/contract/slip/feedback.ts'
import { demoWorld } from '../kit/demo.ts'
import { makeBatch, salaries, send } from '../kit/slips.ts'
import type { Caller, Corp, Person } from '../kit/world.ts'

const world = demoWorld(true)
let corp: Corp
let payer: Person
let clerk: Caller
beforeAll(async () => {
  corp = await world.found()
  payer = await corp.person({ power: ['2'] })
  clerk = await world.signIn(payer)
})

/** Holds `first` while `other` waits for it, and looks whether `second` can still be held. */
async function inOneOrder(first: RawBuilder<unknown>, other: () => Promise<unknown>, second: RawBuilder<unknown>): Promise<void> {
  let answer: Promise<unknown> = Promise.resolve()
  await world.database.inCompany(corp.company_id, async (tx) => {
    await sql`${first} for update`.execute(tx)
    answer = other()
    const waiting = async () => {
      const { rows } = await sql<{ count: number }>`
        select count(*)::int as count from pg_locks where not granted and relation is null`.execute(tx)
      return rows[0]?.count
    }
    await expect.poll(waiting).toBeGreaterThan(0)
    await sql`${second} for update nowait`.execute(tx)
  })
  await answer
}

it('an answer to a question: the batch, then the slip', async () => {
  const person = await corp.person()
  const batch_id = await makeBatch(world, payer, [person])
  await send(clerk, batch_id, ['link'])
  await world.product.jobs.drain()
  const [slip] = await salaries(world, corp, batch_id)
  const own = await world.signIn(person)
  const { id } = await own.must(employee.feedbackSlip, { slip_id: slip?.id ?? '', content: '少了 500' })
  await inOneOrder(
    sql`select from batch where id = ${batch_id}`,
    () => clerk.must(handleFeedback, { id, action: 'reply', content: '已核对' }),
    sql`select from salary where id = ${slip?.id}`,
  )
})

it('a title that is deleted: its batches, then the title', async () => {
  const batch_id = await makeBatch(world, payer, [await corp.person()])
  await clerk.must(insertBatchTitle, { batch_id, title: '要删的', month: '2026-10', kind: 'other' })
  const title_id = await world.database.inCompany(corp.company_id, async (tx) => {
    const row = await tx.selectFrom('batch').select('title_id').where('id', '=', batch_id).executeTakeFirstOrThrow()
    return row.title_id ?? ''
  })
  await inOneOrder(
    sql`select from batch where id = ${batch_id}`,
    () => clerk.must(clearTitle, { title_id }),
    sql`select from title where id = ${title_id}`,
  )
})
