import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { PageHead } from '../../../ui/page/page-head.tsx'
import { Empty } from '../../../ui/state/empty.tsx'
import { ErrorState } from '../../../ui/state/error-state.tsx'
import { Skeleton } from '../../../ui/state/skeleton.tsx'
import { monthName } from '../../../ui/value/dates.ts'
import styles from './period.module.css'
import { PeriodState, Stale, usePeriod } from './state.tsx'
import type { PeriodHead } from './words.ts'

const toList = (
  <Link to="/salaryTax/history/list" className="ant-btn ant-btn-default">
    回到税款期间
  </Link>
)

/** What the pages of one month share: which one, how far it is, and what stands in its place while it is not there. */
export function PeriodPage(props: {
  id: string | undefined
  title: string
  renderAction?: (period: PeriodHead) => ReactNode
  children: (period: PeriodHead) => ReactNode
}) {
  const { id, title, renderAction, children } = props
  if (!id)
    return (
      <div className="ui-page">
        <PageHead title={title} />
        <section className="ui-card">
          <Empty text="请在税款期间里选择一个月份。" action={toList} />
        </section>
      </div>
    )
  return <OnePeriod key={id} id={id} title={title} renderAction={renderAction} renderBody={children} />
}

function OnePeriod(props: {
  id: string
  title: string
  renderAction: ((period: PeriodHead) => ReactNode) | undefined
  renderBody: (period: PeriodHead) => ReactNode
}) {
  const { id, title, renderAction, renderBody } = props
  const asked = usePeriod(id)
  const period = asked.data
  if (!period)
    return (
      <div className="ui-page">
        <PageHead title={title} action={toList} />
        <section className="ui-card">
          {asked.error ? <ErrorState error={asked.error} retry={() => void asked.refetch()} /> : <Skeleton rows={8} />}
        </section>
      </div>
    )
  return (
    <div className={`ui-page ${styles.page}`}>
      <PageHead
        title={`${monthName(period.month)} ${title}`}
        note={<PeriodState period={period} />}
        action={renderAction?.(period)}
      />
      <Stale stale={period.stale} />
      {renderBody(period)}
    </div>
  )
}
