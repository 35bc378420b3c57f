/**
 * A recipe: what was decided for one kind of sheet, said of its header and not of its letters, so that next month only what is new,
 * missing or renamed is asked. Words only: no figure of anybody is in it.
 */

import { getColumnNames } from '../../../contract/sheet/column-names.ts'
import type { Layout, Question, SheetInfo } from '../../../contract/sheet/sheet.ts'
import { no_net, not_wages } from '../../../contract/words/states.ts'
import type { ColumnRole, QuestionKind } from '../../../contract/words/words.ts'
import type { ArrangeColumn } from './arrange.ts'
import { type HeadedColumn, type KnownColumn, pathsOf } from './recipe-match.ts'

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

export type RecipeColumn = HeadedColumn & ArrangeColumn
export type RecipeSheet<C extends RecipeColumn = RecipeColumn> = {
  readonly columns: readonly C[]
  readonly formula: SheetInfo['formula']
  readonly questions: readonly Question[]
}

/** A sheet that a recipe is fitted to. */
export type SheetToFit<C extends RecipeColumn = RecipeColumn> = RecipeSheet<C> & {
  readonly totals_row: SheetInfo['totals_row']
  readonly no_sums?: boolean | undefined
}
/** What a sheet was read as, before anybody or any recipe decided about it. */
export type FirstRead = Pick<SheetInfo, 'formula' | 'questions' | 'totals_row'> & {
  roles: Record<string, ColumnRole>
  /** The same with each of the columns that may be the net pay, where it was asked which one is. */
  net_readings?: { net: string; formula: SheetInfo['formula']; roles: Record<string, ColumnRole> }[] | undefined
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
  const names = getColumnNames(columns)
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
        const name = names.get(key)
        if (name === undefined) return []
        return [{ ...item, path: pathOf.get(key) ?? '', value: item.value === name ? null : item.value }]
      }),
      hide_empty: layout.hide_empty,
      hide_zero: layout.hide_zero,
      hint: layout.hint,
    },
  }
}
