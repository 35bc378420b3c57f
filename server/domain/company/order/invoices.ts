/** Invoices: applied for paid orders, each order once, of exactly their sum. */
import { sql } from 'kysely'
import * as contract from '../../../contract/corp/order.ts'
import { sum } from '../../../contract/words/money.ts'
import { normalCreditCode } from '../../../rules/credit-code.ts'
import { isoOf } from '../../../runtime/clock.ts'
import { handle, handleOutside, invalid, type OpsCompany, refuse } from '../../../runtime/handle.ts'
import { newId } from '../../../runtime/ids.ts'
import { invoiceFault } from '../rules/order.ts'
import { type InvoiceEvent, invoiceAfter, isOver } from '../rules/refund.ts'

export const createInvoice = handle(contract.createInvoice, async (ctx, { order_nos, kind, title, tax_no, email }) => {
  const { db, company_id, me, now } = ctx
  if (me.agency) throw refuse('not_permitted', '代理企业不能替对方申请发票，请联系对方的管理员')
  const fault = invoiceFault({ kind, tax_no, email })
  if (fault) throw invalid(fault.field, fault.why)
  const wanted = [...new Set(order_nos)]
  // Held: of two applications at once the second finds the first.
  const orders = await db
    .selectFrom('pay_order')
    .select(['id', 'status', 'amount_fen', 'refunded_fen'])
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
    .where('live', '=', true)
    .where(
      'order_id',
      'in',
      orders.map(({ id }) => id),
    )
    .executeTakeFirst()
  if (invoiced) throw refuse('wrong_state', '所选订单里有已经申请过发票的，请刷新后重选', { status: 'invoiced' })
  const id = newId()
  const amount_fen = sum(orders.map((one) => one.amount_fen - one.refunded_fen))
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

const hasFile = (company_id: string, red: boolean) => sql<boolean>`exists (
  select from invoice_file where invoice_file.company_id = ${company_id} and invoice_file.invoice_id = invoice.id and red = ${red})`

export const getInvoiceList = handle(contract.getInvoiceList, async ({ db, company_id }, { page, pagesize }) => {
  const mine = db.selectFrom('invoice').where('invoice.company_id', '=', company_id)
  const { total } = await mine.select(({ fn }) => fn.countAll<number>().as('total')).executeTakeFirstOrThrow()
  const rows = await mine
    .select(['id as invoice_id', 'kind', 'status', 'title', 'tax_no', 'email', 'amount_fen', 'created_at'])
    .select(['number', 'red_number', 'reason'])
    .select([hasFile(company_id, false).as('has_file'), hasFile(company_id, true).as('has_red')])
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

/** What the file is: by its first bytes, never by what it is called. */
const types = [
  ['pdf', 'application/pdf', /^%PDF-/],
  ['ofd', 'application/ofd', /^PK/],
  ['xml', 'application/xml', /^(?:\u00ef\u00bb\u00bf)?\s*<\?xml/],
] as const
const most_bytes = 5 * 1024 * 1024
const typeOf = (bytes: Buffer) => types.find(([, , begins]) => begins.test(bytes.subarray(0, 64).toString('latin1')))

const filePlace = (id: string) => ({ table: 'invoice_file', row: id, column: 'sealed' })

export const getInvoiceFile = handleOutside(contract.getInvoiceFile, async (ctx, { invoice_id, red }) => {
  const file = await ctx.inTransaction(({ db, company_id }) =>
    db
      .selectFrom('invoice_file')
      .select(['id', 'name', 'sealed'])
      .where('company_id', '=', company_id)
      .where('invoice_id', '=', invoice_id)
      .where('red', '=', red === '1')
      .executeTakeFirst(),
  )
  if (!file) throw refuse('not_found', '这张发票还没有文件，请稍后再看')
  const bytes = ctx.secrets.open(filePlace(file.id), file.sealed)
  ctx.sendBytes({ name: file.name, bytes, type: typeOf(bytes)?.[1] ?? 'application/octet-stream' })
  return {}
})

// By whoever runs the server: in a transaction of the invoice's company ------------------------------------------------------

async function lockedInvoice({ db, company_id }: OpsCompany, invoice_id: string) {
  const row = await db
    .selectFrom('invoice')
    .select(['id', 'status'])
    .where('company_id', '=', company_id)
    .where('id', '=', invoice_id)
    .forUpdate()
    .executeTakeFirst()
  if (!row) throw refuse('not_found', '没有找到这张发票，请刷新')
  return row
}

type Change = { readonly number?: string; readonly red_number?: string; readonly reason?: string; readonly issued_at?: Date }
/** Takes the turn that follows, or refuses; whoever applied hears of it. */
async function turnInvoice(here: OpsCompany, invoice_id: string, event: InvoiceEvent, change: Change) {
  const { db, company_id, now, jobs } = here
  const row = await lockedInvoice(here, invoice_id)
  const status = invoiceAfter(row.status, event)
  if (!status) throw refuse('wrong_state', '这张发票现在不能这样处理，请刷新后再看', { status: row.status })
  await db
    .updateTable('invoice')
    .set({ ...change, status, settled_at: now })
    .where('company_id', '=', company_id)
    .where('id', '=', invoice_id)
    .execute()
  if (isOver(status))
    await db
      .updateTable('invoice_order')
      .set({ live: false })
      .where('company_id', '=', company_id)
      .where('invoice_id', '=', invoice_id)
      .execute()
  if (status !== row.status) await jobs.send('invoice-told', { company_id, invoice_id, status })
  return { status }
}

type Issued = { readonly invoice_id: string; readonly number: string; readonly file: { readonly bytes: Buffer } }
/** With its number and file; of one that must be reversed, those of the red one. */
export async function issueIn(here: OpsCompany, { invoice_id, number, file }: Issued, seal: SealsFile) {
  const { db, company_id, now } = here
  const type = typeOf(file.bytes)
  if (!type || file.bytes.length > most_bytes) throw invalid('file', '请上传 5 MB 以内的 PDF、OFD 或 XML 发票文件')
  const { status: at } = await lockedInvoice(here, invoice_id)
  const red = at === 'reversing'
  const { status } = await turnInvoice(here, invoice_id, 'issue', red ? { red_number: number } : { number, issued_at: now })
  const id = newId()
  const name = `${red ? '红字发票' : '发票'}-${number}.${type[0]}`
  await db
    .insertInto('invoice_file')
    .values({ company_id, id, invoice_id, red, name, sealed: seal(filePlace(id), file.bytes), created_at: now })
    .execute()
  return status
}
type SealsFile = (place: ReturnType<typeof filePlace>, bytes: Buffer) => Buffer

export const returnIn = (here: OpsCompany, invoice_id: string, reason: string) =>
  turnInvoice(here, invoice_id, 'return', { reason })
export const reverseIn = (here: OpsCompany, invoice_id: string, reason: string) =>
  turnInvoice(here, invoice_id, 'reverse', { reason })

/** What became of the invoice of an order of which money went back. */
export type Shaken = 'none' | 'returned' | 'reversing'
export async function shakeInvoices(here: OpsCompany, order_id: string): Promise<Shaken> {
  const { db, company_id } = here
  const live = await db
    .selectFrom('invoice_order')
    .select('invoice_id')
    .where('company_id', '=', company_id)
    .where('order_id', '=', order_id)
    .where('live', '=', true)
    .executeTakeFirst()
  if (!live) return 'none'
  const { status } = await turnInvoice(here, live.invoice_id, 'refund', { reason: '订单有退款，按剩余金额重新开具' })
  return status === 'returned' ? 'returned' : 'reversing'
}
