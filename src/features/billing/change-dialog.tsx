import { useQuery } from '@tanstack/react-query'
import { Form, Radio } from 'antd'
import { useState } from 'react'
import { changeEdition, getChangePrice, type PayType } from '../../../server/contract/billing/orders.ts'
import { callQuery, createIdempotencyKey, useCallMutation } from '../../api.ts'
import { Dialog } from '../../components/overlay/dialogs.tsx'
import { ErrorState } from '../../components/state/error-state.tsx'
import { Skeleton } from '../../components/state/skeleton.tsx'
import { formatDate } from '../../components/value/dates.ts'
import { Money } from '../../components/value/money.tsx'
import type { Product } from './buy-dialog.tsx'
import { payTypeLabels } from './labels.ts'
import styles from './order.module.css'
import { PayPanel } from './pay-panel.tsx'

/** Upgrades the active edition: shows the price for the remaining days before the order is placed. */
export function ChangeEditionDialog({
  product,
  payTypes,
  onClose,
}: {
  product: Product
  payTypes: readonly PayType[]
  onClose: () => void
}) {
  const [key, setKey] = useState(createIdempotencyKey)
  const [pay_type, setPayType] = useState<PayType>(payTypes[0] ?? 'transfer')
  const price = useQuery({ ...callQuery(getChangePrice, { product_id: product.product_id }), meta: { quiet: true } })
  const change = useCallMutation(changeEdition, { key })
  const { data } = price
  if (change.data)
    return (
      <Dialog open title="支付" onClose={onClose} hideFooter>
        <PayPanel order={{ ...change.data, pay_type, name: `变更为 ${product.name}` }} onDone={onClose} />
      </Dialog>
    )
  return (
    <Dialog
      open
      title={`变更为 ${product.name}`}
      {...(data ? { action: '提交订单', onConfirm: () => change.mutate({ product_id: product.product_id, pay_type }) } : {})}
      busy={change.isPending}
      onClose={onClose}
    >
      {data ? (
        <Form layout="vertical">
          <p>
            从「{data.from}」变更，付款后立即生效；到期日 {formatDate(data.until)} 不变，按剩余 {data.days} 天补差价。
          </p>
          <Form.Item label="支付方式">
            <Radio.Group
              aria-label="支付方式"
              className={styles.buyWays}
              value={pay_type}
              options={payTypes.map((value) => ({ value, label: payTypeLabels[value] }))}
              onChange={({ target }) => {
                setPayType(payTypes.find((payType) => payType === target.value) ?? pay_type)
                setKey(createIdempotencyKey())
              }}
            />
          </Form.Item>
          <p className={styles.buySum}>
            应付 <Money fen={data.amount_fen} yen strong />
          </p>
        </Form>
      ) : price.error ? (
        <ErrorState error={price.error} retry={() => void price.refetch()} />
      ) : (
        <Skeleton rows={3} />
      )}
    </Dialog>
  )
}
