import { useQuery } from '@tanstack/react-query'
import { Button } from 'antd'
import { useState } from 'react'
import type { CallOutput } from '../../../server/contract/call.ts'
import { getPriceList, setPrice } from '../../../server/contract/operator/billing.ts'
import { parseFen } from '../../../server/contract/shared/money.ts'
import { callQuery, useCallMutation } from '../../api.ts'
import { FormField } from '../../components/form/desktop-field.tsx'
import { FormDialog } from '../../components/overlay/dialogs.tsx'
import { toast } from '../../components/overlay/toast.ts'
import { type Columns, DataTable } from '../../components/table/data-table.tsx'
import { formatDateTime } from '../../components/value/dates.ts'
import { Money } from '../../components/value/money.tsx'
import { amountRule, formatEditableAmount } from './labels.ts'

type Product = CallOutput<typeof getPriceList>['list'][number]
const createColumns = (onChange: (product: Product) => void): Columns<Product> => [
  { title: '商品', dataIndex: 'name' },
  { title: '说明', dataIndex: 'note', card: 'wide' },
  {
    title: '现价',
    dataIndex: 'price_fen',
    align: 'right',
    width: 130,
    card: 'side',
    render: (fen: number) => <Money fen={fen} />,
  },
  {
    title: '默认价',
    dataIndex: 'usual_fen',
    align: 'right',
    width: 130,
    card: 'named',
    render: (fen: number) => <Money fen={fen} />,
  },
  {
    title: '调整',
    dataIndex: 'changed_at',
    width: 210,
    card: 'named',
    render: (at: string | null, { by }) => (at ? `${formatDateTime(at)} · ${by}` : '—'),
  },
  {
    title: <span className="sr-only">操作</span>,
    key: 'acts',
    width: 100,
    render: (_, product) => (
      <Button aria-label={`调价 ${product.name}`} onClick={() => onChange(product)}>
        调价
      </Button>
    ),
  },
]

export function PriceTable() {
  const prices = useQuery(callQuery(getPriceList, {}))
  const [editedProduct, setEditedProduct] = useState<Product>()
  const savePrice = useCallMutation(setPrice, { onSuccess: () => toast.success('新价格已生效，已下的订单不变') })
  return (
    <section className="ui-card">
      <DataTable
        requested={prices}
        columns={createColumns(setEditedProduct)}
        rowKey="product_id"
        label="价格"
        empty={{ text: '没有商品。' }}
      />
      {editedProduct && (
        <FormDialog<{ price: string }>
          open
          title={`调价：${editedProduct.name}`}
          action="立即生效"
          initial={{ price: formatEditableAmount(editedProduct.price_fen) }}
          onSubmit={({ price }) =>
            savePrice.mutateAsync({ product_id: editedProduct.product_id, price_fen: parseFen(price) ?? 0 })
          }
          onClose={() => setEditedProduct(undefined)}
        >
          <p className="ui-hint">从现在起新下的订单按新价格，已下的订单不变。</p>
          <FormField name="price" label="价格（元）" kind="decimal" rules={[amountRule]} maxLength={12} />
        </FormDialog>
      )}
    </section>
  )
}
