import { useQuery } from '@tanstack/react-query'
import { createFileRoute, Link } from '@tanstack/react-router'
import { useState } from 'react'
import { requirePower } from '../../../../server/contract/access.ts'
import { baseFeatureLabels, editionLabels, featureLabels, features } from '../../../../server/contract/billing/editions.ts'
import { getProductList, getResourceList } from '../../../../server/contract/billing/orders.ts'
import type { CallOutput } from '../../../../server/contract/call.ts'
import { formatFen } from '../../../../server/contract/shared/money.ts'
import { callQuery } from '../../../api.ts'
import { ActionButton } from '../../../components/action-button.tsx'
import { lazyDialog } from '../../../components/lazy.tsx'
import { PageHeader } from '../../../components/page/page-header.tsx'
import { StatisticCards } from '../../../components/page/statistic-cards.tsx'
import { ErrorState } from '../../../components/state/error-state.tsx'
import { Skeleton } from '../../../components/state/skeleton.tsx'
import { formatDate } from '../../../components/value/dates.ts'
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
          <SmsProducts
            list={list.filter(({ kind }) => kind === 'sms')}
            payTypeCount={pay_types.length}
            onBuy={setBoughtProduct}
          />
          <Plans
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
            label: service.on_trial ? '当前套餐（试用中）' : '当前套餐',
            value: <span className={styles.plan}>{billing ? editionLabels[service.TYPE] : '全部功能'}</span>,
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
            note: sms?.low ? '预计不足一个月，请充值' : '长期有效',
          },
          { key: 'used', label: '本月已用（条）', value: (sms?.used_month ?? 0).toLocaleString('zh-CN') },
          { key: 'people', label: '在职员工', value: service.people.toLocaleString('zh-CN') },
        ]}
      />
    </section>
  )
}

const noPayTypeText = '未开通支付方式，请联系服务商购买。'
/** Formats a price as it is advertised: without fen if there are none. */
const formatPrice = (fen: number): string => `¥${formatFen(fen).replace(/\.00$/, '')}`

type SmsProductsProps = { list: readonly Product[]; payTypeCount: number; onBuy: (product: Product) => void }

/** SMS packages: one is selected, one button buys it. */
function SmsProducts({ list, payTypeCount, onBuy }: SmsProductsProps) {
  const [selectedId, setSelectedId] = useState(list[0]?.product_id)
  const selected = list.find(({ product_id }) => product_id === selectedId) ?? list[0]
  if (!selected) return null
  return (
    <section className="ui-card ui-stack" aria-label="短信">
      <h2>短信</h2>
      {payTypeCount === 0 && <p className="ui-hint">{noPayTypeText}</p>}
      <div className={styles.packages} role="radiogroup" aria-label="短信条数">
        {list.map((product) => (
          <label key={product.product_id} className={styles.package} data-selected={product === selected || undefined}>
            <input type="radio" name="sms" checked={product === selected} onChange={() => setSelectedId(product.product_id)} />
            <strong>{product.name.replace(/^短信 /, '')}</strong>
            <span>{formatPrice(product.price_fen)}</span>
            <small>{product.note}</small>
          </label>
        ))}
      </div>
      <div className={styles.buy}>
        <BuyButton {...{ payTypeCount, onBuy }} product={selected} currentProduct={undefined} onChange={undefined} />
      </div>
    </section>
  )
}

type PlansProps = SmsProductsProps & {
  /** The edition that is currently active: it can be extended; the other editions are switched to. */
  currentProduct: Product | undefined
  onChange: (product: Product) => void
}

/** The editions as columns, the current one marked. */
function Plans({ list, payTypeCount, currentProduct, onBuy, onChange }: PlansProps) {
  return (
    <section className="ui-card ui-stack" aria-label="套餐（按年）">
      <h2>套餐（按年）</h2>
      {payTypeCount === 0 && <p className="ui-hint">{noPayTypeText}</p>}
      <ul className={styles.plans}>
        {list.map((product) => (
          <li key={product.product_id} data-current={product === currentProduct || undefined}>
            <h3>
              {product.name}
              {product === currentProduct && <span className={styles.current}>当前套餐</span>}
            </h3>
            <p className={styles.price}>
              {formatPrice(product.price_fen)}
              <small> / 年</small>
            </p>
            <p className={styles.about}>{product.note}</p>
            <BuyButton {...{ product, payTypeCount, currentProduct, onBuy, onChange }} />
          </li>
        ))}
      </ul>
    </section>
  )
}

type BuyButtonProps = Omit<PlansProps, 'list' | 'onChange'> & { product: Product; onChange: PlansProps['onChange'] | undefined }
function BuyButton({ product, payTypeCount, currentProduct, onBuy, onChange }: BuyButtonProps) {
  const isOtherEdition = currentProduct !== undefined && currentProduct.product_id !== product.product_id
  const label = !currentProduct ? '购买' : isOtherEdition ? '变更' : '续费'
  const isDowngrade = isOtherEdition && product.price_fen <= currentProduct.price_fen
  const allowed = payTypeCount === 0 ? noPayTypeText : isDowngrade ? '低档套餐请在到期后购买' : true
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
    <section className="ui-card" aria-label="套餐对比">
      <h2>套餐对比</h2>
      <div className={styles.shopScroll} role="region" aria-label="套餐对比表" tabIndex={0}>
        <table className={styles.shopFeatures}>
          <thead>
            <tr>
              <th scope="col">功能</th>
              {catalog.editions.map(({ TYPE, name }) => (
                <th key={TYPE} scope="col">
                  {name}
                  {TYPE === currentType && <small>当前套餐</small>}
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
