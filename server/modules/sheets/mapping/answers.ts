/** Applies the user's answers about a wage sheet and its columns to the recognition result; stores nothing itself. */

import { type ColumnRole, columnRoleNames } from '../../../contract/shared/schemas.ts'
import { noNetAnswer } from '../../../contract/shared/statuses.ts'
import { isInfo, isNet, uniqueRoles } from '../../../contract/sheets/column-roles.ts'
import type { Layout, Question } from '../../../contract/sheets/sheet.ts'
import { invalidInput } from '../../../http/handler.ts'
import type { RecognizedSheet } from '../recognition.ts'
import { createDefaultLayout, updateLayout } from '../rules/default-layout.ts'
import { answerRoleQuestions, applyRenamedItem, applyRoles, parseColumnChoice } from '../rules/mapping-fit.ts'

export type SheetSetup = { readonly recognition: RecognizedSheet; readonly layout: Layout }

/** Sets column roles chosen by the user and updates the layout. */
export function setRoles(
  { recognition, layout }: SheetSetup,
  roles: ReadonlyMap<string, ColumnRole>,
  reason: string,
): SheetSetup {
  const before = recognition.columns
  const after = before.map((column) => {
    const role = roles.get(column.key) ?? column.role
    return role === column.role ? column : { ...column, role, confidence: 1, reason }
  })
  const changed = applyRoles(recognition, after, new Set(roles.keys()))
  return { recognition: { ...recognition, ...changed }, layout: updateLayout(layout, before, changed.columns) }
}

/** Applies answers one after the other; an empty value removes an answer. */
export function applyAnswers(setup: SheetSetup, answers: readonly { readonly id: string; readonly value: string }[]): SheetSetup {
  let next = setup
  for (const { id, value } of answers) {
    const question = next.recognition.questions.find((one) => one.id === id)
    if (!question) throw invalidInput('answers', '没有这个问题了，请刷新后重试')
    if (value !== '' && !question.choices.some((choice) => choice.value === value))
      throw invalidInput('answers', '没有这个选项，请刷新后重试')
    if (value === 'all' && (question.kind === 'several_sheets' || question.kind === 'several_tables'))
      throw invalidInput('answers', '要一起发时，请选择这些工作表后重新读取')
    const answered = { ...question, answer: value === '' ? null : value }
    next = applyAnswer({ ...next, recognition: replaceQuestion(next.recognition, answered) }, answered)
  }
  return next
}

const replaceQuestion = (recognition: RecognizedSheet, question: Question): RecognizedSheet => ({
  ...recognition,
  questions: recognition.questions.map((one) => (one.id === question.id ? question : one)),
})

/** Applies an answer to columns and layout. Its effect on rows (unit, hidden rows) is handled where rows are read. */
function applyAnswer(setup: SheetSetup, question: Question): SheetSetup {
  const { kind, key, answer, suggested } = question
  const value = answer ?? suggested
  if (kind === 'who' || kind === 'net') return assignColumn(setup, question)
  if (kind === 'hidden_columns') return { ...setup, layout: setHiddenVisibility(setup, value, key) }
  if (key === null) return setup
  if (kind === 'role' || kind === 'new_column')
    return assignRole(setup, key, columnRoleNames.find((one) => one === value) ?? 'info')
  const renamed = kind === 'renamed_column' ? setup.recognition.renames?.find((one) => one.key === key) : undefined
  if (!renamed) return setup
  const isSame = value === 'yes'
  const next = assignRole(setup, key, isSame ? renamed.role : (setup.recognition.read.roles[key] ?? 'info'))
  const { recognition } = next
  const layout = applyRenamedItem(next.layout, recognition.columns, renamed, isSame)
  // Formulas known for the old column do not hold for another one.
  const usesColumn = (formula: { plus: readonly string[]; minus: readonly string[]; net: string } | null) =>
    formula !== null && [...formula.plus, ...formula.minus, formula.net].includes(key)
  if (isSame || !usesColumn(recognition.expected)) return { recognition, layout }
  const formula = recognition.formula?.by === 'remembered' ? null : recognition.formula
  return { recognition: { ...recognition, expected: null, formula }, layout }
}

