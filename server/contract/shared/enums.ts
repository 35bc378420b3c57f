/**
 * The words that columns, JSON, pages and tests spell alike, as lists. Without the schema library: a page that only needs a list carries
 * none of it.
 */

// Wage sheets -----------------------------------------------------------------------------------------------------------

/** What a column of a wage sheet is for. Exactly one column may be `net`, at most one each of the identifying ones. */
export const columnRoles = [
  'name',
  'last_name',
  'first_name',
  'mobile',
  'id_card',
  'employee_no',
  'department',
  'email',
  'bank_account',
  /** The account at a chat platform. */
  'platform_account',
  'net',
  'gross',
  'tax',
  'earning',
  'deduction',
  'employer',
  /** The sum of other columns: shown as a sum, and counted nowhere a second time. */
  'subtotal',
  'info',
  'ignore',
] as const
export type ColumnRole = (typeof columnRoles)[number]

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
  /** One person on several rows that may become one payslip. */
  'several_rows',
  'left_person',
  'out_of_scope',
  'not_a_number',
  'formula_error',
  'damaged_number',
  'missing_net',
  'sum_mismatch',
  /** The lines of a payslip do not add up to its own net pay. */
  'slip_mismatch',
  /** A few fen apart, as Excel computes without rounding: of the sheet as a whole. */
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
  // Beside the person's own earlier months, and the sheet of last month:
  /** Two people got each other's figures. */
  'swapped_rows',
  /** From a row on everybody got a neighbour's figures. */
  'shifted_rows',
  /** A column holds what another one held last month. */
  'column_moved',
  /** One item far from what this person got before. */
  'item_outlier',
  /** A whole column is ten, a hundred or ten thousand times what it was: yuan against fen or ten thousands. */
  'scale_changed',
  /** Not one figure differs from last month. */
  'unchanged',
  /** The sheet names another month than the title. */
  'other_month',
  /** The roster has another department, position or day of entry. */
  'roster_differs',
  /** The roster knows the bank card of a row as somebody else's; or this person by another card, or by none. */
  'card_moved',
  'card_new',
  /** The account at the chat platform is the one by which somebody else signs in; or not the one of this person. */
  'account_moved',
  'account_other',
  /** Hidden in the sheet, and about to be paid. */
  'hidden_row',
  /** Two people with the same phone, ID card or bank account. */
  'same_number',
] as const
export type IssueKind = (typeof issueKinds)[number]
/** What is asked about a sheet before it is trusted. */
export const questionKinds = [
  /** What a column is for, where neither its header nor its cells say. */
  'role',
  /** Beside the sheet remembered: a column it did not have, one that is gone, one that seems to bear another name. */
  'new_column',
  'missing_column',
  'renamed_column',
  /** Hidden in the file: people in hidden rows, and amounts in hidden columns. */
  'hidden_rows',
  'hidden_columns',
  /** Other sheets, or another table on the same one, that hold people too. */
  'several_sheets',
  'several_tables',
  /** Amounts in thousands or ten thousands of yuan. */
  'unit',
  /** Which column says who somebody is, and which one is paid: answered by `role:key`. */
  'who',
  'net',
  /** Whether a sheet without one word of pay is a wage sheet. */
  'about_pay',
] as const
export type QuestionKind = (typeof questionKinds)[number]

/** `swap`: two rows take their amounts back. `take`: the roster takes what the sheet says. `restore` is for rows that were skipped; no problem offers it, because a skipped row has none. `combine`: the rows of one person become one payslip; `separate`: they do not, or no longer. */
export const issueFixes = ['combine', 'separate', 'match', 'create', 'skip', 'edit', 'swap', 'take', 'accept', 'restore'] as const
export type IssueFix = (typeof issueFixes)[number]

// Statuses --------------------------------------------------------------------------------------------------------------

export const batchStatuses = ['draft', 'checked', 'scheduled', 'sending', 'paused', 'sent', 'withdrawn'] as const
export type BatchStatus = (typeof batchStatuses)[number]

export const payslipStatuses = ['waiting', 'queued', 'sent', 'viewed', 'confirmed', 'failed', 'withdrawn'] as const
export type PayslipStatus = (typeof payslipStatuses)[number]

/** What became of one message asked of the outside world. `unknown`: we asked and cannot tell; never repeated by itself. */
export const deliveryStatuses = ['queued', 'leased', 'accepted', 'failed', 'unknown', 'cancelled'] as const
export type DeliveryStatus = (typeof deliveryStatuses)[number]

export const channels = ['platform', 'sms', 'email', 'link'] as const
export type Channel = (typeof channels)[number]

export const memberStatuses = ['invited', 'active', 'left'] as const
export type MemberStatus = (typeof memberStatuses)[number]
export const providers = ['lark', 'wecom', 'dingtalk'] as const
export type ChatProvider = (typeof providers)[number]
/** Pay runs: monthly wages, a bonus, anything else. */
export const titleKinds = ['monthly', 'bonus', 'other'] as const
export type TitleKind = (typeof titleKinds)[number]

/** What becomes of a row. `back`: left, and comes again. `fault`: nobody could come of it. `skipped`: by the administrator. */
export const importRowStates = ['new', 'changed', 'back', 'leaves', 'conflict', 'fault', 'same', 'skipped'] as const
export type ImportRowState = (typeof importRowStates)[number]

/**
 * `no_phone` · `unconfirmed`: the phone was given by somebody else · `bounced`: the last message to him failed · `not_joined` · `never_viewed`: has been
 * sent slips and looked at none · `no_platform`: the company is bound to a chat platform that does not know him.
 */
export const reachIssues = ['no_phone', 'unconfirmed', 'bounced', 'not_joined', 'never_viewed', 'no_platform'] as const
export type ReachIssue = (typeof reachIssues)[number]
