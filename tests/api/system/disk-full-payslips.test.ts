/** A disk without space for a single row (trust.md G12): an employee's payslips stay readable in every state. */
import { describe, expect, it } from 'vitest'
import { errorCodes } from '../../../server/contract/errors.ts'
import * as employee from '../../../server/contract/payslips/employee.ts'
import * as ownData from '../../../server/contract/payslips/employee-data.ts'
import * as feedback from '../../../server/contract/payslips/feedback.ts'
import * as slip from '../../../server/contract/payslips/send.ts'
import { confirmOverdue } from '../../../server/modules/payslips/view-and-confirm.ts'
import { inside } from '../../support/callers/inside.ts'
import { demoWorld } from '../../support/demo.ts'
import { asOwner } from '../../support/run/database.ts'
import { payOne, salaries } from '../../support/slips.ts'
import type { Caller } from '../../support/world.ts'

const mb = 1024 * 1024

describe('a disk on which nothing can be written', () => {
  const world = demoWorld({ disk: async () => ({ free: 9_000 * mb, total: 100_000 * mb }) })

  /** Every table refuses every row, as PostgreSQL does when no file can grow. */
  const fill = () =>
    asOwner(world, (owner) =>
      owner.query(`create function no_room() returns trigger language plpgsql as $$ begin
          raise exception 'could not extend file' using errcode = 'disk_full'; end $$;
        do $$ declare name text; begin
          for name in select tablename from pg_tables where schemaname = 'public' loop
            execute format('create trigger no_room before insert or update or delete on %I for each statement execute function no_room()', name);
          end loop; end $$`),
    )
  const empty = () => asOwner(world, (owner) => owner.query('drop function no_room cascade'))

  it('lets employees read their payslips in every state, and records the view and the receipt later', async () => {
    const corp = await world.createCompany()
    const payer = await corp.person({ power: ['2'] })
    const clerk = await world.signIn(payer)
    type State = { own: Caller; slip_id: string; batch_id: string }
    const pay = async (rules: Parameters<typeof payOne>[2] = { rules: { confirm: true, feedback: true } }): Promise<State> => {
      const person = await corp.person()
      const sent = await payOne({ world, corp, clerk: payer, caller: clerk }, person, rules)
      return { ...sent, own: await world.signIn(person) }
    }
    const view = ({ own, slip_id }: State, confirm_open = true) => own.must(employee.getSlip, { slip_id, confirm_open })
    const confirm = async (state: State) => {
      const { version } = await view(state)
      await state.own.must(employee.confirmSlip, { slip_id: state.slip_id, version })
    }
    const confirmByDeadline = ({ batch_id }: State) =>
      inside(world, payer, (ctx) => confirmOverdue(ctx, batch_id, null, new Date(ctx.now.getTime() + 1)))
    const correct = ({ slip_id: salary_id }: State) =>
      clerk.must(slip.editSalaryDetail, { salary_id, cells: [{ key: 'c4', value: '8100' }], reason: '补发' })
    const withdraw = ({ slip_id: salary_id }: State) => clerk.must(slip.withdrawSingleSalary, { salary_id, reason: '算错' })

    const unread = await pay()
    const viewed = await pay()
    await view(viewed)
    const confirmed = await pay()
    await confirm(confirmed)
    const [automatic, automaticViewed] = [await pay(), await pay()]
    await view(automaticViewed)
    for (const state of [automatic, automaticViewed]) await confirmByDeadline(state)
    const corrected = await pay()
    await view(corrected)
    await correct(corrected)
    const confirmedBefore = await pay()
    await confirm(confirmedBefore)
    await correct(confirmedBefore)
    const resent = await pay()
    await view(resent)
    await withdraw(resent)
    await clerk.must(slip.sendBatch, { batch_id: resent.batch_id, only: 'withdrawn' })
    await world.product.jobs.drain()
    const closing = await pay({ rules: { burn_after_minutes: 30, confirm: true } })
    const questioned = await pay()
    const { id: feedback_id } = await questioned.own.must(employee.feedbackSlip, { slip_id: questioned.slip_id, content: '少了' })
    await clerk.must(feedback.handleFeedback, { id: feedback_id, action: 'reply', content: '已核对' })
    const locked = await pay({ rules: { view_password: true } })
    await world.database.withoutCompany((tx) =>
      tx
        .updateTable('session')
        .set({ view_until: new Date(world.clock.now().getTime() + 900_000) })
        .execute(),
    )
    const readable = {
      unread,
      viewed,
      confirmed,
      automatic,
      automaticViewed,
      corrected,
      confirmedBefore,
      resent,
      closing,
      questioned,
      locked,
    }
    const withdrawn = await pay()
    await withdraw(withdrawn)

    await fill()
    // Long enough after the last use for the sessions' times to be updated.
    world.clock.advance(120_000)
    for (const [name, state] of Object.entries(readable)) {
      const { own, slip_id } = state
      const answers = [
        await own.call(employee.getSlip, { slip_id, confirm_open: true }),
        await own.call(employee.getSlipList, {}),
        await own.call(employee.getSlipStatus, { slip_id }),
        await own.call(employee.getFeedback, { slip_id }),
        await own.call(employee.getYearSummary, { year: 2026 }),
        await own.call(ownData.getReceipt, { slip_id }),
        ...(state === closing ? [] : [await own.call(ownData.getSlipChanges, { slip_id })]),
      ]
      expect([name, ...answers.map(({ code }) => code)]).toEqual([name, ...answers.map(() => 0)])
    }
    expect((await view(confirmed)).receipt).not.toBe(null)
    expect((await view(automatic)).receipt).toBe(null)
    const { own, slip_id } = withdrawn
    expect((await own.call(employee.getSlip, { slip_id })).message).toContain('可能已被撤回')
    expect((await own.must(employee.getSlipList, {})).list[0]?.withdrawn_at).not.toBe(null)
    // Another's pay is shown only with its entry in the access log; and what only writes is refused.
    expect((await clerk.call(slip.getSalary, { salary_id: unread.slip_id })).code).toBe(errorCodes.no_room.code)
    expect((await own.call(employee.setPayHide, { hide: true })).code).toBe(errorCodes.no_room.code)
    const status = async ({ batch_id }: State) => (await salaries(world, corp, batch_id))[0]
    expect((await status(unread))?.viewed_at).toBe(null)

    await empty()
    await view(unread)
    expect((await status(unread))?.viewed_at).not.toBe(null)
    expect((await view(automatic)).receipt).not.toBe(null)
  })
})