/**
 * Assigns a role that only one column may have to the answered column; a different answer restores the column that was
 * originally recognized.
 */
function assignRole(setup: SheetSetup, key: string, role: ColumnRole): SheetSetup {
  const { columns } = setup.recognition
  const changes = new Map([[key, role]])
  const others = columns.filter((column) => column.key !== key)
  const currentColumn = uniqueRoles.has(role) ? others.find((column) => column.role === role) : undefined
  if (currentColumn) changes.set(currentColumn.key, 'info')
  const previousRole = columns.find((column) => column.key === key)?.role
  const { roles } = setup.recognition.read
  const former =
    previousRole !== undefined && previousRole !== role && uniqueRoles.has(previousRole)
      ? others.find((column) => isInfo(column.role) && roles[column.key] === previousRole)
      : undefined
  if (former && previousRole) changes.set(former.key, previousRole)
  return setRoles(setup, changes, '手工指定')
}

/**
 * Assigns the requested role to the chosen column; a column chosen before, or recognized as such, first gets its
 * recognized role back.
 */
function assignColumn(setup: SheetSetup, { answer, choices }: Question): SheetSetup {
  const { roles } = setup.recognition.read
  const restored = choices.flatMap(({ value }) => {
    const { role, key } = parseColumnChoice(value)
    const column = setup.recognition.columns.find((one) => one.key === key)
    return column && (column.role === role) !== (roles[key] === role) ? [[key, roles[key] ?? 'info'] as const] : []
  })
  const before = setRoles(setup, new Map(restored), '没有人指定')
  if (answer === null) return before
  // This includes a net column that was set in the table header.
  if (answer === noNetAnswer)
    return setRoles(before, new Map(listNetKeys(before.recognition.columns).map((key) => [key, 'info'])), '手工指定')
  const { role, key } = parseColumnChoice(answer)
  return assignRole(before, key, role)
}

const listNetKeys = (columns: RecognizedSheet['columns']) => columns.flatMap(({ key, role }) => (isNet(role) ? [key] : []))

function setHiddenVisibility({ recognition, layout }: SheetSetup, value: string, key: string | null): Layout {
  const visibleKeys = new Set(
    createDefaultLayout(recognition.columns.map((column) => ({ ...column, hidden: false }))).sort_list.flatMap((item) =>
      item.status ? [item.key] : [],
    ),
  )
  const affectedKeys = new Set(
    recognition.columns.flatMap((column) => ((key === null ? column.hidden : column.key === key) ? [column.key] : [])),
  )
  return {
    ...layout,
    sort_list: layout.sort_list.map((item) =>
      affectedKeys.has(item.key) ? { ...item, status: value === 'hide' ? false : visibleKeys.has(item.key) } : item,
    ),
  }
}

/** Whether members in hidden rows are skipped. */
export const skipsHiddenRows = ({ questions }: RecognizedSheet): boolean => {
  const question = questions.find(({ kind }) => kind === 'hidden_rows')
  return question !== undefined && (question.answer ?? question.suggested) === 'skip'
}

/** Setting a column's role also answers the question about it. */
export const answerByRoles = (recognition: RecognizedSheet, roles: ReadonlyMap<string, ColumnRole>): RecognizedSheet => ({
  ...recognition,
  questions: answerRoleQuestions(recognition.questions, recognition.columns).map((question) => {
    const role = question.key === null ? undefined : roles.get(question.key)
    const isRoleQuestion = question.kind === 'role' || question.kind === 'new_column'
    return role !== undefined && isRoleQuestion && question.answer === null ? { ...question, answer: role } : question
  }),
})
