import { Form, Radio } from 'antd'
import { useState } from 'react'
import { createInvoice, type InvoiceKind } from '../../../server/contract/billing/orders.ts'
import { createIdempotencyKey, useCallMutation } from '../../api.ts'
import { FormField } from '../../components/form/desktop-field.tsx'
import { FormDialog } from '../../components/overlay/dialogs.tsx'
import { toast } from '../../components/overlay/toast.ts'
import { Money } from '../../components/value/money.tsx'
import type { Order } from './columns.tsx'

type InvoiceForm = { kind: InvoiceKind; title: string; tax_no?: string; email: string }

/** Requests an invoice for the selected orders, for exactly their sum. */
export function InvoiceDialog({
  orders,
  onClose,
  onDone,
}: {
  orders: readonly Order[]
  onClose: () => void
  onDone: () => void
}) {
  const [key] = useState(createIdempotencyKey)
  const apply = useCallMutation(createInvoice, {
    key,
    handles: (error) => error.field !== undefined,
    onSuccess: () => {
      toast.success('已申请，开好后会通知您，可在「发票」里下载')
      onDone()
    },
  })
  return (
    <FormDialog<InvoiceForm>
      open
      title="开发票"
      action="申请发票"
      initial={{ kind: 'normal' }}
      onSubmit={({ tax_no = '', ...values }) =>
        apply.mutateAsync({ ...values, tax_no, order_nos: orders.map(({ order_no }) => order_no) })
      }
      onClose={onClose}
    >
      <p>
        {orders.length} 个订单，合计{' '}
        <Money fen={orders.reduce((sum, { amount_fen, refunded_fen }) => sum + amount_fen - refunded_fen, 0)} yen strong />
      </p>
      <Form.Item name="kind" label="发票类型">
        <Radio.Group
          options={[
            { value: 'normal', label: '普通发票' },
            { value: 'special', label: '专用发票' },
          ]}
        />
      </Form.Item>
      <FormField name="title" label="发票抬头" required="请填写发票抬头" maxLength={100} autoComplete="organization" />
      <FormField name="tax_no" label="税号" help="统一社会信用代码，个人抬头可不填" maxLength={30} />
      <FormField name="email" label="收票邮箱" kind="email" required="请填写收票邮箱" maxLength={100} />
    </FormDialog>
  )
}
