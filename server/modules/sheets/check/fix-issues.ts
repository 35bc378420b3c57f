/** Fixes for issues: match, create, skip or restore a member, correct a cell, accept a warning. Writes sheet_row and batch. */
import { sql } from 'kysely'
import type { IssueFix, IssueKind } from '../../../contract/shared/schemas.ts'
import { can } from '../../../contract/shared/statuses.ts'
import type { Issue } from '../../../contract/sheets/sheet.ts'
import * as contract from '../../../contract/sheets/sheet.ts'
import { assertAllowed, defineHandler, type HandlerContext, invalidInput } from '../../../http/handler.ts'
import { isIdCard } from '../../../rules/id-card.ts'
import { parseMobile } from '../../../rules/phone.ts'
import { addMembers, loadRoster, type NewMember } from '../../directory/index.ts'
import { loadSentRows } from '../../payslip-records/index.ts'
import { type BatchRow, countUnsent, requireBatch } from '../access.ts'
import { deleteCachedNames } from '../names/row-names.ts'
import { openRecognition, type RecognizedSheet } from '../recognition.ts'
import { getCombinedRows } from '../rows/stored-rows.ts'
import { combineRowsInto, insertMissingRows, rowsPerStatement, separateRows, skipRows } from '../rows/written-rows.ts'
import { readIdentity } from '../rules/check/amount-issues.ts'
import { normalizeNumber } from '../rules/check/member-match.ts'
import { formatRowNumber } from '../rules/check/month-comparison.ts'
import type { SheetCheckResult } from '../rules/check/sheet-check.ts'
import { getAcceptanceMark, isSheetIssue } from '../rules/check/sheet-issues.ts'
import { omitSentRows } from '../rules/outcome.ts'
import { readBankCard, saveBankCards } from './bank-cards.ts'
import { type CellEdit, editCells, swapRows } from './edit-cells.ts'
import { getCheckCounts, saveCheckStatus, saveRestTotals } from './run-check.ts'
import { checkBeforeFix } from './stored-check.ts'

type FixAction = {
  readonly problem_id?: string | undefined
  readonly kind?: IssueKind | undefined
  readonly row?: number | undefined
  readonly column?: string | undefined
  readonly fix: IssueFix
  readonly member_id?: string | undefined
  readonly value?: string | undefined
}

/** Members created per call, in one transaction. The client repeats the call for more, which allows it to show progress. */
const maxCreatedPerCall = 2_500

export const dealWithSalaryList = defineHandler(contract.dealWithSalaryList, async (ctx, { batch_id, actions }) => {
  const batch = await requireBatch(ctx, batch_id, 'manage')
  assertAllowed(can.resolveIssues(batch.status, await countUnsent(ctx, batch_id)), { status: batch.status })
  const sentRows = await loadSentRows(ctx, batch_id)
  const before = await checkBeforeFix(ctx, batch)
  const checked = omitSentRows(before.outcome.checked, sentRows)
  const recognition = openRecognition(ctx, batch)
  const work = planFixes(actions, checked, await findSelectableMembers(ctx, actions, checked))
  assertUnsent(work, sentRows)
  let done = work.count
  await skipRows(ctx, batch.id, work.skip, true)
  done += await restoreRows(ctx, batch, actions)
  done += await separateCombined(ctx, batch, work.separate)
  await acceptIssues(ctx, batch, work.accept)
  await combineMembers(ctx, batch, checked, work.combine)
  await matchRows(ctx, batch, work.match)
  await editCells(ctx, batch, recognition, work.edit)
  await swapRows(ctx, batch, recognition, work.swap)
  done -= work.updateCards.length - (await saveBankCards(ctx, batch, recognition, work.updateCards))
  const creating = work.create.slice(0, maxCreatedPerCall)
  const remaining = work.create.length - creating.length
  done -= work.create.length - (await createMembers(ctx, batch, recognition, creating))
  await ctx.db
    .updateTable('batch')
    .set({ updated_at: ctx.now })
    .where('company_id', '=', ctx.company_id)
    .where('id', '=', batch.id)
    .execute()

  const updatedBatch = await requireBatch(ctx, batch_id, 'manage')
  const isAcceptedOnly = actions.every(({ fix }) => fix === 'accept')
  const affectsRowsOnly = work.create.length === 0 && work.updateCards.length === 0
  const after = await before.after(updatedBatch, {
    accepted: isAcceptedOnly ? work.accept : null,
    affectsRowsOnly,
  })
  const status = await saveCheckStatus(ctx, updatedBatch, after)
  if (sentRows.size > 0) await saveRestTotals(ctx, updatedBatch, after)
  const remainingCheck = { ...after, checked: omitSentRows(after.checked, sentRows) }
  ctx.addAuditDetails({ done })
  return { counts: getCheckCounts(status, remainingCheck), done, remaining_count: remaining }
})

