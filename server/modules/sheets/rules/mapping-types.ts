/** Types of column mappings, apart from the code that creates, matches and applies them. */
import type { CellKind, ColumnRole, QuestionKind } from '../../../contract/shared/schemas.ts'
import type { Layout, Question, WageSheetInfo } from '../../../contract/sheets/sheet.ts'
import type { LayoutColumn } from './default-layout.ts'

/** The formula of net pay, with header paths. */
export type PathFormula = { readonly plus: readonly string[]; readonly minus: readonly string[]; readonly net: string }

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

/** A column of a mapping. */
export type MappedColumn = {
  /** Unique within the column mapping: the header without months, numbered where it occurs twice. */
  readonly path: string
  readonly label: string
  readonly role: ColumnRole
  readonly kind: CellKind
}

export type HeaderColumn = {
  readonly key: string
  readonly path: readonly string[]
  readonly label: string
  readonly role: ColumnRole
  readonly kind: CellKind
  readonly confidence: number
}

export type ColumnMatches = {
  /** Changes by column key of the wage sheet. */
  readonly mapped: ReadonlyMap<string, MappedColumn>
  readonly added: readonly HeaderColumn[]
  readonly missing: readonly MappedColumn[]
  /** Pairs of a missing and a new column that are probably the same; they are in neither of the other lists. */
  readonly renamed: readonly { readonly column: HeaderColumn; readonly from: MappedColumn }[]
}
