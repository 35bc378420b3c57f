/** Orders: placed at the server's price, listed and canceled. */
import { randomUUID } from 'node:crypto'
import * as contract from '../../contract/billing/orders.ts'
import type { CallInput, CallOutput } from '../../contract/call.ts'
import type { CompanyTx } from '../../database/company-tx.ts'
import { defineHandler, type ExternalContext, fail, type HandlerContext, invalidInput } from '../../http/handler.ts'
import { toIsoTimestamp } from '../../shared/clock.ts'
import { newId } from '../../shared/ids.ts'
import { quoteEditionChange } from './edition-change.ts'
import { type ExternalPaymentProviders, throwPaymentUnavailable } from './external-payment-providers.ts'
import type { BillingOptions } from './options.ts'
import { closeOrderIfUnpaid } from './payment-jobs.ts'
import { generateOrderNumber, generateTransferNumber, toPaymentProviderName } from './payments.ts'
import { findActiveEditionProduct, getStoredEdition } from './prepaid-usage.ts'
import { findProduct } from './prices.ts'
import type { EditionProduct } from './rules/edition-change.ts'
import { getStatusCheckDelayMs, orderLifetimesMs } from './rules/order.ts'
import { type BillingProduct, computePrice } from './rules/products.ts'

type BillingContext = BillingOptions & { readonly payments: ExternalPaymentProviders }
type PurchaseInput = { readonly product_id: string; readonly count: number; readonly pay_type: contract.PayType }

export function createOrderHandlers(billing: BillingContext) {
  const { payments, transfer_account } = billing
  const payTypes = getAvailablePayTypes(billing)

  const createOrder = async (
    ctx: ExternalContext,
    pay_type: contract.PayType,
    createOrder: (inside: HandlerContext) => Promise<PlacedOrder>,
  ) => {
    const { me } = ctx
    if (!me) throw fail('signed_out')
    if (me.agency) throw fail('not_permitted', '代理企业不能替对方付款，请联系对方的管理员')
    if (!payTypes.includes(pay_type)) throw invalidInput('pay_type', '这里不能用这种方式支付，请换一种')
    const placed = await ctx.mutate(createOrder)
    const provider = toPaymentProviderName(pay_type)
    const pay = provider && payments[provider]
    const { name: _name, ...result } = placed
    if (!pay) return { ...result, code_url: null, transfer_account }
    const { order_no, amount_fen } = placed
    const request = {
      order_no,
      amount_fen,
      title: `薪函 ${placed.name}`,
      expires_at: new Date(placed.expires_at),
      notify_url: `${ctx.origin}/api/pay/notify/${provider}`,
    }
    const code_url = await pay.createOrder(ctx.noTransaction, request).catch(throwPaymentUnavailable)
    await ctx.inTransaction(({ db, company_id }) =>
      db
        .updateTable('pay_order')
        .set({ code_url })
        .where('company_id', '=', company_id)
        .where('order_no', '=', order_no)
        .execute(),
    )
    return { ...result, code_url, transfer_account: null }
  }
  const purchase = async (inside: HandlerContext, bought: PurchaseInput, only?: BillingProduct['kind']) =>
    insertOrder(inside, await buildOrderDraft(inside, billing, bought, only))

  return {
    paySend: defineHandler(contract.paySend, { kind: 'external' }, (ctx, input) =>
      createOrder(ctx, input.pay_type, (tx) => purchase(tx, input)),
    ),
    rechargeSMS: defineHandler(contract.rechargeSMS, { kind: 'external' }, (ctx, input) =>
      createOrder(ctx, input.pay_type, (tx) => purchase(tx, input, 'sms')),
    ),
    changeEdition: defineHandler(contract.changeEdition, { kind: 'external' }, (ctx, { product_id, pay_type }) =>
      createOrder(ctx, pay_type, async (tx) => {
        if (!billing.billing) throw fail('not_found', '没有这个商品，请刷新后重选')
        const change = await quoteEditionChange(tx, product_id)
        const { amount_fen, to, until } = change
        return insertOrder(tx, { product: to, count: 1, pay_type, amount_fen, change: { from: change.from.id, until } })
      }),
    ),
    getPayStatus,
    getOrderList: defineHandler(contract.getOrderList, (ctx, request) => listOrders(ctx, request, transfer_account)),
    closeOrder: defineHandler(contract.closeOrder, { kind: 'external' }, async (ctx, { order_no }) => {
      const { database, jobs, now } = ctx
      const { company_id, pay_type } = await ctx.mutate(async (tx) => ({
        company_id: tx.company_id,
        ...(await requireOrder(tx, order_no)),
      }))
      const provider = toPaymentProviderName(pay_type)
      // The order is closed at the provider first, so that it cannot be paid any more; an order paid in the meantime is
      // completed.
      if (provider) await payments[provider]?.closeOrder(ctx.noTransaction, order_no).catch(throwPaymentUnavailable)
      const deps = { database, jobs, clock: { now: () => now } }
      if (!(await closeOrderIfUnpaid(deps, { company_id, order_no })))
        throw fail('wrong_state', '这笔订单已经支付，不能关闭', { status: 'paid' })
      return {}
    }),
  }
}

