/** Invoices: requested for paid orders, each order once, for exactly their sum. */
import { sql } from 'kysely'
import * as contract from '../../contract/billing/orders.ts'
import { sumFen } from '../../contract/shared/money.ts'
import { defineHandler, fail, invalidInput, type OperatorCompanyContext } from '../../http/handler.ts'
import { normalizeCreditCode } from '../../rules/credit-code.ts'
import { toIsoTimestamp } from '../../shared/clock.ts'
import { newId } from '../../shared/ids.ts'
import { validateInvoiceApplication } from './rules/order.ts'
import { getInvoiceTransition, type InvoiceEvent, isInvoiceFinal } from './rules/refund.ts'

export const createInvoice = defineHandler(contract.createInvoice, async (ctx, { order_nos, kind, title, tax_no, email }) => {
  const { db, company_id, currentUser, now } = ctx
  if (currentUser.agency) throw fail('not_permitted', '代理企业不能替对方申请发票，请联系对方的管理员')
  const error = validateInvoiceApplication({ kind, tax_no, email })
  if (error) throw invalidInput(error.field, error.why)
  const uniqueOrderNos = [...new Set(order_nos)]
  // The rows are locked: of two concurrent requests the second finds the first.
  const orders = await db
    .selectFrom('pay_order')
    .select(['id', 'status', 'amount_fen', 'refunded_fen'])
    .where('company_id', '=', company_id)
    .where('order_no', 'in', uniqueOrderNos)
    .orderBy('id')
    .forUpdate()
    .execute()
  if (orders.length < uniqueOrderNos.length) throw fail('not_found', '没有找到所选的订单，请刷新后重选')
  const unpaid = orders.find(({ status }) => status !== 'paid')
  if (unpaid) throw fail('wrong_state', '只有已支付的订单可以开发票，请重选', { status: unpaid.status })
  const invoiced = await db
    .selectFrom('invoice_order')
    .select('id')
    .where('company_id', '=', company_id)
    .where('is_active', '=', true)
    .where(
      'order_id',
      'in',
      orders.map(({ id }) => id),
    )
    .executeTakeFirst()
  if (invoiced) throw fail('wrong_state', '所选订单里有已经申请过发票的，请刷新后重选', { status: 'invoiced' })
  const id = newId()
  const amount_fen = sumFen(orders.map((one) => one.amount_fen - one.refunded_fen))
  const billed = { kind, title, tax_no: normalizeCreditCode(tax_no), email, amount_fen }
  await db
    .insertInto('invoice')
    .values({ company_id, id, status: 'waiting', ...billed, created_at: now })
    .execute()
  await db
    .insertInto('invoice_order')
    .values(orders.map((order) => ({ company_id, id: newId(), invoice_id: id, order_id: order.id })))
    .execute()
  ctx.addAuditDetails({ invoice_id: id, orders: orders.length })
  return { invoice_id: id, amount_fen }
})

const hasFile = (company_id: string, is_reversal: boolean) => sql<boolean>`exists (
  select from invoice_file where invoice_file.company_id = ${company_id} and invoice_file.invoice_id = invoice.id and is_reversal = ${is_reversal})`

export const getInvoiceList = defineHandler(contract.getInvoiceList, async ({ db, company_id }, { page, pagesize }) => {
  const invoices = db.selectFrom('invoice').where('invoice.company_id', '=', company_id)
  const { total } = await invoices.select(({ fn }) => fn.countAll<number>().as('total')).executeTakeFirstOrThrow()
  const rows = await invoices
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
    list: rows.map(({ created_at, ...row }) => ({ ...row, created_at: toIsoTimestamp(created_at) })),
    page: { page, pagesize, total },
  }
})

/** The file type is detected from the first bytes, never from the file name. */
const invoiceFileTypes = [
  ['pdf', 'application/pdf', /^%PDF-/],
  ['ofd', 'application/ofd', /^PK/],
  ['xml', 'application/xml', /^(?:\u00ef\u00bb\u00bf)?\s*<\?xml/],
] as const
const maxInvoiceFileBytes = 5 * 1024 * 1024
const detectFileType = (bytes: Buffer) =>
  invoiceFileTypes.find(([, , begins]) => begins.test(bytes.subarray(0, 64).toString('latin1')))

const getInvoiceFilePosition = (id: string) => ({ table: 'invoice_file', row: id, column: 'sealed' })

