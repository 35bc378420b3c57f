/** Orders: placed at the server's price, listed, given up. */
import { randomUUID } from 'node:crypto'
import type { InputOf, OutputOf } from '../../../contract/call.ts'
import * as contract from '../../../contract/corp/order.ts'
import { isoOf } from '../../../runtime/clock.ts'
import { type Ctx, handle, handleOutside, invalid, type OutsideCtx, refuse } from '../../../runtime/handle.ts'
import { newId } from '../../../runtime/ids.ts'
import type { EditionProduct } from '../rules/change.ts'
import { lives_ms, nextAskMs } from '../rules/order.ts'
import { priceOf, type SoldProduct } from '../rules/products.ts'
import type { Offer } from './calls.ts'
import { plannedChange } from './change.ts'
import { type OutsidePays, sayFailed } from './outside.ts'
import { editionHeld, productHeld } from './pool-list.ts'
import { soldAs } from './prices.ts'
import { newOrderNo, providerOf } from './settle.ts'
import { closeHere } from './work.ts'

type Shop = Offer & { readonly pays: OutsidePays }
type Bought = { readonly product_id: string; readonly count: number; readonly pay_type: contract.PayType }

export function orderHandlers(shop: Shop) {
  const { pays, transfer_account } = shop
  const offered = offeredOf(shop)

  const place = async (ctx: OutsideCtx, pay_type: contract.PayType, put: (inside: Ctx) => Promise<PutDown>) => {
    const { me } = ctx
    if (!me) throw refuse('signed_out')
    if (me.agency) throw refuse('not_permitted', '代理企业不能替对方付款，请联系对方的管理员')
    if (!offered.includes(pay_type)) throw invalid('pay_type', '这里不能用这种方式支付，请换一种')
    const placed = await ctx.deed(put)
    const provider = providerOf(pay_type)
    const pay = provider && pays[provider]
    const { name: _name, ...answer } = placed
    if (!pay) return { ...answer, code_url: null, transfer_account }
    const { order_no, amount_fen } = placed
    const asked = {
      order_no,
      amount_fen,
      title: `薪函 ${placed.name}`,
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
    return { ...answer, code_url, transfer_account: null }
  }
  const buy = async (inside: Ctx, bought: Bought, only?: SoldProduct['kind']) =>
    putDown(inside, await wishOf(inside, shop, bought, only))

  return {
    paySend: handleOutside(contract.paySend, (ctx, bought) => place(ctx, bought.pay_type, (inside) => buy(inside, bought))),
    rechargeSMS: handleOutside(contract.rechargeSMS, (ctx, bought) =>
      place(ctx, bought.pay_type, (inside) => buy(inside, bought, 'sms')),
    ),
    changeEdition: handleOutside(contract.changeEdition, (ctx, { product_id, pay_type }) =>
      place(ctx, pay_type, async (inside) => {
        if (!shop.billing) throw refuse('not_found', '没有这个商品，请刷新后重选')
        const change = await plannedChange(inside, product_id)
        const { amount_fen, to, until } = change
        return putDown(inside, { product: to, count: 1, pay_type, amount_fen, change: { from: change.from.id, until } })
      }),
    ),
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

type Wish = {
  readonly product: SoldProduct
  readonly count: number
  readonly pay_type: contract.PayType
  readonly amount_fen: number
  readonly change: { readonly from: string; readonly until: Date } | null
}
type PutDown = { readonly order_no: string; readonly amount_fen: number; readonly expires_at: string; readonly name: string }

/** Whether something that runs would end by it: another product, or a higher edition that came by no order of ours. */
async function wouldLose(ctx: Ctx, { id, edition }: EditionProduct): Promise<boolean> {
  const held = await productHeld(ctx)
  if (held) return held.product.id !== id
  const { edition: now, edition_until: until, trial_until } = await editionHeld(ctx)
  return trial_until === null && until !== null && until > ctx.now && now > edition
}

/** What is bought, at the price of now. Another edition than runs would throw away what is left of it. */
async function wishOf(ctx: Ctx, shop: Shop, { product_id, count, pay_type }: Bought, only?: SoldProduct['kind']): Promise<Wish> {
  const product = shop.billing ? await soldAs(ctx, product_id) : null
  if (!product || (only && product.kind !== only)) throw refuse('not_found', '没有这个商品，请刷新后重选')
  const amount_fen = priceOf(product, count)
  if (amount_fen === null) throw invalid('count', `一次最多买 ${product.most} 份`)
  if (product.kind === 'edition' && (await wouldLose(ctx, product)))
    throw refuse('wrong_state', '现有版本还在有效期内：升级请用「变更版本」按剩余天数补差价，较低的版本请到期后购买', {
      status: 'running',
    })
  return { product, count, pay_type, amount_fen, change: null }
}

async function putDown(ctx: Ctx, { product, count, pay_type, amount_fen, change }: Wish): Promise<PutDown> {
  const { db, company_id, me, now } = ctx
  const lives_until = new Date(now.getTime() + lives_ms[pay_type])
  const expires_at = change && change.until < lives_until ? change.until : lives_until
  const [order_no, product_name] = [newOrderNo(), change ? `变更为 ${product.name}` : product.name]
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
      by_name: me.name,
      account_id: me.account_id,
      created_at: now,
      expires_at,
      change_from: change?.from ?? null,
      change_until: change?.until ?? null,
    })
    .execute()
  await db.insertInto('order_door').values({ order_no, company_id }).execute()
  if (pay_type !== 'transfer') {
    const start_after = new Date(Date.now() + nextAskMs(0))
    await ctx.jobs.send('pay-ask', { company_id, order_no, tries: 0 }, { start_after, id: randomUUID() })
  }
  return { order_no, amount_fen, expires_at: isoOf(expires_at), name: product_name }
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
      join
        .onRef('invoice_order.company_id', '=', 'pay_order.company_id')
        .onRef('invoice_order.order_id', '=', 'pay_order.id')
        .on('invoice_order.live', '=', true),
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
    created_at: isoOf(created_at),
    expires_at: isoOf(expires_at),
    paid_at: paid_at && isoOf(paid_at),
    code_url: row.status === 'waiting' ? code_url : null,
    transfer_account: row.status === 'waiting' && row.pay_type === 'transfer' ? account : null,
    invoiced: invoice_id !== null,
    is_change: change_from !== null,
  }))
  return { list, page: { page, pagesize, total } }
}
