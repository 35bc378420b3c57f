/** A recipe fitted to a sheet: what was decided for the last one of its kind is true of this one where a column is the same; what differs is asked. */
import { getColumnNames } from '../../../contract/sheet/column-names.ts'
import { moneyRoles, roleWords, singleRoles } from '../../../contract/sheet/column-roles.ts'
import type { Layout, Question, SheetInfo } from '../../../contract/sheet/sheet.ts'
import { no_net } from '../../../contract/words/states.ts'
import { type CellKind, type ColumnRole, columnRoles } from '../../../contract/words/words.ts'
import { type ArrangeColumn, arrange, rearrange } from './arrange.ts'
import type { FirstRead, Recipe, RecipeColumn, RecipeLayout, RecipeSheet, SheetToFit } from './recipe.ts'
import type { HeadedColumn, KnownColumn, Matched } from './recipe-match.ts'

export type Fitted<C> = {
  /** What of the sheet is otherwise now. */
  readonly sheet: {
    columns: C[]
    formula: SheetInfo['formula']
    totals_row: SheetInfo['totals_row']
    /** What ought to add up, where the rows say something else. */
    expected: { plus: string[]; minus: string[]; net: string; holds: number; of: number } | null
    no_sums: boolean
    questions: Question[]
    read: FirstRead
    renames: Renamed[]
  }
  readonly layout: Layout
  readonly fresh: string[]
  readonly missing: { label: string; role: ColumnRole }[]
  readonly matched: Matched
  /** How much of both is common (`likeness`). */
  readonly like: number
}
type Renamed = {
  readonly key: string
  readonly from: string
  readonly role: ColumnRole
  /** How it was shown under its old name. */
  readonly item: Omit<RecipeLayout['items'][number], 'path'> | null
}

/**
 * Fits what was decided to this sheet, of which is known which column is which; whatever was decided for it before is forgotten. Its own questions are
 * answered where the recipe knows. `reason`: said of columns whose role is another one now.
 */
export function fit<C extends RecipeColumn>(
  sheet: SheetToFit<C> & { readonly read: FirstRead },
  { recipe, layout: kept }: { readonly recipe: Recipe; readonly layout: RecipeLayout },
  { matched, like, reason }: { readonly matched: Matched; readonly like: number; readonly reason: string },
): Fitted<C> {
  const { known, fresh, missing, renamed } = matched
  const { read } = sheet
  const keyOf = new Map([...known].map(([key, one]) => [one.path, key]))
  for (const { column, from } of renamed) keyOf.set(from.path, column.key)
  const roles = rolesOf(sheet.columns, matched)

  const mapped = mapSum(recipe.formula, keyOf)
  const net = [...roles].find(([, role]) => role === 'net')?.[0]
  const expected = mapped && mapped.net === net ? mapped : null
  const reading = read.net_readings?.find((one) => one.net === net)
  const found = read.formula && (net === undefined || read.formula.net === net) ? read.formula : (reading?.formula ?? null)
  const remembered = recipe.formula?.by === 'person' && expected && { ...expected, by: 'remembered' as const }

  const columns = sheet.columns.map((column): C => {
    const role = roles.get(column.key) ?? column.role
    return role === column.role ? column : { ...column, role, confidence: 1, reason }
  })
  const decided = [...known.keys(), ...renamed.map(({ column }) => column.key)]
  const itemOf = new Map(kept.items.map(({ path, ...item }) => [path, item]))
  return {
    sheet: {
      ...withRoles({ ...sheet, totals_row: read.totals_row }, columns, new Set(decided)),
      formula: recipe.no_sums ? null : remembered || found,
      expected: recipe.no_sums ? null : expected,
      no_sums: recipe.no_sums,
      questions: answeredByRoles(askAll(recipe, { ...sheet, questions: read.questions }, matched, roles), columns),
      read,
      renames: renamed.map(({ column, from }) => ({
        key: column.key,
        from: from.label,
        role: from.role,
        item: itemOf.get(from.path) ?? null,
      })),
    },
    layout: fitLayout(kept, columns, keyOf),
    fresh: fresh.filter(isWorthAsking).map((column) => column.key),
    missing: missing.filter((one) => one.label !== '').map(({ label, role }) => ({ label, role })),
    matched,
    like,
  }
}

/**
 * With columns whose roles have changed: what was said of the net pay goes where another column has become it, and with it what stands between the two.
 * `said`: keys of the columns of which somebody has said what they are.
 */
