/** Handlers that return the issues of a batch. */
import type { CallRequest } from '../../../contract/call.ts'
import type { IssueKind } from '../../../contract/shared/schemas.ts'
import { moneyRoles } from '../../../contract/sheets/column-roles.ts'
import type { Issue, IssueWithRow } from '../../../contract/sheets/sheet.ts'
import * as contract from '../../../contract/sheets/sheet.ts'
import { defineHandler, type HandlerContext } from '../../../http/handler.ts'
import { type RowCells } from '../../../rules/amounts.ts'
import { parseMobile } from '../../../rules/phone.ts'
import { listActiveMobiles, loadRoster } from '../../directory/index.ts'
import { loadSentRows } from '../../payslip-records/index.ts'
import { requireBatch, visibleBatches } from '../access.ts'
import { openRecognition, type RecognizedSheet } from '../recognition.ts'
import { getCombinedRows, loadCombinedRows, loadEditedRows } from '../rows/stored-rows.ts'
import { readIdentity } from '../rules/check/amount-issues.ts'
import { orderIssuesByKind } from '../rules/check/issue-order.ts'
import { formatRowNumber } from '../rules/check/month-comparison.ts'
import type { SheetCheckResult } from '../rules/check/sheet-check.ts'
import { omitSentRows } from '../rules/outcome.ts'
import { getCheckCounts, saveCheckStatus } from './run-check.ts'
import { getCheckOutcome } from './stored-check.ts'
import { getLastEdit } from './undo.ts'

const issuesPerPage = 500
/** Issues of one kind that the issue page loads at once. */
const issuesPerKind = 50
const maxListedRows = 200
/** Where the roster may take over the phone of the row. */
const phoneIssueKinds: ReadonlySet<IssueKind> = new Set(['unknown_person', 'name_mismatch'])

/** Checks the rows of a batch that were not sent, and stores whether it can be sent. */
async function runCheck(ctx: HandlerContext, batch_id: string) {
  const batch = await requireBatch(ctx, batch_id, 'view')
  const sentRows = await loadSentRows(ctx, batch.id)
  const fullOutcome = await getCheckOutcome(ctx, batch)
  const outcome = { ...fullOutcome, checked: omitSentRows(fullOutcome.checked, sentRows) }
  // Every attempt leaves an audit log entry, because amounts could be guessed by trying them until the questions
  // change.
  if (outcome.comparison_others !== null) ctx.addAuditDetails({ comparison_others: outcome.comparison_others })
  const { may: canManage } = await ctx.db
    .selectFrom('batch')
    .select(visibleBatches(ctx, 'manage').as('may'))
    .where('company_id', '=', ctx.company_id)
    .where('id', '=', batch.id)
    .executeTakeFirstOrThrow()
  const status = canManage ? await saveCheckStatus(ctx, batch, outcome) : batch.status
  return { batch, outcome, sentRows, status, recognition: openRecognition(ctx, batch) }
}

export const checkWageData = defineHandler(contract.checkWageData, async (ctx, { batch_id, page, ...filter }) => {
  const { batch, outcome, sentRows, status, recognition } = await runCheck(ctx, batch_id)
  const { checked, joined, missing } = outcome
  const issues = filterIssues(checked.issues, filter)
  const skipped = checked.rows.filter((row) => row.skipped).slice(0, maxListedRows)
  return {
    counts: getCheckCounts(status, outcome),
    problems: await toIssuesWithRows(
      ctx,
      { id: batch.id, checked, recognized: recognition },
      issues.slice((page - 1) * issuesPerPage, page * issuesPerPage),
    ),
    problem_count: issues.length,
    edited_cell_count: (await loadEditedRows(ctx, batch.id)).reduce((all, { edited }) => all + edited.length, 0),
    // Once a part was sent, an edit may belong to a payslip that was sent with it.
    last_edit: sentRows.size > 0 ? null : await getLastEdit(ctx, batch.id, recognition),
    new_members: [...joined],
    missing_members: [...missing],
    largest_changes: outcome.largest_changes.filter(({ row }) => !sentRows.has(row)),
    skipped: skipped.map(({ row, name }) => ({ row, name })),
    combined: await listCombinedMembers(ctx, batch.id, checked),
  }
})

const compareIssues = (a: Pick<Issue, 'row' | 'id'>, b: Pick<Issue, 'row' | 'id'>): number =>
  a.row - b.row || (a.id < b.id ? -1 : Number(a.id > b.id))

/** Lists issues in an order that stays while others are resolved: by row, then by id; those after the issue `after`. */
export async function listIssuesAfter(
  ctx: HandlerContext,
  { batch_id, kind, level }: Pick<CallRequest<typeof contract.checkWageData>, 'batch_id' | 'kind' | 'level'>,
  { after, limit }: { readonly after: string | null; readonly limit: number },
): Promise<IssueWithRow[]> {
  const { batch, outcome, recognition } = await runCheck(ctx, batch_id)
  const position = after === null ? null : { row: Number.parseInt(after, 10), id: after }
  const issues = outcome.checked.issues
    .filter((issue) => (!kind || issue.kind === kind) && (!level || issue.level === level))
    .toSorted(compareIssues)
    .filter((issue) => position === null || compareIssues(issue, position) > 0)
    .slice(0, limit)
  return toIssuesWithRows(ctx, { id: batch.id, checked: outcome.checked, recognized: recognition }, issues)
}

