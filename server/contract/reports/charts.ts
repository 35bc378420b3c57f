/** What pay came to over the months: sums and head counts, and for whoever may open slips the people behind them. calls.md §5 and §6. */
import * as z from 'zod/mini'
import { requirePower } from '../access.ts'
import { defineCall } from '../call.ts'
import { emptyObject, fen, id, month, optionalText, pageParams, paginatedList, time } from '../shared/schemas.ts'

/** Whoever may open slips sees all that he may open; whoever only manages the company sees sums of at least three people. */
const reportReaders = requirePower('1', '2')
const year = z.int().check(z.gte(1990, '年份不正确'), z.lte(2100, '年份不正确'))

export const chartKinds = ['trend', 'structure', 'department', 'distribution', 'headcount'] as const
export type ChartKind = (typeof chartKinds)[number]
/** What a page shows is asked for at once: the same slips are looked through once for all of it. */
const requestedChartKinds = [...chartKinds, 'all'] as const

/** Fewer people are never told apart for somebody who may not open their slips. */
export const minGroupSize = 3

/** What pay is made of. `absence` is what gross is less by; `rest` what gross holds beside the earnings that the sheets name. */
export const payComponents = [
  'base',
  'bonus',
  'allowance',
  'overtime',
  'rest',
  'absence',
  'social',
  'fund',
  'tax',
  'other',
  'employer_social',
  'employer_fund',
  'employer_other',
] as const
export type PayComponent = (typeof payComponents)[number]

const nullableFen = z.nullable(fen)
/** Null where a slip that is counted says nothing of it: the sum of the others would be a wrong figure. */
const payTotals = {
  gross_fen: nullableFen,
  net_fen: nullableFen,
  tax_fen: nullableFen,
  /** The people's own part. */
  social_fen: fen,
  fund_fen: fen,
  /** Other deductions from gross. */
  other_fen: fen,
  /** What the company pays beside the wages: its part of insurance and fund, and what else its sheets name. */
  employer_fen: fen,
  /** Gross and employer together. */
  cost_fen: nullableFen,
}

/** Figures are put together from slips that nobody has asked about yet: so many of so many. Ask again in a moment. */
const preparing = z.nullable(z.object({ done: z.int(), total: z.int() }))

export const getYearList = defineCall('POST /api/Charts/getYearList', {
  summary:
    'The years in which somebody was paid, the newest first, the months of each, and the departments by which figures can be asked for',
  access: reportReaders,
  idempotent: false,
  audit: 'none',
  input: emptyObject,
  output: z.object({
    list: z.array(z.object({ year: z.int(), months: z.array(month) })),
    /** In the order of the tree, each below what it belongs to. */
    departments: z.array(z.object({ id, name: z.string(), level: z.int() })),
    /** I may open the slips behind the figures. */
    can_open_payslips: z.boolean(),
  }),
  errors: [],
})

export const chartData = defineCall('POST /api/Charts/chartData', {
  summary: 'One chart of a year (or of one month of it), of the company or a department; or all of them',
  access: reportReaders,
  idempotent: false,
  audit: 'view',
  rateLimit: 'costly',
  input: z.object({ year, month: z.optional(month), department_id: z.optional(id), kind: z.enum(requestedChartKinds) }),
  /** Only the list of the kind that was asked for is filled; of `all` every one. */
  output: z.object({
    kind: z.enum(requestedChartKinds),
    preparing,
    /** Groups of fewer than three people are in the figures of what they belong to. */
    has_merged_groups: z.boolean(),
    /** Changes of fewer than three people wait until there are more; `folded`: parts that fewer than three of a group have are in others. */
    is_suppressed: z.boolean(),
    has_merged_components: z.boolean(),
    trend: z.array(z.object({ month, people: z.int(), ...payTotals })),
    structure: z.array(z.object({ component: z.enum(payComponents), sum_fen: fen })),
    /** Each with everything below it; `id` null: the people of none of these. */
    departments: z.array(z.object({ id: z.nullable(id), name: z.string(), people: z.int(), slips: z.int(), ...payTotals })),
    /** By what somebody gets in a month on average; null: no bound. */
    distribution: z.array(z.object({ from_fen: nullableFen, to_fen: nullableFen, people: z.int() })),
    headcount: z.array(z.object({ month, staff: z.int(), joined: z.int(), terminated: z.int(), paid: z.int() })),
    /** People whose first day the roster does not know: they count as if they had always been here. */
    missing_entry_date_count: z.int(),
  }),
  errors: ['not_found'],
})

