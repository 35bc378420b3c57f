import { Button } from 'antd'
import { useMemo } from 'react'
import type { CallOutput } from '../../../../server/contract/call.ts'
import type { chartData, PayComponent } from '../../../../server/contract/reports/charts.ts'
import { ChartCard } from './card.tsx'
import styles from './chart.module.css'
import { Chart } from './chart.tsx'
import { formatBracket, formatFenOrDash, formatMonthNumber, formatShortYuan, payComponentLabels } from './labels.ts'
import type { ChartSpec } from './options.ts'
import type { ChartFilter, useChartData } from './use-chart.ts'

type ChartData = CallOutput<typeof chartData>
type ChartCardProps = { charts: ReturnType<typeof useChartData> }
const yuanFormat = { formatShort: formatShortYuan, formatFull: formatFenOrDash }
const peopleFormat = {
  formatShort: (value: number) => String(value),
  formatFull: (value: number | null) => (value === null ? '—' : `${value} 人`),
}
const noDataText = '这一段时间没有发过工资。'
const buildSpec = (data: ChartData | undefined, build: (data: ChartData) => ChartSpec): ChartSpec | null =>
  data ? build(data) : null

/** Few wage sheets contain the employer's additional cost. */
const hasEmployerCost = (trend: ChartData['trend']) => trend.some(({ employer_fen }) => employer_fen !== 0)
const costWithoutEmployerText = '无单位缴费数据，企业成本按应发计'

export function TrendCards({ charts }: ChartCardProps) {
  const { data } = charts
  const pay = useMemo(
    () =>
      buildSpec(data, ({ trend }) => ({
        ...yuanFormat,
        isFitted: true,
        names: trend.map(({ month }) => formatMonthNumber(month)),
        series: [
          { name: '应发', kind: 'line', values: trend.map(({ gross_fen }) => gross_fen) },
          { name: '实发', kind: 'line', values: trend.map(({ net_fen }) => net_fen) },
        ],
      })),
    [data],
  )
  const cost = useMemo(
    () =>
      buildSpec(data, ({ trend }) => ({
        ...yuanFormat,
        names: trend.map(({ month }) => formatMonthNumber(month)),
        series: [
          { name: '个税', stack: 'all', values: trend.map(({ tax_fen }) => tax_fen) },
          { name: '个人社保', stack: 'all', values: trend.map(({ social_fen }) => social_fen) },
          { name: '个人公积金', stack: 'all', values: trend.map(({ fund_fen }) => fund_fen) },
          ...(hasEmployerCost(trend)
            ? [{ name: '单位承担', stack: 'all', values: trend.map(({ employer_fen }) => employer_fen) }]
            : []),
        ],
      })),
    [data],
  )
  const trend = data?.trend ?? []
  const showsEmployerCost = hasEmployerCost(trend)
  const empty = trend.length === 0 ? noDataText : undefined
  return (
    <>
      <ChartCard
        title="工资走势"
        note={data?.is_suppressed ? '不足 3 人的发放、更正或撤回，满 3 人后计入。' : undefined}
        requested={charts}
        empty={empty}
        head={['月份', '人数', '应发', '实发']}
        rows={trend.map(({ month, people, gross_fen, net_fen }) => [
          formatMonthNumber(month),
          people,
          formatFenOrDash(gross_fen),
          formatFenOrDash(net_fen),
        ])}
      >
        {pay && <Chart label="各月应发与实发的折线图" rendered={pay} />}
      </ChartCard>
      <ChartCard
        title="个税、社保与企业成本"
        note={showsEmployerCost ? '企业成本 = 应发 + 单位缴费等' : costWithoutEmployerText}
        requested={charts}
        empty={empty}
        head={['月份', '个税', '个人社保', '个人公积金', ...(showsEmployerCost ? ['单位承担'] : []), '企业成本']}
        rows={trend.map((item) => [
          formatMonthNumber(item.month),
          formatFenOrDash(item.tax_fen),
          formatFenOrDash(item.social_fen),
          formatFenOrDash(item.fund_fen),
          ...(showsEmployerCost ? [formatFenOrDash(item.employer_fen)] : []),
          formatFenOrDash(item.cost_fen),
        ])}
      >
        {cost && <Chart label={`各月个税、社保、公积金${showsEmployerCost ? '与单位承担' : ''}的柱状图`} rendered={cost} />}
      </ChartCard>
    </>
  )
}

