/**
 * A recipe: what was decided for one kind of sheet, said of its header and not of its letters, so that next month only what is new,
 * missing or renamed is asked. Words only: no figure of anybody is in it.
 */

import { moneyRoles, roleWords, singleRoles } from '../../../contract/column-roles.ts'
import type { Layout, Question, SheetInfo } from '../../../contract/sheet.ts'
import { no_net, not_wages } from '../../../contract/states.ts'
import type { CellKind, ColumnRole, QuestionKind } from '../../../contract/words.ts'
import { type ArrangeColumn, arrange, labelOf, rearrange } from './arrange.ts'
import type { Formula } from './check/problems-amounts.ts'
import { type HeadedColumn, type KnownColumn, type Matched, matchColumns, pathsOf } from './recipe-match.ts'

/** What adds up to the net pay, by paths. */
type Sum = { readonly plus: readonly string[]; readonly minus: readonly string[]; readonly net: string }
export type Recipe = {
  readonly columns: readonly (KnownColumn & { readonly shown: boolean })[]
  /** `person`: somebody has said so, and it holds whatever is found in the rows. */
  readonly formula: (Sum & { readonly holds: number; readonly of: number; readonly by: 'found' | 'person' }) | null
  /** Somebody has said that nothing adds up. */
  readonly no_sums: boolean
  readonly answers: readonly { readonly kind: QuestionKind; readonly path: string | null; readonly value: string }[]
}
/** An arrangement by paths; a label is kept where somebody has written it. */
export type RecipeLayout = Omit<Layout, 'sort_list'> & {
  readonly items: readonly {
    readonly path: string
    readonly value: string | null
    readonly status: boolean
    readonly class_id: string | null
    readonly note: string
  }[]
}

export type RecipeSheet = {
  readonly columns: readonly (HeadedColumn & ArrangeColumn)[]
  readonly formula: SheetInfo['formula']
  readonly questions: readonly Question[]
}

/** Answers that are true of a kind of sheet, and not only of this one: people hidden this month are others next month. */
const lasting: ReadonlySet<QuestionKind> = new Set(['role', 'new_column', 'hidden_columns', 'unit', 'about_pay'])
/** Which column is paid is known by its role; that none is, only by the answer. That one sheet is none of wages is said of it alone. */
const isLasting = (kind: QuestionKind, value: string): boolean =>
  kind === 'net' ? value === no_net : lasting.has(kind) && value !== not_wages

/** What is learned of a sheet. `settled`: it is about to be sent, so whatever was left as suggested has been agreed to. */
export function recipeOf(
  sheet: RecipeSheet & { readonly no_sums?: boolean | undefined },
  layout: Layout,
  settled = false,
): { recipe: Recipe; layout: RecipeLayout } {
  const { columns, formula, questions } = sheet
  const paths = pathsOf(columns)
  const pathOf = new Map(columns.map((column, at) => [column.key, paths[at] ?? '']))
  const shown = new Map(layout.sort_list.map((item) => [item.key, item.status]))
  const toPaths = (keys: readonly string[]) => keys.flatMap((key) => pathOf.get(key) ?? [])
  const said = new Map(columns.map((column) => [column.key, column]))
  return {
    recipe: {
      columns: columns.map(({ key, label, role, kind }, at) => ({
        path: paths[at] ?? '',
        label,
        role,
        kind,
        shown: shown.get(key) ?? false,
      })),
      formula: formula && {
        plus: toPaths(formula.plus),
        minus: toPaths(formula.minus),
        net: pathOf.get(formula.net) ?? '',
        holds: formula.holds,
        of: formula.of,
        by: formula.by === 'found' ? 'found' : 'person',
      },
      no_sums: sheet.no_sums ?? false,
      answers: questions.flatMap(({ kind, key, answer, suggested }) => {
        const value = answer ?? (settled ? suggested : null)
        if (value === null || !isLasting(kind, value)) return []
        // A column that was new is one of those whose purpose is known.
        const about = kind === 'new_column' ? ('role' as const) : kind
        return [{ kind: about, path: key === null ? null : (pathOf.get(key) ?? ''), value }]
      }),
    },
    layout: {
      groups: layout.groups,
      items: layout.sort_list.flatMap(({ key, ...item }) => {
        const column = said.get(key)
        if (!column) return []
        return [{ ...item, path: pathOf.get(key) ?? '', value: item.value === labelOf(column) ? null : item.value }]
      }),
      hide_empty: layout.hide_empty,
      hide_zero: layout.hide_zero,
      hint: layout.hint,
    },
  }
}

export type Applied = {
  /** By key: of every column. */
  readonly roles: ReadonlyMap<string, ColumnRole>
  readonly formula: SheetInfo['formula']
  /** What ought to add up, where the rows say something else. */
  readonly expected: Formula | null
  readonly layout: Layout
  readonly questions: Question[]
  readonly fresh: string[]
  readonly missing: { label: string; role: ColumnRole }[]
  readonly renamed: Renamed[]
  readonly matched: Matched
}
export type Renamed = {
  readonly key: string
  readonly from: string
  readonly role: ColumnRole
  /** How it was shown under its old name. */
  readonly item: Omit<RecipeLayout['items'][number], 'path'> | null
}

