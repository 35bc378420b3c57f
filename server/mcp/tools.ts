/**
 * The tools of the MCP server: they read, check, prepare and explain. Nothing is sent or withdrawn by them; those two
 * answer where a person does it. Each tool makes calls below /api/v1, whose scopes decide whether a key has the tool.
 */
import * as z from 'zod/mini'
import type { ApiKeyScope } from '../contract/api-keys/api-keys.ts'
import { getCallScopes } from '../contract/api-keys/scope-calls.ts'
import * as batches from '../contract/api-v1/batches.ts'
import * as employees from '../contract/api-v1/employees.ts'
import * as payslips from '../contract/api-v1/payslips.ts'
import * as sheets from '../contract/api-v1/wage-sheets.ts'
import type { Call } from '../contract/call.ts'
import type { CallApi } from './call-api.ts'

type Params = Readonly<Record<string, unknown>>
export type ToolContext = { readonly callApi: CallApi; readonly origin: string }
export type Tool = {
  readonly name: string
  readonly description: string
  readonly calls: readonly Call[]
  readonly inputSchema: Readonly<Record<string, unknown>>
  /** Changes nothing in the product. */
  readonly readOnly: boolean
  run(ctx: ToolContext, params: Params): Promise<unknown>
}

const toJsonSchema = (schema: z.ZodMiniType) => z.toJSONSchema(schema, { io: 'input' })
const batchSchema = toJsonSchema(z.object({ batch_id: z.uuid() }))

/** A tool that makes one call and returns its response. */
const defineCallTool = (name: string, call: Call, readOnly: boolean, description: string = call.summary): Tool => ({
  name,
  description,
  calls: [call],
  inputSchema: toJsonSchema(call.input),
  readOnly,
  run: ({ callApi }, params) => callApi(call, params),
})

const maxPages = 20
/** Collects all pages of a list, up to 2000 entries; `complete` is false where there are more. */
async function collectPages<T>(load: (cursor: string | undefined) => Promise<{ data: T[]; next_cursor: string | null }>) {
  const data: T[] = []
  let cursor: string | undefined
  for (let page = 0; page < maxPages; page += 1) {
    const { data: rows, next_cursor } = await load(cursor)
    data.push(...rows)
    if (next_cursor === null) return { data, complete: true }
    cursor = next_cursor
  }
  return { data, complete: false }
}

const getDifference = (now: number | null, before: number | null) => (now === null || before === null ? null : now - before)

const compareWithLastMonth: Tool = {
  name: 'compare_with_last_month',
  description:
    'What changed against the last pay run: the totals of both in fen, their differences, and the warnings of the check. The sheet must have a title and month.',
  calls: [sheets.checkWageSheet, sheets.listWageSheetIssues],
  inputSchema: batchSchema,
  readOnly: true,
  async run({ callApi }, { batch_id }) {
    const { totals, previous } = await callApi(sheets.checkWageSheet, { batch_id })
    const warnings = await callApi(sheets.listWageSheetIssues, { batch_id, level: 'warning', limit: 100 })
    const changes = previous && {
      people: totals.people - previous.people,
      gross_fen: getDifference(totals.gross_fen, previous.gross_fen),
      tax_fen: getDifference(totals.tax_fen, previous.tax_fen),
      net_fen: getDifference(totals.net_fen, previous.net_fen),
    }
    return { totals, previous, changes, warnings: warnings.data }
  },
}

const listUnviewed: Tool = {
  name: 'list_unviewed',
  description: 'Who has not viewed the payslip of a batch that was sent to them.',
  calls: [payslips.listPayslips],
  inputSchema: batchSchema,
  readOnly: true,
  async run({ callApi }, { batch_id }) {
    const { data, complete } = await collectPages((cursor) =>
      callApi(payslips.listPayslips, { batch_id, status: 'sent', limit: 100, cursor }),
    )
    return {
      count: data.length,
      complete,
      employees: data.map(({ payslip_id, employee, sent_at }) => ({ payslip_id, ...employee, sent_at })),
    }
  },
}