export function withRoles<C extends RecipeColumn>(
  before: SheetToFit & { readonly read: FirstRead },
  changed: C[],
  said: ReadonlySet<string> = new Set(),
): { columns: C[]; formula: SheetInfo['formula']; totals_row: SheetInfo['totals_row'] } {
  const { read, formula, totals_row } = before
  const netOf = (list: readonly RecipeColumn[]) => list.find((column) => column.role === 'net')?.key ?? null
  const net = netOf(changed)
  if (net === netOf(before.columns)) return { columns: changed, formula, totals_row }
  const is = read.net_readings?.find((one) => one.net === net)
  // Whatever nobody has decided is what it is beside this net pay.
  const columns = changed.map((column): C => {
    const role = is?.roles[column.key]
    const isDecided = column.confidence === 1 || said.has(column.key)
    return role === undefined || role === column.role || isDecided ? column : { ...column, role }
  })
  // The one that was read as the net pay: what was found then is true again.
  const isAsRead = net !== null && read.roles[net] === 'net'
  return {
    columns,
    formula: (before.no_sums ? [] : [formula, is?.formula, read.formula]).find((one) => one?.net === net) ?? null,
    totals_row: totals_row && (isAsRead ? read.totals_row : { ...totals_row, net_fen: null, agrees: null }),
  }
}

/** Known columns keep what they are for; of a role that only one may have, the known one is it. */
function rolesOf(columns: RecipeSheet['columns'], { known, renamed }: Matched): Map<string, ColumnRole> {
  const roles = new Map<string, ColumnRole>()
  for (const [key, one] of known) roles.set(key, one.role)
  for (const { column, from } of renamed) roles.set(column.key, from.role)
  const taken = new Set([...roles.values()].filter((role) => singleRoles.has(role)))
  for (const { key, role } of columns) {
    if (roles.has(key)) continue
    roles.set(key, taken.has(role) ? 'info' : role)
    if (singleRoles.has(role)) taken.add(role)
  }
  return roles
}

function mapSum(formula: Recipe['formula'], keyOf: ReadonlyMap<string, string>) {
  if (!formula) return null
  const net = keyOf.get(formula.net)
  const toKeys = (paths: readonly string[]) => paths.map((path) => keyOf.get(path) ?? null)
  const [plus, minus] = [toKeys(formula.plus), toKeys(formula.minus)]
  if (net === undefined || [...plus, ...minus].includes(null)) return null
  const only = (keys: readonly (string | null)[]) => keys.filter((key) => key !== null)
  return { plus: only(plus), minus: only(minus), net, holds: formula.holds, of: formula.of }
}

function fitLayout(kept: RecipeLayout, columns: readonly ArrangeColumn[], keyOf: ReadonlyMap<string, string>): Layout {
  const { items, ...layout } = kept
  const byKey = new Map(columns.map((column) => [column.key, column]))
  const names = getColumnNames(columns)
  const sort_list = items.flatMap(({ path, value, ...item }) => {
    const column = byKey.get(keyOf.get(path) ?? '')
    return column ? [{ key: column.key, ...item, value: value ?? names.get(column.key) ?? column.label }] : []
  })
  const there = new Set(sort_list.map((item) => item.key))
  const before = columns.filter((column) => there.has(column.key))
  return rearrange({ ...layout, groups: [...layout.groups], sort_list }, before, columns)
}

/** Below this a role is a guess, and of an amount a guess is not enough. */
const sure = 0.6
const isWorthAsking = (column: HeadedColumn): boolean => column.label !== '' || column.kind !== 'empty'

const amountRoles: readonly ColumnRole[] = ['earning', 'deduction', 'gross', 'tax', 'employer', 'subtotal', 'info', 'ignore']
const textRoles: readonly ColumnRole[] = [
  'info',
  'ignore',
  'department',
  'employee_no',
  'mobile',
  'id_card',
  'bank_account',
  'platform_account',
  'email',
]
/** What a column may be, the likeliest first. */
export function roleChoices(kind: CellKind, suggested: ColumnRole): Question['choices'] {
  const roles = kind === 'money' || kind === 'number' ? amountRoles : textRoles
  return [...new Set([suggested, ...roles])].map((value) => ({ value, label: roleWords[value] }))
}