/** Cells of a row that was sent are corrected in its payslip; issues of such rows are not listed any more. */
function assertUnsent({ edit, separate }: FixPlan, sentRows: ReadonlySet<number>): void {
  const sentRow = [...edit.map(({ row }) => row), ...separate].find((row) => sentRows.has(row))
  if (sentRow !== undefined)
    throw invalidInput('actions', `第 ${formatRowNumber(sentRow)} 行已经发送，请在工资条详情里点「更正」`)
}

type FixPlan = {
  count: number
  skip: number[]
  accept: Issue[]
  match: { row: number; member_id: string }[]
  edit: CellEdit[]
  swap: Issue[]
  create: number[]
  updateCards: { row: number; member_id: string }[]
  /** Rows of members whose rows are combined into one payslip. */
  combine: number[]
  /** First rows of members whose combined rows are separated again. */
  separate: number[]
}

/** Returns the candidates who are within the user's scope and active. */
async function findSelectableMembers(
  ctx: HandlerContext,
  actions: readonly FixAction[],
  { issues }: SheetCheckResult,
): Promise<ReadonlySet<string>> {
  const matches = actions.filter(({ fix }) => fix === 'match')
  if (matches.length === 0) return new Set()
  const offered = matches.some(({ kind }) => kind !== undefined) ? issues.flatMap((one) => getOnlyCandidate(one) ?? []) : []
  const members = await loadRoster(ctx, [...offered, ...matches.flatMap(({ member_id }) => member_id ?? [])])
  return new Set(members.filter(({ in_scope, status }) => in_scope && status !== 'left').map(({ id }) => id))
}

/** Plans the fixes. An issue that no longer exists (a second click) is ignored; a fix that it does not offer is rejected. */
function planFixes(actions: readonly FixAction[], checked: SheetCheckResult, selectableMembers: ReadonlySet<string>): FixPlan {
  const work: FixPlan = {
    count: 0,
    skip: [],
    accept: [],
    match: [],
    edit: [],
    swap: [],
    create: [],
    updateCards: [],
    combine: [],
    separate: [],
  }
  const byId = new Map(checked.issues.map((issue) => [issue.id, issue]))
  const memberIdByRow = new Map(checked.rows.map(({ row, member_id }) => [row, member_id]))
  for (const action of actions) {
    const isOne = action.problem_id !== undefined
    const cell = getCellEdit(action)
    if (cell) {
      work.edit.push(cell)
      work.count += 1
      continue
    }
    if (action.fix === 'restore') {
      if (isOne || action.kind) throw invalidInput('actions', '恢复跳过的人请指明是哪一行')
      continue
    }
    if (action.fix === 'separate' && action.row !== undefined) {
      if (isOne || action.kind) throw invalidInput('actions', '请指明要分开的是哪一行')
      work.separate.push(action.row)
      continue
    }
    if (isOne === (action.kind !== undefined) || action.row !== undefined) throw invalidInput('actions', '请指明要处理的问题')
    const one = action.problem_id === undefined ? undefined : byId.get(action.problem_id)
    const selected = action.kind ? checked.issues.filter((issue) => isSelected(issue, action)) : one ? [one] : []
    const firstRows = new Set<string>()
    for (const issue of selected) {
      if (!issue.fix.includes(action.fix)) {
        if (action.kind) continue
        throw invalidInput('fix', '这个问题不能这样处理，请刷新后重试')
      }
      if (action.fix === 'skip') {
        // All duplicates are handled at once: the first row of each member is kept.
        const memberId = action.kind === 'duplicate_person' ? memberIdByRow.get(issue.row) : null
        if (memberId && !firstRows.has(memberId)) {
          firstRows.add(memberId)
          continue
        }
        work.skip.push(issue.row)
      } else if (action.fix === 'accept') work.accept.push(issue)
      else if (action.fix === 'combine') work.combine.push(issue.row)
      else if (action.fix === 'separate') {
        // For rows not yet combined the fix means that they are reviewed one by one; for combined rows, that they
        // become separate again.
        if (issue.kind === 'several_rows') work.accept.push(issue)
        else {
          work.separate.push(issue.row)
          continue
        }
      } else if (action.fix === 'create') work.create.push(issue.row)
      else if (action.fix === 'edit') {
        if (action.kind) throw invalidInput('fix', '请逐个填写正确的内容')
        work.edit.push(createEdit(action, issue.row, issue.column))
      } else if (action.fix === 'swap') work.swap.push(issue)
      else if (action.fix === 'take') work.updateCards.push({ row: issue.row, member_id: memberIdByRow.get(issue.row) ?? '' })
      else {
        const member_id = action.kind ? getOnlyCandidate(issue) : action.member_id
        if (action.kind && member_id === null) continue
        if (!member_id || !selectableMembers.has(member_id)) throw invalidInput('member_id', '请选择这一行对应的员工')
        work.match.push({ row: issue.row, member_id })
      }
      work.count += 1
    }
  }
  return work
}