/** Returns the configured payment methods; others are not offered. */
export const getAvailablePayTypes = ({ billing, payments, transfer_account }: BillingContext): contract.PayType[] =>
  billing ? contract.payTypes.filter((one) => (one === 'transfer' ? transfer_account !== null : payments[one] !== undefined)) : []

type OrderDraft = {
  readonly product: BillingProduct
  readonly count: number
  readonly pay_type: contract.PayType
  readonly amount_fen: number
  readonly change: { readonly from: string; readonly until: Date } | null
}
type PlacedOrder = { readonly order_no: string; readonly amount_fen: number; readonly expires_at: string; readonly name: string }

/** Whether the purchase would end a running edition: another product, or a higher edition that did not come from an order. */
async function replacesRunningEdition(ctx: HandlerContext, { id, edition }: EditionProduct): Promise<boolean> {
  const current = await findActiveEditionProduct(ctx)
  if (current) return current.product.id !== id
  const { edition: currentEdition, edition_until: until, trial_until } = await getStoredEdition(ctx)
  return trial_until === null && until !== null && until > ctx.now && currentEdition > edition
}

/** Builds the order at the current price. Throws where another edition would discard the remaining term of the running one. */
async function buildOrderDraft(
  ctx: HandlerContext,
  billing: BillingContext,
  { product_id, count, pay_type }: PurchaseInput,
  only?: BillingProduct['kind'],
): Promise<OrderDraft> {
  const product = billing.billing ? await findProduct(ctx, product_id) : null
  if (!product || (only && product.kind !== only)) throw fail('not_found', '没有这个商品，请刷新后重选')
  const amount_fen = computePrice(product, count)
  if (amount_fen === null) throw invalidInput('count', `一次最多买 ${product.max_count} 份`)
  if (product.kind === 'edition' && (await replacesRunningEdition(ctx, product)))
    throw fail('wrong_state', '现有套餐还在有效期内：升级请用「变更套餐」按剩余天数补差价，较低的套餐请到期后购买', {
      status: 'running',
    })
  return { product, count, pay_type, amount_fen, change: null }
}

async function insertOrder(
  ctx: HandlerContext,
  { product, count, pay_type, amount_fen, change }: OrderDraft,
): Promise<PlacedOrder> {
  const { db, company_id, currentUser, now } = ctx
  const defaultExpiry = new Date(now.getTime() + orderLifetimesMs[pay_type])
  const expires_at = change && change.until < defaultExpiry ? change.until : defaultExpiry
  const order_no = await reserveOrderNumber(ctx, pay_type)
  const product_name = change ? `变更为 ${product.name}` : product.name
  await db
    .insertInto('pay_order')
    .values({
      company_id,
      id: newId(),
      order_no,
      product_id: product.id,
      product_name,
      count,
      amount_fen,
      pay_type,
      status: 'waiting',
      by_name: currentUser.name,
      account_id: currentUser.account_id,
      created_at: now,
      expires_at,
      change_from: change?.from ?? null,
      change_until: change?.until ?? null,
    })
    .execute()
  if (pay_type !== 'transfer') {
    const start_after = new Date(Date.now() + getStatusCheckDelayMs(0))
    await ctx.jobs.send('pay-ask', { company_id, order_no, attempts: 0 }, { start_after, id: randomUUID() })
  }
  return { order_no, amount_fen, expires_at: toIsoTimestamp(expires_at), name: product_name }
}

