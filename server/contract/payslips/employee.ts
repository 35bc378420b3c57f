/** An employee's own payslips and account. calls.md §9. */
import * as z from 'zod/mini'
import { defineChange, defineRead, defineView } from '../call.ts'
import {
  code,
  emptyObject,
  fen,
  id,
  mobile,
  month,
  pageParams,
  paginatedList,
  password,
  payslipStatus,
  requiredText,
  time,
} from '../shared/schemas.ts'
import { employeeTax } from './employee-tax.ts'
import { feedbackMessage, feedbackStatus, feedbackSubject, pictureOutput, pictures } from './feedback.ts'
import { payslip, payslipRules, slipKey } from './payslip.ts'

/** SHA-256 in base64url. */
const hash = z.string().check(z.regex(/^[\w-]{43}$/))

export const getCurrentEmployee = defineRead('POST /Api/Mobile/getMe', 'employee', {
  summary: 'Returns the current employee: name, company, and whether amounts are hidden.',
  input: emptyObject,
  output: z.object({
    name: z.string(),
    corp_id: id,
    corp_name: z.string(),
    /** The company's logo as a data: URL, if it has one. */
    corp_logo: z.nullable(z.string()),
    phone_masked: z.string(),
    pay_hide: z.boolean(),
    pass_status: z.int(),
    is_admin: z.boolean(),
    /** Set for a terminated employee: payslips open after a code to the phone, until `access_until`. */
    terminated: z.nullable(z.object({ terminated_on: z.iso.date(), access_until: z.iso.date() })),
    /** The company changed the employee's phone, and nobody confirmed it: no payslip is shown before `confirmPhoneOwner`. */
    phone_unconfirmed: z.nullable(z.object({ former_phone_masked: z.string() })),
    corps: z.array(z.object({ corp_id: id, name: z.string() })),
  }),
})

export const getSlipList = defineView('POST /Api/Mobile/getSlipList', 'employee', {
  summary: "Lists the caller's payslips, newest month first.",
  input: z.object({ year: z.optional(z.int().check(z.gte(2000), z.lte(2100))), ...pageParams }),
  output: z.extend(
    paginatedList(
      z.object({
        slip_id: id,
        title: z.string(),
        month: z.nullable(month),
        corp_name: z.string(),
        status: payslipStatus,
        sent_at: z.nullable(time),
        corrected: z.boolean(),
        /** The employee must verify again before viewing. */
        locked: z.boolean(),
        /** Null where the payslip is locked or closed, and where the wage sheet has no net pay. */
        net_fen: z.nullable(fen),
        /** When the company withdrew the payslip. It is then listed with a note, but cannot be opened. */
        withdrawn_at: z.nullable(time),
        /** Closed after its first view. */
        closed: z.boolean(),
        /** Minutes after the first view at which it closes; 0: never. */
        burn_after_minutes: z.int(),
        answer_unread: z.boolean(),
      }),
    ),
    { years: z.array(z.int()) },
  ),
  errors: ['unconfirmed_holder'],
})

const amounts = { net_fen: z.nullable(fen), gross_fen: z.nullable(fen), tax_fen: z.nullable(fen) }
const periodPay = {
  ...amounts,
  slips: z.int(),
  /** Payslips not included in the amounts: locked until another verification, or closed. */ kept_back: z.int(),
}
export const getYearSummary = defineView('POST /Api/Mobile/getYearSummary', 'employee', {
  summary: "Returns the caller's pay of a year, by month and in total: net pay, gross pay and tax so far.",
  input: z.object({ year: z.int().check(z.gte(2000), z.lte(2100)) }),
  /**
   * Amounts in fen; null where no wage sheet of that period had such a column. January comes first; months without a
   * payslip are omitted.
   */
  output: z.object({
    year: z.int(),
    months: z.array(z.object({ month, ...periodPay })),
    total: z.object(periodPay),
    /** The year's tax up to the latest month closed by the company; null where there is none or a payslip withholds amounts. */
    tax: z.nullable(employeeTax),
  }),
  errors: ['unconfirmed_holder'],
})

export const getSlip = defineView('POST /Api/Mobile/getSlip', 'employee', {
  summary:
    'Returns one payslip of the caller and marks it viewed. If it closes after the first view, the call says so first and opens it only with `opened`.',
  input: z.object({ slip_id: id, confirm_open: z.optional(z.boolean()) }),
  output: z.object({
    slip_id: id,
    slip: payslip,
    status: payslipStatus,
    version: z.int(),
    /** Hash of exactly this payslip as shown (docs/slip-form.md); passed to `confirmSlip`. */
    hash,
    rules: payslipRules,
    sent_at: z.nullable(time),
    /** The correction, unless this is the first version. */
    corrected: z.nullable(
      z.object({
        at: time,
        reason: z.string(),
        changes: z.array(z.object({ label: z.string(), from: z.string(), to: z.string() })),
      }),
    ),
    /** Net pay of the previous payslip of the same kind. */
    previous: z.nullable(z.object({ month, net_fen: z.nullable(fen) })),
    confirmed_at: z.nullable(time),
    /** Confirmed automatically by the company's rule after so many days, not by the employee. */
    confirmed_auto: z.boolean(),
    receipt: z.nullable(z.string()),
    feedback_id: z.nullable(id),
    /** An answer to the employee's question is unread. */
    answer_unread: z.boolean(),
    /** Seconds until it closes; null where it does not. Relative, because the phone's clock may be wrong. */
    closes_in_seconds: z.nullable(z.int()),
    /** When the payslip is confirmed automatically unless the employee confirms it or asks a question. */
    auto_confirms_at: z.nullable(time),
    pay_hide: z.boolean(),
    watermark: z.nullable(z.string()),
    /** The reader has not confirmed the notice about the processing of their data: the page shows it before the payslip. */
    notice_due: z.boolean(),
  }),
  errors: ['not_found', 'unconfirmed_holder', 'view_locked', 'closes_after_view', 'slip_closed'],
})