/**
 * Selects the issues of a bulk action by kind. A member's rows are combined in bulk only if they share one issue. Rows
 * that may belong to a roster member with another phone number are not created in bulk: these are reviewed one by one.
 */
const isSelected = ({ kind, candidates }: Issue, action: FixAction): boolean =>
  kind === action.kind &&
  (action.fix !== 'create' || candidates.length === 0) &&
  (action.fix !== 'combine' || kind === 'several_rows')

/** Returns the edit of any cell in a row, with or without an issue. */
function getCellEdit(action: FixAction): CellEdit | null {
  const { fix, row, column, problem_id, kind } = action
  if (fix !== 'edit' || row === undefined) return null
  if (problem_id !== undefined || kind !== undefined) throw invalidInput('actions', '请指明要改哪一格')
  return createEdit(action, row, column)
}

function createEdit({ value }: FixAction, row: number, column: string | null | undefined): CellEdit {
  if (!column) throw invalidInput('actions', '请指明要改哪一格')
  if (value === undefined) throw invalidInput('value', '请填写正确的内容')
  return { row, column, value }
}

/**
 * Returns the only candidate. Only rows without a name whose number matches exactly one member may be matched in bulk;
 * all others are reviewed one by one.
 */
const getOnlyCandidate = (issue: Issue): string | null =>
  issue.kind === 'no_name' && issue.candidates.length === 1 ? (issue.candidates[0]?.member_id ?? null) : null

/** Restores skipped rows as they were, with the chosen member and accepted warnings. Returns how many. */
async function restoreRows({ db, company_id }: HandlerContext, batch: BatchRow, actions: readonly FixAction[]): Promise<number> {
  const restores = actions.filter((action) => action.fix === 'restore')
  if (restores.length === 0) return 0
  const rows = restores.some(({ row }) => row === undefined) ? null : restores.map(({ row }) => row)
  const { numUpdatedRows } = await db
    .updateTable('sheet_row')
    .set({ skipped: false })
    .where('company_id', '=', company_id)
    .where('batch_id', '=', batch.id)
    .where('skipped', '=', true)
    .$if(rows !== null, (query) => query.where(sql<boolean>`row_no = any(${rows}::int[])`))
    .executeTakeFirst()
  return Number(numUpdatedRows)
}

/** Separates rows that were combined by mistake, with the decisions about each row. Returns the number of members concerned. */
async function separateCombined(ctx: HandlerContext, batch: BatchRow, firstRows: readonly number[]): Promise<number> {
  if (firstRows.length === 0) return 0
  await deleteCachedNames(ctx, batch.id)
  return separateRows(ctx, batch.id, firstRows)
}

/** Combines the rows of each of these members into one payslip, at their first row that is not skipped. */
async function combineMembers(
  ctx: HandlerContext,
  batch: BatchRow,
  { rows }: SheetCheckResult,
  selectedRows: readonly number[],
): Promise<void> {
  if (selectedRows.length === 0) return
  const memberIdByRow = new Map(rows.map(({ row, member_id }) => [row, member_id]))
  const memberIds = new Set(selectedRows.flatMap((row) => memberIdByRow.get(row) ?? []))
  const rowsByMember = new Map<string, number[]>()
  for (const { row, member_id, skipped } of rows)
    if (member_id !== null && !skipped && memberIds.has(member_id))
      rowsByMember.set(member_id, [...(rowsByMember.get(member_id) ?? []), row])
  for (const [first, ...others] of rowsByMember.values())
    if (first !== undefined && others.length > 0) await combineRowsInto(ctx, batch.id, first, others)
  await deleteCachedNames(ctx, batch.id)
}

