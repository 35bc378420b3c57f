/** State transitions. The server refuses by them, the client disables by them and shows the same reason. */
import { identityRoles, isFirstName, isNet } from '../sheets/column-roles.ts'
import type { Question } from '../sheets/sheet.ts'
import type { BatchStatus, Channel, ColumnRole, PayslipStatus } from './schemas.ts'

/** The Chinese label and color token of each status: defined in one place so that they are the same everywhere. */
export const batchStatusLabels: Record<BatchStatus, { label: string; color: 'ink3' | 'info' | 'ink' | 'warn' | 'ok' }> = {
  draft: { label: '草稿', color: 'ink3' },
  checked: { label: '待发送', color: 'ink3' },
  scheduled: { label: '定时发送', color: 'info' },
  sending: { label: '发送中', color: 'info' },
  paused: { label: '已暂停', color: 'warn' },
  sent: { label: '已发送', color: 'ink' },
  withdrawn: { label: '已撤回', color: 'ink3' },
}

/** The label of a scheduled batch that is only in its undo period, which the user did not choose. */
export const dispatchPendingLabel = { label: '即将发送', color: 'info' } as const

export const payslipStatusLabels: Record<PayslipStatus, { label: string; color: 'ink3' | 'info' | 'ink' | 'ok' | 'danger' }> = {
  waiting: { label: '待发送', color: 'ink3' },
  queued: { label: '发送中', color: 'info' },
  sent: { label: '已发送', color: 'ink' },
  viewed: { label: '已查看', color: 'info' },
  confirmed: { label: '已确认', color: 'ok' },
  failed: { label: '失败', color: 'danger' },
  withdrawn: { label: '已撤回', color: 'ink3' },
}

/** Display names of the channels. */
export const channelLabels: Record<Channel, string> = { platform: '办公平台', sms: '短信', email: '邮件', link: '链接' }

const after: Record<BatchStatus, readonly BatchStatus[]> = {
  draft: ['checked'],
  checked: ['draft', 'scheduled', 'sending'],
  // Back to `sent` if only the rest of a batch was scheduled.
  scheduled: ['checked', 'sending', 'sent', 'withdrawn'],
  sending: ['paused', 'sent', 'withdrawn'],
  paused: ['sending', 'withdrawn'],
  // The rest of a batch of which a part was sent is sent or scheduled.
  sent: ['sending', 'scheduled', 'withdrawn'],
  // A single payslip was corrected and sent again.
  withdrawn: ['sending'],
}
/** Whether a batch may change from one status to another. */
export const canTransition = (from: BatchStatus, to: BatchStatus): boolean => after[from].includes(to)

/**
 * Statuses in which the employee can open the payslip. A queued or failed payslip was not delivered yet; a withdrawn
 * one is inaccessible at once.
 */
export const readableStatuses: readonly PayslipStatus[] = ['sent', 'viewed', 'confirmed']

/** Statuses of payslips that count as paid: delivered, or only the message failed. Withdrawn payslips do not count. */
export const paidStatuses: readonly PayslipStatus[] = [...readableStatuses, 'failed']
/**
 * The statuses that each count includes, wherever it is shown: in lists, on the home page, in the batch detail, after
 * sending. `sent` includes `viewed`,
 * `viewed` includes `confirmed`.
 */
export const countedStatuses = {
  sent: readableStatuses,
  viewed: ['viewed', 'confirmed'],
  confirmed: ['confirmed'],
  failed: ['failed'],
  withdrawn: ['withdrawn'],
  queued: ['waiting', 'queued'],
} as const satisfies Record<string, readonly PayslipStatus[]>
export type PayslipCount = keyof typeof countedStatuses

type AllowedOrReason = true | string
const allowIn = <T extends string>(value: T, allowed: readonly T[], reason: string): AllowedOrReason =>
  allowed.includes(value) || reason

/** `corp_origin` of a company that was opened from a chat platform's app market. */
export const marketplaceOrigin = 10

