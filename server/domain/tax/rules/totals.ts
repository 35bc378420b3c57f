/** What people come to together. Pure. */
import { fen } from '../../../contract/words/money.ts'
import type { PersonResult } from './amounts.ts'

type Sums = Readonly<Record<'people' | 'income_fen' | 'tax_fen' | 'bonus_fen' | 'bonus_tax_fen' | 'credit_fen', number>>
export class TotalsOf {
  #sums: Sums = { people: 0, income_fen: 0, tax_fen: 0, bonus_fen: 0, bonus_tax_fen: 0, credit_fen: 0 }
  /** Null: not computed; he is one of them all the same. */
  add(result: PersonResult | null): void {
    const was = this.#sums
    this.#sums = {
      people: was.people + 1,
      income_fen: fen(was.income_fen + (result?.used.income ?? 0)),
      tax_fen: fen(was.tax_fen + (result?.tax_fen ?? 0)),
      bonus_fen: fen(was.bonus_fen + (result?.bonus?.amount_fen ?? 0)),
      bonus_tax_fen: fen(was.bonus_tax_fen + (result?.bonus?.tax_fen ?? 0)),
      credit_fen: fen(was.credit_fen + (result?.credit_fen ?? 0)),
    }
  }
  get sums(): Sums {
    return this.#sums
  }
}
