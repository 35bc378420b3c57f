/** What can be done about all problems of a kind at once, as values: the page draws and asks what these answer. */
import type { AskOf } from '../../../server/contract/call.ts'
import type { dealWithSalaryList, PlacedProblem, Problem } from '../../../server/contract/sheet/sheet.ts'
import type { Fix, ProblemKind } from '../../../server/contract/words/words.ts'
import type { Deal } from './card/problem-fix.tsx'

export type Kind = { kind: ProblemKind; level: Problem['level']; count: number }
export type Action = AskOf<typeof dealWithSalaryList>['actions'][number]
/** How many actions one call takes. */
const most = 500

export type FixAll = {
  fix: Fix
  /** How many problems it is for. */
  count: number
  /** How many people; null where not all of them are listed. */
  people: number | null
  actions: Action[]
}

const inBulk = ['combine', 'separate', 'create', 'match', 'take', 'accept', 'skip'] as const
/**
 * As on the server: matched in bulk are only rows without a name whose number points at one person; created only those who cannot be somebody
 * of the roster with another phone; combined only those who are asked about together.
 */
const takes = (problem: Problem, fix: Fix) =>
  problem.fix.includes(fix) &&
  (fix !== 'match' || (problem.kind === 'no_name' && problem.candidates.length === 1)) &&
  (fix !== 'create' || problem.candidates.length === 0) &&
  ((fix !== 'combine' && fix !== 'separate') || problem.kind === 'several_rows')
export const peopleIn = (problems: readonly Problem[]) => new Set(problems.map(({ row }) => row)).size

/**
 * Fixes for all of a kind. `problems` are those listed of it. By its kind the server reaches both levels: where a kind has both
 * (`alone` is false) the problems are named one by one.
 */
export function fixesForAll(kind: Kind, problems: readonly Problem[], alone: boolean): FixAll[] {
  if (kind.count < 2) return []
  const isWhole = problems.length === kind.count
  return inBulk.flatMap((fix) => {
    const able = problems.filter((problem) => takes(problem, fix))
    if (able.length === 0) return []
    const all = able.length === problems.length
    const byKind = alone && (all || isWhole)
    return [
      {
        fix,
        count: byKind && all ? kind.count : able.length,
        people: isWhole || !byKind ? peopleIn(able) : null,
        actions: byKind ? [{ kind: kind.kind, fix }] : able.slice(0, most).map(({ id }) => ({ problem_id: id, fix })),
      },
    ]
  })
}

/** What takes skipping or combining back; nothing where it was something else, or not all of the rows are known. */
export function undoOf(actions: readonly Action[], problems: readonly Problem[], done: number): Action[] {
  const fix = actions[0]?.fix
  const back = fix === 'skip' ? 'restore' : fix === 'combine' ? 'separate' : null
  const rows = new Set(
    actions.flatMap((action) =>
      action.fix === fix
        ? problems.filter(({ id, kind }) => id === action.problem_id || kind === action.kind).map(({ row }) => row)
        : [],
    ),
  )
  return back !== null && actions.every((action) => action.fix === fix) && done <= problems.length && rows.size <= most
    ? [...rows].map((row) => ({ fix: back, row }))
    : []
}

/** Of those made or found there is one problem a person; of the others a person may have several. */
const whoOf = ({ fix, people, count }: FixAll) =>
  people === null ? `${count} ${ofPeople.has(fix) ? '人' : '处'}` : `${people} 人`
const ofPeople: ReadonlySet<Fix> = new Set(['create', 'match', 'take', 'combine', 'separate'])
const doWords: Partial<Record<Fix, string>> = {
  combine: '合成',
  separate: '分开处理',
  create: '创建',
  match: '对上',
  take: '记入花名册',
  accept: '接受',
  skip: '跳过',
}

