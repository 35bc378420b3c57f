import { useQuery } from '@tanstack/react-query'
import { createFileRoute, useNavigate } from '@tanstack/react-router'
import { Button, Select } from 'antd'
import { useEffect } from 'react'
import { requirePower } from '../../../../server/contract/access.ts'
import type { CallOutput } from '../../../../server/contract/call.ts'
import { getYearList } from '../../../../server/contract/reports/charts.ts'
import { callQuery } from '../../../api.ts'
import { Icon } from '../../../components/icon.tsx'
import { PageHeader } from '../../../components/page/page-header.tsx'
import { StatisticCards } from '../../../components/page/statistic-cards.tsx'
import { Tabs } from '../../../components/page/tabs.tsx'
import { EmptyState } from '../../../components/state/empty-state.tsx'
import { ErrorState } from '../../../components/state/error-state.tsx'
import { ProgressBar } from '../../../components/state/progress.tsx'
import { Skeleton } from '../../../components/state/skeleton.tsx'
import { OnboardingHint } from '../../../features/company/home/hint.tsx'
import { AveragePay } from '../../../features/reports/chart/averages.tsx'
import {
  DepartmentCard,
  DistributionCard,
  HeadcountCard,
  StructureCards,
  TrendCards,
} from '../../../features/reports/chart/cards.tsx'
import styles from '../../../features/reports/chart/chart.module.css'
import { MonthComparisonCard } from '../../../features/reports/chart/compare.tsx'
import { formatFenOrDash, formatMonthNumber } from '../../../features/reports/chart/labels.ts'
import { type ChartTab, parseChartParams } from '../../../features/reports/chart/params.ts'
import { type ChartSearch, parseChartSearch } from '../../../features/reports/chart/search.ts'
import { type ChartFilter, useChartData } from '../../../features/reports/chart/use-chart.ts'
import { YearExportButton } from '../../../features/reports/chart/year-export.tsx'
import { prefetchPage, prefetchQuery } from '../../../routed/prefetch.ts'

export const Route = createFileRoute('/_desk/_company/chars/home')({
  validateSearch: parseChartSearch,
  staticData: { title: '数据看板', section: 'chart', who: requirePower('1', '2') },
  loader: ({ route }) => prefetchPage(route, () => prefetchQuery(callQuery(getYearList, {}))),
  component: ChartsPage,
})

type ChartScope = CallOutput<typeof getYearList>
const aggregateTabLabels = { charts: '图表', average: '平均工资明细' } as const
const tabLabels = { ...aggregateTabLabels, compare: '两个月对比' } as const

function ChartsPage() {
  // The chart library is large: it loads in parallel with the data.
  useEffect(() => void import('../../../features/reports/chart/echarts.ts').catch(() => undefined), [])
  const years = useQuery(callQuery(getYearList, {}))
  if (!years.data)
    return (
      <div className="ui-page">
        <PageHeader title="数据看板" />
        <section className="ui-card">
          {years.error ? <ErrorState error={years.error} retry={() => void years.refetch()} /> : <Skeleton rows={8} />}
        </section>
      </div>
    )
  if (years.data.list.length === 0)
    return (
      <div className="ui-page">
        <PageHeader title="数据看板" />
        <section className="ui-card">
          <EmptyState illustration="sheet" text="还没有发过工资条。发送第一批后，这里显示工资走势、构成、各部门和人数。" />
        </section>
      </div>
    )
  return <ChartsContent existing={years.data} />
}

