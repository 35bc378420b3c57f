import { Button, Form, InputNumber, Radio } from 'antd'
import { useState } from 'react'
import { type getProductList, type PayType, paySend } from '../../../server/contract/billing/orders.ts'
import type { CallOutput } from '../../../server/contract/call.ts'
import { createIdempotencyKey, useCallMutation } from '../../api.ts'
import { Dialog } from '../../components/overlay/dialogs.tsx'
import { Money } from '../../components/value/money.tsx'
import { payTypeLabels } from './labels.ts'
import styles from './order.module.css'
import { PayPanel } from './pay-panel.tsx'

type ProductList = CallOutput<typeof getProductList>
export type Product = ProductList['list'][number]

/** Chooses quantity and payment method; then shows the code to scan and polls until the payment has arrived. */
export function BuyDialog({
  product,
  payTypes,
  onClose,
}: {
  product: Product
  payTypes: readonly PayType[]
  onClose: () => void
}) {
  const [key, setKey] = useState(createIdempotencyKey)
  const [count, setCount] = useState(1)
  const [pay_type, setPayType] = useState<PayType>(payTypes[0] ?? 'transfer')
  const buy = useCallMutation(paySend, { key })
  const unit = product.kind === 'edition' ? '年' : '份'
  // Changed choices require a new order.
  const changeOrder = (change: () => void) => {
    change()
    setKey(createIdempotencyKey())
  }
  if (buy.data)
    return (
      <Dialog open title="支付" onClose={onClose} hideFooter>
        <PayPanel order={{ ...buy.data, pay_type, name: product.name }} onDone={onClose} />
      </Dialog>
    )
  return (
    <Dialog
      open
      title={`购买 ${product.name}`}
      action="提交订单"
      busy={buy.isPending}
      onConfirm={() => buy.mutate({ product_id: product.product_id, count, pay_type })}
      onClose={onClose}
    >
      <Form layout="vertical" onFinish={() => buy.mutate({ product_id: product.product_id, count, pay_type })}>
        <p className="ui-hint">{product.note}</p>
        <Form.Item label={`数量（${unit}）`} htmlFor="buy-count">
          <InputNumber
            id="buy-count"
            min={1}
            max={product.max_count}
            precision={0}
            value={count}
            onChange={(next) => changeOrder(() => setCount(next ?? 1))}
          />
        </Form.Item>
        <Form.Item label="支付方式">
          <Radio.Group
            aria-label="支付方式"
            className={styles.buyWays}
            value={pay_type}
            options={payTypes.map((value) => ({ value, label: payTypeLabels[value] }))}
            onChange={({ target }) =>
              changeOrder(() => setPayType(payTypes.find((payType) => payType === target.value) ?? pay_type))
            }
          />
        </Form.Item>
        <p className={styles.buySum}>
          应付 <Money fen={product.price_fen * count} yen strong />
        </p>
        <Button htmlType="submit" hidden />
      </Form>
    </Dialog>
  )
}