/** Fits what was decided to this sheet. Its own questions are answered where the recipe knows; what differs is asked. */
export function applyRecipe(recipe: Recipe, kept: RecipeLayout, sheet: RecipeSheet): Applied {
  const matched = matchColumns(recipe.columns, sheet.columns)
  const { known, fresh, missing, renamed } = matched
  const keyOf = new Map([...known].map(([key, one]) => [one.path, key]))
  for (const { column, from } of renamed) keyOf.set(from.path, column.key)
  const roles = rolesOf(sheet.columns, matched)

  const mapped = mapSum(recipe.formula, keyOf)
  const net = [...roles].find(([, role]) => role === 'net')?.[0]
  const expected = mapped && mapped.net === net ? mapped : null
  const found = sheet.formula && (net === undefined || sheet.formula.net === net) ? sheet.formula : null
  const byPerson = recipe.formula?.by === 'person' && expected
  const formula = recipe.no_sums
    ? null
    : byPerson
      ? { ...expected, plus: [...expected.plus], minus: [...expected.minus], by: 'remembered' as const }
      : found

  const after = sheet.columns.map((column) => ({ ...column, role: roles.get(column.key) ?? column.role }))
  const itemOf = new Map(kept.items.map(({ path, ...item }) => [path, item]))
  return {
    roles,
    formula,
    expected: recipe.no_sums ? null : expected,
    layout: fitLayout(kept, after, keyOf),
    questions: askAll(recipe, sheet, matched, roles),
    fresh: fresh.filter(isWorthAsking).map((column) => column.key),
    missing: missing.filter((one) => one.label !== '').map(({ label, role }) => ({ label, role })),
    renamed: renamed.map(({ column, from }) => ({
      key: column.key,
      from: from.label,
      role: from.role,
      item: itemOf.get(from.path) ?? null,
    })),
    matched,
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

function mapSum(formula: Recipe['formula'], keyOf: ReadonlyMap<string, string>): Formula | null {
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
  const sort_list = items.flatMap(({ path, value, ...item }) => {
    const column = byKey.get(keyOf.get(path) ?? '')
    return column ? [{ key: column.key, ...item, value: value ?? labelOf(column) }] : []
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
  const asked = (key: string) => sheet.questions.find((question) => question.kind === 'role' && question.key === key)
  const of = (message: string) => ({ message, rows: [], answer: null })
  return [
    ...own,
    ...fresh.filter(isWorthAsking).map((column): Question => {
      const role = roles.get(column.key) ?? column.role
      const isAmount = column.kind === 'money' || moneyRoles.has(role)
      return {
        id: `new_column:${column.key}`,
        kind: 'new_column',
        must: isAmount && (column.confidence < sure || asked(column.key)?.must === true || role !== column.role),
        key: column.key,
        choices: asked(column.key)?.choices ?? roleChoices(column.kind, role),
        suggested: role,
        ...of(`「${column.label || '没有列名的一列'}」是上次没有的列，先当作${roleWords[role]}；请确认它的用途`),
      }
    }),
    ...renamed.map(
      ({ column, from }): Question => ({
        id: `renamed_column:${column.key}`,
        kind: 'renamed_column',
        must: moneyRoles.has(from.role),
        key: column.key,
        choices: [
          { value: 'yes', label: `是，就是原来的「${from.label}」` },
          { value: 'no', label: '不是，是新的一列' },
        ],
        suggested: 'yes',
        ...of(`上次的「${from.label}」不见了，多了「${column.label}」；是改了名字吗？`),
      }),
    ),
    ...missing.flatMap((one): Question[] => {
      const { shown } = recipe.columns.find(({ path }) => path === one.path) ?? { shown: false }
      const inSum = [...(recipe.formula?.plus ?? []), ...(recipe.formula?.minus ?? []), recipe.formula?.net].includes(one.path)
      if (one.label === '' || !(inSum || shown)) return []
      const why = inSum ? '它参与计算实发' : '它曾在工资条上显示'
      return [
        {
          id: `missing_column:${one.path.slice(-60)}`,
          kind: 'missing_column',
          must: inSum,
          key: null,
          choices: [{ value: 'gone', label: '这个月没有这一项' }],
          suggested: 'gone',
          ...of(`上次的「${one.label}」这次没有了，${why}；如果是漏了，请补上后重新上传`),
        },
      ]
    }),
  ]
}

/** The arrangement of a column that is the old one under a new name, or after all is not. */
export function showRenamed(layout: Layout, columns: readonly ArrangeColumn[], renamed: Renamed, isSame: boolean): Layout {
  const column = columns.find((one) => one.key === renamed.key)
  if (!column) return layout
  const own = arrange(columns).sort_list.find((item) => item.key === renamed.key)
  const item = isSame ? renamed.item : null
  const next = item ? { ...item, key: renamed.key, value: item.value ?? labelOf(column) } : own
  return { ...layout, sort_list: layout.sort_list.map((one) => (one.key === renamed.key && next ? next : one)) }
}
