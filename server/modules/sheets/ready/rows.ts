/** Rows of a checked batch as they will be sent; the input of a send plan. */
import { checkIsWageSheet, countOpenQuestions, findMissingRoles } from '../../../contract/shared/statuses.ts'
import { fail, type HandlerContext } from '../../../http/handler.ts'
import type { RowCells } from '../../../rules/amounts.ts'
import { loadSentRows } from '../../payslip-records/index.ts'
import type { BatchRow } from '../access.ts'
import { loadMembers } from '../check/run-check.ts'
import { getCheckOutcome } from '../check/stored-check.ts'
import { saveCurrentMapping } from '../mapping/mappings.ts'
import { openRecognition } from '../recognition.ts'
import { getCombinedRows } from '../rows/stored-rows.ts'
import type { PayrollMember } from '../rules/check/member-match.ts'
import { omitSentRows } from '../rules/outcome.ts'
import { getUnitPowers, toYuanCells } from '../rules/unit.ts'

export type ReadyRow = {
  readonly row: number
  readonly member_id: string
  /** The member's departments in the roster, joined by 、. */
  readonly departments: string
  /** Positions in the roster, most specific first: department and position, position, department. */
  readonly positions: readonly string[]
  readonly net_fen: number | null
  readonly gross_fen: number | null
  readonly tax_fen: number | null
  /** Whether this member was paid in the pay run used for comparison. */
  readonly wasPaidBefore: boolean
  /** The amounts of that pay run do not show whether the row belongs to this member. */
  readonly isUnproven: boolean
  /** Rows matched by name only, without further confirmation. */
  readonly matchedByNameOnly: boolean
  /** The roster has a different department, position or entry date. */
  readonly differsFromRoster: boolean
  /** Another row has this member's data and vice versa; 1 is the most likely pair, 0 means no indication. */
  readonly swapRank: number
}

/**
 * Loads the rows of a checked batch for the send plan; fails with `wrong_state` and `{ errors }` where issues remain.
 * `isFinal`: it is about to be sent, so its decisions are saved in the column mapping. With `includesSent`, rows that
 * already have a payslip, or a scheduled one, are included: the tax of a month counts them too.
 */
export async function loadReadyRows(
  ctx: HandlerContext,
  batch: BatchRow,
  isFinal: boolean,
  { includesSent = false }: { readonly includesSent?: boolean } = {},
): Promise<ReadyRow[]> {
  const { checked: fullCheck, paidBefore } = await getCheckOutcome(ctx, batch)
  const checked = includesSent ? fullCheck : omitSentRows(fullCheck, await loadSentRows(ctx, batch.id))
  const recognition = openRecognition(ctx, batch)
  const wageSheetCheck = checkIsWageSheet(recognition)
  if (wageSheetCheck !== true) throw fail('wrong_state', wageSheetCheck, { status: batch.status, errors: 1 })
  const openQuestions = countOpenQuestions(recognition)
  if (openQuestions > 0)
    throw fail('wrong_state', `关于这张表还有 ${openQuestions} 个问题没有回答，请先回答再发送`, {
      status: batch.status,
      errors: openQuestions,
    })
  const errors = checked.issues.filter((problem) => problem.level === 'error').length
  if (errors > 0) throw fail('wrong_state', `还有 ${errors} 个错误没有处理，请先处理再发送`, { status: batch.status, errors })
  if (findMissingRoles(recognition).includes('net'))
    throw fail('wrong_state', '还没有指定哪一列是实发工资，请先指定', { status: batch.status, errors: 1 })
  const unproven = new Set(checked.unproven)
  const memberById = new Map((await loadMembers(ctx)).map((member) => [member.id, member]))
  const ready = checked.rows.flatMap(({ skipped, member_id, ...one }): ReadyRow[] => {
    if (skipped || member_id === null) return []
    const member = memberById.get(member_id)
    const memberFields = { member_id, departments: member?.departments ?? '', positions: listPositions(member) }
    return [{ ...one, ...memberFields, wasPaidBefore: paidBefore.has(one.row), isUnproven: unproven.has(one.row) }]
  })
  if (ready.length === 0) throw fail('wrong_state', '这一批里没有可以发送的人', { status: batch.status, errors: 0 })
  if (isFinal) await saveCurrentMapping(ctx, batch, true)
  return ready
}

function listPositions(member: PayrollMember | undefined): string[] {
  const { departments = '', position = '' } = member ?? {}
  return [position && departments && `${departments}/${position}`, position, departments].filter((text) => text !== '')
}

/** Creates a function that decrypts rows of a batch as they are sent: amounts in yuan. */
export function createCellLoader(
  ctx: HandlerContext,
  batch: BatchRow,
): (rows: readonly number[]) => Promise<ReadonlyMap<number, RowCells>> {
  const { columns, questions } = openRecognition(ctx, batch)
  const powers = getUnitPowers(columns, questions)
  return async (rows) =>
    new Map((await getCombinedRows(ctx, batch.id, rows)).map(({ row, cells }) => [row, toYuanCells(cells, powers)]))
}