export const getAveragewageDetail = defineCall('POST /api/Charts/getAveragewageDetail', {
  summary: 'Average pay by department, or (for whoever may open slips) by person',
  access: reportReaders,
  idempotent: false,
  audit: 'view',
  rateLimit: 'costly',
  input: z.object({
    year,
    month: z.optional(month),
    department_id: z.optional(id),
    by: z._default(z.enum(['department', 'person']), 'department'),
    /** Only people who are called so. */
    name: z.optional(optionalText(50)),
    ...pageParams,
  }),
  output: z.object({
    ...paginatedList(
      z.object({
        id,
        name: z.string(),
        /** Of a person: where he belongs. Of a department: what it belongs to. */
        place: z.string(),
        level: z.int(),
        people: z.int(),
        /** Months of people: somebody who is paid in three months counts three times. */
        months: z.int(),
        ...payTotals,
        /** A month of one person. */
        average_gross_fen: nullableFen,
        average_net_fen: nullableFen,
      }),
    ).shape,
    preparing,
  }),
  errors: ['not_found', 'not_permitted'],
})

export const compareMonths = defineCall('POST /api/Charts/compareMonths', {
  summary: 'Two months beside each other: who was paid more or less, who came and who went, and which parts of his pay made it',
  access: requirePower('2'),
  idempotent: false,
  audit: 'view',
  rateLimit: 'costly',
  input: z.object({
    from: month,
    to: month,
    department_id: z.optional(id),
    filter: z._default(z.enum(['all', 'more', 'less', 'joined', 'left']), 'all'),
    name: z.optional(optionalText(50)),
    ...pageParams,
  }),
  output: z.object({
    ...paginatedList(
      z.object({
        member_id: id,
        name: z.string(),
        place: z.string(),
        change: z.enum(['more', 'less', 'same', 'joined', 'left']),
        before_fen: nullableFen,
        after_fen: nullableFen,
        difference_fen: fen,
        /** The parts that differ, the greatest difference first; what takes away counts as less. */
        components: z.array(z.object({ part: z.enum(payComponents), difference_fen: fen })),
      }),
    ).shape,
    counts: z.object({ more: z.int(), less: z.int(), same: z.int(), joined: z.int(), left: z.int() }),
    before: z.object({ people: z.int(), ...payTotals }),
    after: z.object({ people: z.int(), ...payTotals }),
    preparing,
  }),
  errors: ['not_found'],
})

export const getYearSalaryCharts = defineCall('POST /api/wage/getYearSalaryCharts', {
  summary: 'The months of a year: people, gross, net, tax, insurance and fund, of all slips that I may open',
  access: requirePower('2'),
  idempotent: false,
  audit: 'view',
  rateLimit: 'costly',
  input: z.object({ year }),
  output: z.object({
    year: z.int(),
    list: z.array(
      z.object({
        month,
        people: z.int(),
        gross_fen: nullableFen,
        net_fen: nullableFen,
        tax_fen: nullableFen,
        social_fen: fen,
        fund_fen: fen,
      }),
    ),
    preparing,
  }),
  errors: [],
})

export const exportMemberWageByYear = defineCall('POST /api/Charts/exportMemberWageByYear', {
  summary:
    'A year as a sheet: a row a person with his months (for whoever may open slips), else a row a department. Made by a job',
  access: reportReaders,
  requiredFeature: 'charts',
  idempotent: true,
  audit: 'view',
  rateLimit: 'costly',
  input: z.object({ year }),
  output: z.object({ job_id: id }),
  errors: ['too_often'],
})

export const getYearWageFileStatus = defineCall('POST /api/Charts/getYearWageFileStatus', {
  summary: 'How far the sheet of a year is; a ticket for it when it is ready',
  access: reportReaders,
  idempotent: false,
  audit: 'none',
  isPolling: true,
  input: z.object({ job_id: id }),
  output: z.object({
    progress: z.int(),
    done: z.boolean(),
    failed: z.nullable(z.string()),
    oss_path: z.nullable(z.string()),
    file_name: z.string(),
    requested_at: time,
  }),
  errors: ['not_found'],
})