/** Each function returns `true`, or the reason why not. */
export const can = {
  /** Columns, cells, title and layout may still change. */
  arrange: (batch: BatchStatus) =>
    batch === 'scheduled'
      ? '已经定时；要修改表格，请先取消定时'
      : allowIn(batch, ['draft', 'checked'], '已经发送，不能再修改表格；请用「更正」处理单个人的工资条'),
  delete: (batch: BatchStatus) => allowIn(batch, ['draft', 'checked'], '已经发送的批次不能删除，可以撤回'),
  /** `unsentCount`: the recipients of a sent batch who have no payslip yet. */
  send: (batch: BatchStatus, unsentCount = 0) =>
    (batch === 'sent' && unsentCount > 0) || allowIn(batch, ['draft', 'checked'], '这一批已经发送过了'),
  /** Issues may be resolved: of a sent batch only those of rows that have no payslip yet. */
  resolveIssues: (batch: BatchStatus, unsentCount: number) => (batch === 'sent' && unsentCount > 0) || can.arrange(batch),
  /** A scheduled batch returns to `checked`, and can be changed and scheduled again. */
  pause: (batch: BatchStatus) => allowIn(batch, ['sending', 'scheduled'], '只有发送中或定时发送的批次可以暂停'),
  resume: (batch: BatchStatus) => allowIn(batch, ['paused'], '这一批没有暂停'),
  withdrawBatch: (batch: BatchStatus) =>
    allowIn(
      batch,
      ['scheduled', 'sending', 'paused', 'sent'],
      batch === 'withdrawn' ? '这一批已经撤回，不用再撤' : '这一批还没有发送，无需撤回',
    ),
  withdraw: (salary: PayslipStatus) =>
    allowIn(
      salary,
      ['queued', 'sent', 'viewed', 'confirmed', 'failed'],
      salary === 'withdrawn' ? '这张工资条已经撤回，不用再撤' : '这张工资条还没有发送，无需撤回',
    ),
  remind: (salary: PayslipStatus) => allowIn(salary, ['sent'], '只能提醒已发送且尚未查看的人'),
  retry: (salary: PayslipStatus) => allowIn(salary, ['failed'], '只有发送失败的可以重发'),
  edit: (salary: PayslipStatus) =>
    allowIn(salary, ['queued', 'sent', 'viewed', 'confirmed', 'failed', 'withdrawn'], '还没有发送，请回到「核对」修改表格'),
  confirm: (salary: PayslipStatus) => allowIn(salary, ['sent', 'viewed'], '这张工资条已经确认过了'),
  /** Spec §9: a company that was opened from a chat platform's app market sends no messages through it. */
  chat: ({ corp_origin }: { readonly corp_origin: number }): true | string =>
    corp_origin !== marketplaceOrigin || '贵公司是从办公平台的应用市场开通的，不能发送办公平台消息',
}

// Consequences of answers for the wage sheet as a whole

type Requested = { readonly questions: readonly Pick<Question, 'kind' | 'answer' | 'must'>[] }
type Columns = { readonly columns: readonly { readonly role: ColumnRole }[] }

/** The answer to the question which column is net pay, when there is none. */
export const noNetAnswer = 'none'
/** The answer to the question whether it is a wage sheet, when it is not. */
export const notWageSheetAnswer = 'no'

/** Returns `true`, or why no one is paid by this sheet. */
export const checkIsWageSheet = ({ questions }: Requested): true | string =>
  !questions.some(({ kind, answer }) => kind === 'about_pay' && answer === notWageSheetAnswer) ||
  '这张表已标为不是工资表，不会发送；请换一个工作表或重新上传，弄错了就改回答'

/**
 * Whether the user stated that this wage sheet has no net pay: then nothing is checked against it, and payslips show
 * none.
 */
export const hasNoNetColumn = ({ questions }: Requested): boolean =>
  questions.some(({ kind, answer }) => (kind === 'net' || kind === 'role') && answer === noNetAnswer)

/**
 * Returns the roles that the wizard cannot do without: one that identifies the employee, and net pay unless it was
 * stated that there is none.
 */
export function findMissingRoles({ columns, questions }: Columns & Requested): ('name' | 'net')[] {
  const has = (matches: (role: ColumnRole) => boolean) => columns.some(({ role }) => matches(role))
  return [
    // Without names, a unique number identifies employees in the roster.
    ...(has((role) => identityRoles.has(role) && !isFirstName(role)) ? [] : (['name'] as const)),
    ...(has(isNet) || hasNoNetColumn({ questions }) ? [] : (['net'] as const)),
  ]
}

/** Counts the required questions that are not answered. */
export const countOpenQuestions = ({ questions }: Requested): number =>
  questions.filter(({ must, answer }) => must && answer === null).length

/** Default number of working days within which feedback is answered. */
export const defaultAnswerDays = 3
/**
 * Default number of months in which terminated employees may read their payslips: the period for which the law requires
 * wage records to be kept.
 */
export const defaultTerminatedAccessMonths = 24
/**
 * Returns the last day on which a terminated employee may read their payslips; null where the company does not allow
 * it. `on`: their last day of work, `2026-11-20`.
 */
export function getTerminatedAccessEnd(on: string, months: number): string | null {
  if (months <= 0 || on === '') return null
  const [year = 0, month = 0, day = 0] = on.split('-').map(Number)
  const last = new Date(Date.UTC(year, month - 1 + months + 1, 0)).getUTCDate()
  return new Date(Date.UTC(year, month - 1 + months, Math.min(day, last))).toISOString().slice(0, 10)
}
