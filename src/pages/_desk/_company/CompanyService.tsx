import { useQuery } from '@tanstack/react-query'
import { createFileRoute, Link } from '@tanstack/react-router'
import { lazy, Suspense, useState } from 'react'
import type { OutputOf } from '../../../../server/contract/call.ts'
import { always_there, editionWords, features, featureWords } from '../../../../server/contract/corp/editions.ts'
import { getProductList, getResourceList } from '../../../../server/contract/corp/order.ts'
import { holders } from '../../../../server/contract/who.ts'
import { query } from '../../../api.ts'
import type { Sold } from '../../../parts/company/order/buy-dialog.tsx'
import styles from '../../../parts/company/order/order.module.css'
import { begin, first } from '../../../routed/first.ts'
import { Act } from '../../../ui/act.tsx'
import { Numbers } from '../../../ui/page/numbers.tsx'
import { PageHead } from '../../../ui/page/page-head.tsx'
import { ErrorState } from '../../../ui/state/error-state.tsx'
import { Skeleton } from '../../../ui/state/skeleton.tsx'
import { day } from '../../../ui/value/dates.ts'
import { Money } from '../../../ui/value/money.tsx'

const ChangeDialog = lazy(async () => ({
  default: (await import('../../../parts/company/order/change-dialog.tsx')).ChangeDialog,
}))
const BuyDialog = lazy(async () => ({ default: (await import('../../../parts/company/order/buy-dialog.tsx')).BuyDialog }))

type Shop = OutputOf<typeof getProductList>
type Resources = OutputOf<typeof getResourceList>

export const Route = createFileRoute('/_desk/_company/CompanyService')({
  staticData: { title: '服务管理', section: 'message', who: holders('1', '2') },
  loader: ({ route }) => first(route, () => [begin(query(getProductList, {})), begin(query(getResourceList, {}))]),
  component: CompanyService,
})

/** The edition with its end, what is left of what was paid for, and what may be bought. */
function CompanyService() {
  const shop = useQuery(query(getProductList, {}))
  const resources = useQuery(query(getResourceList, {}))
  const [buying, setBuying] = useState<Sold>()
  const [changing, setChanging] = useState<Sold>()
  const error = shop.error ?? resources.error
  if (!shop.data || !resources.data)
    return (
      <div className="ui-page">
        <PageHead title="服务管理" />
        <section className="ui-card">
          {error ? (
            <ErrorState
              error={error}
              retry={() => {
                void shop.refetch()
                void resources.refetch()
              }}
            />
          ) : (
            <Skeleton rows={8} />
          )}
        </section>
      </div>
    )
  const { list, pay_types, billing } = shop.data
  return (
    <div className="ui-page">
      <PageHead title="服务管理" action={<Link to="/companyOrder">订单与发票</Link>} />
      <State resources={resources.data} billing={billing} />
      {billing && (
        <>
          <Products title="短信" list={list.filter(({ kind }) => kind === 'sms')} ways={pay_types.length} onBuy={setBuying} />
          <Products
            title="版本（每年）"
            list={list.filter(({ kind }) => kind === 'edition')}
            ways={pay_types.length}
            held={list.find(({ product_id }) => product_id === resources.data.service.product_id)}
            onBuy={setBuying}
            onChange={setChanging}
          />
          <Compared shop={shop.data} now={resources.data.service.TYPE} />
        </>
      )}
      {buying && (
        <Suspense fallback={null}>
          <BuyDialog product={buying} ways={pay_types} onClose={() => setBuying(undefined)} />
        </Suspense>
      )}
      {changing && (
        <Suspense fallback={null}>
          <ChangeDialog product={changing} ways={pay_types} onClose={() => setChanging(undefined)} />
        </Suspense>
      )}
    </div>
  )
}

function State({ resources, billing }: { resources: Resources; billing: boolean }) {
  const { service, list } = resources
  const [sms] = list
  const ends = service.expires_at
  return (
    <section className="ui-card" aria-label="当前服务">
      <Numbers
        items={[
          {
            key: 'edition',
            label: service.on_trial ? '当前版本（试用中）' : '当前版本',
            value: billing ? editionWords[service.TYPE] : '全部功能',
            note: ends ? `${day(ends)} 到期，还剩 ${service.days_left} 天` : billing ? '长期有效' : '本系统不收费',
            tone: ends && service.days_left <= 30 ? 'warn' : 'ink',
          },
          {
            key: 'sms',
            label: '短信余量（条）',
            value: (sms?.left ?? 0).toLocaleString('zh-CN'),
            tone: sms?.low ? 'danger' : 'ink',
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
  list: readonly Sold[]
  ways: number
  /** The edition that was bought and runs: others are changed to, this one is bought longer. */
  held?: Sold | undefined
  onBuy: (product: Sold) => void
  onChange?: (product: Sold) => void
}

function Products({ title, list, ways, held, onBuy, onChange }: ProductsProps) {
  return (
    <section className="ui-card" aria-label={title}>
      <h2>{title}</h2>
      {ways === 0 && <p className="ui-hint">本系统还没有开通支付方式，请联系服务商购买。</p>}
      <ul className={styles.shop}>
        {list.map((product) => (
          <li key={product.product_id}>
            <h3>{product.name}</h3>
            <p>{product.note}</p>
            <span className={styles.price}>
              <Money fen={product.price_fen} yen strong />
            </span>
            <Buy {...{ product, ways, held, onBuy, onChange }} />
          </li>
        ))}
      </ul>
    </section>
  )
}

type BuyProps = Pick<ProductsProps, 'ways' | 'held' | 'onBuy'> & {
  product: Sold
  onChange: ProductsProps['onChange']
}
function Buy({ product, ways, held, onBuy, onChange }: BuyProps) {
  const isOther = held !== undefined && held.product_id !== product.product_id
  const word = !held ? '购买' : isOther ? '变更' : '续费'
  const isLess = isOther && product.price_fen <= held.price_fen
  const verdict = ways === 0 ? '本系统还没有开通支付方式' : isLess ? '较低的版本请在到期后购买' : true
  return (
    <Act
      verdict={verdict}
      aria-label={`${word} ${product.name}`}
      onClick={() => (isOther ? onChange?.(product) : onBuy(product))}
    >
      {word}
    </Act>
  )
}

/** What each edition may do; the present one is said. */
function Compared({ shop, now }: { shop: Shop; now: number }) {
  return (
    <section className="ui-card" aria-label="版本对比">
      <h2>版本对比</h2>
      <div className={styles.shopScroll} role="region" aria-label="版本对比表" tabIndex={0}>
        <table className={styles.shopFeatures}>
          <thead>
            <tr>
              <th scope="col">功能</th>
              {shop.editions.map(({ TYPE, name }) => (
                <th key={TYPE} scope="col">
                  {name}
                  {TYPE === now && <small>当前版本</small>}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {always_there.map((words) => (
              <tr key={words}>
                <th scope="row">{words}</th>
                {shop.editions.map(({ TYPE }) => (
                  <Has key={TYPE} has />
                ))}
              </tr>
            ))}
            {features.map((feature) => (
              <tr key={feature}>
                <th scope="row">{featureWords[feature]}</th>
                {shop.editions.map(({ TYPE, features: has }) => (
                  <Has key={TYPE} has={has.includes(feature)} />
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </section>
  )
}

const Has = ({ has }: { has: boolean }) => (
  <td data-has={has}>
    <span aria-hidden="true">{has ? '✓' : '—'}</span>
    <span className="sr-only">{has ? '有' : '没有'}</span>
  </td>
)
