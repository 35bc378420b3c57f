/** Products, prepaid resources, orders, payment and invoices. calls.md §8. */
import * as z from 'zod/mini'
import { requirePower } from '../access.ts'
import { defineCall } from '../call.ts'
import { emptyObject, fen, id, optionalText, pageParams, paginatedList, requiredText, time } from '../shared/schemas.ts'
import { features } from './editions.ts'

const purchasers = requirePower('1', '2')

export const payTypes = ['alipay', 'wechat', 'transfer'] as const
export type PayType = (typeof payTypes)[number]
export const orderStatuses = ['waiting', 'paid', 'closed', 'refunded'] as const
export type OrderStatus = (typeof orderStatuses)[number]
export const invoiceKinds = ['normal', 'special'] as const
export type InvoiceKind = (typeof invoiceKinds)[number]
/**
 * `returned`: sent back with a reason · `reversing`: issued, and a red-letter invoice must follow · `reversed`: the
 * red-letter invoice was issued. An invoice that is returned or reversed can be applied for again.
 */
export const invoiceStatuses = ['waiting', 'issued', 'returned', 'reversing', 'reversed'] as const
export type InvoiceStatus = (typeof invoiceStatuses)[number]
export const prepaidEntryKinds = ['opening', 'given', 'bought', 'used', 'unused', 'returned'] as const

const maxManualConsumption = 100_000
const product_id = z.string().check(z.regex(/^[a-z0-9-]{1,30}$/, '没有这个商品'))
/** The prefix XH and 24 characters that cannot be guessed by counting. */
export const orderNo = z.string().check(z.regex(/^XH[0-9A-Z]{24}$/, '订单号不正确'))
const product = z.object({
  product_id: z.string(),
  kind: z.enum(['sms', 'edition']),
  name: z.string(),
  note: z.string(),
  price_fen: fen,
  /** The maximum quantity per order. */
  max_count: z.int(),
})

export const getProductInfo = defineCall('POST /api/Order/getProductInfo', {
  summary: 'Returns one product with its price.',
  access: purchasers,
  idempotent: false,
  audit: 'none',
  input: z.object({ product_id }),
  output: product,
  errors: ['not_found'],
})

export const getProductList = defineCall('POST /api/Pay/getProductList', {
  summary:
    'Lists the products, the features of each edition and the payment methods of this server. Empty when billing is switched off.',
  access: purchasers,
  idempotent: false,
  audit: 'none',
  input: emptyObject,
  output: z.object({
    billing: z.boolean(),
    list: z.array(product),
    pay_types: z.array(z.enum(payTypes)),
    editions: z.array(z.object({ TYPE: z.literal([50, 53, 60]), name: z.string(), features: z.array(z.enum(features)) })),
  }),
  errors: [],
})

export const getResourceList = defineCall('POST /api/Pay/getResourceList', {
  summary: 'Returns the prepaid balances that are left, and the edition with its end date.',
  access: purchasers,
  idempotent: false,
  audit: 'none',
  input: emptyObject,
  output: z.object({
    list: z.array(
      z.object({
        resource: z.enum(['sms']),
        left: z.int(),
        /** Used and not refunded: this month, and in total. */
        used_month: z.int(),
        used: z.int(),
        bought: z.int(),
        low: z.boolean(),
      }),
    ),
    service: z.object({
      TYPE: z.literal([50, 53, 60]),
      /** Null: does not expire. */
      expires_at: z.nullable(time),
      days_left: z.int(),
      on_trial: z.boolean(),
      people: z.int(),
      /** The purchased product that is active; null: none, or a trial. */
      product_id: z.nullable(z.string()),
    }),
  }),
  errors: [],
})

export const getUseList = defineCall('POST /api/order/getUseList', {
  summary: 'Lists what was bought, used and returned, with time, user and batch, newest first.',
  access: purchasers,
  idempotent: false,
  audit: 'none',
  input: z.object({ kind: z.optional(z.enum(prepaidEntryKinds)), ...pageParams }),
  output: paginatedList(
    z.object({
      id,
      at: time,
      kind: z.enum(prepaidEntryKinds),
      /** The change of the balance; negative where it was used. */
      change: z.int(),
      /** Empty: changed automatically by the system. */
      by: z.string(),
      batch_id: z.nullable(id),
      order_no: z.nullable(z.string()),
      purpose: z.string(),
    }),
  ),
  errors: [],
})

export const consumptionPublicBySalaryAdmin = defineCall('POST /api/order/consumptionPublicBySalaryAdmin', {
  summary: "Deducts manually from the company's prepaid balance, with a purpose, for a use outside the product.",
  access: requirePower('2'),
  idempotent: true,
  audit: 'change',
  input: z.object({
    resource: z.enum(['sms']),
    count: z.int().check(z.gte(1, '至少 1 条'), z.lte(maxManualConsumption, `一次最多 ${maxManualConsumption} 条`)),
    purpose: requiredText(50, '请填写用途'),
  }),
  output: z.object({ remaining: z.int() }),
  errors: ['sms_used_up'],
})

const orderInput = {
  product_id,
  count: z.int().check(z.gte(1, '至少 1 份'), z.lte(1_000, '数量太多')),
  pay_type: z.enum(payTypes, '请选择支付方式'),
}
const placedOrder = z.object({
  order_no: z.string(),
  amount_fen: fen,
  expires_at: time,
  /** The content of a QR code to scan; null for a bank transfer. */
  code_url: z.nullable(z.string()),
  /** The account for a bank transfer; its reference is the order number. */
  transfer_account: z.nullable(z.string()),
})

