import { useQuery } from '@tanstack/react-query'
import { createFileRoute, useNavigate } from '@tanstack/react-router'
import { Button, Select } from 'antd'
import { useEffect } from 'react'
import type { OutputOf } from '../../../../server/contract/call.ts'
import { getYearList } from '../../../../server/contract/wage/chart.ts'
import { holders } from '../../../../server/contract/who.ts'
import { query } from '../../../api.ts'
import { askedOf, type ChartTab } from '../../../parts/home/chart/asked.ts'
import { Averages } from '../../../parts/home/chart/averages.tsx'
import { DepartmentCard, DistributionCard, HeadCard, StructureCard, TrendCards } from '../../../parts/home/chart/cards.tsx'
import styles from '../../../parts/home/chart/chart.module.css'
import { Compare } from '../../../parts/home/chart/compare.tsx'
import { type ChartSearch, chartSearch } from '../../../parts/home/chart/search.ts'
import { type ChartFilter, useCharts } from '../../../parts/home/chart/use-chart.ts'
import { fenOrDash, monthOnly } from '../../../parts/home/chart/words.ts'
import { YearExport } from '../../../parts/home/chart/year-export.tsx'
import { Hint } from '../../../parts/home/hint.tsx'
import { begin, first } from '../../../routed/first.ts'
import { Icon } from '../../../ui/icon.tsx'
import { Numbers } from '../../../ui/page/numbers.tsx'
import { PageHead } from '../../../ui/page/page-head.tsx'
import { Tabs } from '../../../ui/page/tabs.tsx'
import { Empty } from '../../../ui/state/empty.tsx'
import { ErrorState } from '../../../ui/state/error-state.tsx'
import { Progress } from '../../../ui/state/progress.tsx'
import { Skeleton } from '../../../ui/state/skeleton.tsx'

export const Route = createFileRoute('/_desk/_company/chars/home')({
  validateSearch: chartSearch,
  staticData: { title: '数据看板', section: 'chart', who: holders('1', '2') },
  loader: ({ route }) => first(route, () => begin(query(getYearList, {}))),
  component: ChartsPage,
})

type Known = OutputOf<typeof getYearList>
const sumWords = { charts: '图表', average: '平均工资明细' } as const
const tabWords = { ...sumWords, compare: '两个月对比' } as const

function ChartsPage() {
  // What draws is heavy: it comes while the figures do.
  useEffect(() => void import('../../../parts/home/chart/echarts.ts').catch(() => undefined), [])
  const asked = useQuery(query(getYearList, {}))
  if (!asked.data)
    return (
      <div className="ui-page">
        <PageHead title="数据看板" />
        <section className="ui-card">
          {asked.error ? <ErrorState error={asked.error} retry={() => void asked.refetch()} /> : <Skeleton rows={8} />}
        </section>
      </div>
    )
  if (asked.data.list.length === 0)
    return (
      <div className="ui-page">
        <PageHead title="数据看板" />
        <section className="ui-card">
          <Empty drawing="sheet" text="还没有发过工资条。发送第一批以后，这里会画出工资走势、构成、各部门和人数。" />
        </section>
      </div>
    )
  return <Shown known={asked.data} />
}

