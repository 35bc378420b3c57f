/** The sides of a move of prepaid pieces. Pure. */
export type PrepaidTransactionKind = 'opening' | 'given' | 'bought' | 'used' | 'unused' | 'returned'
export type LedgerAccount = 'stock' | 'used' | 'seller' | 'gift'

/** From where a move takes, and to where it gives. `returned`: bought pieces go back to the seller for their money. */
const accountsByKind: Readonly<Record<PrepaidTransactionKind, readonly [from: LedgerAccount, to: LedgerAccount]>> = {
  opening: ['gift', 'stock'],
  given: ['gift', 'stock'],
  bought: ['seller', 'stock'],
  used: ['stock', 'used'],
  unused: ['used', 'stock'],
  returned: ['stock', 'seller'],
}

/** Both entries of a move: they sum to nothing. */
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

/** What a move changes in the stock. */
export const getStockChange = (kind: PrepaidTransactionKind, count: number): number =>
  getLedgerEntries(kind, count).find(({ side }) => side === 'stock')?.amount ?? 0

/** What a month takes: what the last one's sends used; where there were none, so many. */
const defaultMonthlyNeed = 100

export type PrepaidBalance = {
  readonly left: number
  /** In the calendar month before this one, less what came back. */
  readonly used_last_month: number
}
/** Whether it will not last another month: one rule for the page that shows it and the notice that tells of it. */
export const isBalanceLow = ({ left: remaining, used_last_month: used }: PrepaidBalance): boolean =>
  remaining < (used > 0 ? used : defaultMonthlyNeed)