async function acceptIssues({ db, company_id }: HandlerContext, batch: BatchRow, issues: readonly Issue[]): Promise<void> {
  const rowsByMark = new Map<string, number[]>()
  const sheetMarks = new Set(batch.accepted)
  for (const one of issues) {
    const { row } = one
    const mark = getAcceptanceMark(one)
    if (isSheetIssue(one)) sheetMarks.add(mark)
    else {
      const rows = rowsByMark.get(mark)
      if (rows) rows.push(row)
      else rowsByMark.set(mark, [row])
    }
  }
  await insertMissingRows({ db, company_id }, batch.id, [...rowsByMark.values()].flat())
  for (const [mark, rows] of rowsByMark)
    await db
      .updateTable('sheet_row')
      .set({ accepted: sql<string[]>`array_append(accepted, ${mark})` })
      .where('company_id', '=', company_id)
      .where('batch_id', '=', batch.id)
      .where(sql<boolean>`row_no = any(${rows}::int[]) and not (${mark} = any(accepted))`)
      .execute()
  if (sheetMarks.size > batch.accepted.length)
    await db
      .updateTable('batch')
      .set({ accepted: [...sheetMarks] })
      .where('company_id', '=', company_id)
      .where('id', '=', batch.id)
      .execute()
}

async function matchRows(
  { db, company_id }: HandlerContext,
  batch: BatchRow,
  matches: readonly { row: number; member_id: string }[],
): Promise<void> {
  await insertMissingRows(
    { db, company_id },
    batch.id,
    matches.map(({ row }) => row),
  )
  for (let from = 0; from < matches.length; from += rowsPerStatement) {
    const chunk = matches.slice(from, from + rowsPerStatement)
    const memberIdByRow = JSON.stringify(Object.fromEntries(chunk.map((one) => [one.row, one.member_id])))
    // Matches by name in a JSON document instead of a join: the planner chose a bad join order where the statistics
    // knew only small batches.
    await db
      .updateTable('sheet_row')
      .set({ member_id: sql<string>`(${memberIdByRow}::jsonb ->> row_no::text)::uuid` })
      .where('company_id', '=', company_id)
      .where('batch_id', '=', batch.id)
      .where(sql<boolean>`row_no = any(${chunk.map((one) => one.row)}::int[])`)
      .execute()
  }
}

/** Adds the members of these rows to the roster and returns how many rows match now. For one phone the first decides. */
async function createMembers(
  ctx: HandlerContext,
  batch: BatchRow,
  recognition: RecognizedSheet,
  rows: readonly number[],
): Promise<number> {
  if (rows.length === 0) return 0
  const membersByPhone = new Map<string, { row: number; person: NewMember }>()
  for (let from = 0; from < rows.length; from += rowsPerStatement) {
    for (const { row, cells } of await getCombinedRows(ctx, batch.id, rows.slice(from, from + rowsPerStatement))) {
      const identity = readIdentity(cells, recognition.columns)
      const mobile = parseMobile(identity.mobile)
      const name = identity.names[0] ?? ''
      if (!mobile || !name || membersByPhone.has(mobile)) continue
      if (name.length > 50) {
        // In a bulk action the row is skipped; in a single call, the reason is returned.
        if (rows.length > 1) continue
        throw invalidInput('actions', `第 ${formatRowNumber(row)} 行的姓名太长，请核对`)
      }
      const id_card = normalizeNumber(identity.id_card)
      const bank_account = readBankCard(cells, recognition)
      membersByPhone.set(mobile, {
        row,
        person: {
          name,
          mobile,
          ...(identity.employee_no && identity.employee_no.length <= 30 ? { employee_no: identity.employee_no } : {}),
          ...(identity.department && identity.department.length <= 50 ? { department: identity.department } : {}),
          ...(isIdCard(id_card) ? { id_card } : {}),
          ...(bank_account ? { bank_account } : {}),
        },
      })
    }
  }
  const list = [...membersByPhone.values()]
  const ids = await addMembers(
    ctx,
    list.map(({ person }) => person),
  )
  await matchRows(
    ctx,
    batch,
    list.map(({ row }, at) => ({ row, member_id: ids[at] ?? '' })),
  )
  return list.length
}
