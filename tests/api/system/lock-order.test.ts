/**
 * Two transactions that change the same rows wait for each other in one direction only. The test holds the first row of
 * each pair, and the other transaction, which waits for it, must not hold the second one yet.
 */
import { type RawBuilder, sql } from 'kysely'
import { beforeAll, expect, it } from 'vitest'
import * as invite from '../../../server/contract/invites/invite.ts'
import * as employee from '../../../server/contract/payslips/employee.ts'
import { handleFeedback } from '../../../server/contract/payslips/feedback.ts'
import { clearTitle, insertBatchTitle } from '../../../server/contract/sheets/sheet.ts'
import * as periods from '../../../server/contract/tax/periods.ts'
import { syncMemberships } from '../../../server/modules/directory/index.ts'
import { demoWorld } from '../../support/demo.ts'
import { lockWaiters } from '../../support/run/database.ts'
import { makeBatch, salaries, send } from '../../support/slips.ts'
import type { Caller, Corp, Person } from '../../support/world.ts'

const world = demoWorld(true)
let corp: Corp
let payer: Person
let clerk: Caller
beforeAll(async () => {
  corp = await world.createCompany()
  payer = await corp.person({ power: ['1', '2', '3'] })
  clerk = await world.signIn(payer)
})

/** Locks `first` while `other` waits for it, and checks that `second` can still be locked. */
async function inOneOrder(first: RawBuilder<unknown>, other: () => Promise<unknown>, second: RawBuilder<unknown>): Promise<void> {
  let answer: Promise<unknown> = Promise.resolve()
  await world.database.inCompany(corp.company_id, async (tx) => {
    await sql`${first} for update`.execute(tx)
    answer = other()
    await expect.poll(() => lockWaiters(world.database)).toBeGreaterThan(0)
    await sql`${second} for update nowait`.execute(tx)
  })
  await answer
}

it('locks the batch, then the payslip for an answer to a question', async () => {
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
    sql`select from payslip where id = ${slip?.id}`,
  )
})

it('locks the batches, then the title when deleting a title', async () => {
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

it("locks members in the order of their ids when planning a send, independent of the sheet's order", async () => {
  const people = [await corp.person(), await corp.person(), await corp.person()].toSorted((a, b) =>
    a.member_id < b.member_id ? -1 : 1,
  )
  const batch_id = await makeBatch(world, payer, people.toReversed())
  await inOneOrder(
    sql`select from member where id = ${people[0]?.member_id}`,
    () => send(clerk, batch_id, ['link']),
    sql`select from member where id = ${people[2]?.member_id}`,
  )
})

it('locks members in the order of their ids for the incomes of a month', async () => {
  const people = [await corp.person(), await corp.person(), await corp.person()].map(({ member_id }) => member_id).toSorted()
  const { period_id } = await clerk.must(periods.createPeriod, { month: '2026-10' })
  const rows = people.toReversed().map((member_id) => ({ member_id, amounts: { income_fen: 900_000 } }))
  await inOneOrder(
    sql`select from member where id = ${people[0]}`,
    () => clerk.must(periods.saveIncome, { period_id, rows }),
    sql`select from member where id = ${people[2]}`,
  )
})

it('locks the member, then their departments when syncing departments from a platform', async () => {
  const { member_id, company_id } = await corp.person()
  const [before, after] = [await corp.department('以前的'), await corp.department('现在的')]
  const follow = (id: string) =>
    world.database.inCompany(company_id, (tx) =>
      syncMemberships({ db: tx, company_id }, [{ member_id, department_ids: [id] }], [before, after]),
    )
  await follow(before)
  await inOneOrder(
    sql`select from member where id = ${member_id}`,
    () => follow(after),
    sql`select from member_department where member_id = ${member_id} and department_id = ${before}`,
  )
})

it('locks the earlier invites, then the balance for another invite', async () => {
  const { member_id } = await corp.person({ joined: false })
  const call = () => clerk.must(invite.sendInviteCode, { member_ids: [member_id] })
  expect((await call()).queued.sms).toBe(1)
  await world.product.jobs.drain()
  await inOneOrder(
    sql`select from invite where member_id = ${member_id}`,
    call,
    sql`select from company where id = ${corp.company_id}`,
  )
})
