/** Handlers of the chart calls: charts of a year, averages, comparison of two months. */
import type { CallInput, CallOutput } from '../../contract/call.ts'
import * as contract from '../../contract/reports/charts.ts'
import { defineHandler, fail, type HandlerContext } from '../../http/handler.ts'
import { toShanghaiMonth } from '../../shared/clock.ts'
import { listRosterDepartments } from '../directory/index.ts'
import { listPaidBatches } from '../sheets/index.ts'
import { comparePay, payChanges } from './rules/compare.ts'
import {
  type ChartMonths,
  type ChartView,
  type ComponentTotals,
  getAncestorIndexes,
  getDepartmentIndex,
  getHeadcount,
  getPayDistribution,
  getPayStructure,
  mergeTotals,
  sumAll,
  sumByDepartment,
  sumByDepartmentSubtree,
  sumByMember,
  sumByMonth,
} from './rules/totals.ts'
import {
  buildDepartmentTree,
  canOpenPayslips,
  createChartContext,
  findDepartmentIndex,
  loadChartMonths,
  loadChartView,
} from './view.ts'

export const getYearList = defineHandler(contract.getYearList, async (ctx) => {
  const canOpen = canOpenPayslips(ctx)
  const batches = await listPaidBatches(ctx, { from: '1900-01', to: '2999-12', all: !canOpen })
  const months = [...new Set(batches.map(({ month }) => month))]
  const years = Map.groupBy(months, (month) => Number(month.slice(0, 4)))
  const departments = await listRosterDepartments(ctx)
  const tree = buildDepartmentTree(canOpen ? departments.filter(({ is_manageable }) => is_manageable) : departments)
  return {
    list: [...years].map(([year, of_year]) => ({ year, months: of_year })).toSorted((a, b) => b.year - a.year),
    departments: tree.map(({ id, name, level }) => ({ id, name, level })),
    can_open_payslips: canOpen,
  }
})

type ChartParams = { readonly year: number; readonly month?: string | undefined; readonly department_id?: string | undefined }
/** A month outside the year has an empty range. */
const getMonthRange = ({ year, month }: ChartParams) =>
  month === undefined
    ? { from: `${year}-01`, to: `${year}-12` }
    : { from: month, to: month.startsWith(String(year)) ? month : '0000-00' }

async function loadChartData(ctx: HandlerContext, params: ChartParams) {
  const chartContext = createChartContext(ctx)
  const view = await loadChartView(chartContext)
  const departmentIndex = findDepartmentIndex(view, params.department_id)
  const { months, preparing } = await loadChartMonths(chartContext, view, getMonthRange(params))
  ctx.addAuditDetails({ months: months.size })
  const sumArguments: [ChartView, ChartMonths, number] = [view, months, departmentIndex]
  let cachedMonths: ReturnType<typeof sumByMonth> | null = null
  /** Computes the monthly totals once; several charts of one response start from them. */
  const getMonthly = () => {
    cachedMonths ??= sumByMonth(...sumArguments)
    return cachedMonths
  }
  return { view, position: departmentIndex, months, preparing, provided: sumArguments, monthly: getMonthly }
}

const toTotals = (totals: ComponentTotals) => ({ people: totals.members.size, ...totals.totals })
type ChartOutput = CallOutput<typeof contract.chartData>
type ChartFields = Partial<
  Omit<ChartOutput, 'kind' | 'preparing' | 'has_merged_groups' | 'is_suppressed' | 'has_merged_components'>
>
type LoadedChartData = Awaited<ReturnType<typeof loadChartData>>

const chartBuilders: Readonly<
  Record<contract.ChartKind, (data: LoadedChartData, params: ChartParams, now: Date) => ChartFields>