function Shown({ known }: { known: Known }) {
  const search = Route.useSearch()
  const navigate = useNavigate()
  const go = (some: Partial<ChartSearch>) => void navigate({ to: '/chars/home', search: { ...search, page: undefined, ...some } })
  const newest = known.list[0]
  const year = known.list.find((one) => String(one.year) === search.year) ?? newest
  const month = year?.months.find((one) => one === search.month)
  const department = known.departments.find(({ id }) => id === search.department)
  const filter: ChartFilter = { year: year?.year ?? 0, month, department_id: department?.id }
  const asked = askedOf(search)
  const tab = asked.tab === 'compare' && !known.opens ? 'charts' : asked.tab
  const months = known.list.toReversed().flatMap((one) => one.months)
  const turn = (next: ChartTab) => go({ tab: next, name: undefined })
  return (
    <div className="ui-page">
      <PageHead
        title="数据看板"
        note={department ? department.name : '全公司'}
        action={
          <>
            <Button icon={<Icon name="print" />} onClick={() => print()}>
              打印
            </Button>
            <YearExport year={filter.year} />
          </>
        }
      >
        <Filters {...{ known, filter, year, tab, go }} department={department?.id} />
      </PageHead>
      <Hint of="charts" />
      {known.opens ? (
        <Tabs label="数据看板" at={tab} words={tabWords} onGo={turn} />
      ) : (
        <Tabs label="数据看板" at={tab === 'average' ? tab : 'charts'} words={sumWords} onGo={turn} />
      )}
      {tab === 'charts' ? (
        <Charts filter={filter} opens={known.opens} onOpen={(id) => go({ department: id })} />
      ) : tab === 'average' ? (
        <Averages filter={filter} search={search} opens={known.opens} />
      ) : (
        <Compare months={months} search={search} department_id={department?.id} />
      )}
      {!known.opens && (
        <p className="ui-hint">您可以看到至少 3 个人的合计；更小的部门并入上级。每个人的工资只有薪酬管理员可以查看。</p>
      )}
    </div>
  )
}

type FiltersProps = {
  known: Known
  filter: ChartFilter
  year: Known['list'][number] | undefined
  department: string | undefined
  tab: ChartTab
  go: (some: Partial<ChartSearch>) => void
}
function Filters({ known, filter, year, department, tab, go }: FiltersProps) {
  return (
    <>
      {tab !== 'compare' && (
        <>
          <Select
            aria-label="年份"
            style={{ width: 120 }}
            value={filter.year}
            options={known.list.map((one) => ({ value: one.year, label: `${one.year} 年` }))}
            onChange={(next) => go({ year: String(next), month: undefined })}
          />
          <Select
            aria-label="月份"
            style={{ width: 110 }}
            value={filter.month ?? ''}
            options={[
              { value: '', label: '全年' },
              ...(year?.months ?? []).map((one) => ({ value: one, label: monthOnly(one) })),
            ]}
            onChange={(next) => go({ month: next || undefined })}
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
          ...known.departments.map(({ id, name, level }) => ({ value: id, label: `${'　'.repeat(level)}${name}` })),
        ]}
        onChange={(next) => go({ department: next || undefined })}
      />
    </>
  )
}

function Charts({ filter, opens, onOpen }: { filter: ChartFilter; opens: boolean; onOpen: (department_id: string) => void }) {
  const asked = useCharts(filter)
  const preparing = asked.data?.preparing ?? null
  if (preparing)
    return (
      <section className="ui-card">
        <Progress label="第一次查看这一年，正在汇总" done={preparing.done} total={preparing.total} unit="张工资条" />
      </section>
    )
  const last = asked.data?.trend.at(-1)
  return (
    <>
      {last && (
        <Numbers
          items={[
            { key: 'people', label: `${monthOnly(last.month)}发薪人数`, value: last.people.toLocaleString('zh-CN') },
            { key: 'gross', label: `${monthOnly(last.month)}应发`, value: fenOrDash(last.gross_fen) },
            { key: 'net', label: `${monthOnly(last.month)}实发`, value: fenOrDash(last.net_fen) },
            {
              key: 'cost',
              label: `${monthOnly(last.month)}企业成本`,
              value: fenOrDash(last.cost_fen),
              note: last.employer_fen === 0 && '没有公司承担的数，按应发计',
            },
          ]}
        />
      )}
      <div className={styles.grid}>
        <TrendCards asked={asked} />
        <StructureCard asked={asked} />
        <DepartmentCard asked={asked} onOpen={onOpen} />
        <DistributionCard {...{ asked, filter, opens }} />
        <HeadCard asked={asked} />
      </div>
    </>
  )
}
