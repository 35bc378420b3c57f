/** Agencies that serve many companies. calls.md §11. */
import * as z from 'zod/mini'
import { requirePowerAnywhere } from '../access/any-company.ts'
import { requirePower } from '../access.ts'
import { defineChange, defineRead, defineSignIn, defineView } from '../call.ts'
import { emptyObject, id, mobile, month, optionalText, pageParams, paginatedList, requiredText, time } from '../shared/schemas.ts'

const agencyAdmins = { powers: ['1', '2'], companyType: 'agency' } as const

export const serviceStatuses = ['waiting', 'active', 'refused', 'ended', 'expired'] as const

/** The current month of a served company in counts, without amounts. */
const monthlySummary = z.object({
  month,
  people: z.int(),
  batches: z.int(),
  sent: z.int(),
  viewed: z.int(),
  /** Not sent yet. */
  drafts: z.int(),
  failed: z.int(),
  feedback: z.int(),
})

export const getCorpList = defineRead('POST /api/agency/getCorpList', agencyAdmins, {
  summary:
    'Lists the companies that this agency serves or has applied to serve, with their status, the month at a glance and what is overdue.',
  rateLimit: 'costly',
  input: z.object({ name: z.optional(optionalText(50)), ...pageParams }),
  output: paginatedList(
    z.object({
      link_id: id,
      /** Null while the request is unanswered, so as not to reveal whether such a company exists. */
      corp_id: z.nullable(id),
      name: z.string(),
      status: z.enum(serviceStatuses),
      /** When the service was requested. */
      since: time,
      /** The last day of the service. */
      until: z.nullable(z.iso.date()),
      monthly_summary: z.nullable(monthlySummary),
      /** The overdue tasks in this company. */
      overdue: z.array(z.enum(['unsent', 'failed', 'feedback', 'unviewed', 'ending'])),
    }),
  ),
})

export const applyJoin = defineChange(
  'POST /api/agency/applyJoin',
  { powers: ['1'], companyType: 'agency' },
  {
    summary:
      "Applies to serve a company, given its exact name and the phone of one of its administrators; the company's power 1 decides. The response is the same whether or not the company exists.",
    idempotent: false,
    rateLimit: 'guess',
    input: z.object({ name: requiredText(50, '请填写企业名称'), phone: mobile }),
    output: z.object({ message: z.string() }),
    errors: ['wrong_state'],
  },
)

export const enterCorp = defineSignIn('POST /api/agency/enterCorp', agencyAdmins, {
  summary:
    'Opens a session in a served company and ends the current one. Every audit log entry of the new session is marked as the agency.',
  input: z.object({ corp_id: id }),
  output: z.object({ token: z.string() }),
  errors: ['not_found', 'wrong_state'],
})

export const leaveCorp = defineSignIn('POST /api/agency/leaveCorp', 'admin', {
  summary: 'Returns from a served company to the agency.',
  input: emptyObject,
  output: z.object({ token: z.string() }),
  errors: ['wrong_state'],
})

const agencyPayrollAdmins = { powers: ['2'], companyType: 'agency' } as const

export const splitSheet = defineView('POST /api/agency/splitSheet', agencyPayrollAdmins, {
  summary:
    'Determines which served company each row of a wage sheet belongs to, by a column that names the company or by worksheet. Stores nothing.',
  rateLimit: 'costly',
  requestType: 'file',
  input: emptyObject,
  output: z.object({
    by: z.enum(['column', 'sheet']),
    /** The header of the column that names the company of each row. */
    column: z.nullable(z.string()),
    sections: z.array(
      z.object({
        /** The label as it is spelled in the file. */
        label: z.string(),
        rows: z.int(),
        corp_id: z.nullable(id),
        /**
         * Why the section is not assigned to a company: no name, a name that matches no served company, a name that
         * matches several, or a company that does not grant access.
         */
        reason: z.nullable(z.enum(['nameless', 'unknown', 'several', 'closed'])),
      }),
    ),
    /** The companies that currently grant access to the user. */
    served_companies: z.array(z.object({ corp_id: id, name: z.string() })),
  }),
  errors: ['unreadable_sheet'],
})

export const uploadSplit = defineChange('POST /api/agency/uploadSplit', agencyPayrollAdmins, {
  summary:
    'Uploads the rows of one served company from a combined wage sheet as a draft of that company, selected by its own name or by names that match no company and are declared to be its. Marked as the agency in both companies.',
  idempotent: false,
  rateLimit: 'costly',
  requestType: 'file',
  /** `labels` contains one name per line, as it is spelled in the file. */
  input: z.object({ corp_id: id, labels: z.string().check(z.minLength(1, '请选择要上传的部分'), z.maxLength(6_000)) }),
  output: z.object({ batch_id: id, rows: z.int() }),
  errors: ['unreadable_sheet', 'not_found', 'wrong_state', 'not_permitted'],
})

export const getServiceList = defineRead('POST /api/agency/getServiceList', requirePower('1'), {
  summary: 'Lists the agencies that serve or served this company, for its enterprise administrators.',
  input: emptyObject,
  output: z.object({
    list: z.array(
      z.object({
        service_id: id,
        agency: z.string(),
        status: z.enum(serviceStatuses),
        scope: z.string(),
        since: z.nullable(time),
        until: z.nullable(z.iso.date()),
      }),
    ),
  }),
})

export const endService = defineChange('POST /api/agency/endService', requirePower('1'), {
  summary: "Ends an agency's service at once. The agency's users are signed out even in the middle of their work.",
  input: z.object({ service_id: id }),
  output: z.object({ ended: z.int() }),
  errors: ['not_found'],
})

export const eventsKinds = ['strategic', 'agency'] as const
export type NewsKind = (typeof eventsKinds)[number]
const anyCompanyAdmin = requirePowerAnywhere('1', '2', '3')

export const getNewsList = defineRead('POST /api/agency/getNewsList', anyCompanyAdmin, {
  summary: 'Lists the news, newest first.',
  input: z.object({ kind: z.optional(z.enum(eventsKinds)), ...pageParams }),
  output: paginatedList(
    z.object({ id: z.string(), kind: z.enum(eventsKinds), title: z.string(), summary: z.string(), at: z.iso.date() }),
  ),
})

export const getNewsDetail = defineRead('POST /api/agency/getNewsDetail', anyCompanyAdmin, {
  summary: 'Returns the paragraphs of one news item.',
  input: z.object({ id: z.string().check(z.maxLength(60)) }),
  output: z.object({
    id: z.string(),
    kind: z.enum(eventsKinds),
    title: z.string(),
    at: z.iso.date(),
    paragraphs: z.array(z.string()),
  }),
  errors: ['not_found'],
})

export const todoKinds = ['approval', 'join', 'draft', 'failed', 'feedback', 'unviewed'] as const

export const getTodoList = defineRead('POST /api/agency/getTodoList', anyCompanyAdmin, {
  summary: 'Lists the to-dos of the caller, within their powers.',
  input: emptyObject,
  output: z.object({
    /** `late`: for feedback, how many threads were not answered in time. */
    list: z.array(z.object({ kind: z.enum(todoKinds), count: z.int(), batch_id: z.nullable(id), late: z.optional(z.int()) })),
  }),
})
