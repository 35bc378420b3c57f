/**
 * Column mapping: the decisions for one kind of wage sheet, expressed in header labels instead of column letters, so
 * that next month only new, missing or renamed columns are asked about. It contains texts only, no amounts.
 */

import type { QuestionKind } from '../../../contract/shared/schemas.ts'
import { noNetAnswer, notWageSheetAnswer } from '../../../contract/shared/statuses.ts'
import { getColumnNames } from '../../../contract/sheets/column-names.ts'
import type { Layout } from '../../../contract/sheets/sheet.ts'
import { getColumnPaths } from './mapping-match.ts'
import type { ColumnMapping, MappableSheet, MappingLayout } from './mapping-types.ts'

/** Kinds of questions whose answers apply to later wage sheets too; not hidden rows, whose members differ each month. */
const lastingQuestionKinds: ReadonlySet<QuestionKind> = new Set(['role', 'new_column', 'hidden_columns', 'unit', 'about_pay'])
/** The net column is known by its role; only the answer shows there is none. A no to wage sheet is for this one alone. */
const isLasting = (kind: QuestionKind, value: string): boolean =>
  kind === 'net' ? value === noNetAnswer : lastingQuestionKinds.has(kind) && value !== notWageSheetAnswer

/** Creates the column mapping of a wage sheet. `isFinal`: about to be sent, so unchanged suggestions are confirmed. */
export function toColumnMapping(
  sheet: MappableSheet & { readonly no_sums?: boolean | undefined },
  layout: Layout,
  isFinal = false,
): { mapping: ColumnMapping; layout: MappingLayout } {
  const { columns, formula, questions } = sheet
  const paths = getColumnPaths(columns)
  const pathByKey = new Map(columns.map((column, at) => [column.key, paths[at] ?? '']))
  const visibleByKey = new Map(layout.sort_list.map((item) => [item.key, item.status]))
  const toPaths = (keys: readonly string[]) => keys.flatMap((key) => pathByKey.get(key) ?? [])
  const names = getColumnNames(columns)
  return {
    mapping: {
      columns: columns.map(({ key, label, role, kind }, at) => ({
        path: paths[at] ?? '',
        label,
        role,
        kind,
        visible: visibleByKey.get(key) ?? false,
      })),
      formula: formula && {
        plus: toPaths(formula.plus),
        minus: toPaths(formula.minus),
        net: pathByKey.get(formula.net) ?? '',
        holds: formula.holds,
        of: formula.of,
        by: formula.by === 'found' ? 'found' : 'person',
      },
      no_sums: sheet.no_sums ?? false,
      answers: questions.flatMap(({ kind, key, answer, suggested }) => {
        const value = answer ?? (isFinal ? suggested : null)
        if (value === null || !isLasting(kind, value)) return []
        // A new column becomes a column with a known role.
        const questionKind = kind === 'new_column' ? ('role' as const) : kind
        return [{ kind: questionKind, path: key === null ? null : (pathByKey.get(key) ?? ''), value }]
      }),
    },
    layout: {
      groups: layout.groups,
      items: layout.sort_list.flatMap(({ key, ...item }) => {
        const name = names.get(key)
        if (name === undefined) return []
        return [{ ...item, path: pathByKey.get(key) ?? '', value: item.value === name ? null : item.value }]
      }),
      hide_empty: layout.hide_empty,
      hide_zero: layout.hide_zero,
      hint: layout.hint,
    },
  }
}
