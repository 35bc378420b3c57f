/** The operator's calls: companies, orders, refunds, invoices, prices, announcements, health. They never show pay. */
import * as z from 'zod/mini'
import { eventsKinds } from '../agency/agency.ts'
import { invoiceFields, invoiceStatuses, orderNo, orderStatuses, payTypes } from '../billing/orders.ts'
import { defineChange, defineRead } from '../call.ts'
import { emptyObject, fen, id, mobile, optionalText, pageParams, paginatedList, requiredText, time } from '../shared/schemas.ts'

const amount = fen.check(z.gte(1, '金额要大于 0'), z.lte(10_000_000_000, '金额太大'))
const searchText = z.optional(z.string().check(z.trim(), z.maxLength(60, '最多 60 个字')))

export const getCompanyList = defineRead('POST /api/ops/getCompanyList', 'operator', {
  summary: 'Lists the companies with edition, end date, prepaid messages and headcount. Contains no names and no pay.',
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
})

export const createCompany = defineChange('POST /api/ops/createCompany', 'operator', {
  summary:
    'Creates a company with its first administrator. The link, valid once within an hour, lets that person set a password. Repeated before the link was used, it renews the link. Null: the phone has an account already.',
  idempotent: false,
  // Fields are validated in this order.
  input: z.object({
    corp_name: requiredText(50, '请填写企业名称'),
    user_name: requiredText(30, '请填写管理员姓名'),
    phone: mobile,
    corp_role: z._default(z.literal([10, 20]), 10),
  }),
  output: z.object({
    company_id: id,
    is_new: z.boolean(),
    link: z.nullable(z.object({ url: z.string(), expires_at: time })),
  }),
})

export const grantSms = defineChange('POST /api/ops/grantSms', 'operator', {
  summary: "Grants a company messages without an order. The ledger contains the operator's name and the reason.",
  idempotent: false,
  input: z.object({
    company_id: id,
    count: z.int().check(z.gte(1, '条数要大于 0'), z.lte(1_000_000, '一次最多 100 万条')),
    reason: requiredText(60, '请填写原因'),
  }),
  output: z.object({ sms_left: z.int() }),
  errors: ['not_found', 'wrong_state'],
})

