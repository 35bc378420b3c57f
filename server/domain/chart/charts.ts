/** The calls that show figures: charts of a year, averages, two months compared. */
import type { InputOf, OutputOf } from '../../contract/call.ts'
import * as contract from '../../contract/wage/chart.ts'
import { monthOf } from '../../runtime/clock.ts'
import { type Ctx, handle, refuse } from '../../runtime/handle.ts'
import { departmentsPlaced } from '../member/index.ts'
import { paidBetween } from '../sheet/index.ts'
import { changes, compared } from './rules/compare.ts'
import {
  altogether,
  byDepartment,
  byEachDepartment,
  byMonth,
  byPerson,
  type ChartView,
  distributionOf,
  headsOf,
  type Months,
  type PartSums,
  placeOfPerson,
  structureOf,
  together,
  upFrom,
} from './rules/lines.ts'
import { branched, chartHere, monthsOf, opensSlips, placeIn, viewOf } from './view.ts'

export const getYearList = handle(contract.getYearList, async (ctx) => {
  const opens = opensSlips(ctx)
  const runs = await paidBetween(ctx, { from: '1900-01', to: '2999-12', all: !opens })
  const months = [...new Set(runs.map(({ month }) => month))]
  const years = Map.groupBy(months, (month) => Number(month.slice(0, 4)))
  const departments = await departmentsPlaced(ctx)
  const tree = branched(opens ? departments.filter(({ is_mine }) => is_mine) : departments)
  return {
    list: [...years].map(([year, of_year]) => ({ year, months: of_year })).toSorted((a, b) => b.year - a.year),
    departments: tree.map(({ id, name, level }) => ({ id, name, level })),
    opens,
  }
})

type Asked = { readonly year: number; readonly month?: string | undefined; readonly department_id?: string | undefined }
/** A month that is not of the year holds nothing. */
const spanOf = ({ year, month }: Asked) =>
  month === undefined
    ? { from: `${year}-01`, to: `${year}-12` }
    : { from: month, to: month.startsWith(String(year)) ? month : '0000-00' }

async function looked(ctx: Ctx, asked: Asked) {
  const here = chartHere(ctx)
  const view = await viewOf(here)
  const place = placeIn(view, asked.department_id)
  const { months, preparing } = await monthsOf(here, view, spanOf(asked))
  ctx.about({ months: months.size })
  const given: [ChartView, Months, number] = [view, months, place]
  let known: ReturnType<typeof byMonth> | null = null
  /** Several charts of one answer begin with it. */
  const monthly = () => {
    known ??= byMonth(...given)
    return known
  }
  return { view, place, months, preparing, given, monthly }
}

const sumsOf = (sums: PartSums) => ({ people: sums.people.size, ...sums.sums })
type Chart = OutputOf<typeof contract.chartData>
type Drawn = Partial<Omit<Chart, 'kind' | 'preparing' | 'merged' | 'held' | 'folded'>>
type Looked = Awaited<ReturnType<typeof looked>>

const drawn: Readonly<Record<contract.ChartKind, (of: Looked, asked: Asked, now: Date) => Drawn>> = {
  trend: ({ monthly }) => ({ trend: [...monthly()].map(([month, sums]) => ({ month, ...sumsOf(sums) })) }),
  structure: ({ monthly }) => ({ structure: structureOf(together(monthly().values())) }),
  department: ({ given, view }) => {
    const { places, sums } = byDepartment(...given)
    const rest = sums.get(-1)
    return {
      departments: [
        ...places.flatMap((at) => {
          const one = sums.get(at)
          return one ? [{ id: view.tree[at]?.id ?? null, name: view.tree[at]?.name ?? '', slips: one.slips, ...sumsOf(one) }] : []
        }),
        ...(rest ? [{ id: null, name: '', slips: rest.slips, ...sumsOf(rest) }] : []),
      ],
    }
  },
  // Beside the brackets of a part those of the rest could be worked out: without the right to open slips only the whole company is told.
  distribution: ({ given, view, place }) => ({
    distribution:
      view.fewest !== null && place >= 0
        ? []
        : distributionOf(...given).map(({ from, to, people }) => ({ from_fen: from, to_fen: to, people })),
  }),
  headcount: ({ monthly, view, place }, { year, month }, now) => {
    const names = month ? [month] : Array.from({ length: 12 }, (_, at) => `${year}-${String(at + 1).padStart(2, '0')}`)
    const { heads, no_entry } = headsOf(
      view,
      place,
      names.filter((one) => one <= monthOf(now)),
    )
    const paid = monthly()
    return { headcount: heads.map((one) => ({ ...one, paid: paid.get(one.month)?.people.size ?? 0 })), no_entry }
  },
}

export const chartData = handle(contract.chartData, async (ctx, asked) => {
  const of = await looked(ctx, asked)
  const nothing = { trend: [], structure: [], departments: [], distribution: [], headcount: [], no_entry: 0 }
  const { preparing, view, months } = of
  // While it is being prepared nothing is told: a part of the slips would be a wrong figure.
  const kinds = asked.kind === 'all' ? contract.chartKinds : [asked.kind]
  const told = kinds.filter((kind) => !preparing || kind === 'headcount')
  const filled: Drawn = Object.assign({}, ...told.map((kind) => drawn[kind](of, asked, ctx.now)))
  const merged = [...months.values()].some(
    ({ told }) => told?.some((is_told, at) => !is_told && holdsPeople(view, months, at)) ?? false,
  )
  const waits = [...months.values()]
  const held = waits.some(({ isHeld }) => isHeld === true)
  const folded = waits.some(({ isFolded }) => isFolded === true)
  return { kind: asked.kind, preparing, merged, held, folded, ...nothing, ...filled }
})

