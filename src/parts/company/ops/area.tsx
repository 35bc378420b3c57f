import { useQuery } from '@tanstack/react-query'
import { Button } from 'antd'
import { type ComponentType, lazy, Suspense } from 'react'
import { getOperatorList, signOutOperator } from '../../../../server/contract/corp/ops.ts'
import { query, useCall } from '../../../api.ts'
import { DeskLook } from '../../../shell/look/desk-look.tsx'
import { Tabs } from '../../../ui/page/tabs.tsx'
import { Skeleton } from '../../../ui/state/skeleton.tsx'
import { type OpsSearch, useOpsGo, useOpsSearch } from './place.ts'
import { leaveOps, opsSession } from './session.ts'
import { OpsSignIn } from './sign-in.tsx'
import { type OpsView, viewWords } from './words.ts'
import '../../../ui/table/desk.css'
import '../../../ui/table/table.css'
import styles from './ops.module.css'

const parts: Readonly<Record<OpsView, ComponentType<OpsSearch>>> = {
  health: lazy(async () => ({ default: (await import('./health.tsx')).Health })),
  company: lazy(async () => ({ default: (await import('./companies.tsx')).Companies })),
  order: lazy(async () => ({ default: (await import('./orders.tsx')).OpsOrders })),
  invoice: lazy(async () => ({ default: (await import('./invoices.tsx')).OpsInvoices })),
  price: lazy(async () => ({ default: (await import('./prices.tsx')).Prices })),
  news: lazy(async () => ({ default: (await import('./news.tsx')).OpsNews })),
  people: lazy(async () => ({ default: (await import('./people.tsx')).Operators })),
}

export const Ops = () => <DeskLook>{opsSession.token ? <Area /> : <OpsSignIn />}</DeskLook>

function Area() {
  const search = useOpsSearch()
  const go = useOpsGo()
  const me = useQuery(query(getOperatorList, {}))
  const leave = useCall(signOutOperator, { onSettled: leaveOps })
  const { view = 'health' } = search
  const Part = parts[view]
  return (
    <>
      <header className={styles.bar}>
        <strong>薪函运营后台</strong>
        <span>{me.data?.me}</span>
        <Button onClick={() => leave.mutate({})}>退出</Button>
      </header>
      <main className={styles.main} id="page">
        <div className="ui-page">
          <h1 className="sr-only">运营后台：{viewWords[view]}</h1>
          <Tabs
            label="运营后台"
            at={view}
            words={viewWords}
            onGo={(next) => go({ view: next === 'health' ? undefined : next })}
          />
          <Suspense fallback={<Skeleton rows={6} />}>
            <Part key={view} {...search} />
          </Suspense>
        </div>
      </main>
    </>
  )
}
