/**
 * States of salary tax: which there are, what they are called, what may be done in each. Apart from those of slips, because a phone that shows a slip
 * would carry these words too. Without the schema library.
 */
/** A month of withholding of a company. `stopped`: somebody has stopped the computing, it goes on from there. */
export const taxPeriodStatuses = ['draft', 'computing', 'stopped', 'computed', 'locked'] as const
export type TaxPeriodStatus = (typeof taxPeriodStatuses)[number]

/** What is found in a period before it is locked. */
export const taxIssueKinds = [
  /** The engine has no answer for this person; or was not asked yet. */
  'refused',
  'not_computed',
  /** What a declaration needs of a person and the roster does not have. */
  'no_card',
  'no_entry',
  'entry_after',
  'paid_after_leaving',
  /** Months of employment of which neither a locked period nor an opening tells anything. */
  'months_gap',
  /** What the sheet withheld is not what comes out. */
  'tax_differs',
  /** The slip says something else by now, or was withdrawn; somebody has entered other figures than the slip has. */
  'slip_differs',
  'slip_gone',
  'by_hand',
  /** Beside last month. */
  'income_fell',
  'new_person',
  'missing_person',
  /** Own insurance as one sum, which the declaration wants in its parts; or another one than the person's scheme gives. */
  'not_split',
  'insurance_differs',
  'insurance_refused',
  'deduction_refused',
  /** Flags that do not go with what is known here. */
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

/** `true`, or the reason why not. */
export const canTaxPeriod = {
  /** Incomes of a month of withholding may still change. */
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
