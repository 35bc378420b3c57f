import { useQuery } from '@tanstack/react-query'
import { Button } from 'antd'
import { useState } from 'react'
import { type OrderStatus, orderStatuses, type PayType } from '../../../server/contract/billing/orders.ts'
import type { CallOutput } from '../../../server/contract/call.ts'
import { confirmTransfer, getOpsOrderList, refundOrder } from '../../../server/contract/operator/billing.ts'
import { parseFen } from '../../../server/contract/shared/money.ts'
import { callQuery, useCallMutation } from '../../api.ts'
import { FormField } from '../../components/form/desktop-field.tsx'
import { Dropdown, noSelection } from '../../components/form/select.tsx'
import { FormDialog } from '../../components/overlay/dialogs.tsx'
import { toast } from '../../components/overlay/toast.ts'
import { SearchBox } from '../../components/page/search-box.tsx'
import { parseEnum } from '../../components/search-params.ts'
import { type Columns, DataTable } from '../../components/table/data-table.tsx'
import { formatDateTime } from '../../components/value/dates.ts'
import { Money } from '../../components/value/money.tsx'
import { StatusDot } from '../../components/value/status-dot.tsx'
import { renderProductCell } from '../billing/columns.tsx'
import { orderStatusLabels, payTypeLabels } from '../billing/labels.ts'
import styles from '../billing/order.module.css'
import { amountRule, formatEditableAmount } from './labels.ts'
import { type OperatorSearch, useOperatorNavigate } from './navigation.ts'

type OperatorOrder = CallOutput<typeof getOpsOrderList>['list'][number]
type OrderActions = { confirm: (order: OperatorOrder) => void; refund: (order: OperatorOrder) => void }