/** Its own questions, answered where the recipe knows, and then what differs from the recipe. */
function askAll(recipe: Recipe, sheet: RecipeSheet, matched: Matched, roles: ReadonlyMap<string, ColumnRole>): Question[] {
  const { known, fresh, missing, renamed } = matched
  const freshKeys = new Set(fresh.map((column) => column.key))
  const renamedKeys = new Set(renamed.map(({ column }) => column.key))
  const own = sheet.questions
    // Of a new column it is asked what it is, once; of a renamed one whether it is the old one.
    .filter(({ kind, key }) => kind !== 'role' || key === null || !(freshKeys.has(key) || renamedKeys.has(key)))
    .map((question): Question => {
      const path = question.key === null ? null : known.get(question.key)?.path
      const answer = recipe.answers.find((one) => one.kind === question.kind && one.path === path)?.value
      const isOne = answer !== undefined && question.choices.some((choice) => choice.value === answer)
      return isOne ? { ...question, answer } : question
    })
  const roleAsked = (key: string) => sheet.questions.find((question) => question.kind === 'role' && question.key === key)
  return [
    ...own,
    ...fresh.filter(isWorthAsking).map((column) => askOfNew(column, roles.get(column.key) ?? column.role, roleAsked(column.key))),
    ...renamed.map(askOfRenamed),
    ...missing.flatMap((one) => askOfMissing(one, recipe)),
  ]
}

const unanswered = (message: string) => ({ message, rows: [], answer: null })

function askOfNew(column: HeadedColumn, role: ColumnRole, asked: Question | undefined): Question {
  const isAmount = column.kind === 'money' || moneyRoles.has(role)
  return {
    id: `new_column:${column.key}`,
    kind: 'new_column',
    must: isAmount && (column.confidence < sure || asked?.must === true || role !== column.role),
    key: column.key,
    choices: asked?.choices ?? roleChoices(column.kind, role),
    suggested: role,
    ...unanswered(`「${column.label || '没有列名的一列'}」是上次没有的列，先当作${roleWords[role]}；请确认它的用途`),
  }
}

const askOfRenamed = ({ column, from }: Matched['renamed'][number]): Question => ({
  id: `renamed_column:${column.key}`,
  kind: 'renamed_column',
  must: moneyRoles.has(from.role),
  key: column.key,
  choices: [
    { value: 'yes', label: `是，就是原来的「${from.label}」` },
    { value: 'no', label: '不是，是新的一列' },
  ],
  suggested: 'yes',
  ...unanswered(`上次的「${from.label}」不见了，多了「${column.label}」；是改了名字吗？`),
})

/** Nobody misses what neither counted nor was shown. */
function askOfMissing(one: KnownColumn, { columns, formula }: Recipe): Question[] {
  const isShown = columns.find(({ path }) => path === one.path)?.shown ?? false
  const inSum = [...(formula?.plus ?? []), ...(formula?.minus ?? []), formula?.net].includes(one.path)
  if (one.label === '' || !(inSum || isShown)) return []
  const why = inSum ? '它参与计算实发' : '它曾在工资条上显示'
  return [
    {
      id: `missing_column:${one.path.slice(-60)}`,
      kind: 'missing_column',
      must: inSum,
      key: null,
      choices: [{ value: 'gone', label: '这个月没有这一项' }],
      suggested: 'gone',
      ...unanswered(`上次的「${one.label}」这次没有了，${why}；如果是漏了，请补上后重新上传`),
    },
  ]
}

/** The arrangement of a column that is the old one under a new name, or after all is not. */
export function showRenamed(layout: Layout, columns: readonly ArrangeColumn[], renamed: Renamed, isSame: boolean): Layout {
  const column = columns.find((one) => one.key === renamed.key)
  if (!column) return layout
  const own = arrange(columns).sort_list.find((item) => item.key === renamed.key)
  const item = isSame ? renamed.item : null
  const next = item
    ? { ...item, key: renamed.key, value: item.value ?? getColumnNames(columns).get(column.key) ?? column.label }
    : own
  return { ...layout, sort_list: layout.sort_list.map((one) => (one.key === renamed.key && next ? next : one)) }
}

/** Which column is paid, or says who, is not asked where the setup of last time knows it. */
export const answeredByRoles = (questions: readonly Question[], columns: readonly RecipeColumn[]): Question[] =>
  questions.map((question) => {
    if ((question.answer !== null && question.answer !== no_net) || (question.kind !== 'who' && question.kind !== 'net'))
      return question
    const known = question.choices.find(({ value }) => {
      const { role, key } = chosenColumn(value)
      return columns.some((column) => column.key === key && column.role === role)
    })
    return known ? { ...question, answer: known.value } : question
  })

/** `net:c5` */
export function chosenColumn(value: string): { role: ColumnRole; key: string } {
  const [word, key = ''] = value.split(':')
  return { role: columnRoles.find((role) => role === word) ?? 'info', key }
}
