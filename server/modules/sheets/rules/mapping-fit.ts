/**
 * Applies a column mapping to a wage sheet: decisions for the last sheet of its kind hold where a column is the same;
 * differences become questions.
 */

import { type CellKind, type ColumnRole, columnRoleNames } from '../../../contract/shared/schemas.ts'
import { noNetAnswer } from '../../../contract/shared/statuses.ts'
import { getColumnNames } from '../../../contract/sheets/column-names.ts'
import {
  amountRoleChoices,
  columnRoles,
  getGeneralRole,
  isAnyName,
  isNet,
  memberRoles,
  moneyRoles,
  uniqueRoles,
} from '../../../contract/sheets/column-roles.ts'
import type { Layout, Question, WageSheetInfo } from '../../../contract/sheets/sheet.ts'
import { createDefaultLayout, type LayoutColumn, updateLayout } from './default-layout.ts'
import type {
  ColumnMapping,
  ColumnMatches,
  HeaderColumn,
  MappableColumn,
  MappableSheet,
  MappedColumn,
  MappingLayout,
  OriginalReading,
  SheetToMap,
} from './mapping-types.ts'

export type FittedMapping<C> = {
  /** The changed properties of the wage sheet. */
  readonly sheet: {
    columns: C[]
    formula: WageSheetInfo['formula']
    totals_row: WageSheetInfo['totals_row']
    /** The expected formula, where the rows disagree with it. */
    expected: { plus: string[]; minus: string[]; net: string; holds: number; of: number } | null
    no_sums: boolean
    questions: Question[]
    read: OriginalReading
    renames: RenamedColumn[]
  }
  readonly layout: Layout
  readonly added: string[]
  readonly missing: { label: string; role: ColumnRole }[]
  readonly matches: ColumnMatches
  /** Share of common columns (`getMappingSimilarity`). */
  readonly similarity: number
}
type RenamedColumn = {
  readonly key: string
  readonly from: string
  readonly role: ColumnRole
  /** The layout item of the column under its old name. */
  readonly item: Omit<MappingLayout['items'][number], 'path'> | null
}

/**
 * Applies the mapping to this wage sheet, whose columns have been matched, and discards earlier decisions about it.
 * Questions of the wage sheet are answered from the mapping where possible. `reason` is stored with columns whose role
 * changes.
 */
export function fitMapping<C extends MappableColumn>(
  sheet: SheetToMap<C> & { readonly read: OriginalReading },
  { mapping, layout: savedLayout }: { readonly mapping: ColumnMapping; readonly layout: MappingLayout },
  {
    matched: matches,
    like: similarity,
    reason,
  }: { readonly matched: ColumnMatches; readonly like: number; readonly reason: string },
): FittedMapping<C> {
  const { mapped, added, missing, renamed } = matches
  const { read } = sheet
  const keyByPath = new Map([...mapped].map(([key, one]) => [one.path, key]))
  for (const { column, from } of renamed) keyByPath.set(from.path, column.key)
  const roles = resolveRoles(sheet.columns, matches)

  const savedFormula = mapFormula(mapping.formula, keyByPath)
  const net = [...roles].find(([, role]) => isNet(role))?.[0]
  const expected = savedFormula && savedFormula.net === net ? savedFormula : null
  const reading = read.net_readings?.find((one) => one.net === net)
  const detected = read.formula && (net === undefined || read.formula.net === net) ? read.formula : (reading?.formula ?? null)
  const remembered = mapping.formula?.by === 'person' && expected && { ...expected, by: 'remembered' as const }

  const columns = sheet.columns.map((column): C => {
    const role = roles.get(column.key) ?? column.role
    return role === column.role ? column : { ...column, role, confidence: 1, reason }
  })
  const decided = [...mapped.keys(), ...renamed.map(({ column }) => column.key)]
  const itemByPath = new Map(savedLayout.items.map(({ path, ...item }) => [path, item]))
  return {
    sheet: {
      ...applyRoles({ ...sheet, totals_row: read.totals_row }, columns, new Set(decided)),
      formula: mapping.no_sums ? null : remembered || detected,
      expected: mapping.no_sums ? null : expected,
      no_sums: mapping.no_sums,
      questions: answerRoleQuestions(buildQuestions(mapping, { ...sheet, questions: read.questions }, matches, roles), columns),
      read,
      renames: renamed.map(({ column, from }) => ({
        key: column.key,
        from: from.label,
        role: from.role,
        item: itemByPath.get(from.path) ?? null,
      })),
    },
    layout: fitLayout(savedLayout, columns, keyByPath),
    added: added.filter(isWorthAsking).map((column) => column.key),
    missing: missing.filter((one) => one.label !== '').map(({ label, role }) => ({ label, role })),
    matches,
    similarity,
  }
}

/**
 * Applies changed column roles. If another column becomes net pay, the reading for that net column applies, including
 * the columns between the two. `decidedKeys` are columns whose role a user set.
 */
