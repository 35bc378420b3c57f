/** Pure functions for fixing all issues of a kind at once; the page renders their results and asks for confirmation. */
import type { CallRequest } from '../../../../server/contract/call.ts'
import type { IssueFix, IssueKind } from '../../../../server/contract/shared/schemas.ts'
import type { dealWithSalaryList, Issue, IssueWithRow } from '../../../../server/contract/sheets/sheet.ts'
import { formatCount } from '../../../components/value/counts.ts'
import type { FixRequest } from './card/issue-fix.tsx'

export type IssueGroup = { kind: IssueKind; level: Issue['level']; count: number }
export type FixAction = CallRequest<typeof dealWithSalaryList>['actions'][number]
/** The maximum number of actions in one call. */
const maxActions = 500

export type BulkFix = {
  fix: IssueFix
  /** The number of issues that the action covers. */
  count: number
  /** The number of employees; null if not all of them are listed. */
  people: number | null
  actions: FixAction[]
}

const bulkFixes = ['combine', 'separate', 'create', 'match', 'take', 'accept', 'skip'] as const
/**
 * Returns whether an issue can be fixed in bulk, by the same rules as on the server. Match: only rows without a name
 * whose number belongs to exactly one member. Create: only rows that cannot belong to a roster member with another
 * phone. Combine: only rows of a several-rows issue, and differing rows with the same name, which are listed one by one
 * because combining is their first fix.
 */
const isBulkFixable = (issue: Issue, fix: IssueFix) =>
  issue.fix.includes(fix) &&
  (fix !== 'match' || (issue.kind === 'no_name' && issue.candidates.length === 1)) &&
  (fix !== 'create' || issue.candidates.length === 0) &&
  ((fix !== 'combine' && fix !== 'separate') ||
    issue.kind === 'several_rows' ||
    (fix === 'combine' && issue.kind === 'duplicate_person' && issue.fix[0] === 'combine'))
export const countPeople = (issues: readonly Issue[]) => new Set(issues.map(({ row }) => row)).size

/**
 * Returns the bulk fixes of a kind. `issues` are its listed issues. An action by kind affects both levels on the
 * server, so if a kind has both (`isOnlyLevel` is false) the issues are listed one by one.
 */
export function getBulkFixes(group: IssueGroup, issues: readonly Issue[], isOnlyLevel: boolean): BulkFix[] {
  if (group.count < 2) return []
  const isComplete = issues.length === group.count
  return bulkFixes.flatMap((fix) => {
    const fixable = issues.filter((issue) => isBulkFixable(issue, fix))
    if (fixable.length === 0) return []
    const coversAll = fixable.length === issues.length
    const byKind = isOnlyLevel && (coversAll || isComplete) && !(fix === 'combine' && group.kind === 'duplicate_person')
    return [
      {
        fix,
        count: byKind && coversAll ? group.count : fixable.length,
        people: isComplete || !byKind ? countPeople(fixable) : null,
        actions: byKind ? [{ kind: group.kind, fix }] : fixable.slice(0, maxActions).map(({ id }) => ({ problem_id: id, fix })),
      },
    ]
  })
}

/** Returns the actions that undo skipping or combining; none for other fixes, or if not all rows are known. */
export function getUndoActions(actions: readonly FixAction[], issues: readonly Issue[], doneCount: number): FixAction[] {
  const fix = actions[0]?.fix
  const undoFix = fix === 'skip' ? 'restore' : fix === 'combine' ? 'separate' : null
  const rows = new Set(
    actions.flatMap((action) =>
      action.fix === fix
        ? issues.filter(({ id, kind }) => id === action.problem_id || kind === action.kind).map(({ row }) => row)
        : [],
    ),
  )
  return undoFix !== null &&
    actions.every((action) => action.fix === fix) &&
    doneCount <= issues.length &&
    rows.size <= maxActions
    ? [...rows].map((row) => ({ fix: undoFix, row }))
    : []
}

/** Create and match have one issue per employee; for other fixes an employee may have several. */
const formatFixCount = ({ fix, people, count }: BulkFix) =>
  people === null ? `${formatCount(count)} ${personFixes.has(fix) ? '人' : '处'}` : `${formatCount(people)} 人`
const personFixes: ReadonlySet<IssueFix> = new Set(['create', 'match', 'take', 'combine', 'separate'])
const fixVerbs: Partial<Record<IssueFix, string>> = {
  combine: '合成',
  separate: '分开处理',
  create: '创建',
  match: '对上',
  take: '记入花名册',
  accept: '接受',
  skip: '跳过',
}

