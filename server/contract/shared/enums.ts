/**
 * Enumerations shared by columns, JSON, pages and tests, as lists. Does not import the schema library, so that a page
 * that only needs a list does not load it.
 */

export { type ColumnRole, columnRoleNames } from '../sheets/column-roles.ts'

// Wage sheets

export const cellKinds = ['money', 'number', 'text', 'date', 'empty', 'error'] as const
export type CellKind = (typeof cellKinds)[number]

export const issueKinds = [
  'no_name',
  'no_contact',
  'bad_mobile',
  'bad_id_card',
  'unknown_person',
  'several_persons',
  'name_mismatch',
  'duplicate_person',
  /** Several rows of one employee that may become one payslip. */
  'several_rows',
  'left_person',
  'out_of_scope',
  'not_a_number',
  'formula_error',
  'damaged_number',
  'missing_net',
  'sum_mismatch',
  /** The lines of a payslip do not add up to its net pay. */
  'slip_mismatch',
  /** A difference of a few fen, as Excel calculates without rounding: concerns the wage sheet as a whole. */
  'rounding',
  'negative_net',
  'net_outlier',
  'tax_mismatch',
  'total_row_mismatch',
  /** The total of a department, or of one of several sheets. */
  'subtotal_mismatch',
  'empty_row',
  'same_file',
  'same_month',
  // Comparison with the employee's earlier months and last month's wage sheet:
  /** Two employees have each other's amounts. */
  'swapped_rows',
  /** From one row on, employees have the amounts of a neighbouring row. */
  'shifted_rows',
  /** A column holds what another column held last month. */
  'column_moved',
  /** One item is far from the employee's earlier amounts. */
  'item_outlier',
  /** A whole column is ten, a hundred or ten thousand times its earlier values: yuan versus fen or 万元. */
  'scale_changed',
  /** No amount differs from last month. */
  'unchanged',
  /** The wage sheet names another month than the title. */
  'other_month',
  /** The roster has another department, position or entry date. */
  'roster_differs',
  /** The bank account of a row belongs to another member of the roster; or the member has another one, or none. */
  'card_moved',
  'card_new',
  /** The chat platform account belongs to another member; or is not the one linked to this member. */
  'account_moved',
  'account_other',
  /** Hidden in the wage sheet, but would be paid. */
  'hidden_row',
  /** Two employees with the same phone, ID card or bank account. */
  'same_number',
] as const
export type IssueKind = (typeof issueKinds)[number]
/** Questions about a wage sheet that come before its use. */
export const questionKinds = [
  /** The role of a column, where neither its header nor its cells show it. */
  'role',
  /** Compared with the remembered wage sheet: a new column, a missing column, a column that seems renamed. */
  'new_column',
  'missing_column',
  'renamed_column',
  /** Hidden in the file: employees in hidden rows, and amounts in hidden columns. */
  'hidden_rows',
  'hidden_columns',
  /** Other sheets, or another table on the same sheet, that also contain employees. */
  'several_sheets',
  'several_tables',
  /** Amounts in thousands or ten thousands of yuan. */
  'unit',
  /** Which column identifies the employee, and which one is net pay: answered by `role:key`. */
  'who',
  'net',
  /** Whether a sheet without any pay-related label is a wage sheet. */
  'about_pay',
] as const
export type QuestionKind = (typeof questionKinds)[number]

/**
 * `swap`: swaps the amounts of two rows back. `take`: updates the roster from the wage sheet. `restore`: for skipped
 * rows; no issue offers it, because a skipped row has none. `combine`: the rows of one employee become one payslip;
 * `separate`: they do not, or no longer.
 */
export const issueFixes = ['combine', 'separate', 'match', 'create', 'skip', 'edit', 'swap', 'take', 'accept', 'restore'] as const
export type IssueFix = (typeof issueFixes)[number]

// Statuses

export const batchStatuses = ['draft', 'checked', 'scheduled', 'sending', 'paused', 'sent', 'withdrawn'] as const
export type BatchStatus = (typeof batchStatuses)[number]

export const payslipStatuses = ['waiting', 'queued', 'sent', 'viewed', 'confirmed', 'failed', 'withdrawn'] as const
export type PayslipStatus = (typeof payslipStatuses)[number]

/**
 * The outcome of one message handed to an external service. `unknown`: it was requested, but the result cannot be
 * determined; never repeated automatically.
 */
export const deliveryStatuses = ['queued', 'leased', 'accepted', 'failed', 'unknown', 'cancelled'] as const
export type DeliveryStatus = (typeof deliveryStatuses)[number]

export const channels = ['platform', 'sms', 'email', 'link'] as const
export type Channel = (typeof channels)[number]

export const memberStatuses = ['invited', 'active', 'left'] as const
export type MemberStatus = (typeof memberStatuses)[number]
/** Kinds of pay runs: monthly wages, a bonus, anything else. */
export const titleKinds = ['monthly', 'bonus', 'other'] as const
export type TitleKind = (typeof titleKinds)[number]

/**
 * The planned outcome of a row. `back`: terminated, and returns. `fault`: no member can be created. `skipped`: by the
 * administrator.
 */
export const importRowStates = ['new', 'changed', 'back', 'leaves', 'conflict', 'fault', 'same', 'skipped'] as const
export type ImportRowState = (typeof importRowStates)[number]

/**
 * `no_phone` · `unconfirmed`: another person set the phone · `bounced`: the last message failed · `not_joined` ·
 * `never_viewed`: got payslips and viewed none · `no_platform`: the company is bound to a chat platform that does not
 * know the member.
 */
export const reachIssues = ['no_phone', 'unconfirmed', 'bounced', 'not_joined', 'never_viewed', 'no_platform'] as const
export type ReachIssue = (typeof reachIssues)[number]
