/** Settings of the shop of this installation. */

export type BillingOptions = {
  /** If off, nothing is sold and every company has all features. */
  readonly billing: boolean
  /** The account for bank transfers as displayed; null if transfers are not offered. */
  readonly transfer_account: string | null
}
