import { useQuery } from '@tanstack/react-query'
import { Button, Form } from 'antd'
import { useRef, useState } from 'react'
import { type InvoiceKind, type InvoiceStatus, invoiceStatuses } from '../../../server/contract/billing/orders.ts'
import type { CallOutput } from '../../../server/contract/call.ts'
import { getOpsInvoiceList, issueInvoice, returnInvoice, reverseInvoice } from '../../../server/contract/operator/billing.ts'
import { callQuery, refreshQueries, useCallMutation } from '../../api.ts'
import { FormField } from '../../components/form/desktop-field.tsx'
import { Dropdown, noSelection } from '../../components/form/select.tsx'
import { FormDialog } from '../../components/overlay/dialogs.tsx'
import { toast } from '../../components/overlay/toast.ts'
import { parseEnum } from '../../components/search-params.ts'
import { type Columns, DataTable } from '../../components/table/data-table.tsx'
import { formatDateTime } from '../../components/value/dates.ts'
import { Money } from '../../components/value/money.tsx'
import { StatusDot } from '../../components/value/status-dot.tsx'
import { invoiceKindLabels, invoiceStatusLabels } from '../billing/labels.ts'
import orderStyles from '../billing/order.module.css'
import { type OperatorSearch, useOperatorNavigate } from './navigation.ts'
import styles from './ops.module.css'
import { uploadOperatorFile } from './session.ts'

type InvoiceRequest = CallOutput<typeof getOpsInvoiceList>['list'][number]
type InvoiceAction = { invoice: InvoiceRequest; action: 'issue' | 'return' | 'reverse' }

const createColumns = (onAction: (doing: InvoiceAction) => void): Columns<InvoiceRequest> => [
  {
    title: '抬头',
    dataIndex: 'title',
    render: (title: string, { tax_no, company }) => (
      <div>
        <div>{title}</div>
        <small className={`ui-hint ${orderStyles.payNo}`}>{tax_no || '没有税号'}</small>
        {company !== title && <small className={`ui-hint ${orderStyles.payLine}`}>由 {company} 申请</small>}
      </div>
    ),
  },
  {
    title: '类型',
    dataIndex: 'kind',
    width: 100,
    className: 'ui-nowrap',
    card: 'line',
    render: (kind: InvoiceKind) => invoiceKindLabels[kind],
  },
  {
    title: '金额',
    dataIndex: 'amount_fen',
    align: 'right',
    width: 120,
    card: 'side',
    render: (fen: number) => <Money fen={fen} />,
  },
  { title: '邮箱', dataIndex: 'email', card: 'line' },
  { title: '申请', dataIndex: 'created_at', width: 150, className: 'ui-nowrap', card: 'line', render: formatDateTime },
  {
    title: '状态',
    dataIndex: 'status',
    width: 160,
    render: (status: InvoiceStatus, { number, red_number, reason }) => (
      <div>
        <StatusDot {...invoiceStatusLabels[status]} />
        {(red_number || number) && (
          <small className={`ui-hint ${orderStyles.payLine} ${orderStyles.payNo}`}>{red_number || number}</small>
        )}
        {reason && <small className={`ui-hint ${orderStyles.payLine}`}>{reason}</small>}
      </div>
    ),
  },
  {
    title: <span className="sr-only">操作</span>,
    key: 'acts',
    width: 190,
    render: (_, invoice) => (
      <div className="ui-row">
        {invoice.status === 'waiting' && (
          <>
            <Button aria-label={`上传 ${invoice.title} 的发票`} onClick={() => onAction({ invoice, action: 'issue' })}>
              上传
            </Button>
            <Button aria-label={`退回 ${invoice.title} 的申请`} onClick={() => onAction({ invoice, action: 'return' })}>
              退回
            </Button>
          </>
        )}
        {invoice.status === 'issued' && (
          <Button aria-label={`红冲 ${invoice.title} 的发票`} onClick={() => onAction({ invoice, action: 'reverse' })}>
            红冲
          </Button>
        )}
        {invoice.status === 'reversing' && (
          <Button aria-label={`上传红字发票：${invoice.title}`} onClick={() => onAction({ invoice, action: 'issue' })}>
            上传红字
          </Button>
        )}
      </div>
    ),
  },
]