function ChartsContent({ existing: scope }: { existing: ChartScope }) {
  const search = Route.useSearch()
  const navigate = useNavigate()
  const navigateTo = (changes: Partial<ChartSearch>) =>
    void navigate({ to: '/chars/home', search: { ...search, page: undefined, ...changes } })
  const newest = scope.list[0]
  const year = scope.list.find((item) => String(item.year) === search.year) ?? newest
  const month = year?.months.find((item) => item === search.month)
  const department = scope.departments.find(({ id }) => id === search.department)
  const filter: ChartFilter = { year: year?.year ?? 0, month, department_id: department?.id }
  const params = parseChartParams(search)
  const tab = params.tab === 'compare' && !scope.can_open_payslips ? 'charts' : params.tab
  const months = scope.list.toReversed().flatMap((item) => item.months)
  const selectTab = (next: ChartTab) => navigateTo({ tab: next, name: undefined })
  return (
    <div className="ui-page">
      <PageHeader
        title="数据看板"
        note={department ? department.name : '全公司'}
        help={<OnboardingHint of="charts" />}
        action={
          <>
            <Button icon={<Icon name="print" />} onClick={() => print()}>
              打印
            </Button>
            <YearExportButton year={filter.year} />
          </>
        }
      >
        <ChartFilters {...{ scope, filter, year, tab, navigateTo }} department={department?.id} />
      </PageHeader>
      {scope.can_open_payslips ? (
        <Tabs label="数据看板" at={tab} labels={tabLabels} onGo={selectTab} />
      ) : (
        <Tabs label="数据看板" at={tab === 'average' ? tab : 'charts'} labels={aggregateTabLabels} onGo={selectTab} />
      )}
      {tab === 'charts' ? (
        <Charts filter={filter} opens={scope.can_open_payslips} onOpen={(id) => navigateTo({ department: id })} />
      ) : tab === 'average' ? (
        <AveragePay filter={filter} search={search} opens={scope.can_open_payslips} />
      ) : (
        <MonthComparisonCard months={months} search={search} department_id={department?.id} />
      )}
      {!scope.can_open_payslips && (
        <p className="ui-hint">仅显示至少 3 人的合计，更小的部门并入上级；个人工资仅薪酬管理员可查看。</p>
      )}
    </div>
  )
}

type FiltersProps = {
  scope: ChartScope
  filter: ChartFilter
  year: ChartScope['list'][number] | undefined
  department: string | undefined
  tab: ChartTab
  navigateTo: (some: Partial<ChartSearch>) => void
}
function ChartFilters({ scope, filter, year, department, tab, navigateTo }: FiltersProps) {
  return (
    <>
      {tab !== 'compare' && (
        <>
          <Select
            aria-label="年份"
            style={{ width: 120 }}
            value={filter.year}
            options={scope.list.map((item) => ({ value: item.year, label: `${item.year} 年` }))}
            onChange={(next) => navigateTo({ year: String(next), month: undefined })}
          />
          <Select
            aria-label="月份"
            style={{ width: 110 }}
            value={filter.month ?? ''}
            options={[
              { value: '', label: '全年' },
              ...(year?.months ?? []).map((item) => ({ value: item, label: formatMonthNumber(item) })),
            ]}
            onChange={(next) => navigateTo({ month: next || undefined })}
          />
        </>
      )}
      <Select
        aria-label="部门"
        style={{ width: 200 }}
        value={department ?? ''}
        showSearch={{ optionFilterProp: 'label' }}
        labelRender={({ label }) => (typeof label === 'string' ? label.trim() : label)}
        options={[
          { value: '', label: '全部部门' },
          ...scope.departments.map(({ id, name, level }) => ({ value: id, label: `${'　'.repeat(level)}${name}` })),
        ]}
        onChange={(next) => navigateTo({ department: next || undefined })}
      />
    </>
  )
}

function Charts({
  filter,
  opens: canOpenPayslips,
  onOpen,
}: {
  filter: ChartFilter
  opens: boolean
  onOpen: (department_id: string) => void
}) {
  const charts = useChartData(filter)
  const preparing = charts.data?.preparing ?? null
  if (preparing)
    return (
      <section className="ui-card">
        <ProgressBar label="第一次查看这一年，正在汇总" done={preparing.done} total={preparing.total} unit="张工资条" />
      </section>
    )
  const latest = charts.data?.trend.at(-1)
  return (
    <>
      {latest && (
        <div className={styles.figures}>
          <StatisticCards
            items={[
              {
                key: 'people',
                label: `${formatMonthNumber(latest.month)}发薪人数`,
                value: latest.people.toLocaleString('zh-CN'),
              },
              { key: 'gross', label: `${formatMonthNumber(latest.month)}应发`, value: formatFenOrDash(latest.gross_fen) },
              { key: 'net', label: `${formatMonthNumber(latest.month)}实发`, value: formatFenOrDash(latest.net_fen) },
              {
                key: 'cost',
                label: `${formatMonthNumber(latest.month)}企业成本`,
                value: formatFenOrDash(latest.cost_fen),
                note: latest.employer_fen === 0 && '无单位缴费数据，按应发计',
              },
            ]}
          />
        </div>
      )}
      <div className={styles.grid}>
        <TrendCards charts={charts} />
        <StructureCards charts={charts} />
        <DepartmentCard charts={charts} onOpen={onOpen} />
        <DistributionCard {...{ charts, filter, opens: canOpenPayslips }} />
        <HeadcountCard charts={charts} />
      </div>
    </>
  )
}