/** Lists the members who have one payslip for several rows. */
async function listCombinedMembers(ctx: HandlerContext, batch_id: string, { rows }: SheetCheckResult) {
  const others = await loadCombinedRows(ctx, batch_id)
  const combined = others.size === 0 ? [] : rows.filter((one) => others.has(one.row) && !one.skipped)
  return combined
    .slice(0, maxListedRows)
    .map(({ row, name, net_fen }) => ({ row, name, net_fen, rows: [row, ...(others.get(row) ?? [])] }))
}

type IssueFilter = Omit<CallRequest<typeof contract.checkWageData>, 'batch_id' | 'page'>
function filterIssues(issues: readonly Issue[], { kind, level, query }: IssueFilter): readonly Issue[] {
  const text = query?.trim().toLocaleLowerCase('zh-CN') ?? ''
  if (!kind && !level && text === '') return orderIssuesByKind(issues, issuesPerPage, issuesPerKind)
  return issues.filter(
    (one) =>
      (!kind || one.kind === kind) &&
      (!level || one.level === level) &&
      [one.name, formatRowNumber(one.row), one.message].some((content) => content.toLocaleLowerCase('zh-CN').includes(text)),
  )
}

/** Adds the cell values, the members and the amounts of the rows to the issues. */
async function toIssuesWithRows(
  ctx: HandlerContext,
  { id, checked, recognized: recognition }: { id: string; checked: SheetCheckResult; recognized: RecognizedSheet },
  issues: readonly Issue[],
): Promise<IssueWithRow[]> {
  const numbers = new Set(issues.flatMap(({ row }) => (row > 0 ? [row] : [])))
  const cellsByRow = new Map((await getCombinedRows(ctx, id, [...numbers])).map(({ row, cells }) => [row, cells]))
  const checkedByRow = new Map(checked.rows.flatMap((row) => (numbers.has(row.row) ? [[row.row, row] as const] : [])))
  const ids = [...checkedByRow.values()].flatMap(({ member_id }) => member_id ?? [])
  const memberById = new Map((await loadRoster(ctx, ids)).map((member) => [member.id, member]))
  const mobileByRow = new Map(
    [...cellsByRow].map(([row, cells]) => [row, parseMobile(readIdentity(cells, recognition.columns).mobile)]),
  )
  const requestedMobiles = issues.flatMap(({ kind, row }) => (phoneIssueKinds.has(kind) ? (mobileByRow.get(row) ?? []) : []))
  const usedMobiles = await listActiveMobiles(ctx, requestedMobiles)
  return issues.map((issue) => {
    const cells = cellsByRow.get(issue.row)
    if (!cells) return { ...issue, value: null, row_summary: null }
    const identity = readIdentity(cells, recognition.columns)
    const row = checkedByRow.get(issue.row)
    const member = memberById.get(row?.member_id ?? '')
    return {
      ...issue,
      value: issue.column === null ? null : (cells[issue.column]?.value ?? ''),
      row_summary: {
        mobile: parseMobile(identity.mobile) ?? (identity.mobile || (member?.mobile ?? '')),
        is_mobile_used: usedMobiles.has(mobileByRow.get(issue.row) ?? ''),
        department: identity.department || (member?.departments ?? ''),
        // For several rows, the message states what they pay together.
        gross_fen: issue.kind === 'several_rows' ? null : (row?.gross_fen ?? null),
        net_fen: issue.kind === 'several_rows' ? null : (row?.net_fen ?? null),
      },
    }
  })
}

export const getDetailUpload = defineHandler(contract.getDetailUpload, async (ctx, { batch_id, only, page, pagesize }) => {
  const batch = await requireBatch(ctx, batch_id, 'view')
  const { checked } = await getCheckOutcome(ctx, batch)
  const recognition = openRecognition(ctx, batch)
  const issueIdsByRow = new Map<number, string[]>()
  for (const { row, id } of checked.issues) issueIdsByRow.set(row, [...(issueIdsByRow.get(row) ?? []), id])
  const all = only ? checked.rows.filter((row) => issueIdsByRow.has(row.row)) : checked.rows
  const pageRows = all.slice((page - 1) * pagesize, page * pagesize)
  const stored = new Map(
    (
      await getCombinedRows(
        ctx,
        batch.id,
        pageRows.map((row) => row.row),
      )
    ).map((row) => [row.row, row]),
  )
  const money = new Set(recognition.columns.filter((column) => moneyRoles.has(column.role)).map((column) => column.key))
  return {
    list: pageRows.map(({ row, member_id, skipped }) => ({
      row,
      member_id,
      skipped,
      cells: toPlainCells(stored.get(row)?.cells ?? {}, money),
      problem_ids: issueIdsByRow.get(row) ?? [],
    })),
    page: { page, pagesize, total: all.length },
  }
})

const toPlainCells = (cells: RowCells, money: ReadonlySet<string>) =>
  Object.fromEntries(
    Object.entries(cells).map(([key, { value, kind }]) => [
      key,
      { value, kind: kind === 'number' && money.has(key) ? ('money' as const) : kind },
    ]),
  )
