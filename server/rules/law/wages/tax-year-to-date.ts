/** What is certainly known of somebody's tax year before a month of payment, so that the month's tax can be said to the fen. */
import type { Employment } from './employment.ts'
import type { OpeningBalance } from './withholding.ts'

export type TaxYearToDate = {
  /** The month of payment, `2026-11`. */
  readonly month: string
  readonly employment: Employment
  /** The year's sums before it: of months that are closed, or what was told when the company began here. */
  readonly opening: OpeningBalance | undefined
  /** No month is missing between `before` and this one; else slips have to tell. */
  readonly is_closed: boolean
  /** What 专项附加扣除 and 个人养老金 come to beyond `before`. */
  readonly additional: number
  readonly pension: number
  /** Own insurance by the person's scheme, where the sheet has none. */
  readonly insurance: number
}
