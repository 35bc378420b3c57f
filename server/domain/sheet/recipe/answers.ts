/** What people say about a sheet and its columns. Changes what was understood; keeps nothing by itself. */
import { singleRoles } from '../../../contract/sheet/column-roles.ts'
import type { Layout, Question } from '../../../contract/sheet/sheet.ts'
import { no_net } from '../../../contract/words/states.ts'
import { type ColumnRole, columnRoles } from '../../../contract/words/words.ts'
import { invalid } from '../../../runtime/handle.ts'
import { arrange, rearrange } from '../rules/arrange.ts'
import { answeredByRoles, chosenColumn, showRenamed, withRoles } from '../rules/recipe-fit.ts'
import { readOf } from '../rules/recipe-match.ts'
import type { Understood } from '../understood.ts'

export type Setup = { readonly understood: Understood; readonly layout: Layout }

/** Sets what columns are for, as somebody has said. The layout follows. */
export function setRoles({ understood, layout }: Setup, wanted: ReadonlyMap<string, ColumnRole>, reason: string): Setup {
  const before = understood.columns
  const after = before.map((column) => {
    const role = wanted.get(column.key) ?? column.role
    return role === column.role ? column : { ...column, role, confidence: 1, reason }
  })
  const changed = withRoles({ ...understood, read: readOf(understood) }, after, new Set(wanted.keys()))
  return { understood: { ...understood, ...changed }, layout: rearrange(layout, before, changed.columns) }
}

/** Answers questions one after the other; an empty value takes an answer back. */
export function answer(setup: Setup, answers: readonly { readonly id: string; readonly value: string }[]): Setup {
  let next = setup
  for (const { id, value } of answers) {
    const question = next.understood.questions.find((one) => one.id === id)
    if (!question) throw invalid('answers', '没有这个问题了，请刷新后重试')
    if (value !== '' && !question.choices.some((choice) => choice.value === value))
      throw invalid('answers', '没有这个选项，请刷新后重试')
    if (value === 'all' && (question.kind === 'several_sheets' || question.kind === 'several_tables'))
      throw invalid('answers', '要一起发时，请选择这些工作表后重新读取')
    const answered = { ...question, answer: value === '' ? null : value }
    next = effect({ ...next, understood: withQuestion(next.understood, answered) }, answered)
  }
  return next
}

const withQuestion = (understood: Understood, question: Question): Understood => ({
  ...understood,
  questions: understood.questions.map((one) => (one.id === question.id ? question : one)),
})

/** What an answer means for columns and layout. What it means for rows (unit, hidden rows) is done where rows are. */
function effect(setup: Setup, question: Question): Setup {
  const { kind, key, answer: given, suggested } = question
  const value = given ?? suggested
  if (kind === 'who' || kind === 'net') return ofColumn(setup, question)
  if (kind === 'hidden_columns') return { ...setup, layout: showHidden(setup, value, key) }
  if (key === null) return setup
  if (kind === 'role' || kind === 'new_column') return ofRole(setup, key, columnRoles.find((one) => one === value) ?? 'info')
  const renamed = kind === 'renamed_column' ? setup.understood.renames?.find((one) => one.key === key) : undefined
  if (!renamed) return setup
  const isSame = value === 'yes'
  const next = ofRole(setup, key, isSame ? renamed.role : (readOf(setup.understood).roles[key] ?? 'info'))
  const { understood } = next
  const layout = showRenamed(next.layout, understood.columns, renamed, isSame)
  // What was known of the old column's sums is not true of another one.
  const names = (formula: { plus: readonly string[]; minus: readonly string[]; net: string } | null) =>
    formula !== null && [...formula.plus, ...formula.minus, formula.net].includes(key)
  if (isSame || !names(understood.expected)) return { understood, layout }
  const formula = understood.formula?.by === 'remembered' ? null : understood.formula
  return { understood: { ...understood, expected: null, formula }, layout }
}

/** Of a role that only one column may have, the column that was answered for is it; answered otherwise, it is again the one that was read as it. */
function ofRole(setup: Setup, key: string, role: ColumnRole): Setup {
  const { columns } = setup.understood
  const wanted = new Map([[key, role]])
  const others = columns.filter((column) => column.key !== key)
  const rival = singleRoles.has(role) ? others.find((column) => column.role === role) : undefined
  if (rival) wanted.set(rival.key, 'info')
  const had = columns.find((column) => column.key === key)?.role
  const { roles } = readOf(setup.understood)
  const former =
    had !== undefined && had !== role && singleRoles.has(had)
      ? others.find((column) => column.role === 'info' && roles[column.key] === had)
      : undefined
  if (former && had) wanted.set(former.key, had)
  return setRoles(setup, wanted, '手工指定')
}

/** The column that was chosen is what was asked for; one that was chosen before, or read as it, is first again what it was read as. */
function ofColumn(setup: Setup, { answer: given, choices }: Question): Setup {
  const { roles } = readOf(setup.understood)
  const back = choices.flatMap(({ value }) => {
    const { role, key } = chosenColumn(value)
    const column = setup.understood.columns.find((one) => one.key === key)
    return column && (column.role === role) !== (roles[key] === role) ? [[key, roles[key] ?? 'info'] as const] : []
  })
  const before = setRoles(setup, new Map(back), '没有人指定')
  if (given === null) return before
  // Also one that was set at its head.
  if (given === no_net) return setRoles(before, new Map(ofNet(before.understood.columns).map((key) => [key, 'info'])), '手工指定')
  const { role, key } = chosenColumn(given)
  return ofRole(before, key, role)
}

const ofNet = (columns: Understood['columns']) => columns.flatMap(({ key, role }) => (role === 'net' ? [key] : []))

function showHidden({ understood, layout }: Setup, value: string, key: string | null): Layout {
  const shown = new Set(
    arrange(understood.columns.map((column) => ({ ...column, hidden: false }))).sort_list.flatMap((item) =>
      item.status ? [item.key] : [],
    ),
  )
  const meant = new Set(
    understood.columns.flatMap((column) => ((key === null ? column.hidden : column.key === key) ? [column.key] : [])),
  )
  return {
    ...layout,
    sort_list: layout.sort_list.map((item) =>
      meant.has(item.key) ? { ...item, status: value === 'hide' ? false : shown.has(item.key) } : item,
    ),
  }
}

/** Whether people in hidden rows are left out. */
export const skipsHidden = ({ questions }: Understood): boolean => {
  const asked = questions.find(({ kind }) => kind === 'hidden_rows')
  return asked !== undefined && (asked.answer ?? asked.suggested) === 'skip'
}

/** Whoever sets a column's role has answered what it is. */
export const answeredBy = (understood: Understood, roles: ReadonlyMap<string, ColumnRole>): Understood => ({
  ...understood,
  questions: answeredByRoles(understood.questions, understood.columns).map((question) => {
    const role = question.key === null ? undefined : roles.get(question.key)
    const isAbout = question.kind === 'role' || question.kind === 'new_column'
    return role !== undefined && isAbout && question.answer === null ? { ...question, answer: role } : question
  }),
})
