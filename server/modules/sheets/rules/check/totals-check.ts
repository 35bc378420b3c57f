/**
 * Compares the sums of the rows with the declared totals. A total may cover all rows of the file, those shown by a
 * filter (SUBTOTAL), or those that are sent: if it equals any of these sums, nothing is reported.
 */
import { type DeclaredTotals, TotalsValidator, type WrongTotal } from '../declared-totals.ts'

type SheetTotals = {
  readonly declared: DeclaredTotals | null
  readonly totals: readonly DeclaredTotals[]
  readonly totals_row: { readonly row: number } | null
  readonly hidden_in_file: ReadonlySet<number>
  isInTotals(row: number): boolean
}
type SummedRow = { readonly row: number; readonly skipped: boolean; readonly department: string }

/** Amounts of the declared total that differ from the sum of the rows. `rowsText` describes these rows. */
export type DeclaredDifference = {
  readonly rowsText: string
  readonly differences: readonly { readonly key: string; readonly fen: number; readonly sum: number }[]
}
export type TotalsResult = {
  /** The value is null where the declared total is correct or absent. */
  readonly declared: DeclaredDifference | null
  readonly wrongTotals: readonly WrongTotal[]
  readonly rightRows: ReadonlySet<number>
}

class RowSet {
  readonly rowsText: string
  readonly includes: (row: SummedRow) => boolean
  readonly totals: TotalsValidator
  readonly sums = new Map<string, number>()

  constructor(of: string, sheet: SheetTotals, holds: (row: SummedRow) => boolean) {
    this.rowsText = of
    this.includes = holds
    this.totals = new TotalsValidator(sheet.totals, sheet.totals_row?.row ?? null)
  }
}

export class TotalsCheck {
  readonly #sheet: SheetTotals
  readonly #sets: readonly RowSet[]

  constructor(sheet: SheetTotals) {
    this.#sheet = sheet
    this.#sets = [
      new RowSet('各行', sheet, () => true),
      new RowSet('看得见的各行', sheet, ({ row, skipped }) => !skipped || !sheet.hidden_in_file.has(row)),
      new RowSet('要发的各行', sheet, ({ skipped }) => !skipped),
    ]
  }

  add(row: SummedRow, getFen: (key: string) => number): void {
    const { declared } = this.#sheet
    for (const { includes, totals, sums } of this.#sets) {
      if (!includes(row)) continue
      totals.add(row.row, row.department, getFen)
      if (!declared || !this.#sheet.isInTotals(row.row)) continue
      for (const { key } of declared.amounts) sums.set(key, (sums.get(key) ?? 0) + getFen(key))
    }
  }

  judge(): TotalsResult {
    const matches = this.#sets.map(({ totals }) => totals.finish())
    const isRight = new Set(matches.flatMap((one) => [...one.rightRows]))
    const wrong = Map.groupBy(
      matches.flatMap((one) => one.wrong).filter(({ declared }) => !isRight.has(declared.row)),
      ({ declared }) => declared.row,
    )
    return {
      declared: this.#getDeclaredDifference(),
      wrongTotals: [...wrong.values()].flatMap((candidates) => pickClosest(candidates) ?? []),
      rightRows: isRight,
    }
  }

  #getDeclaredDifference(): DeclaredDifference | null {
    const { declared } = this.#sheet
    if (!declared) return null
    const matches = this.#sets.map(({ rowsText, sums }) => ({
      rowsText,
      differences: declared.amounts.flatMap(({ key, fen, tolerance }) => {
        const sum = sums.get(key) ?? 0
        return Math.abs(sum - fen) > tolerance ? [{ key, fen, sum }] : []
      }),
    }))
    const closest = pickClosest(matches)
    return closest && closest.differences.length > 0 ? closest : null
  }
}

/** Picks the candidate with the fewest differing amounts, then with the smallest difference; the first of equals. */
function pickClosest<T extends Pick<DeclaredDifference, 'differences'>>(candidates: readonly T[]): T | undefined {
  const distance = ({ differences }: T) => differences.reduce((all, { fen, sum }) => all + Math.abs(fen - sum), 0)
  return candidates.toSorted((a, b) => a.differences.length - b.differences.length || distance(a) - distance(b))[0]
}
