/** An employee about himself. calls.md §9. */
import * as z from 'zod/mini'
import { defineCall } from '../call.ts'
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
import { employeeTax } from '../tax/employee-tax.ts'
import { feedbackMessage, feedbackStatus, feedbackSubject, pictureOutput, pictures } from './feedback.ts'
import { payslip, payslipRules, slipKey } from './payslip.ts'

/** SHA-256 in base64url. */
const hash = z.string().check(z.regex(/^[\w-]{43}$/))

export const getCurrentEmployee = defineCall('POST /Api/Mobile/getMe', {
  summary: 'Who am I: name, company, whether amounts are hidden',
  access: 'employee',
  idempotent: false,
  audit: 'none',
  input: emptyObject,
  output: z.object({
    name: z.string(),
    corp_id: id,
    corp_name: z.string(),
    /** The company's mark as a data: address, where it has one. */
    corp_logo: z.nullable(z.string()),
    phone_masked: z.string(),
    pay_hide: z.boolean(),
    pass_status: z.int(),
    is_admin: z.boolean(),
    /** I have left, on that day: my slips open after a code to my phone, until the other one. */
    terminated: z.nullable(z.object({ terminated_on: z.iso.date(), access_until: z.iso.date() })),
    /** The company has written another phone for me, and nobody has confirmed that it is mine: no slip is shown before (`confirmPhoneOwner`). */
    phone_unconfirmed: z.nullable(z.object({ former_phone_masked: z.string() })),
    corps: z.array(z.object({ corp_id: id, name: z.string() })),
  }),
  errors: [],
})