/** Somebody who was paid stands in this place of the tree, or in none (its end). */
const holdsPeople = (view: ChartView, months: Months, at: number): boolean =>
  [...months.values()].some((month) =>
    month.bundles.some(({ people }) =>
      people.some((person) => placeOfPerson(view, month, person) === (at === view.tree.length ? -1 : at)),
    ),
  )

type Average = OutputOf<typeof contract.getAveragewageDetail>['list'][number]
const shareOf = (fen: number | null, months: number): number | null =>
  fen === null || months === 0 ? null : Math.round(fen / months)
/** Months of people: who gets two slips in a month has one month. */
function personMonths(
  months: Months,
  view: ChartView,
  place: number,
  keysOf: (person: number, month: string) => Iterable<number>,
): Map<number, number> {
  const counts = new Map<number, number>()
  for (const [month, one] of months) {
    const only: Months = new Map([[month, one]])
    for (const person of byPerson(view, only, place).keys())
      for (const key of keysOf(person, month)) counts.set(key, (counts.get(key) ?? 0) + 1)
  }
  return counts
}

function averagesBy(kind: 'department' | 'person', { view, place, months, given }: Looked, name: string): Average[] {
  const line = (key: number, sums: PartSums, of: Map<number, number>) => {
    const count = of.get(key) ?? 0
    const { sums: pay } = sums
    return {
      people: sums.people.size,
      months: count,
      ...pay,
      average_gross_fen: shareOf(pay.gross_fen, count),
      average_net_fen: shareOf(pay.net_fen, count),
    }
  }
  const { tree, people } = view
  const namesOf = (at: number) =>
    upFrom(tree, at)
      .toReversed()
      .map((one) => tree[one]?.name ?? '')
      .join(' / ')
  if (kind === 'person') {
    const counts = personMonths(months, view, place, (person) => [person])
    return [...byPerson(...given)]
      .flatMap(([person, sums]): Average[] => {
        const seen = people[person]
        if (!seen || !seen.name.includes(name)) return []
        return [{ id: seen.id, name: seen.name, place: namesOf(seen.at), level: 0, ...line(person, sums, counts) }]
      })
      .toSorted((a, b) => (b.average_net_fen ?? 0) - (a.average_net_fen ?? 0) || a.id.localeCompare(b.id))
  }
  const told = (month: string, at: number) => months.get(month)?.told?.[at] ?? true
  const counts = personMonths(months, view, place, (person, month) =>
    upFrom(tree, placeOfPerson(view, months.get(month), person)).filter((at) => told(month, at)),
  )
  return [...byEachDepartment(...given)]
    .toSorted(([a], [b]) => a - b)
    .flatMap(([at, sums]): Average[] => {
      const department = tree[at]
      if (!department || !department.name.includes(name)) return []
      const { id, level, parent } = department
      return [{ id, name: department.name, place: namesOf(parent), level, ...line(at, sums, counts) }]
    })
}

const pageOf = <T>(all: readonly T[], { page, pagesize }: { page: number; pagesize: number }) => ({
  list: all.slice((page - 1) * pagesize, page * pagesize),
  page: { page, pagesize, total: all.length },
})

export const getAveragewageDetail = handle(contract.getAveragewageDetail, async (ctx, asked) => {
  if (asked.by === 'person' && !opensSlips(ctx))
    throw refuse('not_permitted', '只有薪酬管理员可以看到每个人的工资；您可以按部门查看')
  const of = await looked(ctx, asked)
  const all = of.preparing ? [] : averagesBy(asked.by, of, asked.name ?? '')
  return { ...pageOf(all, asked), preparing: of.preparing }
})

type Comparing = InputOf<typeof contract.compareMonths>
export const compareMonths = handle(contract.compareMonths, async (ctx, asked: Comparing) => {
  const { from, to, which, name = '' } = asked
  const here = chartHere(ctx)
  const view = await viewOf(here)
  const place = placeIn(view, asked.department_id)
  const [before, after] = [await monthsOf(here, view, { from, to: from }), await monthsOf(here, view, { from: to, to })]
  const preparing = before.preparing ?? after.preparing
  const [earlier, later] = [byPerson(view, before.months, place), byPerson(view, after.months, place)]
  const everybody = [...new Set([...earlier.keys(), ...later.keys()])].flatMap((person) => {
    const seen = view.people[person]
    return seen ? [{ seen, ...compared(earlier.get(person), later.get(person)) }] : []
  })
  const counts = Object.fromEntries(changes.map((one) => [one, everybody.filter(({ change }) => change === one).length]))
  const shown = everybody
    .filter(({ change, seen }) => (which === 'all' ? change !== 'same' : change === which) && seen.name.includes(name))
    .toSorted((a, b) => Math.abs(b.difference_fen) - Math.abs(a.difference_fen) || a.seen.id.localeCompare(b.seen.id))
  const { list, page } = pageOf(shown, asked)
  return {
    list: list.map(({ seen, parts, ...one }) => ({
      member_id: seen.id,
      name: seen.name,
      place: view.tree[seen.at]?.name ?? '',
      ...one,
      parts: [...parts],
    })),
    page,
    counts: { more: 0, less: 0, same: 0, joined: 0, left: 0, ...counts },
    before: sumsOf(altogether(view, before.months, place)),
    after: sumsOf(altogether(view, after.months, place)),
    preparing,
  }
})

export const getYearSalaryCharts = handle(contract.getYearSalaryCharts, async (ctx, { year }) => {
  const { monthly, preparing } = await looked(ctx, { year })
  const list = preparing ? [] : [...monthly()].map(([month, sums]) => ({ month, ...sumsOf(sums) }))
  return { year, list, preparing }
})