> = {
  trend: ({ monthly }) => ({ trend: [...monthly()].map(([month, sums]) => ({ month, ...toTotals(sums) })) }),
  structure: ({ monthly }) => ({ structure: getPayStructure(mergeTotals(monthly().values())) }),
  department: ({ provided, view }) => {
    const { places, sums } = sumByDepartment(...provided)
    const rest = sums.get(-1)
    return {
      departments: [
        ...places.flatMap((at) => {
          const one = sums.get(at)
          return one
            ? [{ id: view.tree[at]?.id ?? null, name: view.tree[at]?.name ?? '', slips: one.payslipCount, ...toTotals(one) }]
            : []
        }),
        ...(rest ? [{ id: null, name: '', slips: rest.payslipCount, ...toTotals(rest) }] : []),
      ],
    }
  },
  // Besides the brackets of one department, those of the remainder could be computed by subtraction. Without the right
  // to open payslips only the distribution of the whole company is returned.
  distribution: ({ provided, view, position }) => ({
    distribution:
      view.minGroupSize !== null && position >= 0
        ? []
        : getPayDistribution(...provided).map(({ from, to, people }) => ({ from_fen: from, to_fen: to, people })),
  }),
  headcount: ({ monthly, view, position }, { year, month }, now) => {
    const names = month ? [month] : Array.from({ length: 12 }, (_, at) => `${year}-${String(at + 1).padStart(2, '0')}`)
    const { heads, no_entry } = getHeadcount(
      view,
      position,
      names.filter((one) => one <= toShanghaiMonth(now)),
    )
    const paid = monthly()
    return {
      headcount: heads.map((one) => ({ ...one, paid: paid.get(one.month)?.members.size ?? 0 })),
      missing_entry_date_count: no_entry,
    }
  },
}

export const chartData = defineHandler(contract.chartData, async (ctx, params) => {
  const data = await loadChartData(ctx, params)
  const emptyFields = { trend: [], structure: [], departments: [], distribution: [], headcount: [], missing_entry_date_count: 0 }
  const { preparing, view, months } = data
  // While the components are being prepared no amounts are returned: totals of only some payslips would be wrong.
  const kinds = params.kind === 'all' ? contract.chartKinds : [params.kind]
  const availableKinds = kinds.filter((kind) => !preparing || kind === 'headcount')
  const filled: ChartFields = Object.assign({}, ...availableKinds.map((kind) => chartBuilders[kind](data, params, ctx.now)))
  const hasMergedGroups = [...months.values()].some(
    ({ visible: availableKinds }) => availableKinds?.some((isVisible, at) => !isVisible && hasMembers(view, months, at)) ?? false,
  )
  const chartMonths = [...months.values()]
  const isSuppressed = chartMonths.some(({ isSuppressed }) => isSuppressed === true)
  const hasMergedComponents = chartMonths.some(({ hasMergedComponents }) => hasMergedComponents === true)
  return {
    kind: params.kind,
    preparing,
    has_merged_groups: hasMergedGroups,
    is_suppressed: isSuppressed,
    has_merged_components: hasMergedComponents,
    ...emptyFields,
    ...filled,
  }
})

/** Checks whether any paid member belongs to this department of the tree, or to none (the last index). */
const hasMembers = (view: ChartView, months: ChartMonths, index: number): boolean =>
  [...months.values()].some((month) =>
    month.bundles.some(({ memberIndexes }) =>
      memberIndexes.some(
        (memberIndex) => getDepartmentIndex(view, month, memberIndex) === (index === view.tree.length ? -1 : index),
      ),
    ),
  )

type AverageRow = CallOutput<typeof contract.getAveragewageDetail>['list'][number]
const divideByMonths = (fen: number | null, months: number): number | null =>
  fen === null || months === 0 ? null : Math.round(fen / months)
/** Counts member months: a member with two payslips in a month counts once. */
function countMemberMonths(
  months: ChartMonths,
  view: ChartView,
  departmentIndex: number,
  getKeys: (person: number, month: string) => Iterable<number>,
): Map<number, number> {
  const counts = new Map<number, number>()
  for (const [month, one] of months) {
    const oneMonth: ChartMonths = new Map([[month, one]])
    for (const memberIndex of sumByMember(view, oneMonth, departmentIndex).keys())
      for (const key of getKeys(memberIndex, month)) counts.set(key, (counts.get(key) ?? 0) + 1)
  }
  return counts
}

