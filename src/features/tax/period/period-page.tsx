import { Link, useNavigate } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { PageHeader } from '../../../components/page/page-header.tsx'
import { Steps } from '../../../components/page/steps.tsx'
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

const periodSteps = ['收入', '核对', '个税', '锁定'] as const
const stepNumbers = { 收入: 0, 核对: 1, 个税: 2 } as const
type PeriodStep = keyof typeof stepNumbers
const stepPages = ['/salaryTax/add/update', '/salaryTax/add/check', '/salaryTax/history/detail'] as const
/** The last step has no page of its own: a locked month is at it. */
const getStepIndex = (title: PeriodStep, { status }: PeriodDetail): number =>
  title === '个税' && status === 'locked' ? 3 : stepNumbers[title]

/** The common frame of the pages of one period: title, status, steps, and a placeholder while it loads. */
export function PeriodPage(props: {
  id: string | undefined
  title: PeriodStep
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
  title: PeriodStep
  renderAction: ((period: PeriodDetail) => ReactNode) | undefined
  renderBody: (period: PeriodDetail) => ReactNode
}) {
  const { id, title, renderAction, renderBody } = props
  const periodResult = usePeriod(id)
  const navigate = useNavigate()
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
      <Steps
        at={getStepIndex(title, period)}
        names={periodSteps}
        onGo={(next) => void navigate({ to: stepPages[next] ?? stepPages[0], search: { id } })}
      />
      <StaleNotice stale={period.needs_recompute} />
      {renderBody(period)}
    </div>
  )
}