/** Short numbers are taken at random; after some that exist already a longer one is tried. */
const transferDigits = [6, 6, 6, 6, 7, 8, 9]

async function reserveOrderNumber({ db, company_id }: CompanyTx, pay_type: contract.PayType): Promise<string> {
  const candidates = pay_type === 'transfer' ? transferDigits.map(generateTransferNumber) : [generateOrderNumber()]
  for (const order_no of candidates) {
    const { numInsertedOrUpdatedRows: count } = await db
      .insertInto('order_lookup')
      .values({ order_no, company_id })
      .onConflict((conflict) => conflict.doNothing())
      .executeTakeFirstOrThrow()
    if (count) return order_no
  }
  throw new Error('every number tried for an order exists already')
}

async function requireOrder({ db, company_id }: CompanyTx, order_no: string) {
  const row = await db
    .selectFrom('pay_order')
    .select(['id', 'status', 'pay_type', 'amount_fen'])
    .where('company_id', '=', company_id)
    .where('order_no', '=', order_no)
    .executeTakeFirst()
  if (!row) throw fail('not_found', '没有找到这笔订单，请刷新')
  return row
}

const getPayStatus = defineHandler(contract.getPayStatus, async (ctx, { order_no }) => ({
  status: (await requireOrder(ctx, order_no)).status,
}))

type OrderListOutput = CallOutput<typeof contract.getOrderList>
async function listOrders(
  { db, company_id }: HandlerContext,
  { status, order_no, page, pagesize }: CallInput<typeof contract.getOrderList>,
  account: string | null,
): Promise<OrderListOutput> {
  let orders = db.selectFrom('pay_order').where('pay_order.company_id', '=', company_id)
  if (status) orders = orders.where('status', '=', status)
  if (order_no) orders = orders.where('order_no', '=', order_no)
  const { total } = await orders.select(({ fn }) => fn.countAll<number>().as('total')).executeTakeFirstOrThrow()
  const rows = await orders
    .leftJoin('invoice_order', (join) =>
      join
        .onRef('invoice_order.company_id', '=', 'pay_order.company_id')
        .onRef('invoice_order.order_id', '=', 'pay_order.id')
        .on('invoice_order.is_active', '=', true),
    )
    .select([
      'order_no',
      'product_name as name',
      'count',
      'amount_fen',
      'pay_type',
      'status',
      'by_name as by',
      'created_at',
      'expires_at',
    ])
    .select(['paid_at', 'code_url', 'refunded_fen', 'change_from', 'invoice_order.id as invoice_id'])
    .orderBy('created_at', 'desc')
    .orderBy('pay_order.id', 'desc')
    .limit(pagesize)
    .offset((page - 1) * pagesize)
    .execute()
  const list = rows.map(({ created_at, expires_at, paid_at, invoice_id, code_url, change_from, ...row }) => ({
    ...row,
    created_at: toIsoTimestamp(created_at),
    expires_at: toIsoTimestamp(expires_at),
    paid_at: paid_at && toIsoTimestamp(paid_at),
    code_url: row.status === 'waiting' ? code_url : null,
    transfer_account: row.status === 'waiting' && row.pay_type === 'transfer' ? account : null,
    invoiced: invoice_id !== null,
    is_change: change_from !== null,
  }))
  return { list, page: { page, pagesize, total } }
}