const createColumns = ({ confirm, refund }: OrderActions): Columns<OperatorOrder> => [
  {
    title: '商品',
    dataIndex: 'name',
    render: renderProductCell,
  },
  { title: '企业', dataIndex: 'company', card: 'line' },
  {
    title: '金额',
    dataIndex: 'amount_fen',
    align: 'right',
    width: 130,
    card: 'side',
    render: (fen: number, { refunded_fen, excess_fen }) => (
      <div>
        <Money fen={fen} />
        {refunded_fen > 0 && (
          <small className={`ui-hint ${styles.payLine}`}>
            已退 <Money fen={refunded_fen} />
          </small>
        )}
        {excess_fen > 0 && (
          <small className={`ui-hint ${styles.payLine}`}>
            多付待退 <Money fen={excess_fen} />
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
  {
    title: <span className="sr-only">操作</span>,
    key: 'acts',
    width: 120,
    render: (_, order) =>
      order.status === 'waiting' && order.pay_type === 'transfer' ? (
        <Button aria-label={`确认到账 ${order.order_no}`} onClick={() => confirm(order)}>
          确认到账
        </Button>
      ) : order.status === 'paid' ? (
        <Button aria-label={`退款 ${order.order_no}`} onClick={() => refund(order)}>
          退款
        </Button>
      ) : null,
  },
]

export function OrderTable({ find, status, page, pagesize }: OperatorSearch) {
  const navigate = useOperatorNavigate()
  const selectedStatus = parseEnum(status, orderStatuses)
  const orders = useQuery(callQuery(getOpsOrderList, { query: find, status: selectedStatus, page, pagesize }))
  const [confirming, setConfirming] = useState<OperatorOrder>()
  const [refunding, setRefunding] = useState<OperatorOrder>()
  return (
    <section className="ui-card ui-stack">
      <div className="ui-row">
        <SearchBox
          value={find}
          placeholder="搜索订单号或企业"
          onSearch={(text) => navigate({ view: 'order', find: text, status })}
        />
        <Dropdown
          label="状态"
          allLabel="全部状态"
          value={selectedStatus}
          options={orderStatuses.map((value) => ({ value, label: orderStatusLabels[value].label }))}
          onChange={(next) => navigate({ view: 'order', find, status: next === noSelection ? undefined : next })}
        />
      </div>
      <DataTable
        requested={orders}
        columns={createColumns({ confirm: setConfirming, refund: setRefunding })}
        rowKey="order_no"
        onPage={(to, size) => navigate({ view: 'order', find, status, page: to, pagesize: size })}
        unit="个"
        label="订单"
        empty={{ illustration: 'search', text: '没有符合条件的订单。' }}
      />
      {confirming && <ConfirmTransferDialog order={confirming} onClose={() => setConfirming(undefined)} />}
      {refunding && <RefundDialog order={refunding} onClose={() => setRefunding(undefined)} />}
    </section>
  )
}

const transferResultLabels = {
  credited: '已确认，购买的内容已到账',
  excess: '金额与订单不符，没有开通；请联系客户退款',
  known: '这笔流水之前已经确认过',
}
const fieldErrorOptions = { handles: (error: { field: string | undefined }) => error.field !== undefined }

function ConfirmTransferDialog({ order, onClose }: { order: OperatorOrder; onClose: () => void }) {
  const confirm = useCallMutation(confirmTransfer, {
    ...fieldErrorOptions,
    onSuccess: ({ result: what }) =>
      what === 'credited' ? toast.success(transferResultLabels.credited) : toast.error(transferResultLabels[what]),
  })
  return (
    <FormDialog<{ reference: string; amount: string }>
      open
      title="确认到账"
      action="确认到账"
      initial={{ amount: formatEditableAmount(order.amount_fen) }}
      onSubmit={({ reference, amount }) =>
        confirm.mutateAsync({ order_no: order.order_no, reference, amount_fen: parseFen(amount) ?? 0 })
      }
      onClose={onClose}
    >
      <p>
        {order.company} · {order.name} · 应收 <Money fen={order.amount_fen} yen strong />
      </p>
      <p className={`ui-hint ${styles.payNo}`}>附言应为 {order.order_no}</p>
      <FormField name="amount" label="实际到账（元）" kind="decimal" rules={[amountRule]} maxLength={12} />
      <FormField name="reference" label="银行流水号" required="请填写银行流水号" maxLength={60} />
    </FormDialog>
  )
}

function RefundDialog({ order, onClose }: { order: OperatorOrder; onClose: () => void }) {
  const refund = useCallMutation(refundOrder, {
    ...fieldErrorOptions,
    onSuccess: ({ sms_returned, invoice }) =>
      toast.success(
        `已退款${sms_returned > 0 ? `，扣回短信 ${sms_returned.toLocaleString('zh-CN')} 条` : ''}${
          invoice === 'reversing' ? '；已开的发票需要红冲' : invoice === 'returned' ? '；发票申请已退回' : ''
        }`,
      ),
  })
  const isTransfer = order.pay_type === 'transfer'
  return (
    <FormDialog<{ amount_fen: string; reason: string; reference?: string }>
      open
      title="退款"
      action="退款"
      initial={{ amount_fen: formatEditableAmount(order.amount_fen - order.refunded_fen) }}
      onSubmit={({ amount_fen, reason, reference = '' }) =>
        refund.mutateAsync({ order_no: order.order_no, amount_fen: parseFen(amount_fen) ?? 0, reason, reference })
      }
      onClose={onClose}
    >
      <p>
        {order.company} · {order.name} · 可退 <Money fen={order.amount_fen - order.refunded_fen} yen strong />
      </p>
      <p className="ui-hint">
        {isTransfer ? '请先在银行把款退给客户。' : `款项由${payTypeLabels[order.pay_type]}原路退回。`}
        买的短信按金额扣回；套餐全部退款时收回。
      </p>
      <FormField name="amount_fen" label="退款金额（元）" kind="decimal" rules={[amountRule]} maxLength={12} />
      <FormField name="reason" label="原因" required="请填写退款原因" maxLength={100} />
      {isTransfer && <FormField name="reference" label="银行退款流水号" required="请填写退款流水号" maxLength={60} />}
    </FormDialog>
  )
}
