import { useQuery } from '@tanstack/react-query'
import { Button, Form } from 'antd'
import { useRef, useState } from 'react'
import type { OutputOf } from '../../../../server/contract/call.ts'
import { getOpsInvoiceList, issueInvoice, returnInvoice, reverseInvoice } from '../../../../server/contract/corp/ops-shop.ts'
import { type InvoiceKind, type InvoiceStatus, invoiceStatuses } from '../../../../server/contract/corp/order.ts'
import { askAnew, query, useCall } from '../../../api.ts'
import { TextInput } from '../../../ui/form/fields.tsx'
import { Dropdown, unchosen } from '../../../ui/form/select.tsx'
import { FormDialog } from '../../../ui/over/dialogs.tsx'
import { toast } from '../../../ui/over/toast.ts'
import { oneOf } from '../../../ui/search.ts'
import { type Columns, DataTable } from '../../../ui/table/data-table.tsx'
import { dayAndTime } from '../../../ui/value/dates.ts'
import { Money } from '../../../ui/value/money.tsx'
import { StatusDot } from '../../../ui/value/status-dot.tsx'
import orderStyles from '../order/order.module.css'
import { invoiceKindWords, invoiceWords } from '../order/words.ts'
import styles from './ops.module.css'
import { type OpsSearch, useOpsGo } from './place.ts'
import { sendFile } from './session.ts'

type Asked = OutputOf<typeof getOpsInvoiceList>['list'][number]
type Doing = { invoice: Asked; does: 'issue' | 'return' | 'reverse' }

const columnsOf = (act: (doing: Doing) => void): Columns<Asked> => [
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
    render: (kind: InvoiceKind) => invoiceKindWords[kind],
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
  { title: '申请', dataIndex: 'created_at', width: 150, className: 'ui-nowrap', card: 'line', render: dayAndTime },
  {
    title: '状态',
    dataIndex: 'status',
    width: 160,
    render: (status: InvoiceStatus, { number, red_number, reason }) => (
      <div>
        <StatusDot {...invoiceWords[status]} />
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
            <Button aria-label={`上传 ${invoice.title} 的发票`} onClick={() => act({ invoice, does: 'issue' })}>
              上传
            </Button>
            <Button aria-label={`退回 ${invoice.title} 的申请`} onClick={() => act({ invoice, does: 'return' })}>
              退回
            </Button>
          </>
        )}
        {invoice.status === 'issued' && (
          <Button aria-label={`红冲 ${invoice.title} 的发票`} onClick={() => act({ invoice, does: 'reverse' })}>
            红冲
          </Button>
        )}
        {invoice.status === 'reversing' && (
          <Button aria-label={`上传红字发票：${invoice.title}`} onClick={() => act({ invoice, does: 'issue' })}>
            上传红字
          </Button>
        )}
      </div>
    ),
  },
]

export function OpsInvoices({ status, page, pagesize }: OpsSearch) {
  const go = useOpsGo()
  const wanted = oneOf(status, invoiceStatuses)
  const invoices = useQuery(query(getOpsInvoiceList, { status: wanted, page, pagesize }))
  const [doing, setDoing] = useState<Doing>()
  const close = () => setDoing(undefined)
  return (
    <section className="ui-card ui-stack">
      <div className="ui-row">
        <Dropdown
          label="状态"
          all="全部状态"
          value={wanted}
          options={invoiceStatuses.map((value) => ({ value, label: invoiceWords[value].word }))}
          onChange={(next) => go({ view: 'invoice', status: next === unchosen ? undefined : next })}
        />
      </div>
      <DataTable
        asked={invoices}
        columns={columnsOf(setDoing)}
        rowKey="invoice_id"
        onPage={(to, size) => go({ view: 'invoice', status, page: to, pagesize: size })}
        unit="张"
        label="发票"
        empty={{ drawing: 'letter', text: '没有这样的发票申请。' }}
      />
      {doing?.does === 'issue' && <Issue invoice={doing.invoice} onClose={close} />}
      {doing && doing.does !== 'issue' && <Reason {...doing} does={doing.does} onClose={close} />}
    </section>
  )
}

/** Number and file; of one that must be reversed, those of the red one. */
function Issue({ invoice, onClose }: { invoice: Asked; onClose: () => void }) {
  const [file, setFile] = useState<File>()
  const picker = useRef<HTMLInputElement>(null)
  const isRed = invoice.status === 'reversing'
  const submit = async ({ number }: { number: string }) => {
    if (!file) throw Object.assign(new Error('请选择发票文件'), { field: 'file' })
    const { company_id, invoice_id } = invoice
    await sendFile(issueInvoice, { company_id, invoice_id, number }, file)
    toast.done(isRed ? '红字发票已上传' : '发票已上传，企业可以下载了')
    await askAnew()
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
        {invoice.title} · {invoiceKindWords[invoice.kind]} · <Money fen={invoice.amount_fen} yen strong />
      </p>
      <Form.Item
        name="number"
        label={isRed ? '红字发票号码' : '发票号码'}
        rules={[{ required: true, pattern: /^(\d{8}|\d{20})$/, message: '发票号码是 8 位或 20 位数字' }]}
      >
        <TextInput limit={20} inputMode="numeric" />
      </Form.Item>
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

function Reason({ invoice, does, onClose }: { invoice: Asked; does: 'return' | 'reverse'; onClose: () => void }) {
  const isReturn = does === 'return'
  const done = useCall(isReturn ? returnInvoice : reverseInvoice, {
    onSuccess: () => toast.done(isReturn ? '已退回，企业可以重新申请' : '已标记待红冲，请开红字发票后上传'),
  })
  const { company_id, invoice_id } = invoice
  return (
    <FormDialog<{ reason: string }>
      open
      title={isReturn ? '退回发票申请' : '红冲发票'}
      action={isReturn ? '退回' : '要求红冲'}
      onSubmit={({ reason }) => done.mutateAsync({ company_id, invoice_id, reason })}
      onClose={onClose}
    >
      <p>
        {invoice.title} · <Money fen={invoice.amount_fen} yen strong />
      </p>
      <Form.Item name="reason" label="原因（企业看得到）" rules={[{ required: true, whitespace: true, message: '请填写原因' }]}>
        <TextInput limit={100} />
      </Form.Item>
    </FormDialog>
  )
}
