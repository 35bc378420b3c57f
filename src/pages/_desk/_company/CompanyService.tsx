import { useQuery } from '@tanstack/react-query'
import { createFileRoute, Link } from '@tanstack/react-router'
import { useState } from 'react'
import { requirePower } from '../../../../server/contract/access.ts'
import { baseFeatureLabels, editionLabels, featureLabels, features } from '../../../../server/contract/billing/editions.ts'
import { getProductList, getResourceList } from '../../../../server/contract/billing/orders.ts'
import type { CallOutput } from '../../../../server/contract/call.ts'
import { callQuery } from '../../../api.ts'
import { ActionButton } from '../../../components/action-button.tsx'
import { lazyDialog } from '../../../components/lazy.tsx'
import { PageHeader } from '../../../components/page/page-header.tsx'
import { StatisticCards } from '../../../components/page/statistic-cards.tsx'
import { ErrorState } from '../../../components/state/error-state.tsx'
import { Skeleton } from '../../../components/state/skeleton.tsx'
import { formatDate } from '../../../components/value/dates.ts'
import { Money } from '../../../components/value/money.tsx'
import type { Product } from '../../../features/billing/buy-dialog.tsx'
import styles from '../../../features/billing/order.module.css'
import { prefetchPage, prefetchQuery } from '../../../routed/prefetch.ts'

const ChangeEditionDialog = lazyDialog(
  async () => (await import('../../../features/billing/change-dialog.tsx')).ChangeEditionDialog,
)
const BuyDialog = lazyDialog(async () => (await import('../../../features/billing/buy-dialog.tsx')).BuyDialog)

type ProductCatalog = CallOutput<typeof getProductList>
type PrepaidResources = CallOutput<typeof getResourceList>

export const Route = createFileRoute('/_desk/_company/CompanyService')({
  staticData: { title: '服务管理', section: 'message', who: requirePower('1', '2') },
  loader: ({ route }) =>
    prefetchPage(route, () => [prefetchQuery(callQuery(getProductList, {})), prefetchQuery(callQuery(getResourceList, {}))]),
  component: CompanyService,
})

/** The current edition and its end date, the prepaid balance, and the products for sale. */
function CompanyService() {
  const products = useQuery(callQuery(getProductList, {}))
  const resources = useQuery(callQuery(getResourceList, {}))
  const [boughtProduct, setBoughtProduct] = useState<Product>()
  const [newEdition, setNewEdition] = useState<Product>()
  const error = products.error ?? resources.error
  if (!products.data || !resources.data)
    return (
      <div className="ui-page">
        <PageHeader title="服务管理" />
        <section className="ui-card">
          {error ? (
            <ErrorState
              error={error}
              retry={() => {
                void products.refetch()
                void resources.refetch()
              }}
            />
          ) : (
            <Skeleton rows={8} />
          )}
        </section>
      </div>
    )
  const { list, pay_types, billing } = products.data
  return (
    <div className="ui-page">
      <PageHeader title="服务管理" action={<Link to="/companyOrder">订单与发票</Link>} />
      <ServiceStatistics resources={resources.data} billing={billing} />
      {billing && (
        <>
          <ProductList
            title="短信"
            list={list.filter(({ kind }) => kind === 'sms')}
            payTypeCount={pay_types.length}
            onBuy={setBoughtProduct}
          />
          <ProductList
            title="版本（每年）"
            list={list.filter(({ kind }) => kind === 'edition')}
            payTypeCount={pay_types.length}
            currentProduct={list.find(({ product_id }) => product_id === resources.data.service.product_id)}
            onBuy={setBoughtProduct}
            onChange={setNewEdition}
          />
          <EditionComparison shop={products.data} now={resources.data.service.TYPE} />
        </>
      )}
      {boughtProduct && (
        <>
          <BuyDialog product={boughtProduct} payTypes={pay_types} onClose={() => setBoughtProduct(undefined)} />
        </>
      )}
      {newEdition && (
        <>
          <ChangeEditionDialog product={newEdition} payTypes={pay_types} onClose={() => setNewEdition(undefined)} />
        </>
      )}
    </div>
  )
}

