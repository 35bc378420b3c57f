import { useQuery } from '@tanstack/react-query'
import { createFileRoute, Link, useNavigate } from '@tanstack/react-router'
import { Button } from 'antd'
import { lazy, Suspense, useState } from 'react'
import { getInvoiceList, getOrderList, getUseList } from '../../../../server/contract/corp/order.ts'
import { holders } from '../../../../server/contract/who.ts'
import { query } from '../../../api.ts'
import { invoiceColumns, moveColumns, type Order, orderColumns } from '../../../parts/company/order/columns.tsx'
import { begin, first } from '../../../routed/first.ts'
import { Dialog } from '../../../ui/over/dialogs.tsx'
import { FilterTag } from '../../../ui/page/filter-tag.tsx'
import { PageHead } from '../../../ui/page/page-head.tsx'
import { Tabs } from '../../../ui/page/tabs.tsx'
import { oneOf, type PageSearch, pageOf } from '../../../ui/search.ts'
import { DataTable } from '../../../ui/table/data-table.tsx'

const InvoiceDialog = lazy(async () => ({
  default: (await import('../../../parts/company/order/invoice-dialog.tsx')).InvoiceDialog,
}))
const PayPanel = lazy(async () => ({ default: (await import('../../../parts/company/order/pay-panel.tsx')).PayPanel }))

const views = ['order', 'use', 'invoice'] as const
type View = (typeof views)[number]
type OrderSearch = PageSearch & { view?: View | undefined; order_no?: string | undefined }
const words: Readonly<Record<View, string>> = { order: '订单', use: '使用明细', invoice: '发票' }

const searchOf = (raw: Record<string, unknown>): OrderSearch => ({
  ...pageOf(raw),
  view: oneOf(raw.view, views),
  order_no: typeof raw.order_no === 'string' ? raw.order_no : undefined,
})

export const Route = createFileRoute('/_desk/_company/companyOrder')({
  staticData: { title: '订单管理', section: 'message', who: holders('1', '2') },
  validateSearch: searchOf,
  loader: ({ route, location }) =>
    first(route, () => {
      const { view = 'order', page, pagesize, order_no } = searchOf(location.search)
      if (view === 'order') return begin(query(getOrderList, { page, pagesize, order_no }))
      return view === 'use' ? begin(query(getUseList, { page, pagesize })) : begin(query(getInvoiceList, { page, pagesize }))
    }),
  component: CompanyOrder,
})

/** Orders, what was consumed by whom, and invoices. */
function CompanyOrder() {
  const { view = 'order', page, pagesize, order_no } = Route.useSearch()
  const navigate = useNavigate()
  const at = { page, pagesize }
  return (
    <div className="ui-page">
      <PageHead title="订单管理" action={<Link to="/CompanyService">购买服务</Link>}>
        <Tabs
          label="订单管理"
          at={view}
          words={words}
          onGo={(next) => void navigate({ to: '/companyOrder', search: { view: next === 'order' ? undefined : next } })}
        />
      </PageHead>
      <section className="ui-card">
        {view === 'order' ? <Orders {...at} order_no={order_no} /> : view === 'use' ? <Uses {...at} /> : <Invoices {...at} />}
      </section>
    </div>
  )
}

function Orders(at: PageSearch & { order_no: string | undefined }) {
  const navigate = useNavigate()
  const orders = useQuery(query(getOrderList, at))
  const [paying, setPaying] = useState<Order>()
  const [chosen, setChosen] = useState<Order[]>([])
  const [billing, setBilling] = useState(false)
  return (
    <div className="ui-stack">
      {at.order_no && (
        <FilterTag onRemove={() => void navigate({ to: '/companyOrder', search: {} })}>{`订单 ${at.order_no}`}</FilterTag>
      )}
      {chosen.length > 0 && (
        <div className="ui-row">
          <span className="ui-grow">已选 {chosen.length} 个订单</span>
          <Button type="primary" onClick={() => setBilling(true)}>
            开发票
          </Button>
        </div>
      )}
      <DataTable
        asked={orders}
        columns={orderColumns(setPaying)}
        rowKey="order_no"
        unit="个"
        label="订单"
        chosen={{
          keys: chosen.map(({ order_no }) => order_no),
          onChange: (_keys, rows) => setChosen(rows),
          disabled: ({ status, invoiced }) => status !== 'paid' || invoiced,
          nameOf: ({ name, order_no }) => `选择 ${name} ${order_no}`,
        }}
        empty={{ drawing: 'sheet', text: '还没有订单。', action: <Link to="/CompanyService">购买短信或版本</Link> }}
      />
      <Suspense fallback={null}>
        {paying && (
          <Dialog open title="支付" onClose={() => setPaying(undefined)} ownButtons>
            <PayPanel order={paying} onDone={() => setPaying(undefined)} />
          </Dialog>
        )}
        {billing && <InvoiceDialog orders={chosen} onClose={() => setBilling(false)} onDone={() => setChosen([])} />}
      </Suspense>
    </div>
  )
}

function Uses(at: PageSearch) {
  const uses = useQuery(query(getUseList, at))
  return (
    <DataTable asked={uses} columns={moveColumns} rowKey="id" label="使用明细" empty={{ text: '还没有买过，也没有用过短信。' }} />
  )
}

function Invoices(at: PageSearch) {
  const invoices = useQuery(query(getInvoiceList, at))
  return (
    <DataTable
      asked={invoices}
      columns={invoiceColumns}
      rowKey="invoice_id"
      unit="张"
      label="发票"
      empty={{ drawing: 'letter', text: '还没有申请过发票。在「订单」里勾选已支付的订单，点「开发票」。' }}
    />
  )
}