export const grantEdition = defineChange('POST /api/ops/grantEdition', 'operator', {
  summary:
    "Grants a company an edition until the end of a day, without an order. It replaces a trial. The operators' log contains the reason.",
  idempotent: false,
  input: z.object({
    company_id: id,
    TYPE: z.literal([53, 60]),
    last_day: z.iso.date('请填写日期，例如 2027-12-31'),
    reason: requiredText(60, '请填写原因'),
  }),
  output: emptyObject,
  errors: ['not_found', 'wrong_state'],
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

export const getOpsOrderList = defineRead('POST /api/ops/getOpsOrderList', 'operator', {
  summary: 'Lists the orders of all companies, newest first.',
  input: z.object({
    query: searchText,
    status: z.optional(z.enum(orderStatuses)),
    pay_type: z.optional(z.enum(payTypes)),
    ...pageParams,
  }),
  output: paginatedList(opsOrder),
})

export const confirmTransfer = defineChange('POST /api/ops/confirmTransfer', 'operator', {
  summary:
    "Records a bank transfer that has arrived, once for each bank reference number. An amount that differs from the order's activates nothing.",
  idempotent: false,
  input: z.object({ order_no: orderNo, reference: requiredText(60, '请填写银行流水号'), amount_fen: amount }),
  output: z.object({ result: z.enum(['credited', 'excess', 'known']) }),
  errors: ['not_found'],
})

export const refundOrder = defineChange('POST /api/ops/refundOrder', 'operator', {
  summary: 'Refunds a paid order in part or in full. What it bought is taken back, and an issued invoice must be reversed.',
  idempotent: false,
  input: z.object({
    order_no: orderNo,
    amount_fen: amount,
    reason: requiredText(100, '请填写退款原因'),
    reference: optionalText(60),
  }),
  output: z.object({ remaining_fen: fen, sms_returned: z.int(), invoice: z.enum(['none', 'returned', 'reversing']) }),
  errors: ['not_found', 'wrong_state', 'sms_used_up'],
})

export const getOpsInvoiceList = defineRead('POST /api/ops/getOpsInvoiceList', 'operator', {
  summary: 'Lists the invoice applications of all companies, pending ones first.',
  input: z.object({ status: z.optional(z.enum(invoiceStatuses)), ...pageParams }),
  output: paginatedList(
    z.object({
      company_id: id,
      company: z.string(),
      ...invoiceFields,
    }),
  ),
})

const invoiceRef = { company_id: id, invoice_id: id }
const number = z.string().check(z.trim(), z.regex(/^\d{8}$|^\d{20}$/, '发票号码是 8 位或 20 位数字'))

export const issueInvoice = defineChange('POST /api/ops/issueInvoice', 'operator', {
  summary: 'Records number and file (PDF, OFD or XML) of an invoice, or of the red invoice if it must be reversed.',
  requestType: 'file',
  idempotent: false,
  input: z.object({ ...invoiceRef, number }),
  output: z.object({ status: z.enum(invoiceStatuses) }),
  errors: ['not_found', 'wrong_state'],
})

export const returnInvoice = defineChange('POST /api/ops/returnInvoice', 'operator', {
  summary: 'Rejects an invoice application with a reason. Its orders can be applied for again.',
  idempotent: false,
  input: z.object({ ...invoiceRef, reason: requiredText(100, '请填写退回原因') }),
  output: emptyObject,
  errors: ['not_found', 'wrong_state'],
})

export const reverseInvoice = defineChange('POST /api/ops/reverseInvoice', 'operator', {
  summary: 'Marks an issued invoice for reversal, with the reason. The red invoice is then issued.',
  idempotent: false,
  input: z.object({ ...invoiceRef, reason: requiredText(100, '请填写红冲原因') }),
  output: emptyObject,
  errors: ['not_found', 'wrong_state'],
})

export const getPriceList = defineRead('POST /api/ops/getPriceList', 'operator', {
  summary: 'Lists the current and the default price of each product, and who last changed it and when.',
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
})

export const setPrice = defineChange('POST /api/ops/setPrice', 'operator', {
  summary: 'Changes a price from now on. Orders already placed keep theirs.',
  idempotent: false,
  input: z.object({ product_id: requiredText(30), price_fen: amount }),
  output: emptyObject,
  errors: ['not_found'],
})

export const getOpsNews = defineRead('POST /api/ops/getOpsNews', 'operator', {
  summary: 'Lists the news for all companies, newest first, withdrawn items included.',
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
})

export const publishNews = defineChange('POST /api/ops/publishNews', 'operator', {
  summary: 'Publishes a news item to all companies.',
  idempotent: false,
  input: z.object({
    kind: z.enum(eventsKinds),
    title: requiredText(60, '请填写标题'),
    summary: requiredText(120, '请填写摘要'),
    text: requiredText(5_000, '请填写正文'),
  }),
  output: z.object({ id }),
})

export const withdrawNews = defineChange('POST /api/ops/withdrawNews', 'operator', {
  summary: 'Withdraws a news item, so that no company sees it any more.',
  allowedOnFullDisk: true,
  idempotent: false,
  input: z.object({ id }),
  output: emptyObject,
  errors: ['not_found'],
})

export const resumeSending = defineChange('POST /api/ops/resumeSending', 'operator', {
  summary: 'Ends the pause of sending that follows a restore, once the old installation is stopped.',
  allowedOnFullDisk: true,
  idempotent: false,
  input: emptyObject,
  output: emptyObject,
  errors: ['not_found'],
})

const queue = z.object({ name: z.string(), waiting: z.int(), active: z.int(), failed: z.int(), oldest_s: z.int() })
export const getOpsHealth = defineRead('POST /api/ops/getOpsHealth', 'operator', {
  summary:
    "Returns the health of the server: disk space, memory, the queue and differences in the payment providers' statements.",
  isPolling: true,
  input: emptyObject,
  output: z.object({
    now: time,
    started_at: time,
    memory_mb: z.int(),
    /** The value is null where the database runs on another machine, because its disk is then unknown. */
    disk_free_mb: z.nullable(z.int()),
    disk_state: z.string(),
    /** Since when sending and all other jobs are paused after a restore; null while they run. */
    paused_since: z.nullable(time),
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
})
