/** One box over people, pay runs, titles, slips, questions and orders. Has no table: each subject says what of it is called so, and whose it is. */
import * as contract from '../../contract/people/find.ts'
import { most_found } from '../../contract/people/find.ts'
import { holds } from '../../contract/who.ts'
import { isoOf, monthOf } from '../../runtime/clock.ts'
import { type Ctx, handle } from '../../runtime/handle.ts'
import { newestOrders } from '../company/index.ts'
import { departmentsAt, peopleShown, soundsLike } from '../member/index.ts'
import { monthWords, most_searched, rowsCalled, runsCalled } from '../sheet/index.ts'
import { slipsOfPeople, threadsOfPeople } from '../slip/index.ts'

/** Who is here, and behind them who has left. */
async function peopleCalled(ctx: Ctx, name: string) {
  const some = async (status: 'left' | undefined, room: number) => {
    const found = await peopleShown(ctx, { name, status, with_children: true })
    return room <= 0
      ? []
      : found
          .select(['id', 'name', 'status', departmentsAt(ctx.company_id).as('departments')])
          .orderBy('id')
          .limit(room)
          .execute()
  }
  const here = await some(undefined, most_found)
  const gone = await some('left', most_found - here.length)
  return [...here, ...gone].map(({ id, name: called, status, departments }) => ({
    id,
    name: called,
    place: departments.map(({ NAME }) => NAME).join('、'),
    left: status === 'left',
  }))
}

const isInitials = (text: string) => /^[a-z]{2,}$/i.test(text)

async function ordersCalled(ctx: Ctx, text: string) {
  const found = await rowsCalled(await newestOrders(ctx, most_searched), text, ({ order_no, name, by, created_at }) => [
    order_no,
    name,
    by,
    monthWords(monthOf(created_at)),
    isInitials(text) && soundsLike(name, text) ? text : null,
  ])
  return found
    .slice(0, most_found)
    .map(({ order_no, name, status, created_at }) => ({ order_no, name, status, at: isoOf(created_at) }))
}

const nothing = { batches: [], titles: [], slips: [], feedback: [] }

export const find = handle(contract.find, async (ctx, { text }) => {
  const people = await peopleCalled(ctx, text)
  // Power 3 manages people, and buys nothing.
  const orders = holds(ctx.me.power, ['1', '2']) ? await ordersCalled(ctx, text) : []
  // Power 1 and 3 manage the company and its people, not its pay.
  if (!holds(ctx.me.power, ['2'])) return { people, ...nothing, orders }
  const ids = people.map(({ id }) => id)
  const runs = await runsCalled(ctx, text, most_found)
  return {
    people,
    ...runs,
    slips: await slipsOfPeople(ctx, ids, most_found),
    feedback: (await threadsOfPeople(ctx, ids, most_found)).map(({ id, name, title, status }) => ({ id, name, title, status })),
    orders,
  }
})