type PayItem = ChartData['structure'][number]
const earnings: ReadonlySet<PayComponent> = new Set(['base', 'bonus', 'allowance', 'overtime', 'rest'])
const employerCosts: ReadonlySet<PayComponent> = new Set(['employer_social', 'employer_fund', 'employer_other'])
const sortByAmount = (items: readonly PayItem[]): PayItem[] => items.toSorted((a, b) => b.sum_fen - a.sum_fen)
const pickAmounts = (items: readonly PayItem[], picked: ReadonlySet<PayItem>) =>
  items.map((item) => (picked.has(item) ? item.sum_fen : null))
const getStructureRows = (items: readonly PayItem[]) =>
  items.map(({ component, sum_fen }) => [payComponentLabels[component], formatFenOrDash(sum_fen)])
const getStructureHeight = (items: readonly PayItem[]) => Math.max(200, items.length * 36 + 48)

/** What gross pay consists of, and apart from it what is deducted and what the employer pays. */
export function StructureCards({ charts }: ChartCardProps) {
  const { data } = charts
  const [earned, deducted, paidByEmployer] = useMemo(() => {
    const structure = data?.structure ?? []
    return [
      sortByAmount(structure.filter(({ component }) => earnings.has(component))),
      sortByAmount(structure.filter(({ component }) => !earnings.has(component) && !employerCosts.has(component))),
      sortByAmount(structure.filter(({ component }) => employerCosts.has(component))),
    ]
  }, [data])
  const others = useMemo(() => [...deducted, ...paidByEmployer], [deducted, paidByEmployer])
  const [earnedSpec, otherSpec] = useMemo(
    (): [ChartSpec, ChartSpec] => [
      {
        ...yuanFormat,
        isHorizontal: true,
        names: earned.map(({ component }) => payComponentLabels[component]),
        series: [{ name: '金额', values: earned.map(({ sum_fen }) => sum_fen) }],
      },
      {
        ...yuanFormat,
        isHorizontal: true,
        names: others.map(({ component }) => payComponentLabels[component]),
        series: [
          { name: '个人扣款', stack: 'all', values: pickAmounts(others, new Set(deducted)) },
          ...(paidByEmployer.length > 0
            ? [{ name: '单位承担', stack: 'all', values: pickAmounts(others, new Set(paidByEmployer)) }]
            : []),
        ],
      },
    ],
    [earned, others, deducted, paidByEmployer],
  )
  const note = data?.has_merged_components ? '同一部门不足 3 人有的项目并入「其他」，不单独列出。' : undefined
  const height = Math.max(getStructureHeight(earned), getStructureHeight(others))
  return (
    <>
      <ChartCard
        title="应发构成"
        note={note}
        requested={charts}
        empty={earned.length === 0 ? noDataText : undefined}
        head={['项目', '金额']}
        rows={getStructureRows(earned)}
      >
        <Chart label="应发各项目金额的条形图" rendered={earnedSpec} height={height} />
      </ChartCard>
      <ChartCard
        title={paidByEmployer.length > 0 ? '扣款与单位承担' : '扣款构成'}
        note={note}
        requested={charts}
        empty={others.length === 0 ? '这一段时间没有扣款。' : undefined}
        head={['项目', '金额']}
        rows={getStructureRows(others)}
      >
        <Chart label="各项扣款金额的条形图" rendered={otherSpec} height={height} />
      </ChartCard>
    </>
  )
}

