/** Totals over members. Pure. */
import { toFen } from '../../../contract/shared/money.ts'
import type { MemberTaxResult } from './amounts.ts'

type TaxSums = Readonly<Record<'people' | 'income_fen' | 'tax_fen' | 'bonus_fen' | 'bonus_tax_fen' | 'credit_fen', number>>
export class TaxTotals {
  #sums: TaxSums = { people: 0, income_fen: 0, tax_fen: 0, bonus_fen: 0, bonus_tax_fen: 0, credit_fen: 0 }
  /** The value is null if it was not computed; the member is counted nevertheless. */
  add(result: MemberTaxResult | null): void {
    const was = this.#sums
    this.#sums = {
      people: was.people + 1,
      income_fen: toFen(was.income_fen + (result?.used.income ?? 0)),
      tax_fen: toFen(was.tax_fen + (result?.tax_fen ?? 0)),
      bonus_fen: toFen(was.bonus_fen + (result?.bonus?.amount_fen ?? 0)),
      bonus_tax_fen: toFen(was.bonus_tax_fen + (result?.bonus?.tax_fen ?? 0)),
      credit_fen: toFen(was.credit_fen + (result?.credit_fen ?? 0)),
    }
  }
  get sums(): TaxSums {
    return this.#sums
  }
}