export function applyRoles<C extends MappableColumn>(
  before: SheetToMap & { readonly read: OriginalReading },
  changed: C[],
  decidedKeys: ReadonlySet<string> = new Set(),
): { columns: C[]; formula: WageSheetInfo['formula']; totals_row: WageSheetInfo['totals_row'] } {
  const { read, formula, totals_row } = before
  const findNetKey = (list: readonly MappableColumn[]) => list.find((column) => isNet(column.role))?.key ?? null
  const net = findNetKey(changed)
  if (net === findNetKey(before.columns)) return { columns: changed, formula, totals_row }
  const netReading = read.net_readings?.find((one) => one.net === net)
  // Undecided columns get the role they have with this net column.
  const columns = changed.map((column): C => {
    const role = netReading?.roles[column.key]
    const isDecided = column.confidence === 1 || decidedKeys.has(column.key)
    return role === undefined || role === column.role || isDecided ? column : { ...column, role }
  })
  // For the originally recognized net column, the original reading applies again.
  const isAsRead = net !== null && isNet(read.roles[net])
  return {
    columns,
    formula: (before.no_sums ? [] : [formula, netReading?.formula, read.formula]).find((one) => one?.net === net) ?? null,
    totals_row: totals_row && (isAsRead ? read.totals_row : { ...totals_row, net_fen: null, agrees: null }),
  }
}

/** Returns the roles of known columns; a role that only one column may have goes to the known one. */
function resolveRoles(columns: MappableSheet['columns'], { mapped, renamed }: ColumnMatches): Map<string, ColumnRole> {
  const recognized = new Map(columns.map(({ key, role }) => [key, role]))
  const roles = new Map<string, ColumnRole>()
  for (const [key, one] of mapped) {
    const role = recognized.get(key)
    // A role that was added since only says more precisely what the remembered one says.
    roles.set(key, role && getGeneralRole(role) === one.role ? role : one.role)
  }
  for (const { column, from } of renamed) roles.set(column.key, from.role)
  const usedRoles = new Set([...roles.values()].filter((role) => uniqueRoles.has(role)))
  for (const { key, role } of columns) {
    if (roles.has(key)) continue
    roles.set(key, usedRoles.has(role) ? 'info' : role)
    if (uniqueRoles.has(role)) usedRoles.add(role)
  }
  return roles
}

function mapFormula(formula: ColumnMapping['formula'], keyByPath: ReadonlyMap<string, string>) {
  if (!formula) return null
  const net = keyByPath.get(formula.net)
  const toKeys = (paths: readonly string[]) => paths.map((path) => keyByPath.get(path) ?? null)
  const [plus, minus] = [toKeys(formula.plus), toKeys(formula.minus)]
  if (net === undefined || [...plus, ...minus].includes(null)) return null
  const only = (keys: readonly (string | null)[]) => keys.filter((key) => key !== null)
  return { plus: only(plus), minus: only(minus), net, holds: formula.holds, of: formula.of }
}

function fitLayout(savedLayout: MappingLayout, columns: readonly LayoutColumn[], keyByPath: ReadonlyMap<string, string>): Layout {
  const { items, ...layout } = savedLayout
  const byKey = new Map(columns.map((column) => [column.key, column]))
  const names = getColumnNames(columns)
  const sort_list = items.flatMap(({ path, value, ...item }) => {
    const column = byKey.get(keyByPath.get(path) ?? '')
    return column ? [{ key: column.key, ...item, value: value ?? names.get(column.key) ?? column.label }] : []
  })
  const existingKeys = new Set(sort_list.map((item) => item.key))
  const before = columns.filter((column) => existingKeys.has(column.key))
  return updateLayout({ ...layout, groups: [...layout.groups], sort_list }, before, columns)
}

/** Below this confidence a role is a guess, which is not enough for an amount. */
const minConfidence = 0.6
const isWorthAsking = (column: HeaderColumn): boolean => column.label !== '' || column.kind !== 'empty'

const amountRoles = amountRoleChoices.filter((role) => !isNet(role))
const textRoles = [
  ...amountRoleChoices.filter((role) => !moneyRoles.has(role)),
  ...[...memberRoles].filter((role) => !isAnyName(role)),
]
/** Returns the possible roles of a column, most likely first. */
export function getRoleChoices(kind: CellKind, suggested: ColumnRole): Question['choices'] {
  const roles = kind === 'money' || kind === 'number' ? amountRoles : textRoles
  return [...new Set([suggested, ...roles])].map((value) => ({ value, label: columnRoles[value].label }))
}

/**
 * Builds the questions: those of the wage sheet, answered from the mapping where possible, then the differences from
 * the mapping.
 */
