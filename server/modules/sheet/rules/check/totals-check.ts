/**
 * The sums of the rows beside what the sheet's own totals say. A total may stand for all rows of the file, for those a filter shows (SUBTOTAL), or
 * for those that are sent: where it is the sum of any of these, nobody is asked about it.
 */
import { type DeclaredTotals, TotalsValidator, type WrongTotal } from '../declared-totals.ts'

type SheetTotals = {
  readonly stated: DeclaredTotals | null
  readonly totals: readonly DeclaredTotals[]
  readonly totals_row: { readonly row: number } | null
  readonly hidden_in_file: ReadonlySet<number>
  isSummed(row: number): boolean
}
type SummedRow = { readonly row: number; readonly skipped: boolean; readonly department: string }

/** What of the sheet's own total is no sum of the rows. `of`: which rows these are. */
export type DeclaredDifference = {
  readonly of: string
  readonly wrong: readonly { readonly key: string; readonly fen: number; readonly sum: number }[]
}
export type TotalsResult = {
  /** Null where the sheet's own total is right or says nothing. */
  readonly stated: DeclaredDifference | null
  readonly wrong: readonly WrongTotal[]
  readonly isRight: ReadonlySet<number>
}

class RowSet {
  readonly of: string
  readonly holds: (row: SummedRow) => boolean
  readonly totals: TotalsValidator
  readonly sums = new Map<string, number>()

  constructor(of: string, sheet: SheetTotals, holds: (row: SummedRow) => boolean) {
    this.of = of
    this.holds = holds
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

  add(row: SummedRow, fenOf: (key: string) => number): void {
    const { stated } = this.#sheet
    for (const { holds, totals, sums } of this.#sets) {
      if (!holds(row)) continue
      totals.add(row.row, row.department, fenOf)
      if (!stated || !this.#sheet.isSummed(row.row)) continue
      for (const { key } of stated.amounts) sums.set(key, (sums.get(key) ?? 0) + fenOf(key))
    }
  }

  judge(): TotalsResult {
    const found = this.#sets.map(({ totals }) => totals.finish())
    const isRight = new Set(found.flatMap((one) => [...one.isRight]))
    const wrong = Map.groupBy(
      found.flatMap((one) => one.wrong).filter(({ stated }) => !isRight.has(stated.row)),
      ({ stated }) => stated.row,
    )
    return {
      stated: this.#differenceOfStated(),
      wrong: [...wrong.values()].flatMap((candidates) => pickClosest(candidates) ?? []),
      isRight,
    }
  }

  #differenceOfStated(): DeclaredDifference | null {
    const { stated } = this.#sheet
    if (!stated) return null
    const found = this.#sets.map(({ of, sums }) => ({
      of,
      wrong: stated.amounts.flatMap(({ key, fen, within }) => {
        const sum = sums.get(key) ?? 0
        return Math.abs(sum - fen) > within ? [{ key, fen, sum }] : []
      }),
    }))
    const closest = pickClosest(found)
    return closest && closest.wrong.length > 0 ? closest : null
  }
}

/** Fewest amounts differ, then by the least; the first of equals. */
function pickClosest<T extends Pick<DeclaredDifference, 'wrong'>>(candidates: readonly T[]): T | undefined {
  const distance = ({ wrong }: T) => wrong.reduce((all, { fen, sum }) => all + Math.abs(fen - sum), 0)
  return candidates.toSorted((a, b) => a.wrong.length - b.wrong.length || distance(a) - distance(b))[0]
}
