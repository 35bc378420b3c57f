import { Link } from '@tanstack/react-router'
import { Button } from 'antd'
import type { getInvoiceList, getOrderList, getUseList, OrderStatus, PayType } from '../../../server/contract/billing/orders.ts'
import type { CallOutput } from '../../../server/contract/call.ts'
import type { Columns } from '../../components/table/data-table.tsx'
import { formatDateTime } from '../../components/value/dates.ts'
import { AmountChange, Money } from '../../components/value/money.tsx'
import { StatusDot } from '../../components/value/status-dot.tsx'
import { downloadInvoice } from './download-invoice.ts'
import {
  formatOccasion,
  invoiceKindLabels,
  invoiceStatusLabels,
  orderStatusLabels,
  payTypeLabels,
  prepaidChangeLabels,
} from './labels.ts'
import styles from './order.module.css'

export type Order = CallOutput<typeof getOrderList>['list'][number]
type ResourceChange = CallOutput<typeof getUseList>['list'][number]
type Invoice = CallOutput<typeof getInvoiceList>['list'][number]

/** Renders the product, the quantity, and the order number. */
export const renderProductCell = (name: string, { count, order_no }: Pick<Order, 'count' | 'order_no'>) => (
  <div>
    <div>
      {name}
      {count > 1 && ` × ${count}`}
    </div>
    <small className={`ui-hint ${styles.payNo}`}>{order_no}</small>
  </div>
)

export const createOrderColumns = (onPay: (order: Order) => void): Columns<Order> => [
  {
    title: '商品',
    dataIndex: 'name',
    render: renderProductCell,
  },
  {
    title: '金额',
    dataIndex: 'amount_fen',
    align: 'right',
    width: 120,
    card: 'side',
    render: (fen: number, { refunded_fen, status }) => (
      <div>
        <Money fen={fen} />
        {refunded_fen > 0 && status === 'paid' && (
          <small className={`ui-hint ${styles.payLine}`}>
            已退 <Money fen={refunded_fen} />
          </small>
        )}
      </div>
    ),
  },
  {
    title: '支付方式',
    dataIndex: 'pay_type',
    width: 110,
    className: 'ui-nowrap',
    card: 'line',
    render: (channel: PayType) => payTypeLabels[channel],
  },
  {
    title: '状态',
    dataIndex: 'status',
    width: 110,
    card: 'end',
    render: (status: OrderStatus) => <StatusDot {...orderStatusLabels[status]} />,
  },
  { title: '下单', dataIndex: 'created_at', width: 150, className: 'ui-nowrap', card: 'line', render: formatDateTime },
  { title: '下单人', dataIndex: 'by', width: 110, card: 'line' },
  {
    title: <span className="sr-only">操作</span>,
    key: 'acts',
    width: 110,
    render: (_, order) =>
      order.status === 'waiting' ? (
        <Button aria-label={`去支付 ${order.name}`} onClick={() => onPay(order)}>
          去支付
        </Button>
      ) : order.invoiced ? (
        <span className="ui-hint">已申请发票</span>
      ) : null,
  },
]

export const resourceChangeColumns: Columns<ResourceChange> = [
  { title: '时间', dataIndex: 'at', width: 150, className: 'ui-nowrap', render: formatDateTime },
  {
    title: '类型',
    dataIndex: 'kind',
    width: 120,
    className: 'ui-nowrap',
    card: 'line',
    render: (kind: ResourceChange['kind']) => prepaidChangeLabels[kind],
  },
  {
    title: '数量',
    dataIndex: 'change',
    align: 'right',
    width: 130,
    card: 'side',
    render: (change: number) => <AmountChange value={change} unit="条" />,
  },
  { title: '经手人', dataIndex: 'by', width: 130, card: 'line', render: (by: string) => by || '系统' },
  {
    title: '说明',
    key: 'about',
    card: 'end',
    render: (_, { batch_id, order_no, occasion, purpose, kind }) =>
      purpose ||
      (batch_id ? (
        <Link to="/wageDetail" search={{ batch_id }}>
          {formatOccasion(occasion)}
        </Link>
      ) : order_no ? (
        <span className={styles.payNo}>{order_no}</span>
      ) : kind === 'used' || kind === 'unused' ? (
        formatOccasion(occasion)
      ) : (
        '—'
      )),
  },
]

export const invoiceColumns: Columns<Invoice> = [
  {
    title: '抬头',
    dataIndex: 'title',
    render: (title: string, { tax_no }) => (
      <div>
        <div>{title}</div>
        {tax_no && <small className={`ui-hint ${styles.payNo}`}>{tax_no}</small>}
      </div>
    ),
  },
  {
    title: '类型',
    dataIndex: 'kind',
    width: 110,
    className: 'ui-nowrap',
    card: 'line',
    render: (kind: Invoice['kind']) => invoiceKindLabels[kind],
  },
  {
    title: '金额',
    dataIndex: 'amount_fen',
    align: 'right',
    width: 120,
    card: 'side',
    render: (fen: number) => <Money fen={fen} />,
  },
  { title: '订单', dataIndex: 'order_nos', width: 80, card: 'named', render: (nos: string[]) => `${nos.length} 个` },
  { title: '收票邮箱', dataIndex: 'email', card: 'line' },
  { title: '申请', dataIndex: 'created_at', width: 150, className: 'ui-nowrap', card: 'line', render: formatDateTime },
  {
    title: '状态',
    dataIndex: 'status',
    width: 150,
    card: ({ reason }) => (reason ? 'pair' : 'end'),
    render: (status: Invoice['status'], { reason }) => (
      <div>
        <StatusDot {...invoiceStatusLabels[status]} />
        {reason && <small className={`ui-hint ${styles.payLine}`}>{reason}</small>}
      </div>
    ),
  },
  {
    title: <span className="sr-only">操作</span>,
    key: 'acts',
    width: 130,
    render: (_, { invoice_id, number, red_number, has_file, has_red }) => (
      <>
        {has_file && <InvoiceFileLink name="下载发票" number={number} invoice_id={invoice_id} />}
        {has_red && <InvoiceFileLink name="下载红字发票" number={red_number} invoice_id={invoice_id} red />}
      </>
    ),
  },
]

type InvoiceFileLinkProps = { name: string; number: string; invoice_id: string; red?: boolean }
const InvoiceFileLink = ({ name, number, invoice_id, red = false }: InvoiceFileLinkProps) => (
  <Button aria-label={`${name} ${number}`} onClick={() => void downloadInvoice(invoice_id, red)}>
    {name}
  </Button>
)
