/**
 * Column mapping: the decisions for one kind of wage sheet, expressed in header labels instead of column letters, so
 * that next month only new, missing or renamed columns are asked about. It contains texts only, no amounts.
 */

import type { ColumnRole, QuestionKind } from '../../../contract/shared/schemas.ts'
import { noNetAnswer, notWageSheetAnswer } from '../../../contract/shared/statuses.ts'
import { getColumnNames } from '../../../contract/sheets/column-names.ts'
import type { Layout, Question, WageSheetInfo } from '../../../contract/sheets/sheet.ts'
import type { LayoutColumn } from './default-layout.ts'
import { getColumnPaths, type HeaderColumn, type MappedColumn } from './mapping-match.ts'

/** The formula of net pay, with header paths. */
type PathFormula = { readonly plus: readonly string[]; readonly minus: readonly string[]; readonly net: string }
export type ColumnMapping = {
  readonly columns: readonly (MappedColumn & { readonly visible: boolean })[]
  /** `person`: the user has set it, and it applies regardless of what the rows show. */
  readonly formula: (PathFormula & { readonly holds: number; readonly of: number; readonly by: 'found' | 'person' }) | null
  /** The user has answered that nothing adds up. */
  readonly no_sums: boolean
  readonly answers: readonly { readonly kind: QuestionKind; readonly path: string | null; readonly value: string }[]
}
/** A payslip layout with header paths; a label is stored only where a user has entered one. */
export type MappingLayout = Omit<Layout, 'sort_list'> & {
  readonly items: readonly {
    readonly path: string
    readonly value: string | null
    readonly status: boolean
    readonly class_id: string | null
    readonly note: string
  }[]
}

export type MappableColumn = HeaderColumn & LayoutColumn
export type MappableSheet<C extends MappableColumn = MappableColumn> = {
  readonly columns: readonly C[]
  readonly formula: WageSheetInfo['formula']
  readonly questions: readonly Question[]
}

/** A wage sheet to which a mapping is applied. */
export type SheetToMap<C extends MappableColumn = MappableColumn> = MappableSheet<C> & {
  readonly totals_row: WageSheetInfo['totals_row']
  readonly no_sums?: boolean | undefined
}
/** The original reading of a wage sheet, before answers or mappings were applied. */
export type OriginalReading = Pick<WageSheetInfo, 'formula' | 'questions' | 'totals_row'> & {
  roles: Record<string, ColumnRole>
  /** The reading for each possible net column, where the user was asked which one it is. */
  net_readings?: { net: string; formula: WageSheetInfo['formula']; roles: Record<string, ColumnRole> }[] | undefined
}

/**
 * Kinds of questions whose answers apply to later wage sheets as well; members in hidden rows, for example, differ each
 * month.
 */
const lastingQuestionKinds: ReadonlySet<QuestionKind> = new Set(['role', 'new_column', 'hidden_columns', 'unit', 'about_pay'])
/**
 * The net column is known by its role; only the answer shows that there is none. That a sheet is no wage sheet applies
 * to that sheet alone.
 */
const isLasting = (kind: QuestionKind, value: string): boolean =>
  kind === 'net' ? value === noNetAnswer : lastingQuestionKinds.has(kind) && value !== notWageSheetAnswer

/**
 * Creates the column mapping of a wage sheet. `isFinal`: it is about to be sent, so suggestions left unchanged count as
 * confirmed.
 */
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
