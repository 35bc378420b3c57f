/** Company overview and profile. calls.md §2 and §7. */
import * as z from 'zod/mini'
import { requirePowerAnywhere } from '../access/any-company.ts'
import { requirePower } from '../access.ts'
import { defineChange, defineRead, defineView } from '../call.ts'
import { batchStatus, emptyObject, fen, id, month, optionalText, requiredText, time } from '../shared/schemas.ts'

/** Enterprise administrators of companies of every type. */
const companyAdmins = requirePowerAnywhere('1')

export const getIndex = defineView('POST /Api/Company/getIndex', requirePower('1', '2'), {
  summary: "Returns the home page: this month's batches and their progress, to-dos, the last six months and the remaining SMS.",
  input: emptyObject,
  output: z.object({
    month,
    /** Counts of all visible batches, although `batches` lists only the newest. `sent_batches`: those that reached somebody. */
    counts: z.object({
      batches: z.int(),
      sent_batches: z.int(),
      total: z.int(),
      sent: z.int(),
      viewed: z.int(),
      /** Batches uploaded in this month. */
      uploaded: z.int(),
      /** Recipients whose payslip was not sent yet. */
      unsent: z.int(),
      /** Viewed payslips that wait for a confirmation; none where a batch asks for none. */
      unconfirmed: z.int(),
    }),
    /** The newest twenty. */
    batches: z.array(
      z.object({
        batch_id: id,
        title: z.string(),
        month: z.nullable(month),
        status: batchStatus,
        /** The batch is only in its undo period, which the user did not choose. */
        soon: z.boolean(),
        total: z.int(),
        sent: z.int(),
        viewed: z.int(),
        confirmed: z.int(),
        feedback: z.int(),
        failed: z.int(),
        /** How many employees with an unviewed payslip a reminder reaches. */
        remindable: z.int(),
        updated_at: time,
      }),
    ),
    todos: z.array(
      /** `late`: for feedback, how many threads were not answered in time. */
      z.object({
        kind: z.enum(['draft', 'failed', 'feedback', 'unviewed']),
        count: z.int(),
        batch_id: z.nullable(id),
        late: z.optional(z.int()),
      }),
    ),
    /** Months with sent payslips of batches that the user may view, oldest first. Amounts are null without payslip access. */
    trend: z.array(z.object({ month, people: z.int(), gross_fen: z.nullable(fen), net_fen: z.nullable(fen) })),
    members: z.int(),
    /** Null where messages are not sold, so that none are counted. */
    sms_left: z.nullable(z.int()),
  }),
})

export const getTrialServiceInstruction = defineRead('POST /api/Corp/getTrialServiceInstruction', 'admin', {
  summary: 'Describes what the trial includes and what it costs afterwards, for the dialog.',
  input: emptyObject,
  /** PRICE: yuan per year, as the specification spells it; only displayed, never used in calculations. */
  output: z.object({ service_list: z.array(z.object({ DESC: z.string(), PRICE: z.number() })) }),
})

export const closeTrailServiceInfo = defineRead('POST /api/Corp/closeTrailServiceInfo', 'admin', {
  summary: 'Dismisses the information about the trial for the caller.',
  input: emptyObject,
  output: emptyObject,
})

export const setLogo = defineChange('POST /api/corp/setLogo', companyAdmins, {
  summary: 'Sets the company logo that every page shows in its header, from an uploaded picture. Null removes it.',
  idempotent: false,
  input: z.object({ file_id: z.nullable(id) }),
  output: z.object({ logo: z.nullable(z.string()) }),
  errors: ['not_found'],
})

/** The company profile. Every field but the name may be empty. */
const companyProfileFields = {
  name: requiredText(50, '请填写企业名称'),
  /** The unified social credit code (GB 32100-2015), which is the tax number. */
  credit_code: optionalText(30),
  industry: optionalText(30),
  address: optionalText(200),
  contact_name: optionalText(30),
  /** A mobile or landline number. */
  contact_phone: optionalText(30),
  contact_email: optionalText(100),
}

export const getCompanyInfo = defineRead('GET /api/corp/info', companyAdmins, {
  summary: 'Returns the business information of the company: name, logo, tax number, address, contact and headcount.',
  input: emptyObject,
  output: z.object({
    ...companyProfileFields,
    /** A picture as a data: URL. */
    logo: z.nullable(z.string()),
    created_at: time,
    people: z.int(),
    /** The revision must be sent back with a change (optimistic locking). */
    revision: z.int(),
  }),
})

export const saveCompanyInfo = defineChange('PUT /api/corp/info', companyAdmins, {
  summary: 'Changes the business information. Fails if someone else has changed it since it was read.',
  input: z.object({ ...companyProfileFields, revision: z.int() }),
  output: z.object({ revision: z.int() }),
  errors: ['wrong_state'],
})
