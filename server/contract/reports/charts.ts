/** Pay over the months: sums and headcounts, and the members behind them for users who may open payslips. calls.md §5 and §6. */
import * as z from 'zod/mini'
import { requirePower } from '../access.ts'
import { defineRead, defineView } from '../call.ts'
import { emptyObject, fen, id, month, optionalText, pageParams, paginatedList, time } from '../shared/schemas.ts'

/** Users who may open payslips see all those payslips; users who only manage the company see sums of at least three members. */
const reportReaders = requirePower('1', '2')
const year = z.int().check(z.gte(1990, '年份不正确'), z.lte(2100, '年份不正确'))

export const chartKinds = ['trend', 'structure', 'department', 'distribution', 'headcount'] as const
export type ChartKind = (typeof chartKinds)[number]
/** `all` requests all charts of a page at once, so that the same payslips are read only once. */
const requestedChartKinds = [...chartKinds, 'all'] as const

/** Smaller groups are never shown separately to users who may not open the payslips. */
export const minGroupSize = 3

/** Components of pay. `absence` reduces gross pay; `rest` is the part of gross pay beyond the earnings the sheets name. */
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
/** The value is null where a counted payslip lacks the amount, because the sum of the others would be wrong. */
const payTotals = {
  gross_fen: nullableFen,
  net_fen: nullableFen,
  tax_fen: nullableFen,
  /** The employee's contribution. */
  social_fen: fen,
  fund_fen: fen,
  /** Other deductions from gross. */
  other_fen: fen,
  /** What the company pays on top of wages: its social insurance and housing fund, and other items of its wage sheets. */
  employer_fen: fen,
  /** Gross plus employer cost. */
  cost_fen: nullableFen,
}

/** Progress while amounts of payslips that were not cached yet are being collected. The client retries after a moment. */
const preparing = z.nullable(z.object({ done: z.int(), total: z.int() }))

export const getYearList = defineRead('POST /api/Charts/getYearList', reportReaders, {
  summary:
    'Lists the years with pay, newest first, with the months of each and the departments that can be selected for figures.',
  input: emptyObject,
  output: z.object({
    list: z.array(z.object({ year: z.int(), months: z.array(month) })),
    /** Departments are in tree order, each below its parent. */
    departments: z.array(z.object({ id, name: z.string(), level: z.int() })),
    /** The user may open the payslips behind the amounts. */
    can_open_payslips: z.boolean(),
  }),
})

export const chartData = defineView('POST /api/Charts/chartData', reportReaders, {
  summary: 'Returns one chart or all charts of a year or one month, for the company or a department.',
  rateLimit: 'costly',
  input: z.object({ year, month: z.optional(month), department_id: z.optional(id), kind: z.enum(requestedChartKinds) }),
  /** Only the list of the requested kind is filled; for `all` every list. */
  output: z.object({
    kind: z.enum(requestedChartKinds),
    preparing,
    /** Groups of fewer than three members are included in their parent group. */
    has_merged_groups: z.boolean(),
    /**
     * Changes of fewer than three members are withheld until there are more; `has_merged_components`: components that
     * fewer than three members of a group have are merged into others.
     */
    is_suppressed: z.boolean(),
    has_merged_components: z.boolean(),
    trend: z.array(z.object({ month, people: z.int(), ...payTotals })),
    structure: z.array(z.object({ component: z.enum(payComponents), sum_fen: fen })),
    /** Each including its descendants; `id` null: members of none of these. */
    departments: z.array(z.object({ id: z.nullable(id), name: z.string(), people: z.int(), slips: z.int(), ...payTotals })),
    /** Bounds of the average pay per month; null means no bound. */
    distribution: z.array(z.object({ from_fen: nullableFen, to_fen: nullableFen, people: z.int() })),
    headcount: z.array(z.object({ month, staff: z.int(), joined: z.int(), terminated: z.int(), paid: z.int() })),
    /** Members without an entry date in the roster, who count as if employed all along. */
    missing_entry_date_count: z.int(),
  }),
  errors: ['not_found'],
})

export const getAveragewageDetail = defineView('POST /api/Charts/getAveragewageDetail', reportReaders, {
  summary: 'Returns the average pay by department, or by member for users who may open payslips.',
  rateLimit: 'costly',
  input: z.object({
    year,
    month: z.optional(month),
    department_id: z.optional(id),
    by: z._default(z.enum(['department', 'person']), 'department'),
    /** Only members with this name. */
    name: z.optional(optionalText(50)),
    ...pageParams,
  }),
  output: z.object({
    ...paginatedList(
      z.object({
        id,
        name: z.string(),
        /** For a member this is their department; for a department, its parent. */
        place: z.string(),
        level: z.int(),
        people: z.int(),
        /** Member months: a member who is paid in three months counts three times. */
        months: z.int(),
        ...payTotals,
        /** Per member and month. */
        average_gross_fen: nullableFen,
        average_net_fen: nullableFen,
      }),
    ).shape,
    preparing,
  }),
  errors: ['not_found', 'not_permitted'],
})

export const compareMonths = defineView('POST /api/Charts/compareMonths', requirePower('2'), {
  summary: 'Compares two months: whose pay rose or fell, who joined and left, and which items caused the change.',
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
        /** The components that differ, largest difference first; deductions count as negative. */
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

export const getYearSalaryCharts = defineView('POST /api/wage/getYearSalaryCharts', requirePower('2'), {
  summary:
    'Returns the months of a year: headcount, gross, net, tax, insurance and housing fund, of all payslips that the caller may open.',
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
})

export const exportMemberWageByYear = defineView('POST /api/Charts/exportMemberWageByYear', reportReaders, {
  summary:
    'Starts a job that exports a year as a spreadsheet: one row for each member with their months (for users who may open payslips), else one row for each department.',
  requiredFeature: 'charts',
  idempotent: true,
  rateLimit: 'costly',
  input: z.object({ year }),
  output: z.object({ job_id: id }),
  errors: ['too_often', 'view_locked'],
})

export const getYearWageFileStatus = defineRead('POST /api/Charts/getYearWageFileStatus', reportReaders, {
  summary: 'Returns the progress of the export of a year, with a download ticket once it is ready.',
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
