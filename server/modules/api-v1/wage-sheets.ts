/** Wage sheets below /api/v1. */
import * as contract from '../../contract/api-v1/wage-sheets.ts'
import type { CallOutput, CallRequest } from '../../contract/call.ts'
import { findMissingRoles } from '../../contract/shared/statuses.ts'
import * as sheet from '../../contract/sheets/sheet.ts'
import { bindHandlers, defineHandler, type HandlerContext, invalidInput } from '../../http/handler.ts'
import { listIssuesAfter } from '../sheets/index.ts'
import { parseIssueCursor, toPage } from './cursor.ts'
import { nameEmployees } from './employees.ts'
import { loadReferences, saveReference } from './references.ts'
import type { CallRunner } from './run-call.ts'

/** Returns the names of a batch as every response states them. */
export const nameBatch = async (ctx: Pick<HandlerContext, 'db' | 'company_id'>, batch_id: string) => ({
  batch_id,
  external_id: (await loadReferences(ctx, 'batch_id', [batch_id])).get(batch_id) ?? null,
})

type WageSheet = CallOutput<typeof contract.getWageSheet>
const toWageSheet = (info: sheet.WageSheetInfo, external_id: string | null): WageSheet => ({
  batch_id: info.batch_id,
  external_id,
  status: info.status,
  file_name: info.file_name,
  title: info.title?.title ?? null,
  month: info.title?.month ?? null,
  kind: info.title?.kind ?? null,
  suggested_title: info.says.title,
  suggested_month: info.says.month,
  rows: info.rows,
  columns: info.columns.map(({ key, name, role, kind }) => ({ key, label: name, role, kind })),
  questions: info.questions.map(({ id, kind, must, message, key, rows, choices, suggested, answer }) => ({
    question_id: id,
    kind,
    required: must,
    message,
    column: key,
    rows,
    choices,
    suggested,
    answer,
  })),
  warnings: info.warnings,
})

const createUploadWageSheet = ({ run }: CallRunner) =>
  defineHandler(contract.uploadWageSheet, { kind: 'external' }, async (ctx, { external_id, worksheets, batch_id }) => {
    // The reference is stored with the sheet: a refused one stores neither.
    const mutate: typeof ctx.mutate = (work) =>
      ctx.mutate(async (inner) => {
        const result = await work(inner)
        const stored = (result as { batch_id?: string }).batch_id
        if (external_id && stored) await saveReference(inner, 'batch_id', stored, external_id)
        return result
      })
    const info = await run({ ...ctx, mutate }, sheet.uploadWageExcel, {
      ...(worksheets && { sheet: worksheets }),
      ...(batch_id && { batch_id }),
    })
    const names = await ctx.inTransaction((inner) => nameBatch(inner, info.batch_id))
    return toWageSheet(info, names.external_id)
  })

const createGetWageSheet = ({ run }: CallRunner) =>
  defineHandler(contract.getWageSheet, async (ctx, { batch_id }) => {
    const info = await run(ctx, sheet.getTitleInfo, { batch_id })
    return toWageSheet(info, (await nameBatch(ctx, batch_id)).external_id)
  })

const createAnswerWageSheet = ({ run }: CallRunner) =>
  defineHandler(contract.answerWageSheet, async (ctx, { batch_id, title, month, kind, answers, columns = [] }) => {
    if ((title === undefined) !== (month === undefined))
      throw invalidInput(title === undefined ? 'title' : 'month', '标题和月份要一起填写')
    if (title !== undefined && month !== undefined)
      await run(ctx, sheet.insertBatchTitle, { batch_id, title, month, ...(kind && { kind }) })
    const { missing, unmatched, open_question_count } = await run(ctx, sheet.checkRequireColumnData, {
      batch_id,
      columns,
      ...(answers && { answers: answers.map(({ question_id, value }) => ({ id: question_id, value })) }),
    })
    const info = await run(ctx, sheet.getTitleInfo, { batch_id })
    const all = [...(info.title ? [] : (['title'] as const)), ...new Set([...missing, ...findMissingRoles(info)])]
    return {
      ...(await nameBatch(ctx, batch_id)),
      complete: all.length === 0 && open_question_count === 0,
      missing: all,
      open_question_count,
      unmatched_row_count: unmatched,
    }
  })

const createCheckWageSheet = ({ run }: CallRunner) =>
  defineHandler(contract.checkWageSheet, async (ctx, { batch_id }) => {
    const { counts } = await run(ctx, sheet.checkWageData, { batch_id })
    const { status, rows, skipped, errors, warnings, totals, previous } = counts
    return {
      ...(await nameBatch(ctx, batch_id)),
      status,
      ready: status === 'checked',
      row_count: rows,
      skipped_row_count: skipped,
      error_count: errors,
      warning_count: warnings,
      totals,
      previous,
    }
  })

const listIssues = defineHandler(contract.listWageSheetIssues, async (ctx, { cursor, limit, ...filter }) => {
  const rows = await listIssuesAfter(ctx, filter, { after: parseIssueCursor(cursor), limit: limit + 1 })
  const { data: issues, next_cursor } = toPage(rows, limit, ({ id }) => id)
  const candidateIds = [...new Set(issues.flatMap(({ candidates }) => candidates.map(({ member_id }) => member_id)))]
  const candidates = new Map((await nameEmployees(ctx, candidateIds)).map((one) => [one.employee_id, one]))
  return {
    data: issues.map((issue) => ({
      issue_id: issue.id,
      row: issue.row,
      name: issue.name,
      column: issue.column,
      level: issue.level,
      kind: issue.kind,
      message: issue.message,
      value: issue.value,
      fixes: issue.fix,
      candidates: issue.candidates.flatMap(({ member_id, mobile_masked, departments }) => {
        const names = candidates.get(member_id)
        return names ? [{ ...names, mobile_masked, departments }] : []
      }),
    })),
    next_cursor,
  }
})

const createResolveIssues = ({ run }: CallRunner) =>
  defineHandler(contract.resolveWageSheetIssues, async (ctx, { batch_id, resolutions }) => {
    type Action = CallRequest<typeof sheet.dealWithSalaryList>['actions'][number]
    const actions = resolutions.map(
      ({ issue_id, employee_id, ...rest }): Action => ({
        ...rest,
        ...(issue_id !== undefined && { problem_id: issue_id }),
        ...(employee_id && { member_id: employee_id }),
      }),
    )
    const { counts, done, remaining_count } = await run(ctx, sheet.dealWithSalaryList, { batch_id, actions })
    return {
      ...(await nameBatch(ctx, batch_id)),
      status: counts.status,
      resolved_count: done,
      remaining_count,
      error_count: counts.errors,
      warning_count: counts.warnings,
    }
  })

export const createWageSheetHandlers = (runner: CallRunner) =>
  bindHandlers(contract, {
    uploadWageSheet: createUploadWageSheet(runner),
    getWageSheet: createGetWageSheet(runner),
    answerWageSheet: createAnswerWageSheet(runner),
    checkWageSheet: createCheckWageSheet(runner),
    listWageSheetIssues: listIssues,
    resolveWageSheetIssues: createResolveIssues(runner),
  })
