import { useQuery } from '@tanstack/react-query'
import { createFileRoute, Link, useNavigate } from '@tanstack/react-router'
import { Button } from 'antd'
import { useState } from 'react'
import { requirePower } from '../../../../server/contract/access.ts'
import { getInvoiceList, getOrderList, getUseList } from '../../../../server/contract/billing/orders.ts'
import { callQuery } from '../../../api.ts'
import { lazyComponent, lazyDialog } from '../../../components/lazy.tsx'
import { Dialog } from '../../../components/overlay/dialogs.tsx'
import { FilterTag } from '../../../components/page/filter-tag.tsx'
import { PageHeader } from '../../../components/page/page-header.tsx'
import { Tabs } from '../../../components/page/tabs.tsx'
import { type PageParams, parseEnum, parsePageParams } from '../../../components/search-params.ts'
import { DataTable } from '../../../components/table/data-table.tsx'
import { createOrderColumns, invoiceColumns, type Order, resourceChangeColumns } from '../../../features/billing/columns.tsx'
import { prefetchPage, prefetchQuery } from '../../../routed/prefetch.ts'

const InvoiceDialog = lazyDialog(async () => (await import('../../../features/billing/invoice-dialog.tsx')).InvoiceDialog)
const PayPanel = lazyComponent(async () => (await import('../../../features/billing/pay-panel.tsx')).PayPanel)

const orderViews = ['order', 'use', 'invoice'] as const
type OrderView = (typeof orderViews)[number]
type OrderSearch = PageParams & { view?: OrderView | undefined; order_no?: string | undefined }
const viewLabels: Readonly<Record<OrderView, string>> = { order: '订单', use: '使用明细', invoice: '发票' }

const parseSearch = (raw: Record<string, unknown>): OrderSearch => ({
  ...parsePageParams(raw),
  view: parseEnum(raw.view, orderViews),
  order_no: typeof raw.order_no === 'string' ? raw.order_no : undefined,
})

export const Route = createFileRoute('/_desk/_company/companyOrder')({
  staticData: { title: '订单管理', section: 'message', who: requirePower('1', '2') },
  validateSearch: parseSearch,
  loader: ({ route, location }) =>
    prefetchPage(route, () => {
      const { view = 'order', page, pagesize, order_no } = parseSearch(location.search)
      if (view === 'order') return prefetchQuery(callQuery(getOrderList, { page, pagesize, order_no }))
      return view === 'use'
        ? prefetchQuery(callQuery(getUseList, { page, pagesize }))
        : prefetchQuery(callQuery(getInvoiceList, { page, pagesize }))
    }),
  component: CompanyOrder,
})

/** Orders, consumption by user, and invoices. */
function CompanyOrder() {
  const { view = 'order', page, pagesize, order_no } = Route.useSearch()
  const navigate = useNavigate()
  const pagination = { page, pagesize }
  return (
    <div className="ui-page">
      <PageHeader title="订单管理" action={<Link to="/CompanyService">购买服务</Link>}>
        <Tabs
          label="订单管理"
          at={view}
          labels={viewLabels}
          onGo={(next) => void navigate({ to: '/companyOrder', search: { view: next === 'order' ? undefined : next } })}
        />
      </PageHeader>
      <section className="ui-card">
        {view === 'order' ? (
          <OrderTable {...pagination} order_no={order_no} />
        ) : view === 'use' ? (
          <ResourceChangeTable {...pagination} />
        ) : (
          <InvoiceTable {...pagination} />
        )}
      </section>
    </div>
  )
}

function OrderTable(params: PageParams & { order_no: string | undefined }) {
  const navigate = useNavigate()
  const orders = useQuery(callQuery(getOrderList, params))
  const [payable, setPayable] = useState<Order>()
  const [selected, setSelected] = useState<Order[]>([])
  const [isInvoiceOpen, setInvoiceOpen] = useState(false)
  return (
    <div className="ui-stack">
      {params.order_no && (
        <FilterTag onRemove={() => void navigate({ to: '/companyOrder', search: {} })}>{`订单 ${params.order_no}`}</FilterTag>
      )}
      {selected.length > 0 && (
        <div className="ui-row">
          <span className="ui-grow">已选 {selected.length} 个订单</span>
          <Button type="primary" onClick={() => setInvoiceOpen(true)}>
            开发票
          </Button>
        </div>
      )}
      <DataTable
        requested={orders}
        columns={createOrderColumns(setPayable)}
        rowKey="order_no"
        unit="个"
        label="订单"
        selected={{
          keys: selected.map(({ order_no }) => order_no),
          onChange: (_keys, rows) => setSelected(rows),
          disabled: ({ status, invoiced }) => (status !== 'paid' ? '已支付的订单才能开发票' : invoiced && '已申请发票'),
          getLabel: ({ name, order_no }) => `选择 ${name} ${order_no}`,
        }}
        empty={{ illustration: 'sheet', text: '还没有订单。', action: <Link to="/CompanyService">购买短信或套餐</Link> }}
      />

      {payable && (
        <Dialog open title="支付" onClose={() => setPayable(undefined)} hideFooter>
          <PayPanel order={payable} onDone={() => setPayable(undefined)} />
        </Dialog>
      )}
      {isInvoiceOpen && <InvoiceDialog orders={selected} onClose={() => setInvoiceOpen(false)} onDone={() => setSelected([])} />}
    </div>
  )
}

function ResourceChangeTable(params: PageParams) {
  const changes = useQuery(callQuery(getUseList, params))
  return (
    <DataTable
      requested={changes}
      columns={resourceChangeColumns}
      rowKey="id"
      label="使用明细"
      empty={{ text: '还没有短信的购买和使用记录。' }}
    />
  )
}

function InvoiceTable(params: PageParams) {
  const invoices = useQuery(callQuery(getInvoiceList, params))
  return (
    <DataTable
      requested={invoices}
      columns={invoiceColumns}
      rowKey="invoice_id"
      unit="张"
      label="发票"
      empty={{ illustration: 'letter', text: '还没有发票。请在「订单」勾选已支付的订单，再点「开发票」。' }}
    />
  )
}