const noDepartmentLabel = '其他人员'
export function DepartmentCard({ charts, onOpen }: ChartCardProps & { onOpen: (department_id: string) => void }) {
  const { data } = charts
  const spec = useMemo(
    () =>
      buildSpec(data, ({ departments }) => ({
        ...yuanFormat,
        isHorizontal: true,
        names: departments.map(({ name }) => name || noDepartmentLabel),
        series: [
          { name: '应发', values: departments.map(({ gross_fen }) => gross_fen) },
          { name: '实发', values: departments.map(({ net_fen }) => net_fen) },
        ],
      })),
    [data],
  )
  const departments = data?.departments ?? []
  const open = (id: string | null) => id !== null && onOpen(id)
  return (
    <ChartCard
      title="各部门"
      isWide
      note={
        data?.has_merged_groups
          ? '不足 3 人的部门并入上级，不单独列出。'
          : departments.some(({ id }) => id === null) && `「${noDepartmentLabel}」为直属人员，不在下级部门。`
      }
      requested={charts}
      empty={departments.length === 0 ? noDataText : undefined}
      head={['部门', '人数', '应发', '实发', '企业成本']}
      rows={departments.map(({ id, name, people, gross_fen, net_fen, cost_fen }) => [
        id ? (
          <Button key={id} type="link" className={styles.drill} onClick={() => onOpen(id)}>
            {name}
          </Button>
        ) : (
          noDepartmentLabel
        ),
        people,
        formatFenOrDash(gross_fen),
        formatFenOrDash(net_fen),
        formatFenOrDash(cost_fen),
      ])}
    >
      {spec && (
        <Chart
          label="各部门应发与实发的条形图"
          rendered={spec}
          height={Math.min(520, Math.max(220, departments.length * 48 + 40))}
          onPick={(index) => open(departments[index]?.id ?? null)}
        />
      )}
    </ChartCard>
  )
}

export function DistributionCard({
  charts,
  filter,
  opens: canOpenPayslips,
}: ChartCardProps & { filter: ChartFilter; opens: boolean }) {
  const { data } = charts
  const spec = useMemo(
    () =>
      buildSpec(data, ({ distribution }) => ({
        ...peopleFormat,
        names: distribution.map(formatBracket),
        series: [{ name: '人数', values: distribution.map(({ people }) => people) }],
      })),
    [data],
  )
  const brackets = data?.distribution ?? []
  const hidden = !canOpenPayslips && filter.department_id !== undefined
  return (
    <ChartCard
      title="月均实发分布"
      note="按所选时间内每人平均每月的实发，单位：元"
      requested={charts}
      empty={brackets.length > 0 ? undefined : hidden ? '为保护个人工资，分布只按全公司显示。' : noDataText}
      head={['区间', '人数']}
      rows={brackets.map((bracket) => [formatBracket(bracket), bracket.people])}
    >
      {spec && <Chart label="月均实发各区间人数的柱状图" rendered={spec} />}
    </ChartCard>
  )
}

export function HeadcountCard({ charts }: ChartCardProps) {
  const { data } = charts
  const spec = useMemo(
    () =>
      buildSpec(data, ({ headcount }) => ({
        ...peopleFormat,
        names: headcount.map(({ month }) => formatMonthNumber(month)),
        series: [
          { name: '月末在职', kind: 'line', values: headcount.map(({ staff }) => staff) },
          { name: '入职', values: headcount.map(({ joined }) => joined) },
          { name: '离职', values: headcount.map(({ terminated }) => terminated) },
        ],
      })),
    [data],
  )
  const headcounts = data?.headcount ?? []
  return (
    <ChartCard
      title="人数与入离职"
      note={
        data && data.missing_entry_date_count > 0
          ? `${data.missing_entry_date_count} 人未填入职日期，按一直在职计算，可在花名册补填。`
          : undefined
      }
      requested={charts}
      empty={headcounts.length === 0 ? '这一年还没有到。' : undefined}
      head={['月份', '月末在职', '入职', '离职', '发薪']}
      rows={headcounts.map(({ month, staff, joined, terminated, paid }) => [
        formatMonthNumber(month),
        staff,
        joined,
        terminated,
        paid,
      ])}
    >
      {spec && <Chart label="各月在职、入职、离职人数" rendered={spec} />}
    </ChartCard>
  )
}
