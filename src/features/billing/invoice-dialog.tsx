import { useQuery } from '@tanstack/react-query'
import { Form, Radio } from 'antd'
import { useState } from 'react'
import { createInvoice, type InvoiceKind } from '../../../server/contract/billing/orders.ts'
import { getCompanyInfo } from '../../../server/contract/company/company.ts'
import { callQuery, createIdempotencyKey, useCallMutation } from '../../api.ts'
import { FormField } from '../../components/form/desktop-field.tsx'
import { Dialog, FormDialog } from '../../components/overlay/dialogs.tsx'
import { toast } from '../../components/overlay/toast.ts'
import { Skeleton } from '../../components/state/skeleton.tsx'
import { Money } from '../../components/value/money.tsx'
import { useCanAccess, useCurrentUser } from '../../session.ts'
import type { Order } from './columns.tsx'

type InvoiceForm = { kind: InvoiceKind; title: string; tax_no?: string; email: string }

type InvoiceDialogProps = { orders: readonly Order[]; onClose: () => void; onDone: () => void }

/** Waits for the company's profile, from which the form is filled in; without access to it only the name is known. */
export function InvoiceDialog(props: InvoiceDialogProps) {
  const user = useCurrentUser()
  const canReadProfile = useCanAccess()(getCompanyInfo.access)
  const profile = useQuery({ ...callQuery(getCompanyInfo, {}), enabled: canReadProfile, meta: { quiet: true } })
  if (canReadProfile && profile.isPending)
    return (
      <Dialog open title="开发票" onClose={props.onClose} hideFooter>
        <Skeleton rows={4} />
      </Dialog>
    )
  const { data } = profile
  const initial = {
    kind: 'normal' as const,
    title: data?.name ?? user?.corp.name ?? '',
    tax_no: data?.credit_code ?? '',
    email: data?.contact_email ?? '',
  }
  return <InvoiceFormDialog {...props} initial={initial} />
}

/** Requests an invoice for the selected orders, for exactly their sum. */
function InvoiceFormDialog({ orders, initial, onClose, onDone }: InvoiceDialogProps & { initial: InvoiceForm }) {
  const [key] = useState(createIdempotencyKey)
  const apply = useCallMutation(createInvoice, {
    key,
    handles: (error) => error.field !== undefined,
    onSuccess: () => {
      toast.success('已申请，开具后将通知您，可在「发票」下载')
      onDone()
    },
  })
  return (
    <FormDialog<InvoiceForm>
      open
      title="开发票"
      action="申请发票"
      initial={initial}
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
