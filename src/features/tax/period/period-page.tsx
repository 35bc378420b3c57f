import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { PageHeader } from '../../../components/page/page-header.tsx'
import { EmptyState } from '../../../components/state/empty-state.tsx'
import { ErrorState } from '../../../components/state/error-state.tsx'
import { Skeleton } from '../../../components/state/skeleton.tsx'
import { formatMonth } from '../../../components/value/dates.ts'
import type { PeriodDetail } from './labels.ts'
import styles from './period.module.css'
import { PeriodStatus, StaleNotice, usePeriod } from './state.tsx'

const listLink = (
  <Link to="/salaryTax/history/list" className="ant-btn ant-btn-default">
    回到税款期间
  </Link>
)

/** The common frame of the pages of one period: title, status, and a placeholder while it loads. */
export function PeriodPage(props: {
  id: string | undefined
  title: string
  renderAction?: (period: PeriodDetail) => ReactNode
  children: (period: PeriodDetail) => ReactNode
}) {
  const { id, title, renderAction, children } = props
  if (!id)
    return (
      <div className="ui-page">
        <PageHeader title={title} />
        <section className="ui-card">
          <EmptyState text="请在税款期间里选择一个月份。" action={listLink} />
        </section>
      </div>
    )
  return <PeriodContent key={id} id={id} title={title} renderAction={renderAction} renderBody={children} />
}

function PeriodContent(props: {
  id: string
  title: string
  renderAction: ((period: PeriodDetail) => ReactNode) | undefined
  renderBody: (period: PeriodDetail) => ReactNode
}) {
  const { id, title, renderAction, renderBody } = props
  const periodResult = usePeriod(id)
  const period = periodResult.data
  if (!period)
    return (
      <div className="ui-page">
        <PageHeader title={title} action={listLink} />
        <section className="ui-card">
          {periodResult.error ? (
            <ErrorState error={periodResult.error} retry={() => void periodResult.refetch()} />
          ) : (
            <Skeleton rows={8} />
          )}
        </section>
      </div>
    )
  return (
    <div className={`ui-page ${styles.page}`}>
      <PageHeader
        title={`${formatMonth(period.month)} ${title}`}
        note={<PeriodStatus period={period} />}
        action={renderAction?.(period)}
      />
      <StaleNotice stale={period.needs_recompute} />
      {renderBody(period)}
    </div>
  )
}
