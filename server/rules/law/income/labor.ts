/** 劳务报酬, 稿酬, 特许权使用费 of residents in the annual settlement (2018-61 art. 8). */
import { type Quantity, toFraction } from '../fraction.ts'
import { getDatedRow, type PaymentMonth } from '../tables/dated-table.ts'
import { currentLaw, type TaxLaw } from '../tables/law.ts'

export type LaborIncomeKind = 'labor' | 'royalty' | 'manuscript'

/** Returns the 收入额 for the annual settlement, without expenses, 70% for manuscripts; the flat 800 is for withholding. */
export function getLaborIncomeAmount(
  item: LaborIncomeKind,
  income: number,
  month: PaymentMonth = null,
  law: TaxLaw = currentLaw,
): Quantity {
  const { share_ppm, manuscript_ppm } = getDatedRow(law.labor_expense, month).value
  const left = toFraction(income).timesPpm(1_000_000 - share_ppm)
  return item === 'manuscript' ? left.timesPpm(manuscript_ppm) : left
}