export const getSlipList = defineCall('POST /Api/Mobile/getSlipList', {
  summary: 'My slips, newest month first',
  access: 'employee',
  idempotent: false,
  audit: 'view',
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
        /** A second proof is asked for first. */
        locked: z.boolean(),
        /** Null where it is locked or closed, and where the sheet has no net pay. */
        net_fen: z.nullable(fen),
        /** Withdrawn by the company then: a note in the list, and nothing to open. */
        withdrawn_at: z.nullable(time),
        /** Closed after its first look. */
        closed: z.boolean(),
        /** Minutes after the first look at which it closes; 0 never. */
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
  /** Not in the figures: a second proof is asked for first, or it has closed. */ kept_back: z.int(),
}
export const getYearSummary = defineCall('POST /Api/Mobile/getYearSummary', {
  summary: 'My pay of a year by months, and together: what I got, what was earned, the tax so far',
  access: 'employee',
  idempotent: false,
  audit: 'view',
  input: z.object({ year: z.int().check(z.gte(2000), z.lte(2100)) }),
  /** In fen; null where no sheet of that time had such a column. January first; months without a slip are left out. */
  output: z.object({
    year: z.int(),
    months: z.array(z.object({ month, ...periodPay })),
    total: z.object(periodPay),
    /** The year’s tax up to the newest month that the company has closed; null where there is none, or a slip keeps its figures back. */
    tax: z.nullable(employeeTax),
  }),
  errors: ['unconfirmed_holder'],
})

export const getSlip = defineCall('POST /Api/Mobile/getSlip', {
  summary:
    'One slip of mine; marks it viewed. Of a slip that closes after its first look that is said first, and it opens with `opened`',
  access: 'employee',
  idempotent: false,
  audit: 'view',
  input: z.object({ slip_id: id, confirm_open: z.optional(z.boolean()) }),
  output: z.object({
    slip_id: id,
    slip: payslip,
    status: payslipStatus,
    version: z.int(),
    /** Of exactly this slip as it is shown (docs/slip-form.md): what `confirmSlip` is told. */
    hash,
    rules: payslipRules,
    sent_at: z.nullable(time),
    /** The correction, when this is not the first version. */
    corrected: z.nullable(
      z.object({
        at: time,
        reason: z.string(),
        changes: z.array(z.object({ label: z.string(), from: z.string(), to: z.string() })),
      }),
    ),
    /** Net pay of the slip before this one, of the same kind. */
    previous: z.nullable(z.object({ month, net_fen: z.nullable(fen) })),
    confirmed_at: z.nullable(time),
    /** Confirmed by the company's rule after so many days, not by the person. */
    confirmed_auto: z.boolean(),
    receipt: z.nullable(z.string()),
    feedback_id: z.nullable(id),
    /** An answer to my question that I have not read. */
    answer_unread: z.boolean(),
    /** Seconds until it closes; null where it does not. The phone's own clock may be wrong. */
    closes_in_seconds: z.nullable(z.int()),
    /** When it counts as confirmed if I neither confirm nor ask. */
    auto_confirms_at: z.nullable(time),
    pay_hide: z.boolean(),
    watermark: z.nullable(z.string()),
  }),
  errors: ['not_found', 'unconfirmed_holder', 'view_locked', 'closes_after_view', 'slip_closed'],
})

export const getSlipStatus = defineCall('POST /Api/Mobile/watchSlip', {
  summary:
    'Whether the slip on my screen is still true: its version and how it stands. Asked every few seconds while it is visible',
  access: 'employee',
  idempotent: false,
  audit: 'none',
  isPolling: true,
  input: z.object({ slip_id: id }),
  output: z.object({ version: z.int(), status: payslipStatus, closed: z.boolean(), answer_unread: z.boolean() }),
  errors: ['not_found', 'unconfirmed_holder'],
})

export const locateSlip = defineCall('POST /Api/Mobile/findSlip', {
  summary: 'In which of my other companies a slip of mine is, for a link that was opened in the wrong one',
  access: 'signed_in',
  idempotent: false,
  audit: 'none',
  rateLimit: 'costly',
  input: z.object({ slip_id: id }),
  output: z.object({ corp_id: id, corp_name: z.string() }),
  errors: ['not_found'],
})

export const unlock = defineCall('POST /Api/Mobile/unlock', {
  summary: 'Prove oneself again: slips can be read for 10 minutes. Whoever has left proves it by a code only',
  access: 'employee',
  idempotent: false,
  audit: 'view',
  rateLimit: 'guess',
  input: z.object({ password: z.optional(password), code: z.optional(code), sms: z.optional(id) }),
  output: z.object({ until: time }),
  errors: ['wrong_password', 'wrong_code', 'locked'],
})

export const confirmPhoneOwner = defineCall('POST /Api/Mobile/confirmHolder', {
  summary:
    'After the company has changed my phone: I am who I was, by the password of before or a code sent to the old phone (getVerifyCode `view`)',
  access: 'employee',
  idempotent: false,
  audit: 'change',
  rateLimit: 'guess',
  input: z.object({ password: z.optional(password), phone: z.optional(mobile), code: z.optional(code), sms: z.optional(id) }),
  output: emptyObject,
  errors: ['wrong_password', 'wrong_code', 'wrong_state', 'locked'],
})

export const confirmSlip = defineCall('POST /Api/Mobile/confirmSlip', {
  summary: 'Confirm the version that was shown',
  access: 'employee',
  idempotent: true,
  audit: 'change',
  allowedOnFullDisk: true,
  input: z.object({
    slip_id: id,
    version: z.int(),
    /** The `hash` of what is on the screen; refused where something else would be shown by now. */
    hash: z.optional(hash),
    signature: z.optional(z.string().check(z.maxLength(60_000), z.regex(/^[MLCQZ0-9 .,-]*$/i, '签名无法识别，请重写'))),
  }),
  output: z.object({ receipt: z.string(), confirmed_at: time }),
  /** `closes_after_view`: nobody confirms what he was not shown. */
  errors: ['not_found', 'wrong_state', 'unconfirmed_holder', 'view_locked', 'closes_after_view'],
})

export const feedbackSlip = defineCall('POST /Api/Mobile/feedbackSlip', {
  summary: 'Ask about a slip, or one line of it',
  access: 'employee',
  idempotent: true,
  audit: 'change',
  rateLimit: 'costly',
  /** `line`: a key of the slip's cells; without it the slip as a whole. `pictures`: files that were sent ahead. */
  input: z.object({ slip_id: id, column_key: z.optional(slipKey), content: requiredText(500, '请写下您的疑问'), pictures }),
  output: z.object({ id }),
  errors: ['not_found', 'wrong_state', 'unconfirmed_holder', 'view_locked'],
})

export const getFeedback = defineCall('POST /Api/Mobile/getFeedback', {
  summary: 'A thread about one slip of mine, or one line of it, and which others there are',
  access: 'employee',
  idempotent: false,
  audit: 'view',
  input: z.object({ slip_id: id, line: z.optional(slipKey) }),
  output: z.object({
    status: z.nullable(feedbackStatus),
    title: z.string(),
    subject: feedbackSubject,
    /** Who answers, and until when; null where nobody has been asked, or no time is set. */
    owner: z.nullable(z.string()),
    due_at: z.nullable(time),
    messages: z.array(feedbackMessage),
    /** What can be asked about: the lines of the slip; of those that were, how that thread stands. */
    columns: z.array(z.object({ key: slipKey, label: z.string() })),
    threads: z.array(z.object({ line: z.nullable(slipKey), status: feedbackStatus, answer_unread: z.boolean() })),
  }),
  errors: ['not_found', 'unconfirmed_holder', 'view_locked'],
})

export const getFeedbackImage = defineCall('POST /Api/Mobile/getFeedbackImage', {
  summary: 'A picture out of a thread about a slip of mine',
  access: 'employee',
  idempotent: false,
  audit: 'view',
  input: z.object({ slip_id: id, id }),
  output: pictureOutput,
  errors: ['not_found', 'unconfirmed_holder', 'view_locked'],
})

export const setPayHide = defineCall('POST /Api/Mobile/setPayHide', {
  summary: 'Show amounts as **** until touched',
  access: 'employee',
  idempotent: false,
  audit: 'none',
  input: z.object({ hide: z.boolean() }),
  output: emptyObject,
  errors: [],
})