export function InvoiceTable({ status, page, pagesize }: OperatorSearch) {
  const navigate = useOperatorNavigate()
  const selectedStatus = parseEnum(status, invoiceStatuses)
  const invoices = useQuery(callQuery(getOpsInvoiceList, { status: selectedStatus, page, pagesize }))
  const [current, setCurrent] = useState<InvoiceAction>()
  const close = () => setCurrent(undefined)
  return (
    <section className="ui-card ui-stack">
      <div className="ui-row">
        <Dropdown
          label="状态"
          allLabel="全部状态"
          value={selectedStatus}
          options={invoiceStatuses.map((value) => ({ value, label: invoiceStatusLabels[value].label }))}
          onChange={(next) => navigate({ view: 'invoice', status: next === noSelection ? undefined : next })}
        />
      </div>
      <DataTable
        requested={invoices}
        columns={createColumns(setCurrent)}
        rowKey="invoice_id"
        onPage={(to, size) => navigate({ view: 'invoice', status, page: to, pagesize: size })}
        unit="张"
        label="发票"
        empty={{ illustration: 'letter', text: '还没有发票申请。' }}
      />
      {current?.action === 'issue' && <IssueInvoiceDialog invoice={current.invoice} onClose={close} />}
      {current && current.action !== 'issue' && <InvoiceReasonDialog {...current} action={current.action} onClose={close} />}
    </section>
  )
}

/** Number and file of an invoice; for one that must be reversed, those of the red-letter invoice. */
function IssueInvoiceDialog({ invoice, onClose }: { invoice: InvoiceRequest; onClose: () => void }) {
  const [file, setFile] = useState<File>()
  const picker = useRef<HTMLInputElement>(null)
  const isRed = invoice.status === 'reversing'
  const submit = async ({ number }: { number: string }) => {
    if (!file) throw Object.assign(new Error('请选择发票文件'), { field: 'file' })
    const { company_id, invoice_id } = invoice
    await uploadOperatorFile(issueInvoice, { company_id, invoice_id, number }, file)
    toast.success(isRed ? '红字发票已上传' : '发票已上传，企业可以下载了')
    await refreshQueries()
  }
  return (
    <FormDialog<{ number: string; file?: unknown }>
      open
      title={isRed ? '上传红字发票' : '上传发票'}
      action="上传"
      onSubmit={submit}
      onClose={onClose}
    >
      <p>
        {invoice.title} · {invoiceKindLabels[invoice.kind]} · <Money fen={invoice.amount_fen} yen strong />
      </p>
      <FormField
        name="number"
        label={isRed ? '红字发票号码' : '发票号码'}
        kind="digits"
        rules={[{ required: true, pattern: /^(\d{8}|\d{20})$/, message: '发票号码是 8 位或 20 位数字' }]}
        maxLength={20}
      />
      <Form.Item name="file" label="发票文件（PDF、OFD 或 XML，5 MB 以内）" valuePropName="none">
        <div className="ui-row">
          <input
            ref={picker}
            type="file"
            accept=".pdf,.ofd,.xml"
            aria-label="发票文件"
            hidden
            onChange={({ target }) => setFile(target.files?.[0])}
          />
          <Button onClick={() => picker.current?.click()}>选择文件</Button>
          <span className={styles.about}>{file?.name ?? '还没有选择'}</span>
        </div>
      </Form.Item>
    </FormDialog>
  )
}

function InvoiceReasonDialog({
  invoice,
  action,
  onClose,
}: {
  invoice: InvoiceRequest
  action: 'return' | 'reverse'
  onClose: () => void
}) {
  const isReturn = action === 'return'
  const submitReason = useCallMutation(isReturn ? returnInvoice : reverseInvoice, {
    onSuccess: () => toast.success(isReturn ? '已退回，企业可以重新申请' : '已标记待红冲，请开红字发票后上传'),
  })
  const { company_id, invoice_id } = invoice
  return (
    <FormDialog<{ reason: string }>
      open
      title={isReturn ? '退回发票申请' : '红冲发票'}
      action={isReturn ? '退回' : '要求红冲'}
      onSubmit={({ reason }) => submitReason.mutateAsync({ company_id, invoice_id, reason })}
      onClose={onClose}
    >
      <p>
        {invoice.title} · <Money fen={invoice.amount_fen} yen strong />
      </p>
      <FormField name="reason" label="原因（企业看得到）" required="请填写原因" maxLength={100} />
    </FormDialog>
  )
}