function ServiceStatistics({ resources, billing }: { resources: PrepaidResources; billing: boolean }) {
  const { service, list } = resources
  const [sms] = list
  const expiresAt = service.expires_at
  return (
    <section className="ui-card" aria-label="当前服务">
      <StatisticCards
        items={[
          {
            key: 'edition',
            label: service.on_trial ? '当前版本（试用中）' : '当前版本',
            value: billing ? editionLabels[service.TYPE] : '全部功能',
            note: expiresAt
              ? `${formatDate(expiresAt)} 到期，还剩 ${service.days_left} 天`
              : billing
                ? '长期有效'
                : '本系统不收费',
            color: expiresAt && service.days_left <= 30 ? 'warn' : 'ink',
          },
          {
            key: 'sms',
            label: '短信余量（条）',
            value: (sms?.left ?? 0).toLocaleString('zh-CN'),
            color: sms?.low ? 'danger' : 'ink',
            note: sms?.low ? '可能不够用一个月，请充值' : '长期有效',
          },
          { key: 'used', label: '本月已用（条）', value: (sms?.used_month ?? 0).toLocaleString('zh-CN') },
          { key: 'people', label: '在职员工', value: service.people.toLocaleString('zh-CN') },
        ]}
      />
    </section>
  )
}

type ProductsProps = {
  title: string
  list: readonly Product[]
  payTypeCount: number
  /** The edition that is currently active: it can be extended; the other editions are switched to. */
  currentProduct?: Product | undefined
  onBuy: (product: Product) => void
  onChange?: (product: Product) => void
}

function ProductList({ title, list, payTypeCount, currentProduct, onBuy, onChange }: ProductsProps) {
  return (
    <section className="ui-card" aria-label={title}>
      <h2>{title}</h2>
      {payTypeCount === 0 && <p className="ui-hint">本系统还没有开通支付方式，请联系服务商购买。</p>}
      <ul className={styles.shop}>
        {list.map((product) => (
          <li key={product.product_id}>
            <h3>{product.name}</h3>
            <p>{product.note}</p>
            <span className={styles.price}>
              <Money fen={product.price_fen} yen strong />
            </span>
            <BuyButton {...{ product, payTypeCount, currentProduct, onBuy, onChange }} />
          </li>
        ))}
      </ul>
    </section>
  )
}

type BuyButtonProps = Pick<ProductsProps, 'payTypeCount' | 'currentProduct' | 'onBuy'> & {
  product: Product
  onChange: ProductsProps['onChange']
}
function BuyButton({ product, payTypeCount, currentProduct, onBuy, onChange }: BuyButtonProps) {
  const isOtherEdition = currentProduct !== undefined && currentProduct.product_id !== product.product_id
  const label = !currentProduct ? '购买' : isOtherEdition ? '变更' : '续费'
  const isDowngrade = isOtherEdition && product.price_fen <= currentProduct.price_fen
  const allowed = payTypeCount === 0 ? '本系统还没有开通支付方式' : isDowngrade ? '较低的版本请在到期后购买' : true
  return (
    <ActionButton
      allowed={allowed}
      aria-label={`${label} ${product.name}`}
      onClick={() => (isOtherEdition ? onChange?.(product) : onBuy(product))}
    >
      {label}
    </ActionButton>
  )
}

/** Compares what each edition includes and marks the current one. */
function EditionComparison({ shop: catalog, now: currentType }: { shop: ProductCatalog; now: number }) {
  return (
    <section className="ui-card" aria-label="版本对比">
      <h2>版本对比</h2>
      <div className={styles.shopScroll} role="region" aria-label="版本对比表" tabIndex={0}>
        <table className={styles.shopFeatures}>
          <thead>
            <tr>
              <th scope="col">功能</th>
              {catalog.editions.map(({ TYPE, name }) => (
                <th key={TYPE} scope="col">
                  {name}
                  {TYPE === currentType && <small>当前版本</small>}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {baseFeatureLabels.map((label) => (
              <tr key={label}>
                <th scope="row">{label}</th>
                {catalog.editions.map(({ TYPE }) => (
                  <FeatureCell key={TYPE} has />
                ))}
              </tr>
            ))}
            {features.map((feature) => (
              <tr key={feature}>
                <th scope="row">{featureLabels[feature]}</th>
                {catalog.editions.map(({ TYPE, features: included }) => (
                  <FeatureCell key={TYPE} has={included.includes(feature)} />
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </section>
  )
}

const FeatureCell = ({ has: isIncluded }: { has: boolean }) => (
  <td data-has={isIncluded}>
    <span aria-hidden="true">{isIncluded ? '✓' : '—'}</span>
    <span className="sr-only">{isIncluded ? '有' : '没有'}</span>
  </td>
)
