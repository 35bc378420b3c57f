/** Invoices: applied for paid orders, each order once, of exactly their sum. */
import { sql } from 'kysely'
import * as contract from '../../../contract/corp/order.ts'
import { sum } from '../../../contract/money.ts'
import { normalCreditCode } from '../../../rules/credit-code.ts'
import { isoOf } from '../../../runtime/clock.ts'
import { handle, invalid, refuse } from '../../../runtime/handle.ts'
import { newId } from '../../../runtime/ids.ts'
import { invoiceFault } from '../rules/order.ts'

export const createInvoice = handle(contract.createInvoice, async (ctx, { order_nos, kind, title, tax_no, email }) => {
  const { db, company_id, me, now } = ctx
  if (me.agency) throw refuse('not_permitted', '代理企业不能替对方申请发票，请联系对方的管理员')
  const fault = invoiceFault({ kind, tax_no, email })
  if (fault) throw invalid(fault.field, fault.why)
  const wanted = [...new Set(order_nos)]
  // Held: of two applications at once the second finds the first.
  const orders = await db
    .selectFrom('pay_order')
    .select(['id', 'status', 'amount_fen'])
    .where('company_id', '=', company_id)
    .where('order_no', 'in', wanted)
    .orderBy('id')
    .forUpdate()
    .execute()
  if (orders.length < wanted.length) throw refuse('not_found', '没有找到所选的订单，请刷新后重选')
  const unpaid = orders.find(({ status }) => status !== 'paid')
  if (unpaid) throw refuse('wrong_state', '只有已支付的订单可以开发票，请重选', { status: unpaid.status })
  const invoiced = await db
    .selectFrom('invoice_order')
    .select('id')
    .where('company_id', '=', company_id)
    .where(
      'order_id',
      'in',
      orders.map(({ id }) => id),
    )
    .executeTakeFirst()
  if (invoiced) throw refuse('wrong_state', '所选订单里有已经申请过发票的，请刷新后重选', { status: 'invoiced' })
  const id = newId()
  const amount_fen = sum(orders.map((one) => one.amount_fen))
  const billed = { kind, title, tax_no: normalCreditCode(tax_no), email, amount_fen }
  await db
    .insertInto('invoice')
    .values({ company_id, id, status: 'waiting', ...billed, created_at: now })
    .execute()
  await db
    .insertInto('invoice_order')
    .values(orders.map((order) => ({ company_id, id: newId(), invoice_id: id, order_id: order.id })))
    .execute()
  ctx.about({ invoice_id: id, orders: orders.length })
  return { invoice_id: id, amount_fen }
})

export const getInvoiceList = handle(contract.getInvoiceList, async ({ db, company_id }, { page, pagesize }) => {
  const mine = db.selectFrom('invoice').where('invoice.company_id', '=', company_id)
  const { total } = await mine.select(({ fn }) => fn.countAll<number>().as('total')).executeTakeFirstOrThrow()
  const rows = await mine
    .select(['id as invoice_id', 'kind', 'status', 'title', 'tax_no', 'email', 'amount_fen', 'created_at', 'file_id'])
    .select(
      sql<string[]>`array(
        select pay_order.order_no from invoice_order join pay_order
          on pay_order.company_id = invoice_order.company_id and pay_order.id = invoice_order.order_id
        where invoice_order.company_id = ${company_id} and invoice_order.invoice_id = invoice.id order by pay_order.order_no)`.as(
        'order_nos',
      ),
    )
    .orderBy('created_at', 'desc')
    .orderBy('id')
    .limit(pagesize)
    .offset((page - 1) * pagesize)
    .execute()
  return {
    list: rows.map(({ created_at, ...row }) => ({ ...row, created_at: isoOf(created_at) })),
    page: { page, pagesize, total },
  }
})
