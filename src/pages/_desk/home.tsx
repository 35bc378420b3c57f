import { useQuery } from '@tanstack/react-query'
import { createFileRoute, Link } from '@tanstack/react-router'
import { type CallAccess, requirePower } from '../../../server/contract/access.ts'
import { getTodoList } from '../../../server/contract/agency/agency.ts'
import type { CallOutput } from '../../../server/contract/call.ts'
import { getIndex } from '../../../server/contract/company/company.ts'
import { callQuery } from '../../api.ts'
import { Icon, type IconName } from '../../components/icon.tsx'
import { useIsNarrow } from '../../components/media.ts'
import { PageHeader } from '../../components/page/page-header.tsx'
import { StatisticCards } from '../../components/page/statistic-cards.tsx'
import { EmptyState } from '../../components/state/empty-state.tsx'
import { ErrorState } from '../../components/state/error-state.tsx'
import { Skeleton } from '../../components/state/skeleton.tsx'
import { formatMonth } from '../../components/value/dates.ts'
import { TodoList } from '../../features/approvals/todos.tsx'
import { BatchProgress } from '../../features/company/home/batch-progress.tsx'
import { WageSheetDropZone } from '../../features/company/home/drop-sheet.tsx'
import styles from '../../features/company/home/home.module.css'
import { MissingThisMonth } from '../../features/company/home/missing.tsx'
import { GettingStarted } from '../../features/company/home/starter.tsx'
import { PayTrend } from '../../features/reports/trend.tsx'
import { prefetchPage, prefetchQuery } from '../../routed/prefetch.ts'
import { useCanAccess } from '../../session.ts'

export const Route = createFileRoute('/_desk/home')({
  staticData: { title: '首页', section: 'none', who: requirePower('1', '2') },
  loader: ({ route }) =>
    prefetchPage(route, () => [prefetchQuery(callQuery(getIndex, {})), prefetchQuery(callQuery(getTodoList, {}))]),
  component: Home,
})

/** The most used pages, and those that the menu of the specification has no entry for. */
const shortcuts = [
  { path: '/wageSend1', title: '发工资条', icon: 'send', access: requirePower('2') },
  { path: '/companyMember', title: '花名册', icon: 'people', access: requirePower('1', '2') },
  { path: '/wageAdmin', title: '工资条管理', icon: 'sheet', access: requirePower('2') },
  { path: '/salaryTax/history/list', title: '个税社保', icon: 'shield', access: requirePower('2') },
  { path: '/companyThird', title: '办公平台', icon: 'company', access: requirePower('1') },
  { path: '/wageSet', title: '工资条设置', icon: 'setting', access: requirePower('2') },
] as const satisfies readonly { path: string; title: string; icon: IconName; access: CallAccess }[]

/** The width is the same as in home.module.css. */
const oneColumnWidth = 1100

type MonthOverview = CallOutput<typeof getIndex>
const getMonthStatistics = ({ counts, members, sms_left }: MonthOverview) =>
  [
    { key: 'sent', label: '本月已发送', value: counts.sent.toLocaleString('zh-CN'), note: `${counts.sent_batches} 个批次` },
    {
      key: 'viewed',
      label: '已查看',
      value: counts.viewed.toLocaleString('zh-CN'),
      note: counts.sent > 0 ? `占 ${Math.round((counts.viewed / counts.sent) * 100)}%` : '还没有发送',
    },
    { key: 'members', label: '在职员工', value: members.toLocaleString('zh-CN') },
    {
      key: 'sms',
      label: '短信余量',
      value: sms_left === null ? '不限' : sms_left.toLocaleString('zh-CN'),
      color: sms_left !== null && sms_left < members ? 'warn' : 'ink',
      note: sms_left !== null && sms_left < members && '不够给每人发一条',
    },
  ] as const