export const rechargeSMS = defineCall('POST /api/Pay/rechargeSMS', {
  summary: 'Orders prepaid SMS. The server sets the price.',
  access: purchasers,
  idempotent: true,
  audit: 'change',
  rateLimit: 'costly',
  input: z.object(orderInput),
  output: placedOrder,
  errors: ['not_found', 'wrong_state', 'platform_refused'],
})

export const paySend = defineCall('POST /api/Pay/paySend', {
  summary: 'Orders any product. The server sets the price.',
  access: purchasers,
  idempotent: true,
  audit: 'change',
  rateLimit: 'costly',
  input: z.object(orderInput),
  output: placedOrder,
  errors: ['not_found', 'wrong_state', 'platform_refused'],
})

export const getPayStatus = defineCall('POST /api/Pay/getPayStatus', {
  summary: 'Returns whether an order is paid. The payment page polls it every two seconds.',
  access: purchasers,
  idempotent: false,
  audit: 'none',
  isPolling: true,
  input: z.object({ order_no: orderNo }),
  output: z.object({ status: z.enum(orderStatuses) }),
  errors: ['not_found'],
})

const order = z.object({
  order_no: z.string(),
  name: z.string(),
  count: z.int(),
  amount_fen: fen,
  pay_type: z.enum(payTypes),
  status: z.enum(orderStatuses),
  by: z.string(),
  created_at: time,
  expires_at: time,
  paid_at: z.nullable(time),
  code_url: z.nullable(z.string()),
  transfer_account: z.nullable(z.string()),
  invoiced: z.boolean(),
  /** The amount refunded, or being refunded. */
  refunded_fen: fen,
  /** The order changes an active edition until its end. */
  is_change: z.boolean(),
})

export const getOrderList = defineCall('POST /api/order/getOrderList', {
  summary: 'Lists the orders, newest first.',
  access: purchasers,
  idempotent: false,
  audit: 'none',
  /** With `order_no`: only that order. */
  input: z.object({ status: z.optional(z.enum(orderStatuses)), order_no: z.optional(orderNo), ...pageParams }),
  output: paginatedList(order),
  errors: [],
})

export const closeOrder = defineCall('POST /api/order/closeOrder', {
  summary: 'Cancels an unpaid order. A later payment is refunded.',
  access: purchasers,
  idempotent: true,
  audit: 'change',
  input: z.object({ order_no: orderNo }),
  output: emptyObject,
  errors: ['not_found', 'wrong_state'],
})

export const createInvoice = defineCall('POST /api/order/createInvoice', {
  summary: 'Applies for an invoice for paid orders, each of which can be invoiced once. The amount is the sum of the orders.',
  access: purchasers,
  idempotent: true,
  audit: 'change',
  input: z.object({
    order_nos: z.array(orderNo).check(z.minLength(1, '请选择订单'), z.maxLength(50, '一次最多 50 个订单')),
    kind: z.enum(invoiceKinds),
    title: requiredText(100, '请填写发票抬头'),
    tax_no: optionalText(30),
    email: requiredText(100, '请填写收票邮箱'),
  }),
  output: z.object({ invoice_id: id, amount_fen: fen }),
  errors: ['not_found', 'wrong_state'],
})

/** Invoice fields that both the applicant and the issuer see. */
export const invoiceFields = {
  invoice_id: id,
  kind: z.enum(invoiceKinds),
  status: z.enum(invoiceStatuses),
  title: z.string(),
  tax_no: z.string(),
  email: z.string(),
  amount_fen: fen,
  order_nos: z.array(z.string()),
  created_at: time,
  number: z.string(),
  red_number: z.string(),
  /** Why the invoice was returned or must be reversed. */
  reason: z.string(),
}

export const getInvoiceList = defineCall('POST /api/pay/getInvoiceList', {
  summary: 'Lists the invoices with orders, status and file.',
  access: purchasers,
  idempotent: false,
  audit: 'none',
  input: z.object({ ...pageParams }),
  output: paginatedList(
    z.object({
      ...invoiceFields,
      has_file: z.boolean(),
      has_red: z.boolean(),
    }),
  ),
  errors: [],
})

export const getInvoiceFile = defineCall('GET /api/pay/getInvoiceFile', {
  summary: 'Downloads the file of an issued invoice, or of the red invoice that reverses it.',
  access: purchasers,
  idempotent: false,
  audit: 'none',
  responseType: 'bytes',
  input: z.object({ invoice_id: id, reversal: z._default(z.enum(['0', '1']), '0') }),
  output: emptyObject,
  errors: ['not_found'],
})

export const getChangePrice = defineCall('POST /api/Pay/getChangePrice', {
  summary: 'Returns the price of a higher edition for the remaining days of the current one.',
  access: purchasers,
  idempotent: false,
  audit: 'none',
  input: z.object({ product_id }),
  /** `days`: the remaining days that are charged, including the current one. */
  output: z.object({ amount_fen: fen, days: z.int(), from: z.string(), to: z.string(), until: time }),
  errors: ['not_found', 'wrong_state'],
})

export const changeEdition = defineCall('POST /api/Pay/changeEdition', {
  summary: 'Orders a higher edition in place of the current one; the end date stays.',
  access: purchasers,
  idempotent: true,
  audit: 'change',
  rateLimit: 'costly',
  input: z.object({ product_id, pay_type: z.enum(payTypes, '请选择支付方式') }),
  output: placedOrder,
  errors: ['not_found', 'wrong_state', 'platform_refused'],
})
