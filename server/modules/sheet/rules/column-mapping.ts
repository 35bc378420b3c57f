/**
 * A column_mapping: what was decided for one kind of sheet, said of its header and not of its letters, so that next month only what is new,
 * missing or renamed is asked. Words only: no figure of anybody is in it.
 */

import type { ColumnRole, QuestionKind } from '../../../contract/shared/schemas.ts'
import { noNetAnswer, notWageSheetAnswer } from '../../../contract/shared/statuses.ts'
import { getColumnNames } from '../../../contract/sheet/column-names.ts'
import type { Layout, Question, WageSheetInfo } from '../../../contract/sheets/sheet.ts'
import type { LayoutColumn } from './default-layout.ts'
import { getColumnPaths, type HeaderColumn, type MappedColumn } from './mapping-match.ts'

/** What adds up to the net pay, by paths. */
type PathFormula = { readonly plus: readonly string[]; readonly minus: readonly string[]; readonly net: string }
export type ColumnMapping = {
  readonly columns: readonly (MappedColumn & { readonly visible: boolean })[]
  /** `person`: somebody has said so, and it holds whatever is found in the rows. */
  readonly formula: (PathFormula & { readonly holds: number; readonly of: number; readonly by: 'found' | 'person' }) | null
  /** Somebody has said that nothing adds up. */
  readonly no_sums: boolean
  readonly answers: readonly { readonly kind: QuestionKind; readonly path: string | null; readonly value: string }[]
}
/** An arrangement by paths; a label is kept where somebody has written it. */
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

/** A sheet that a recipe is fitted to. */
export type SheetToMap<C extends MappableColumn = MappableColumn> = MappableSheet<C> & {
  readonly totals_row: WageSheetInfo['totals_row']
  readonly no_sums?: boolean | undefined
}
/** What a sheet was read as, before anybody or any recipe decided about it. */
export type OriginalReading = Pick<WageSheetInfo, 'formula' | 'questions' | 'totals_row'> & {
  roles: Record<string, ColumnRole>
  /** The same with each of the columns that may be the net pay, where it was asked which one is. */
  net_readings?: { net: string; formula: WageSheetInfo['formula']; roles: Record<string, ColumnRole> }[] | undefined
}

/** Answers that are true of a kind of sheet, and not only of this one: people hidden this month are others next month. */
const lastingQuestionKinds: ReadonlySet<QuestionKind> = new Set(['role', 'new_column', 'hidden_columns', 'unit', 'about_pay'])
/** Which column is paid is known by its role; that none is, only by the answer. That one sheet is none of wages is said of it alone. */
const isLasting = (kind: QuestionKind, value: string): boolean =>
  kind === 'net' ? value === noNetAnswer : lastingQuestionKinds.has(kind) && value !== notWageSheetAnswer

/** What is learned of a sheet. `isFinal`: it is about to be sent, so whatever was left as suggested has been agreed to. */
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
        // A column that was new is one of those whose purpose is known.
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