function buildQuestions(
  mapping: ColumnMapping,
  sheet: MappableSheet,
  matches: ColumnMatches,
  roles: ReadonlyMap<string, ColumnRole>,
): Question[] {
  const { mapped, added, missing, renamed } = matches
  const freshKeys = new Set(added.map((column) => column.key))
  const renamedKeys = new Set(renamed.map(({ column }) => column.key))
  const ownQuestions = sheet.questions
    // A new column is asked about once, for its role; a renamed one is asked whether it is the old one.
    .filter(({ kind, key }) => kind !== 'role' || key === null || !(freshKeys.has(key) || renamedKeys.has(key)))
    .map((question): Question => {
      const path = question.key === null ? null : mapped.get(question.key)?.path
      const answer = mapping.answers.find((one) => one.kind === question.kind && one.path === path)?.value
      const isOne = answer !== undefined && question.choices.some((choice) => choice.value === answer)
      return isOne ? { ...question, answer } : question
    })
  const findRoleQuestion = (key: string) => sheet.questions.find((question) => question.kind === 'role' && question.key === key)
  return [
    ...ownQuestions,
    ...added
      .filter(isWorthAsking)
      .map((column) => createNewColumnQuestion(column, roles.get(column.key) ?? column.role, findRoleQuestion(column.key))),
    ...renamed.map(createRenamedQuestion),
    ...missing.flatMap((one) => createMissingQuestions(one, mapping)),
  ]
}

const createUnanswered = (message: string) => ({ message, rows: [], answer: null })

function createNewColumnQuestion(column: HeaderColumn, role: ColumnRole, roleQuestion: Question | undefined): Question {
  const isAmount = column.kind === 'money' || moneyRoles.has(role)
  return {
    id: `new_column:${column.key}`,
    kind: 'new_column',
    must: isAmount && (column.confidence < minConfidence || roleQuestion?.must === true || role !== column.role),
    key: column.key,
    choices: roleQuestion?.choices ?? getRoleChoices(column.kind, role),
    suggested: role,
    ...createUnanswered(
      `「${column.label || '没有列名的一列'}」是上次没有的列，先当作${columnRoles[role].label}；请确认它的用途`,
    ),
  }
}

const createRenamedQuestion = ({ column, from }: ColumnMatches['renamed'][number]): Question => ({
  id: `renamed_column:${column.key}`,
  kind: 'renamed_column',
  must: moneyRoles.has(from.role),
  key: column.key,
  choices: [
    { value: 'yes', label: `是，就是原来的「${from.label}」` },
    { value: 'no', label: '不是，是新的一列' },
  ],
  suggested: 'yes',
  ...createUnanswered(`「${column.label}」是否由上次的「${from.label}」改名而来？`),
})

/** Creates no question for a column that was neither counted nor visible. */
function createMissingQuestions(one: MappedColumn, { columns, formula }: ColumnMapping): Question[] {
  const wasVisible = columns.find(({ path }) => path === one.path)?.visible ?? false
  const inSum = [...(formula?.plus ?? []), ...(formula?.minus ?? []), formula?.net].includes(one.path)
  if (one.label === '' || !(inSum || wasVisible)) return []
  const reason = inSum ? '它参与计算实发' : '它曾在工资条上显示'
  return [
    {
      id: `missing_column:${one.path.slice(-60)}`,
      kind: 'missing_column',
      must: inSum,
      key: null,
      choices: [{ value: 'gone', label: '这个月没有这一项' }],
      suggested: 'gone',
      ...createUnanswered(`上次的「${one.label}」这次没有了，${reason}；如果是漏了，请补上后重新上传`),
    },
  ]
}

/** Applies the old column's layout to a renamed column, or removes it if the user rejects the renaming. */
export function applyRenamedItem(
  layout: Layout,
  columns: readonly LayoutColumn[],
  renamed: RenamedColumn,
  isSame: boolean,
): Layout {
  const column = columns.find((one) => one.key === renamed.key)
  if (!column) return layout
  const defaultItem = createDefaultLayout(columns).sort_list.find((item) => item.key === renamed.key)
  const item = isSame ? renamed.item : null
  const next = item
    ? { ...item, key: renamed.key, value: item.value ?? getColumnNames(columns).get(column.key) ?? column.label }
    : defaultItem
  return { ...layout, sort_list: layout.sort_list.map((one) => (one.key === renamed.key && next ? next : one)) }
}

/** Answers the questions about net and identity columns from the roles known since last time. */
export const answerRoleQuestions = (questions: readonly Question[], columns: readonly MappableColumn[]): Question[] =>
  questions.map((question) => {
    if ((question.answer !== null && question.answer !== noNetAnswer) || (question.kind !== 'who' && question.kind !== 'net'))
      return question
    const matchingChoice = question.choices.find(({ value }) => {
      const { role, key } = parseColumnChoice(value)
      return columns.some((column) => column.key === key && column.role === role)
    })
    return matchingChoice ? { ...question, answer: matchingChoice.value } : question
  })

/** Parses a choice such as `net:c5`. */
export function parseColumnChoice(value: string): { role: ColumnRole; key: string } {
  const [roleName, key = ''] = value.split(':')
  return { role: columnRoleNames.find((role) => role === roleName) ?? 'info', key }
}
