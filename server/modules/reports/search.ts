/** Global search over members, batches, titles, payslips, feedback, orders: each module searches and checks its own. */

import { hasPower } from '../../contract/access.ts'
import * as contract from '../../contract/reports/search.ts'
import { maxSearchResults } from '../../contract/reports/search.ts'
import { defineHandler, type HandlerContext } from '../../http/handler.ts'
import { toIsoTimestamp, toShanghaiMonth } from '../../shared/clock.ts'
import { listRecentOrders } from '../billing/index.ts'
import { matchesSpelling, memberDepartmentsJson, peopleVisible } from '../directory/index.ts'
import { listMemberPayslips, listMemberThreads } from '../payslips/index.ts'
import { filterByName, getMonthSearchText, maxSearchedRows, searchBatches } from '../sheets/index.ts'

/** Searches active members first, then terminated ones. */
async function searchMembers(ctx: HandlerContext, name: string) {
  const findByStatus = async (status: 'left' | undefined, limit: number) => {
    const query = await peopleVisible(ctx, { name, status, with_children: true })
    return limit <= 0
      ? []
      : query
          .select(['id', 'name', 'status', memberDepartmentsJson(ctx.company_id).as('departments')])
          .orderBy('id')
          .limit(limit)
          .execute()
  }
  const active = await findByStatus(undefined, maxSearchResults)
  const terminated = await findByStatus('left', maxSearchResults - active.length)
  return [...active, ...terminated].map(({ id, name: memberName, status, departments }) => ({
    id,
    name: memberName,
    department: departments.map(({ NAME }) => NAME).join('、'),
    is_terminated: status === 'left',
  }))
}

const isInitials = (text: string) => /^[a-z]{2,}$/i.test(text)

async function searchOrders(ctx: HandlerContext, text: string) {
  const matches = await filterByName(await listRecentOrders(ctx, maxSearchedRows), text, ({ order_no, name, by, created_at }) => [
    order_no,
    name,
    by,
    getMonthSearchText(toShanghaiMonth(created_at)),
    isInitials(text) && matchesSpelling(name, text) ? text : null,
  ])
  return matches
    .slice(0, maxSearchResults)
    .map(({ order_no, name, status, created_at }) => ({ order_no, name, status, at: toIsoTimestamp(created_at) }))
}

const noPayResults = { batches: [], titles: [], slips: [], feedback: [] }

export const search = defineHandler(contract.search, async (ctx, { text }) => {
  const members = await searchMembers(ctx, text)
  // Power 3 manages members and cannot buy.
  const orders = hasPower(ctx.currentUser.power, ['1', '2']) ? await searchOrders(ctx, text) : []
  // Powers 1 and 3 manage the company and its members, not their pay.
  if (!hasPower(ctx.currentUser.power, ['2'])) return { members, ...noPayResults, orders }
  const ids = members.map(({ id }) => id)
  const batchResults = await searchBatches(ctx, text, maxSearchResults)
  return {
    members,
    ...batchResults,
    slips: await listMemberPayslips(ctx, ids, maxSearchResults),
    feedback: (await listMemberThreads(ctx, ids, maxSearchResults)).map(({ id, name, title, status }) => ({
      id,
      name,
      title,
      status,
    })),
    orders,
  }
})
