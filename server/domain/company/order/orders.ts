/** Orders: placed at the server's price, listed, given up. */
import { randomUUID } from 'node:crypto'
import type { InputOf, OutputOf } from '../../../contract/call.ts'
import * as contract from '../../../contract/corp/order.ts'
import { isoOf } from '../../../runtime/clock.ts'
import { type Ctx, handle, handleOutside, invalid, type OutsideCtx, refuse } from '../../../runtime/handle.ts'
import { newId } from '../../../runtime/ids.ts'
import { lives_ms, nextAskMs } from '../rules/order.ts'
import { priceOf, productOf, type SoldProduct } from '../rules/products.ts'
import type { Offer } from './calls.ts'
import { type OutsidePays, sayFailed } from './outside.ts'
import { newOrderNo, providerOf } from './settle.ts'
import { closeHere } from './work.ts'

type Shop = Offer & { readonly pays: OutsidePays }
type Bought = { readonly product_id: string; readonly count: number; readonly pay_type: contract.PayType }

export function orderHandlers(shop: Shop) {
  const { pays, transfer_account } = shop
  const offered = offeredOf(shop)

  const place = async (ctx: OutsideCtx, bought: Bought, only?: SoldProduct['kind']) => {
    const { me } = ctx
    if (!me) throw refuse('signed_out')
    if (me.agency) throw refuse('not_permitted', '代理企业不能替对方付款，请联系对方的管理员')
    const product = productOf(bought.product_id)
    if (!shop.billing || !product || (only && product.kind !== only)) throw refuse('not_found', '没有这个商品，请刷新后重选')
    if (!offered.includes(bought.pay_type)) throw invalid('pay_type', '这里不能用这种方式支付，请换一种')
    if (priceOf(product, bought.count) === null) throw invalid('count', `一次最多买 ${product.most} 份`)
    const placed = await ctx.deed((inside) => putDown(inside, product, bought))
    const provider = providerOf(bought.pay_type)
    const pay = provider && pays[provider]
    if (!pay) return { ...placed, code_url: null, transfer_account }
    const { order_no, amount_fen } = placed
    const asked = {
      order_no,
      amount_fen,
      title: `薪函 ${product.name}`,
      expires_at: new Date(placed.expires_at),
      notify_url: `${ctx.origin}/api/pay/notify/${provider}`,
    }
    const code_url = await pay.create(ctx.outdoors, asked).catch(sayFailed)
    await ctx.inTransaction(({ db, company_id }) =>
      db
        .updateTable('pay_order')
        .set({ code_url })
        .where('company_id', '=', company_id)
        .where('order_no', '=', order_no)
        .execute(),
    )
    return { ...placed, code_url, transfer_account: null }
  }

  return {
    paySend: handleOutside(contract.paySend, (ctx, bought) => place(ctx, bought)),
    rechargeSMS: handleOutside(contract.rechargeSMS, (ctx, bought) => place(ctx, bought, 'sms')),
    getPayStatus,
    getOrderList: handle(contract.getOrderList, (ctx, asked) => listOrders(ctx, asked, transfer_account)),
    closeOrder: handleOutside(contract.closeOrder, async (ctx, { order_no }) => {
      const { database, jobs, now } = ctx
      const { company_id, pay_type } = await ctx.deed(async (inside) => ({
        company_id: inside.company_id,
        ...(await orderOf(inside, order_no)),
      }))
      const provider = providerOf(pay_type)
      // First there, so that it cannot be paid any more; whoever has paid meanwhile has bought it.
      if (provider) await pays[provider]?.close(ctx.outdoors, order_no).catch(sayFailed)
      const parts = { database, jobs, clock: { now: () => now } }
      if (!(await closeHere(parts, { company_id, order_no })))
        throw refuse('wrong_state', '这笔订单已经支付，不能关闭', { status: 'paid' })
      return {}
    }),
  }
}

/** Ways to pay that are configured here; the others are not offered. */
export const offeredOf = ({ billing, pays, transfer_account }: Shop): contract.PayType[] =>
  billing ? contract.payTypes.filter((one) => (one === 'transfer' ? transfer_account !== null : pays[one] !== undefined)) : []

async function putDown(ctx: Ctx, product: SoldProduct, { count, pay_type }: Bought) {
  const { db, company_id, me, now } = ctx
  const amount_fen = priceOf(product, count) ?? 0
  const [order_no, expires_at] = [newOrderNo(), new Date(now.getTime() + lives_ms[pay_type])]
  await db
    .insertInto('pay_order')
    .values({
      company_id,
      id: newId(),
      order_no,
      product_id: product.id,
      product_name: product.name,
      count,
      amount_fen,
      pay_type,
      status: 'waiting',
      by_name: me.name,
      account_id: me.account_id,
      created_at: now,
      expires_at,
    })
    .execute()
  await db.insertInto('order_door').values({ order_no, company_id }).execute()
  if (pay_type !== 'transfer') {
    const start_after = new Date(Date.now() + nextAskMs(0))
    await ctx.jobs.send('pay-ask', { company_id, order_no, tries: 0 }, { start_after, id: randomUUID() })
  }
  return { order_no, amount_fen, expires_at: isoOf(expires_at) }
}

async function orderOf({ db, company_id }: Pick<Ctx, 'db' | 'company_id'>, order_no: string) {
  const row = await db
    .selectFrom('pay_order')
    .select(['id', 'status', 'pay_type', 'amount_fen'])
    .where('company_id', '=', company_id)
    .where('order_no', '=', order_no)
    .executeTakeFirst()
  if (!row) throw refuse('not_found', '没有找到这笔订单，请刷新')
  return row
}

const getPayStatus = handle(contract.getPayStatus, async (ctx, { order_no }) => ({
  status: (await orderOf(ctx, order_no)).status,
}))

type Listed = OutputOf<typeof contract.getOrderList>
async function listOrders(
  { db, company_id }: Ctx,
  { status, order_no, page, pagesize }: InputOf<typeof contract.getOrderList>,
  account: string | null,
): Promise<Listed> {
  let orders = db.selectFrom('pay_order').where('pay_order.company_id', '=', company_id)
  if (status) orders = orders.where('status', '=', status)
  if (order_no) orders = orders.where('order_no', '=', order_no)
  const { total } = await orders.select(({ fn }) => fn.countAll<number>().as('total')).executeTakeFirstOrThrow()
  const rows = await orders
    .leftJoin('invoice_order', (join) =>
      join.onRef('invoice_order.company_id', '=', 'pay_order.company_id').onRef('invoice_order.order_id', '=', 'pay_order.id'),
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
    .select(['paid_at', 'code_url', 'invoice_order.id as invoice_id'])
    .orderBy('created_at', 'desc')
    .orderBy('pay_order.id', 'desc')
    .limit(pagesize)
    .offset((page - 1) * pagesize)
    .execute()
  const list = rows.map(({ created_at, expires_at, paid_at, invoice_id, code_url, ...row }) => ({
    ...row,
    created_at: isoOf(created_at),
    expires_at: isoOf(expires_at),
    paid_at: paid_at && isoOf(paid_at),
    code_url: row.status === 'waiting' ? code_url : null,
    transfer_account: row.status === 'waiting' && row.pay_type === 'transfer' ? account : null,
    invoiced: invoice_id !== null,
  }))
  return { list, page: { page, pagesize, total } }
}
