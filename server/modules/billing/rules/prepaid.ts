/** The accounts of a prepaid transaction. This file is pure. */
export type PrepaidTransactionKind = 'opening' | 'given' | 'bought' | 'used' | 'unused' | 'returned'
export type LedgerAccount = 'stock' | 'used' | 'seller' | 'gift'

/**
 * The accounts that a transaction debits and credits. With `returned`, bought messages go back to the seller for a
 * refund.
 */
const accountsByKind: Readonly<Record<PrepaidTransactionKind, readonly [from: LedgerAccount, to: LedgerAccount]>> = {
  opening: ['gift', 'stock'],
  given: ['gift', 'stock'],
  bought: ['seller', 'stock'],
  used: ['stock', 'used'],
  unused: ['used', 'stock'],
  returned: ['stock', 'seller'],
}

/** Returns both entries of a transaction; their sum is zero. */
export function getLedgerEntries(
  kind: PrepaidTransactionKind,
  count: number,
): { readonly side: LedgerAccount; readonly amount: number }[] {
  const [from, to] = accountsByKind[kind]
  return [
    { side: from, amount: -count },
    { side: to, amount: count },
  ]
}

export const getStockChange = (kind: PrepaidTransactionKind, count: number): number =>
  getLedgerEntries(kind, count).find(({ side }) => side === 'stock')?.amount ?? 0

/** Assumed monthly need where nothing was used last month. */
const defaultMonthlyNeed = 100

export type PrepaidBalance = {
  readonly left: number
  /** Messages used in the previous calendar month, minus returned messages. */
  readonly used_last_month: number
}
/** Whether the balance will not last another month: one rule for the page and for the notification. */
export const isBalanceLow = ({ left: remaining, used_last_month: used }: PrepaidBalance): boolean =>
  remaining < (used > 0 ? used : defaultMonthlyNeed)
