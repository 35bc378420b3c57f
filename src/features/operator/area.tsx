import { useQuery } from '@tanstack/react-query'
import { Button } from 'antd'
import { type ComponentType } from 'react'
import { getOperatorList, signOutOperator } from '../../../server/contract/operator/operators.ts'
import { callQuery, useCallMutation } from '../../api.ts'
import { DesktopTheme } from '../../app/theme/desktop-theme.tsx'
import { Tabs } from '../../components/page/tabs.tsx'
import { type OperatorView, operatorViewLabels } from './labels.ts'
import { type OperatorSearch, useOperatorNavigate, useOperatorSearch } from './navigation.ts'
import { leaveOperatorConsole, operatorSession } from './session.ts'
import { OperatorSignIn } from './sign-in.tsx'
import '../../components/table/desktop.css'
import '../../components/table/table.css'
import { lazyComponent } from '../../components/lazy.tsx'
import styles from './ops.module.css'

const viewComponents: Readonly<Record<OperatorView, ComponentType<OperatorSearch>>> = {
  health: lazyComponent(async () => (await import('./health.tsx')).HealthView),
  company: lazyComponent(async () => (await import('./companies.tsx')).CompanyTable),
  order: lazyComponent(async () => (await import('./orders.tsx')).OrderTable),
  invoice: lazyComponent(async () => (await import('./invoices.tsx')).InvoiceTable),
  price: lazyComponent(async () => (await import('./prices.tsx')).PriceTable),
  news: lazyComponent(async () => (await import('./news.tsx')).AnnouncementTable),
  people: lazyComponent(async () => (await import('./operators.tsx')).OperatorTable),
}

export const OperatorConsole = () => <DesktopTheme>{operatorSession.token ? <ConsoleLayout /> : <OperatorSignIn />}</DesktopTheme>

function ConsoleLayout() {
  const search = useOperatorSearch()
  const navigate = useOperatorNavigate()
  const operators = useQuery(callQuery(getOperatorList, {}))
  const signOut = useCallMutation(signOutOperator, { onSettled: leaveOperatorConsole })
  const { view = 'health' } = search
  const ViewComponent = viewComponents[view]
  return (
    <>
      <header className={styles.bar}>
        <strong>薪函运营后台</strong>
        <span>{operators.data?.current_operator}</span>
        <Button onClick={() => signOut.mutate({})}>退出</Button>
      </header>
      <main className={styles.main} id="page">
        <div className="ui-page">
          <h1 className="sr-only">运营后台：{operatorViewLabels[view]}</h1>
          <Tabs
            label="运营后台"
            at={view}
            labels={operatorViewLabels}
            onGo={(next) => navigate({ view: next === 'health' ? undefined : next })}
          />

          <ViewComponent key={view} {...search} />
        </div>
      </main>
    </>
  )
}