export const getSlipStatus = defineRead('POST /Api/Mobile/watchSlip', 'employee', {
  summary:
    'Returns the version and status of the payslip on screen, to detect changes. Polled every few seconds while it is visible.',
  isPolling: true,
  input: z.object({ slip_id: id }),
  output: z.object({ version: z.int(), status: payslipStatus, closed: z.boolean(), answer_unread: z.boolean() }),
  errors: ['not_found', 'unconfirmed_holder'],
})

export const locateSlip = defineRead('POST /Api/Mobile/findSlip', 'signed_in', {
  summary: 'Finds the company of the caller that holds a payslip, for a link opened in the wrong company.',
  rateLimit: 'costly',
  input: z.object({ slip_id: id }),
  output: z.object({ corp_id: id, corp_name: z.string() }),
  errors: ['not_found'],
})

export const unlock = defineView('POST /Api/Mobile/unlock', 'employee', {
  summary:
    "Verifies the caller's identity again, so that payslips can be read for 10 minutes. Terminated employees can only use a code.",
  rateLimit: 'guess',
  input: z.object({ password: z.optional(password), code: z.optional(code), sms: z.optional(id) }),
  output: z.object({ until: time }),
  errors: ['wrong_password', 'wrong_code', 'locked'],
})

export const confirmPhoneOwner = defineChange('POST /Api/Mobile/confirmHolder', 'employee', {
  summary:
    "Confirms, after the company has changed the caller's phone, that the caller is the same employee: by the former password or a code sent to the old phone (`getVerifyCode` with `view`).",
  idempotent: false,
  rateLimit: 'guess',
  input: z.object({ password: z.optional(password), phone: z.optional(mobile), code: z.optional(code), sms: z.optional(id) }),
  output: emptyObject,
  errors: ['wrong_password', 'wrong_code', 'wrong_state', 'locked'],
})

export const confirmSlip = defineChange('POST /Api/Mobile/confirmSlip', 'employee', {
  summary: 'Confirms the version of a payslip that was shown.',
  allowedOnFullDisk: true,
  input: z.object({
    slip_id: id,
    version: z.int(),
    /** The `hash` of the displayed payslip; the call is refused where the current payslip differs. */
    hash: z.optional(hash),
    signature: z.optional(z.string().check(z.maxLength(60_000), z.regex(/^[MLCQZ0-9 .,-]*$/i, '签名无法识别，请重写'))),
  }),
  output: z.object({ receipt: z.string(), confirmed_at: time }),
  /** `closes_after_view`: an employee cannot confirm a payslip that was not shown to them. */
  errors: ['not_found', 'wrong_state', 'unconfirmed_holder', 'view_locked', 'closes_after_view'],
})

export const feedbackSlip = defineChange('POST /Api/Mobile/feedbackSlip', 'employee', {
  summary: 'Asks a question about a payslip or one item of it.',
  rateLimit: 'costly',
  /** `column_key`: a key of the payslip's cells; omitted for the payslip as a whole. `pictures`: files uploaded before. */
  input: z.object({ slip_id: id, column_key: z.optional(slipKey), content: requiredText(500, '请填写反馈内容'), pictures }),
  output: z.object({ id }),
  errors: ['not_found', 'wrong_state', 'unconfirmed_holder', 'view_locked'],
})

export const getFeedback = defineView('POST /Api/Mobile/getFeedback', 'employee', {
  summary: 'Returns a feedback thread about a payslip of the caller or one item of it, and which other threads exist.',
  input: z.object({ slip_id: id, line: z.optional(slipKey) }),
  output: z.object({
    /** The complete id, where the link of an SMS names the payslip in part. */
    slip_id: id,
    status: z.nullable(feedbackStatus),
    title: z.string(),
    subject: feedbackSubject,
    /** Who answers, and until when; null where nobody is assigned, or no time limit is set. */
    owner: z.nullable(z.string()),
    due_at: z.nullable(time),
    messages: z.array(feedbackMessage),
    columns: z.array(z.object({ key: slipKey, label: z.string() })),
    /** `answer_unread`: as before this call, which marks the answers of the returned thread as read. */
    threads: z.array(z.object({ line: z.nullable(slipKey), status: feedbackStatus, answer_unread: z.boolean() })),
  }),
  errors: ['not_found', 'unconfirmed_holder', 'view_locked'],
})

export const getFeedbackImage = defineView('POST /Api/Mobile/getFeedbackImage', 'employee', {
  summary: 'Returns a picture of a feedback thread about a payslip of the caller.',
  input: z.object({ slip_id: id, id }),
  output: pictureOutput,
  errors: ['not_found', 'unconfirmed_holder', 'view_locked'],
})

export const setPayHide = defineRead('POST /Api/Mobile/setPayHide', 'employee', {
  summary: 'Sets whether amounts are shown as **** until touched.',
  input: z.object({ hide: z.boolean() }),
  output: emptyObject,
})