export const getInvoiceFile = defineHandler(
  contract.getInvoiceFile,
  { kind: 'external' },
  async (ctx, { invoice_id, reversal }) => {
    const file = await ctx.inTransaction(({ db, company_id }) =>
      db
        .selectFrom('invoice_file')
        .select(['id', 'name', 'sealed'])
        .where('company_id', '=', company_id)
        .where('invoice_id', '=', invoice_id)
        .where('is_reversal', '=', reversal === '1')
        .executeTakeFirst(),
    )
    if (!file) throw fail('not_found', '这张发票还没有文件，请稍后再看')
    const bytes = ctx.secrets.open(getInvoiceFilePosition(file.id), file.sealed)
    ctx.sendBytes({ name: file.name, bytes, type: detectFileType(bytes)?.[1] ?? 'application/octet-stream' })
    return {}
  },
)

// Operator actions, which run in a transaction of the invoice's company

async function lockInvoice({ db, company_id }: OperatorCompanyContext, invoice_id: string) {
  const row = await db
    .selectFrom('invoice')
    .select(['id', 'status'])
    .where('company_id', '=', company_id)
    .where('id', '=', invoice_id)
    .forUpdate()
    .executeTakeFirst()
  if (!row) throw fail('not_found', '没有找到这张发票，请刷新')
  return row
}

type InvoiceChange = {
  readonly number?: string
  readonly red_number?: string
  readonly reason?: string
  readonly issued_at?: Date
}
/** Applies the event if the status allows it, otherwise throws; notifies the applicant. */
async function applyInvoiceEvent(
  companyTx: OperatorCompanyContext,
  invoice_id: string,
  event: InvoiceEvent,
  change: InvoiceChange,
) {
  const { db, company_id, now, jobs } = companyTx
  const row = await lockInvoice(companyTx, invoice_id)
  const status = getInvoiceTransition(row.status, event)
  if (!status) throw fail('wrong_state', '这张发票现在不能这样处理，请刷新后再看', { status: row.status })
  await db
    .updateTable('invoice')
    .set({ ...change, status, settled_at: now })
    .where('company_id', '=', company_id)
    .where('id', '=', invoice_id)
    .execute()
  if (isInvoiceFinal(status))
    await db
      .updateTable('invoice_order')
      .set({ is_active: false })
      .where('company_id', '=', company_id)
      .where('invoice_id', '=', invoice_id)
      .execute()
  if (status !== row.status) await jobs.send('invoice-told', { company_id, invoice_id, status })
  return { status }
}

type IssuedInvoice = { readonly invoice_id: string; readonly number: string; readonly file: { readonly bytes: Buffer } }
/**
 * Issues the invoice with its number and file; for an invoice that is being reversed, those of the credit note
 * (`is_reversal`).
 */
export async function issueCompanyInvoice(
  companyTx: OperatorCompanyContext,
  { invoice_id, number, file }: IssuedInvoice,
  seal: SealInvoiceFile,
) {
  const { db, company_id, now } = companyTx
  const type = detectFileType(file.bytes)
  if (!type || file.bytes.length > maxInvoiceFileBytes) throw invalidInput('file', '请上传 5 MB 以内的 PDF、OFD 或 XML 发票文件')
  const { status: previousStatus } = await lockInvoice(companyTx, invoice_id)
  const isReversal = previousStatus === 'reversing'
  const { status } = await applyInvoiceEvent(
    companyTx,
    invoice_id,
    'issue',
    isReversal ? { red_number: number } : { number, issued_at: now },
  )
  const id = newId()
  const name = `${isReversal ? '红字发票' : '发票'}-${number}.${type[0]}`
  await db
    .insertInto('invoice_file')
    .values({
      company_id,
      id,
      invoice_id,
      is_reversal: isReversal,
      name,
      sealed: seal(getInvoiceFilePosition(id), file.bytes),
      created_at: now,
    })
    .execute()
  return status
}
type SealInvoiceFile = (position: ReturnType<typeof getInvoiceFilePosition>, bytes: Buffer) => Buffer

export const returnCompanyInvoice = (companyTx: OperatorCompanyContext, invoice_id: string, reason: string) =>
  applyInvoiceEvent(companyTx, invoice_id, 'return', { reason })
export const reverseCompanyInvoice = (companyTx: OperatorCompanyContext, invoice_id: string, reason: string) =>
  applyInvoiceEvent(companyTx, invoice_id, 'reverse', { reason })

/** The effect on the invoice when money of its order is refunded. */
export type InvoiceRefundEffect = 'none' | 'returned' | 'reversing'
export async function applyRefundToInvoice(companyTx: OperatorCompanyContext, order_id: string): Promise<InvoiceRefundEffect> {
  const { db, company_id } = companyTx
  const live = await db
    .selectFrom('invoice_order')
    .select('invoice_id')
    .where('company_id', '=', company_id)
    .where('order_id', '=', order_id)
    .where('is_active', '=', true)
    .executeTakeFirst()
  if (!live) return 'none'
  const { status } = await applyInvoiceEvent(companyTx, live.invoice_id, 'refund', { reason: '订单有退款，按剩余金额重新开具' })
  return status === 'returned' ? 'returned' : 'reversing'
}