/** An overview of the current month. */
function Home() {
  const { data, error, refetch } = useQuery(callQuery(getIndex, {}))
  const canSend = useCanAccess()(requirePower('2'))
  // In one column the to-dos come first: waiting for them keeps content from moving down under the user's thumb.
  const todos = useQuery(callQuery(getTodoList, {}))
  if (!data || !todos.isFetched) return <HomeLoading error={error} retry={() => void refetch()} />

  const isNew = data.batches.length === 0 && data.trend.length === 0
  return (
    <WageSheetDropZone may={canSend}>
      <PageHeader
        title={formatMonth(data.month)}
        note="本月工资条"
        action={
          // For a new company the first onboarding step is the one primary action.
          canSend &&
          !isNew && (
            <Link to="/wageSend1" className={styles.primary}>
              <Icon name="send" />
              发工资条
            </Link>
          )
        }
      />
      {isNew && canSend ? (
        <GettingStarted members={data.members} />
      ) : (
        <>
          <StatisticCards items={getMonthStatistics(data)} />
          {canSend && <MissingThisMonth data={data} />}
          <HomeCards data={data} />
        </>
      )}
    </WageSheetDropZone>
  )
}

/** The cards of the home page in columns; in one column, pending to-dos come before information. */
function HomeCards({ data }: { data: MonthOverview }) {
  const isOneColumn = useIsNarrow(oneColumnWidth)
  const batches = <MonthBatches data={data} />
  const trend = (
    <section className="ui-card" aria-labelledby="home-trend">
      <h2 id="home-trend">近六个月</h2>
      <PayTrend months={data.trend} />
    </section>
  )
  const todos = (
    <section className="ui-card" aria-labelledby="home-todos">
      <h2 id="home-todos">待办</h2>
      <TodoList />
    </section>
  )
  if (isOneColumn)
    return (
      <div className="ui-stack">
        {todos}
        {batches}
        {trend}
        <Shortcuts />
      </div>
    )
  return (
    <div className={styles.columns}>
      <div className="ui-stack">
        {batches}
        {trend}
      </div>
      <div className="ui-stack">
        {todos}
        <Shortcuts />
      </div>
    </div>
  )
}

const MonthBatches = ({ data: { batches, counts } }: { data: MonthOverview }) => (
  <section className={`ui-card ${styles.batches}`} aria-labelledby="home-batches">
    <h2 id="home-batches">本月批次</h2>
    {batches.length === 0 ? (
      <EmptyState text="本月还没有工资条。上传工资表，核对后就可以发送。" illustration="sheet" />
    ) : (
      <ul>
        {batches.map((batch) => (
          <BatchProgress key={batch.batch_id} batch={batch} />
        ))}
        {counts.batches > batches.length && <MoreBatchesLink visible={batches.length} all={counts.batches} />}
      </ul>
    )}
  </section>
)

/** Shortcuts; without permission to send, only the roster is offered. */
function Shortcuts() {
  const canAccess = useCanAccess()
  return (
    <section className="ui-card" aria-labelledby="home-quick">
      <h2 id="home-quick">快捷操作</h2>
      <div className={styles.quick}>
        {shortcuts
          .filter(({ access }) => canAccess(access))
          .map(({ path, title, icon }) => (
            <Link key={path} to={path} search={{}}>
              <Icon name={icon} size={22} />
              {title}
            </Link>
          ))}
      </div>
    </section>
  )
}

const MoreBatchesLink = ({ visible: visibleCount, all: totalCount }: { visible: number; all: number }) => (
  <li className="ui-hint">
    这里只列最近 {visibleCount} 个批次，<Link to="/wageAdmin">查看全部 {totalCount} 个</Link>
  </li>
)

const HomeLoading = ({ error, retry }: { error: unknown; retry: () => void }) => (
  <div className="ui-page">
    <PageHeader title="首页" />
    <section className="ui-card">{error ? <ErrorState error={error} retry={retry} /> : <Skeleton rows={8} />}</section>
  </div>
)
