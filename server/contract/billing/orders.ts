/** Products, prepaid resources, orders, payment and invoices. calls.md §8. */
import * as z from 'zod/mini'
import { requirePower } from '../access.ts'
import { defineChange, defineRead } from '../call.ts'
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
/** Digits for a bank transfer, because the payer types the number into the bank's form as its reference. */
export const orderNo = z.string().check(z.regex(/^(?:XH[0-9A-Z]{24}|[0-9]{6,9})$/, '订单号不正确'))
const product = z.object({
  product_id: z.string(),
  kind: z.enum(['sms', 'edition']),
  name: z.string(),
  note: z.string(),
  price_fen: fen,
  /** The maximum quantity per order. */
  max_count: z.int(),
})

export const getProductInfo = defineRead('POST /api/Order/getProductInfo', purchasers, {
  summary: 'Returns one product with its price.',
  input: z.object({ product_id }),
  output: product,
  errors: ['not_found'],
})

export const getProductList = defineRead('POST /api/Pay/getProductList', purchasers, {
  summary:
    'Lists the products, the features of each edition and the payment methods of this server. Empty when billing is switched off.',
  input: emptyObject,
  output: z.object({
    billing: z.boolean(),
    list: z.array(product),
    pay_types: z.array(z.enum(payTypes)),
    editions: z.array(z.object({ TYPE: z.literal([50, 53, 60]), name: z.string(), features: z.array(z.enum(features)) })),
  }),
})

export const getResourceList = defineRead('POST /api/Pay/getResourceList', purchasers, {
  summary: 'Returns the prepaid balances that are left, and the edition with its end date.',
  input: emptyObject,
  output: z.object({
    list: z.array(
      z.object({
        resource: z.enum(['sms']),
        left: z.int(),
        /** Used messages that were not refunded: this month, and in total. */
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
})

export const getUseList = defineRead('POST /api/order/getUseList', purchasers, {
  summary: 'Lists what was bought, used and returned, with time, user and batch, newest first.',
  input: z.object({ kind: z.optional(z.enum(prepaidEntryKinds)), ...pageParams }),
  output: paginatedList(
    z.object({
      id,
      at: time,
      kind: z.enum(prepaidEntryKinds),
      /** The change of the balance; negative where it was used. */
      change: z.int(),
      /** The text is empty if the system made the change automatically. */
      by: z.string(),
      /** What it was used for: `plan` (the sending of a batch), `remind`, `invite`, … */
      occasion: z.string(),
      batch_id: z.nullable(id),
      order_no: z.nullable(z.string()),
      purpose: z.string(),
    }),
  ),
})

export const consumptionPublicBySalaryAdmin = defineChange('POST /api/order/consumptionPublicBySalaryAdmin', requirePower('2'), {
  summary: "Deducts manually from the company's prepaid balance, with a purpose, for a use outside the product.",
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

export const rechargeSMS = defineChange('POST /api/Pay/rechargeSMS', purchasers, {
  summary: 'Orders prepaid SMS. The server sets the price.',
  rateLimit: 'costly',
  input: z.object(orderInput),
  output: placedOrder,
  errors: ['not_found', 'wrong_state', 'platform_refused'],
})

export const paySend = defineChange('POST /api/Pay/paySend', purchasers, {
  summary: 'Orders any product. The server sets the price.',
  rateLimit: 'costly',
  input: z.object(orderInput),
  output: placedOrder,
  errors: ['not_found', 'wrong_state', 'platform_refused'],
})

export const getPayStatus = defineRead('POST /api/Pay/getPayStatus', purchasers, {
  summary: 'Returns whether an order is paid. The payment page polls it every two seconds.',
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

export const getOrderList = defineRead('POST /api/order/getOrderList', purchasers, {
  summary: 'Lists the orders, newest first.',
  /** With `order_no`: only that order. */
  input: z.object({ status: z.optional(z.enum(orderStatuses)), order_no: z.optional(orderNo), ...pageParams }),
  output: paginatedList(order),
})

export const closeOrder = defineChange('POST /api/order/closeOrder', purchasers, {
  summary: 'Cancels an unpaid order. A later payment is refunded.',
  input: z.object({ order_no: orderNo }),
  output: emptyObject,
  errors: ['not_found', 'wrong_state'],
})

export const createInvoice = defineChange('POST /api/order/createInvoice', purchasers, {
  summary: 'Applies for an invoice for paid orders, each of which can be invoiced once. The amount is the sum of the orders.',
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

export const getInvoiceList = defineRead('POST /api/pay/getInvoiceList', purchasers, {
  summary: 'Lists the invoices with orders, status and file.',
  input: z.object({ ...pageParams }),
  output: paginatedList(
    z.object({
      ...invoiceFields,
      has_file: z.boolean(),
      has_red: z.boolean(),
    }),
  ),
})

export const getInvoiceFile = defineRead('GET /api/pay/getInvoiceFile', purchasers, {
  summary: 'Downloads the file of an issued invoice, or of the red invoice that reverses it.',
  responseType: 'bytes',
  input: z.object({ invoice_id: id, reversal: z._default(z.enum(['0', '1']), '0') }),
  output: emptyObject,
  errors: ['not_found'],
})

export const getChangePrice = defineRead('POST /api/Pay/getChangePrice', purchasers, {
  summary: 'Returns the price of a higher edition for the remaining days of the current one.',
  input: z.object({ product_id }),
  /** `days`: the remaining days that are charged, including the current one. */
  output: z.object({ amount_fen: fen, days: z.int(), from: z.string(), to: z.string(), until: time }),
  errors: ['not_found', 'wrong_state'],
})

export const changeEdition = defineChange('POST /api/Pay/changeEdition', purchasers, {
  summary: 'Orders a higher edition in place of the current one; the end date stays.',
  rateLimit: 'costly',
  input: z.object({ product_id, pay_type: z.enum(payTypes, '请选择支付方式') }),
  output: placedOrder,
  errors: ['not_found', 'wrong_state', 'platform_refused'],
})
