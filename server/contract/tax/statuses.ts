/**
 * Statuses of tax periods with their labels, and what is allowed in each. Separate from the payslip statuses, because a
 * phone that shows a payslip would otherwise load these labels too. Does not import the schema library.
 */
/** Status of a company's tax period. `stopped`: the computation was stopped by a user and can be resumed. */
export const taxPeriodStatuses = ['draft', 'computing', 'stopped', 'computed', 'locked'] as const
export type TaxPeriodStatus = (typeof taxPeriodStatuses)[number]

/** Kinds of issues found in a tax period before it is locked. */
export const taxIssueKinds = [
  /** The tax engine has no result for the member; or has not been run yet. */
  'refused',
  'not_computed',
  /** Data that a declaration requires and the roster lacks. */
  'no_card',
  'no_entry',
  'entry_after',
  'paid_after_leaving',
  /** Months of employment covered neither by a locked period nor by opening balances. */
  'months_gap',
  /** The tax withheld in the wage sheet differs from the result. */
  'tax_differs',
  /** The payslip has changed since, or was withdrawn; manually entered amounts differ from the payslip. */
  'slip_differs',
  'slip_gone',
  'by_hand',
  /** Compared with last month. */
  'income_fell',
  'new_person',
  'missing_person',
  /** The employee's insurance is one sum, but the declaration requires its items; or it differs from the member's scheme. */
  'not_split',
  'insurance_differs',
  'insurance_refused',
  'deduction_refused',
  /** Flags that contradict known data. */
  'first_income_here',
  'under_60000_unproven',
] as const
export type TaxIssueKind = (typeof taxIssueKinds)[number]

export const taxPeriodLabels: Record<TaxPeriodStatus, { label: string; color: 'ink3' | 'info' | 'ink' | 'warn' | 'ok' }> = {
  draft: { label: '待计算', color: 'ink3' },
  computing: { label: '计算中', color: 'info' },
  stopped: { label: '已停止', color: 'warn' },
  computed: { label: '已计算', color: 'info' },
  locked: { label: '已锁定', color: 'ok' },
}

type Result = true | string
const among = (value: TaxPeriodStatus, allowed: readonly TaxPeriodStatus[], reason: string): Result =>
  allowed.includes(value) || reason

/** Each function returns `true`, or the reason why not. */
export const canTaxPeriod = {
  /** Incomes of the tax period may still change. */
  edit: (period: TaxPeriodStatus) =>
    among(
      period,
      ['draft', 'stopped', 'computed'],
      period === 'locked' ? '这一期已经锁定；要修改，请先写明原因重新打开' : '这一期正在计算；请等它完成，或先停止',
    ),
  stop: (period: TaxPeriodStatus) => among(period, ['computing'], '这一期没有在计算'),
  lock: (period: TaxPeriodStatus) =>
    among(period, ['computed'], period === 'locked' ? '这一期已经锁定' : '这一期还没有计算完；请先计算'),
  reopen: (period: TaxPeriodStatus) => among(period, ['locked'], '这一期没有锁定，可以直接修改'),
}