/** `title`: replaces the title that is made of the kind and the button. */
type BulkFixLabels = { button: string; action: string; asks: string | null; title?: string }
/** Returns the button label and the confirmation question; no question if nothing is lost. */
export function getBulkFixLabels(bulkFix: BulkFix, group: IssueGroup): BulkFixLabels {
  const { fix, count } = bulkFix
  const countText = formatFixCount(bulkFix)
  const isPartial = count < group.count
  const button = isPartial ? `${fixVerbs[fix]}其中 ${countText}` : `全部${fixVerbs[fix]}`
  const action = `${fixVerbs[fix]} ${countText}`
  if (fix === 'combine')
    return {
      button: `${countText}都合成一张工资条`,
      action: `合成 ${countText}的工资条`,
      asks: `每人一张工资条，各行分段显示，金额相加。合成后可以在「已合成」里分开。`,
    }
  if (fix === 'separate') return { button: '分开处理', action, asks: `这 ${countText}的各行会逐个列出，由您逐个决定。` }
  if (fix === 'create')
    return {
      button,
      action,
      asks: '按表里的姓名、手机号和部门在花名册里建档。',
      title: `为 ${countText.replace('人', '名新员工')}建档？`,
    }
  if (fix === 'match') return { button, action, asks: `这 ${countText}没有姓名，但号码各指向花名册里的一位，将按花名册对上。` }
  if (fix === 'take')
    return {
      button: isPartial ? `花名册改用其中 ${countText}的卡号` : '花名册全部改用表里的卡号',
      action: `改用 ${countText}的卡号`,
      asks: `花名册里这 ${countText}的银行卡号会换成表里的；请先确认卡号和姓名没有错行。`,
    }
  if (fix === 'skip' && group.kind === 'duplicate_person')
    return {
      button: '只留每人的第一行',
      action: '跳过重复的行',
      asks: `共 ${formatCount(count)} 行重复：每人留下最前面的一行，其余的不发工资条，上面的金额也不发；几行金额不同时请先合成。跳过的行可以恢复。`,
    }
  if (fix === 'skip') return { button, action, asks: `这 ${countText}不会收到这次的工资条，合计也不再算他们。跳过的人可以恢复。` }
  if (group.kind === 'left_person')
    return {
      button: isPartial ? `照发其中 ${countText}` : '全部照发',
      action: `照发 ${countText}`,
      asks: `这 ${countText}会收到这次的工资条，每次打开都要先用手机验证码。`,
    }
  const question = group.level === 'error' ? `这 ${countText}的金额不再拦下，会照表里的数字发给员工。接受后不能撤销。` : null
  return { button, action, asks: question }
}

/** Returns the action of one card: for its issue, or for another cell of its row. */
export function toFixAction({ problem_id, row, column, ...rest }: FixRequest): FixAction {
  return row !== undefined && column !== undefined ? { ...rest, row, column } : { ...rest, problem_id }
}

/** Counts the employees affected by the actions; null if not all affected issues are listed. */
export function countAffectedPeople(
  actions: readonly FixAction[],
  issues: readonly Issue[],
  expectedCount: number,
): number | null {
  const affected = issues.filter(({ id, kind }) => actions.some((action) => action.problem_id === id || action.kind === kind))
  return affected.length < expectedCount ? null : countPeople(affected)
}

/**
 * Formats the result of a fix; empty if another line already says it. `people` is the number of employees, if known; an
 * employee with two invalid cells is skipped once.
 */
export function formatFixResult(
  actions: readonly FixAction[],
  doneCount: number,
  expectedCount: number,
  people: number | null = null,
): string {
  const fix = actions[0]?.fix
  // The line of the last correction already shows the corrected cell and its undo button.
  if (fix === 'edit' || fix === 'swap') return ''
  const isPeople = fix === 'skip' && people !== null && doneCount >= expectedCount
  const text =
    fix === 'restore'
      ? `恢复了 ${formatCount(doneCount)} 人`
      : fix === 'skip'
        ? `跳过了 ${isPeople ? `${formatCount(people)} 人` : `${formatCount(doneCount)} 处`}`
        : fix === 'take'
          ? `花名册记下了 ${formatCount(doneCount)} 人的卡号`
          : fix === 'create' || fix === 'match'
            ? `${fixVerbs[fix]}了 ${formatCount(doneCount)} 人`
            : fix === 'combine'
              ? `合成了 ${formatCount(doneCount)} 人的工资条`
              : fix === 'separate'
                ? `已分开 ${formatCount(doneCount)} 人，请逐个处理`
                : `接受了 ${formatCount(doneCount)} 处`
  return doneCount < expectedCount && fix !== 'restore' ? `${text}，还有 ${expectedCount - doneCount} 处请单独处理` : text
}

/** Filters issues whose name, row number, message or cell contains the search text. */
export function filterIssues(issues: readonly IssueWithRow[], text: string | undefined): readonly IssueWithRow[] {
  const searchText = text?.trim().toLocaleLowerCase('zh-CN')
  if (!searchText) return issues
  return issues.filter((issue) =>
    [
      issue.name,
      String(issue.row),
      issue.message,
      issue.value ?? '',
      issue.row_summary?.mobile ?? '',
      issue.row_summary?.department ?? '',
    ].some((action) => action.toLocaleLowerCase('zh-CN').includes(searchText)),
  )
}
