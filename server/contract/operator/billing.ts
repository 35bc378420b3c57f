/** The operator's calls: companies, orders, refunds, invoices, prices, announcements, health. They never show pay. */
import * as z from 'zod/mini'
import { eventsKinds } from '../agency/agency.ts'
import { invoiceFields, invoiceStatuses, orderNo, orderStatuses, payTypes } from '../billing/orders.ts'
import { defineCall } from '../call.ts'
import { emptyObject, fen, id, optionalText, pageParams, paginatedList, requiredText, time } from '../shared/schemas.ts'

const readCallBase = { access: 'operator', idempotent: false, audit: 'none' } as const
const changeCallBase = { access: 'operator', idempotent: false, audit: 'change' } as const
const amount = fen.check(z.gte(1, '金额要大于 0'), z.lte(10_000_000_000, '金额太大'))
const searchText = z.optional(z.string().check(z.trim(), z.maxLength(60, '最多 60 个字')))

export const getCompanyList = defineCall('POST /api/ops/getCompanyList', {
  summary: 'Lists the companies with edition, end date, prepaid messages and headcount. Contains no names and no pay.',
  ...readCallBase,
  input: z.object({ query: searchText, ...pageParams }),
  output: paginatedList(
    z.object({
      company_id: id,
      name: z.string(),
      corp_role: z.literal([10, 20]),
      TYPE: z.literal([50, 53, 60]),
      on_trial: z.boolean(),
      expires_at: z.nullable(time),
      sms_left: z.int(),
      paid_fen: fen,
      created_at: time,
    }),
  ),
  errors: [],
})

const opsOrder = z.object({
  company_id: id,
  company: z.string(),
  order_no: z.string(),
  name: z.string(),
  count: z.int(),
  amount_fen: fen,
  refunded_fen: fen,
  pay_type: z.enum(payTypes),
  status: z.enum(orderStatuses),
  created_at: time,
  paid_at: z.nullable(time),
  /** Amount paid that bought nothing and is being refunded. */
  excess_fen: fen,
})

export const getOpsOrderList = defineCall('POST /api/ops/getOpsOrderList', {
  summary: 'Lists the orders of all companies, newest first.',
  ...readCallBase,
  input: z.object({
    query: searchText,
    status: z.optional(z.enum(orderStatuses)),
    pay_type: z.optional(z.enum(payTypes)),
    ...pageParams,
  }),
  output: paginatedList(opsOrder),
  errors: [],
})

export const confirmTransfer = defineCall('POST /api/ops/confirmTransfer', {
  summary:
    "Records a bank transfer that has arrived, once for each bank reference number. An amount that differs from the order's activates nothing.",
  ...changeCallBase,
  input: z.object({ order_no: orderNo, reference: requiredText(60, '请填写银行流水号'), amount_fen: amount }),
  output: z.object({ result: z.enum(['credited', 'excess', 'known']) }),
  errors: ['not_found'],
})

export const refundOrder = defineCall('POST /api/ops/refundOrder', {
  summary: 'Refunds a paid order in part or in full. What it bought is taken back, and an issued invoice must be reversed.',
  ...changeCallBase,
  input: z.object({
    order_no: orderNo,
    amount_fen: amount,
    reason: requiredText(100, '请填写退款原因'),
    reference: optionalText(60),
  }),
  output: z.object({ remaining_fen: fen, sms_returned: z.int(), invoice: z.enum(['none', 'returned', 'reversing']) }),
  errors: ['not_found', 'wrong_state', 'sms_used_up'],
})

export const getOpsInvoiceList = defineCall('POST /api/ops/getOpsInvoiceList', {
  summary: 'Lists the invoice applications of all companies, pending ones first.',
  ...readCallBase,
  input: z.object({ status: z.optional(z.enum(invoiceStatuses)), ...pageParams }),
  output: paginatedList(
    z.object({
      company_id: id,
      company: z.string(),
      ...invoiceFields,
    }),
  ),
  errors: [],
})

const invoiceRef = { company_id: id, invoice_id: id }
const number = z.string().check(z.trim(), z.regex(/^\d{8}$|^\d{20}$/, '发票号码是 8 位或 20 位数字'))