const listUndelivered: Tool = {
  name: 'list_undelivered',
  description: 'Whose message of a batch failed or may not have arrived, and why.',
  calls: [batches.listDeliveries],
  inputSchema: batchSchema,
  readOnly: true,
  async run({ callApi }, { batch_id }) {
    const { data, complete } = await collectPages((cursor) => callApi(batches.listDeliveries, { batch_id, limit: 100, cursor }))
    return { complete, deliveries: data.filter(({ message }) => message !== null) }
  },
}

const fileInput = z.object({
  /** With its ending: .csv, .xlsx or .xls. */
  file_name: z.string().check(z.minLength(1), z.maxLength(200)),
  /** The text of a .csv file. */
  text: z.optional(z.string()),
  /** The bytes of a file. */
  base64: z.optional(z.string()),
  external_id: z.optional(z.string()),
  /** Replaces the file of this draft. */
  batch_id: z.optional(z.uuid()),
})
const uploadWageSheet: Tool = {
  name: 'upload_wage_sheet',
  description: 'Uploads a wage sheet, as `text` (.csv) or `base64`, and returns how it was recognised, with its questions.',
  calls: [sheets.uploadWageSheet],
  inputSchema: toJsonSchema(fileInput),
  readOnly: false,
  run({ callApi }, params) {
    const { file_name, text, base64, ...rest } = z.parse(fileInput, params)
    const bytes = base64 === undefined ? new TextEncoder().encode(text ?? '') : new Uint8Array(Buffer.from(base64, 'base64'))
    return callApi(sheets.uploadWageSheet, rest, new File([bytes], file_name))
  },
}

const prepareSending: Tool = {
  name: 'prepare_sending',
  description:
    'Prepares a checked batch: who gets the payslips, how and when, and the payslips that a person has to look at. Sends nothing: a person sends in the product, at `confirm_url`.',
  calls: [batches.planBatch],
  inputSchema: toJsonSchema(batches.planBatch.input),
  readOnly: false,
  async run({ callApi, origin }, params) {
    return { ...(await callApi(batches.planBatch, params)), ...(await confirmInProduct({ origin }, '/wageSend3', params)) }
  },
}

const confirmInProduct = async ({ origin }: Pick<ToolContext, 'origin'>, page: string, { batch_id }: Params) => ({
  done: false,
  confirm_url: new URL(`${page}?batch_id=${encodeURIComponent(String(batch_id))}`, origin).href,
})

/** A tool that does nothing: it says where a person does it. */
const defineConfirmationTool = (name: string, call: Call, page: string, action: string): Tool => ({
  name,
  description: `${action} needs a person in the product. Returns the page where they do it, and does nothing else.`,
  calls: [call],
  inputSchema: batchSchema,
  readOnly: true,
  run: async (ctx, params) => ({
    ...(await confirmInProduct(ctx, page, params)),
    message: `${action} must be confirmed by a person in the product. Nothing was done. Give them the link.`,
  }),
})

export const tools: readonly Tool[] = [
  defineCallTool('list_employees', employees.listEmployees, true),
  defineCallTool('list_departments', employees.listDepartments, true),
  defineCallTool('list_batches', batches.listBatches, true),
  defineCallTool('get_batch', batches.getBatch, true),
  listUnviewed,
  listUndelivered,
  uploadWageSheet,
  defineCallTool('get_wage_sheet', sheets.getWageSheet, true),
  defineCallTool(
    'answer_wage_sheet',
    sheets.answerWageSheet,
    false,
    `${sheets.answerWageSheet.summary} Ask the user for every answer about money or people; never guess one.`,
  ),
  defineCallTool('check_wage_sheet', sheets.checkWageSheet, true),
  defineCallTool('list_issues', sheets.listWageSheetIssues, true),
  defineCallTool(
    'resolve_issues',
    sheets.resolveWageSheetIssues,
    false,
    `${sheets.resolveWageSheetIssues.summary} Ask the user for every decision; never guess one.`,
  ),
  compareWithLastMonth,
  prepareSending,
  defineConfirmationTool('send_batch', batches.sendPlannedBatch, '/wageSend3', 'Sending'),
  defineConfirmationTool('withdraw_batch', batches.withdrawBatch, '/wageDetail', 'Withdrawing'),
]

/** The tools whose calls the scopes allow. */
export const getTools = (scopes: readonly ApiKeyScope[]): Tool[] =>
  tools.filter(({ calls }) => calls.every((call) => getCallScopes(call).some((scope) => scopes.includes(scope))))