/** What the button says, and what is asked before it is done; no question where nothing is lost by it. */
export function wordsOf(all: FixAll, kind: Kind): { button: string; action: string; asks: string | null } {
  const { fix, count } = all
  const who = whoOf(all)
  const part = count < kind.count
  const button = part ? `${doWords[fix]}其中 ${who}` : `全部${doWords[fix]}`
  const action = `${doWords[fix]} ${who}`
  if (fix === 'combine')
    return {
      button: `${who}都合成一张工资条`,
      action: `合成 ${who}的工资条`,
      asks: `每人一张工资条，各行分段显示，金额相加。合成后可以在「已合成」里分开。`,
    }
  if (fix === 'separate') return { button: '分开处理', action, asks: `这 ${who}的各行会逐个列出，由您逐个决定。` }
  if (fix === 'create')
    return { button, action, asks: `按表里的姓名、手机号和部门，在花名册里新建 ${who.replace('人', '名员工')}。` }
  if (fix === 'match') return { button, action, asks: `这 ${who}没有姓名，但号码各指向花名册里的一位，将按花名册对上。` }
  if (fix === 'take')
    return {
      button: part ? `花名册改用其中 ${who}的卡号` : '花名册全部改用表里的卡号',
      action: `改用 ${who}的卡号`,
      asks: `花名册里这 ${who}的银行卡号会换成表里的；请先确认卡号和姓名没有错行。`,
    }
  if (fix === 'skip' && kind.kind === 'duplicate_person')
    return {
      button: '只留每人的第一行',
      action: '跳过重复的行',
      asks: `共 ${count} 行重复：每人留下最前面的一行，其余的不发工资条，合计也只算一次。跳过的行可以恢复。`,
    }
  if (fix === 'skip') return { button, action, asks: `这 ${who}不会收到这次的工资条，合计也不再算他们。跳过的人可以恢复。` }
  if (kind.kind === 'left_person')
    return {
      button: part ? `照发其中 ${who}` : '全部照发',
      action: `照发 ${who}`,
      asks: `这 ${who}会收到这次的工资条，每次打开都要先用手机验证码。`,
    }
  const asks = kind.level === 'error' ? `这 ${who}的金额不再拦下，会照表里的数字发给员工。接受后不能撤销。` : null
  return { button, action, asks }
}

/** The action of one card: of its problem, or of another cell of its row. */
export function actionOf({ problem_id, row, column, ...rest }: Deal): Action {
  return row !== undefined && column !== undefined ? { ...rest, row, column } : { ...rest, problem_id }
}

/** How many people such actions are about; null where not all that are meant are listed. */
export function peopleMeant(actions: readonly Action[], problems: readonly Problem[], wanted: number): number | null {
  const meant = problems.filter(({ id, kind }) => actions.some((one) => one.problem_id === id || one.kind === kind))
  return meant.length < wanted ? null : peopleIn(meant)
}

/** What was done, in words; none where another line says more. `people`: of whom, where it is known; a person with two wrong cells is skipped once. */
export function doneWords(actions: readonly Action[], done: number, wanted: number, people: number | null = null): string {
  const fix = actions[0]?.fix
  // What was corrected is told with its cell, and the way back, by the line of the last correction.
  if (fix === 'edit' || fix === 'swap') return ''
  const isPeople = fix === 'skip' && people !== null && done >= wanted
  const word =
    fix === 'restore'
      ? `恢复了 ${done} 人`
      : fix === 'skip'
        ? `跳过了 ${isPeople ? `${people} 人` : `${done} 处`}`
        : fix === 'take'
          ? `花名册记下了 ${done} 人的卡号`
          : fix === 'create' || fix === 'match'
            ? `${doWords[fix]}了 ${done} 人`
            : fix === 'combine'
              ? `合成了 ${done} 人的工资条`
              : fix === 'separate'
                ? `已分开 ${done} 人，请逐个处理`
                : `接受了 ${done} 处`
  return done < wanted && fix !== 'restore' ? `${word}，还有 ${wanted - done} 处请单独处理` : word
}

/** Those that mention what is searched for: in the name, the row's number, the message, or the cell. */
export function searchIn(problems: readonly PlacedProblem[], text: string | undefined): readonly PlacedProblem[] {
  const wanted = text?.trim().toLocaleLowerCase('zh-CN')
  if (!wanted) return problems
  return problems.filter((problem) =>
    [
      problem.name,
      String(problem.row),
      problem.message,
      problem.value ?? '',
      problem.of?.mobile ?? '',
      problem.of?.department ?? '',
    ].some((one) => one.toLocaleLowerCase('zh-CN').includes(wanted)),
  )
}