export const issueInvoice = defineCall('POST /api/ops/issueInvoice', {
  summary: 'Records number and file (PDF, OFD or XML) of an invoice, or of the red invoice if it must be reversed.',
  ...changeCallBase,
  requestType: 'file',
  input: z.object({ ...invoiceRef, number }),
  output: z.object({ status: z.enum(invoiceStatuses) }),
  errors: ['not_found', 'wrong_state'],
})

export const returnInvoice = defineCall('POST /api/ops/returnInvoice', {
  summary: 'Rejects an invoice application with a reason. Its orders can be applied for again.',
  ...changeCallBase,
  input: z.object({ ...invoiceRef, reason: requiredText(100, '请填写退回原因') }),
  output: emptyObject,
  errors: ['not_found', 'wrong_state'],
})

export const reverseInvoice = defineCall('POST /api/ops/reverseInvoice', {
  summary: 'Marks an issued invoice for reversal, with the reason. The red invoice is then issued.',
  ...changeCallBase,
  input: z.object({ ...invoiceRef, reason: requiredText(100, '请填写红冲原因') }),
  output: emptyObject,
  errors: ['not_found', 'wrong_state'],
})

export const getPriceList = defineCall('POST /api/ops/getPriceList', {
  summary: 'Lists the current and the default price of each product, and who last changed it and when.',
  ...readCallBase,
  input: emptyObject,
  output: z.object({
    list: z.array(
      z.object({
        product_id: z.string(),
        name: z.string(),
        note: z.string(),
        price_fen: fen,
        usual_fen: fen,
        changed_at: z.nullable(time),
        by: z.string(),
      }),
    ),
  }),
  errors: [],
})

export const setPrice = defineCall('POST /api/ops/setPrice', {
  summary: 'Changes a price from now on. Orders already placed keep theirs.',
  ...changeCallBase,
  input: z.object({ product_id: requiredText(30), price_fen: amount }),
  output: emptyObject,
  errors: ['not_found'],
})

export const getOpsNews = defineCall('POST /api/ops/getOpsNews', {
  summary: 'Lists the news for all companies, newest first, withdrawn items included.',
  ...readCallBase,
  input: z.object({ ...pageParams }),
  output: paginatedList(
    z.object({
      id,
      kind: z.enum(eventsKinds),
      title: z.string(),
      summary: z.string(),
      paragraphs: z.array(z.string()),
      at: time,
      withdrawn_at: z.nullable(time),
      by: z.string(),
    }),
  ),
  errors: [],
})

export const publishNews = defineCall('POST /api/ops/publishNews', {
  summary: 'Publishes a news item to all companies.',
  ...changeCallBase,
  input: z.object({
    kind: z.enum(eventsKinds),
    title: requiredText(60, '请填写标题'),
    summary: requiredText(120, '请填写摘要'),
    text: requiredText(5_000, '请填写正文'),
  }),
  output: z.object({ id }),
  errors: [],
})

export const withdrawNews = defineCall('POST /api/ops/withdrawNews', {
  summary: 'Withdraws a news item, so that no company sees it any more.',
  ...changeCallBase,
  allowedOnFullDisk: true,
  input: z.object({ id }),
  output: emptyObject,
  errors: ['not_found'],
})

const queue = z.object({ name: z.string(), waiting: z.int(), active: z.int(), failed: z.int(), oldest_s: z.int() })
export const getOpsHealth = defineCall('POST /api/ops/getOpsHealth', {
  summary:
    "Returns the health of the server: disk space, memory, the queue and differences in the payment providers' statements.",
  ...readCallBase,
  isPolling: true,
  input: emptyObject,
  output: z.object({
    now: time,
    started_at: time,
    memory_mb: z.int(),
    /** Null where the database runs on another machine, so its disk is unknown. */
    disk_free_mb: z.nullable(z.int()),
    disk_state: z.string(),
    companies: z.int(),
    queue: z.array(queue),
    statements: z.array(
      z.object({
        provider: z.string(),
        day: z.string(),
        paid_fen: fen,
        refunded_fen: fen,
        found: z.int(),
        differences: z.int(),
      }),
    ),
  }),
  errors: [],
})
