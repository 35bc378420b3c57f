/** What is certain about an employee's tax year before a month of payment, so that its tax can be computed to the fen. */
import type { Employment } from './employment.ts'
import type { OpeningBalance } from './withholding.ts'

export type TaxYearToDate = {
  /** The month of payment, `2026-11`. */
  readonly month: string
  readonly employment: Employment
  /** Totals of the year before it: of closed months, or entered when the company started to use the product. */
  readonly opening: OpeningBalance | undefined
  /** No month is missing between `opening` and this one; otherwise the payslips must provide the data. */
  readonly is_closed: boolean
  /** 专项附加扣除 and 个人养老金 that are added to `opening`. */
  readonly additional: number
  readonly pension: number
  /** Own insurance by the employee's scheme, if the wage sheet has none. */
  readonly insurance: number
}