function computeAverages(
  kind: 'department' | 'person',
  { view, position: departmentIndex, months, provided: sumArguments }: LoadedChartData,
  name: string,
): AverageRow[] {
  const toAverageFields = (key: number, sums: ComponentTotals, monthCounts: Map<number, number>) => {
    const count = monthCounts.get(key) ?? 0
    const { totals: pay } = sums
    return {
      people: sums.members.size,
      months: count,
      ...pay,
      average_gross_fen: divideByMonths(pay.gross_fen, count),
      average_net_fen: divideByMonths(pay.net_fen, count),
    }
  }
  const { tree, members } = view
  const getDepartmentPath = (at: number) =>
    getAncestorIndexes(tree, at)
      .toReversed()
      .map((one) => tree[one]?.name ?? '')
      .join(' / ')
  if (kind === 'person') {
    const counts = countMemberMonths(months, view, departmentIndex, (memberIndex) => [memberIndex])
    return [...sumByMember(...sumArguments)]
      .flatMap(([memberIndex, sums]): AverageRow[] => {
        const member = members[memberIndex]
        if (!member || !member.name.includes(name)) return []
        return [
          {
            id: member.id,
            name: member.name,
            place: getDepartmentPath(member.departmentIndex),
            level: 0,
            ...toAverageFields(memberIndex, sums, counts),
          },
        ]
      })
      .toSorted((a, b) => (b.average_net_fen ?? 0) - (a.average_net_fen ?? 0) || a.id.localeCompare(b.id))
  }
  const isVisible = (month: string, at: number) => months.get(month)?.visible?.[at] ?? true
  const counts = countMemberMonths(months, view, departmentIndex, (memberIndex, month) =>
    getAncestorIndexes(tree, getDepartmentIndex(view, months.get(month), memberIndex)).filter((at) => isVisible(month, at)),
  )
  return [...sumByDepartmentSubtree(...sumArguments)]
    .toSorted(([a], [b]) => a - b)
    .flatMap(([at, sums]): AverageRow[] => {
      const department = tree[at]
      if (!department || !department.name.includes(name)) return []
      const { id, level, parent } = department
      return [{ id, name: department.name, place: getDepartmentPath(parent), level, ...toAverageFields(at, sums, counts) }]
    })
}

const paginate = <T>(items: readonly T[], { page, pagesize }: { page: number; pagesize: number }) => ({
  list: items.slice((page - 1) * pagesize, page * pagesize),
  page: { page, pagesize, total: items.length },
})

export const getAveragewageDetail = defineHandler(contract.getAveragewageDetail, async (ctx, params) => {
  if (params.by === 'person' && !canOpenPayslips(ctx))
    throw fail('not_permitted', '只有薪酬管理员可以看到每个人的工资；您可以按部门查看')
  const data = await loadChartData(ctx, params)
  const averages = data.preparing ? [] : computeAverages(params.by, data, params.name ?? '')
  return { ...paginate(averages, params), preparing: data.preparing }
})

type CompareParams = CallInput<typeof contract.compareMonths>
export const compareMonths = defineHandler(contract.compareMonths, async (ctx, params: CompareParams) => {
  const { from, to, filter, name = '' } = params
  const chartContext = createChartContext(ctx)
  const view = await loadChartView(chartContext)
  const departmentIndex = findDepartmentIndex(view, params.department_id)
  const [before, after] = [
    await loadChartMonths(chartContext, view, { from, to: from }),
    await loadChartMonths(chartContext, view, { from: to, to }),
  ]
  const preparing = before.preparing ?? after.preparing
  const [earlier, later] = [sumByMember(view, before.months, departmentIndex), sumByMember(view, after.months, departmentIndex)]
  const comparisons = [...new Set([...earlier.keys(), ...later.keys()])].flatMap((memberIndex) => {
    const member = view.members[memberIndex]
    return member ? [{ member, ...comparePay(earlier.get(memberIndex), later.get(memberIndex)) }] : []
  })
  const counts = Object.fromEntries(payChanges.map((one) => [one, comparisons.filter(({ change }) => change === one).length]))
  const matching = comparisons
    .filter(({ change, member }) => (filter === 'all' ? change !== 'same' : change === filter) && member.name.includes(name))
    .toSorted((a, b) => Math.abs(b.difference_fen) - Math.abs(a.difference_fen) || a.member.id.localeCompare(b.member.id))
  const { list, page } = paginate(matching, params)
  return {
    list: list.map(({ member, components, ...one }) => ({
      member_id: member.id,
      name: member.name,
      place: view.tree[member.departmentIndex]?.name ?? '',
      ...one,
      components: [...components],
    })),
    page,
    counts: { more: 0, less: 0, same: 0, joined: 0, left: 0, ...counts },
    before: toTotals(sumAll(view, before.months, departmentIndex)),
    after: toTotals(sumAll(view, after.months, departmentIndex)),
    preparing,
  }
})

export const getYearSalaryCharts = defineHandler(contract.getYearSalaryCharts, async (ctx, { year }) => {
  const { monthly, preparing } = await loadChartData(ctx, { year })
  const list = preparing ? [] : [...monthly()].map(([month, sums]) => ({ month, ...toTotals(sums) }))
  return { year, list, preparing }
})
