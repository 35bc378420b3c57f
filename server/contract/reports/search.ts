/** One search box over everything the user may see. pages.md `/find`. */
import * as z from 'zod/mini'
import { requirePower } from '../access.ts'
import { orderStatuses } from '../billing/orders.ts'
import { defineView } from '../call.ts'
import { feedbackStatus } from '../payslips/feedback.ts'
import { batchStatus, id, month, payslipStatus, requiredText, time } from '../shared/schemas.ts'

/** Maximum results per kind; longer results are searched in the respective list. */
export const maxSearchResults = 8

export const search = defineView('POST /api/index/find', requirePower('1', '2', '3'), {
  summary:
    "Searches members, pay runs, titles, payslips, feedback and orders by part of a name or its pinyin initials, within the caller's powers and scope. Returns a few of each.",
  input: z.object({ text: requiredText(50, '请输入要找的内容') }),
  /** Pay results only for users who may open payslips. */
  output: z.object({
    members: z.array(z.object({ id, name: z.string(), department: z.string(), is_terminated: z.boolean() })),
    batches: z.array(z.object({ batch_id: id, title: z.string(), month: z.nullable(month), status: batchStatus })),
    titles: z.array(z.object({ title_id: id, title: z.string(), month })),
    slips: z.array(
      z.object({
        salary_id: id,
        batch_id: id,
        name: z.string(),
        title: z.string(),
        month: z.nullable(month),
        status: payslipStatus,
      }),
    ),
    feedback: z.array(z.object({ id, name: z.string(), title: z.string(), status: feedbackStatus })),
    /**
     * Orders for users who may buy, matched by a part of the order number, of the product, of the orderer's name, or by
     * month.
     */
    orders: z.array(z.object({ order_no: z.string(), name: z.string(), status: z.enum(orderStatuses), at: time })),
  }),
})
